"""The equations of W2NER (section "Unified NER Framework") and of TOE, cell by cell, for one
sentence."""

import math

import torch
from equations import biaffine, bilstm, bucket, by_cell, gelu, linear


def normalize(x):
    return (x - x.mean()) / (x.var(correction=0) + 1e-5).sqrt()


def conditional_norm(hidden, gain, bias):
    """Word j, normalised, with the gain and the bias that word i asks for."""
    return by_cell(
        len(hidden),
        lambda i, j: linear(hidden[i], gain) * normalize(hidden[j]) + linear(hidden[i], bias),
    )


def convolution(grid, layer, step):
    """What stands outside of the grid is zero."""
    n = len(grid)

    def look_around(i, j):
        total = layer.bias
        for a in (-1, 0, 1):
            for b in (-1, 0, 1):
                row, column = i + a * step, j + b * step
                if 0 <= row < n and 0 <= column < n:
                    total = total + layer.weight[:, :, a + 1, b + 1] @ grid[row, column]
        return total

    return by_cell(n, look_around)


def convolutions(grid, layers, steps):
    parts = [gelu(convolution(grid, *part)) for part in zip(layers, steps, strict=True)]
    return torch.cat(parts, dim=-1)


def co_predictor(hidden, grid, part):
    heads, tails = (gelu(linear(hidden, mlp[0])) for mlp in (part.head, part.tail))
    u2, b1 = part.biaffine.linear.weight.T, part.biaffine.linear.bias
    by_words = biaffine(heads, tails, part.biaffine.bilinear, u2, b1)
    return by_words + linear(gelu(linear(grid, part.grid[0])), part.classifier)


def self_attention(x, layer, n_heads):
    """Each head on its own part of the width."""
    width = x.shape[1] // n_heads
    mapped = (x @ layer.in_proj_weight.T + layer.in_proj_bias).chunk(3, dim=1)
    outputs = []
    for head in range(n_heads):
        queries, keys, values = (part[:, head * width : (head + 1) * width] for part in mapped)
        weights = (queries @ keys.T / math.sqrt(width)).softmax(dim=1)
        outputs.append(weights @ values)
    return linear(torch.cat(outputs, dim=1), layer.out_proj)


def tag_embedding(hidden, part, n_heads):
    """Words and tags through a transformer layer; the words of its output."""
    layer = part.layer

    def norm(rows, of):
        return torch.stack([normalize(row) for row in rows]) * of.weight + of.bias

    x = torch.cat([hidden, part.tags])
    x = norm(x + self_attention(x, layer.self_attn, n_heads), layer.norm1)
    x = norm(x + linear(gelu(linear(x, layer.linear1)), layer.linear2), layer.norm2)
    return x[: len(hidden)]


def w2ner(words, net, dilations, encode=lambda hidden: hidden):
    """The scores of one sentence, without dropout and triangle mask."""
    hidden = encode(bilstm(words, net.bilstm.lstm))
    pairs = conditional_norm(hidden, net.pairs.gain, net.pairs.bias)
    places = by_cell(
        len(words),
        lambda i, j: torch.cat(
            [net.distance.weight[bucket(i, j)], net.region.weight[1 + (j > i) - (j < i)]]
        ),
    )
    layers = (net.from_pairs, net.from_distance, net.from_region)
    weight = torch.cat([layer.weight for layer in layers], dim=1)
    grid = gelu(torch.cat([pairs, places], dim=-1) @ weight.T + net.from_pairs.bias)
    grid = convolutions(grid, net.convolutions.convolutions, dilations)
    return co_predictor(hidden, grid, net.predictor)
