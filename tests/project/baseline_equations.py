"""The equations of W2NER (section "Unified NER Framework") and of TOE, cell by cell, for one
sentence."""

import math

import torch
from equations import bilstm, bucket, by_cell, gelu, linear


def normalize(x):
    return (x - x.mean()) / (x.var(correction=0) + 1e-5).sqrt()


def conditional_norm(hidden, gain, bias):
    """Word j, normalised, with the gain and the bias that word i asks for."""
    return by_cell(
        len(hidden),
        lambda i, j: linear(hidden[i], gain) * normalize(hidden[j]) + linear(hidden[i], bias),
    )


def depthwise_convolution(grid, layer, step):
    """Each channel on its own; outside the grid everything is zero."""
    n = len(grid)

    def look_around(i, j):
        total = layer.bias
        for a in (-1, 0, 1):
            for b in (-1, 0, 1):
                row, column = i + a * step, j + b * step
                if 0 <= row < n and 0 <= column < n:
                    total = total + layer.weight[:, 0, a + 1, b + 1] * grid[row, column]
        return total

    return by_cell(n, look_around)


def convolutions(grid, layers, steps, chained):
    parts = []
    for layer, step in zip(layers, steps, strict=True):
        parts.append(gelu(depthwise_convolution(grid, layer, step)))
        grid = parts[-1] if chained else grid
    return torch.cat(parts, dim=-1)


def mlp(x, part, kept_in, kept_out):
    """Dropout of the input and of the output, by what is kept of them."""
    return gelu(linear(x * kept_in, part[1])) * kept_out


def biaffine_with_ones(heads, tails, layer):
    """One tensor over head and tail, each with a one appended."""
    n = layer.n_in
    weight = layer.bilinear.new_zeros(layer.n_out, n + 1, n + 1)
    weight[:, :n, :n] = layer.bilinear.permute(2, 0, 1)
    weight[:, :n, n], weight[:, n, :n] = layer.linear.weight.split(n, dim=1)
    weight[:, n, n] = layer.linear.bias
    one = heads.new_ones(1)
    return by_cell(
        len(heads),
        lambda i, j: torch.stack(
            [torch.cat([heads[i], one]) @ w @ torch.cat([tails[j], one]) for w in weight]
        ),
    )


def co_predictor(hidden, grid, part, kept):
    heads, tails = (mlp(hidden, getattr(part, name), *kept[name]) for name in ("head", "tail"))
    by_words = biaffine_with_ones(heads, tails, part.biaffine)
    return by_words + linear(mlp(grid, part.grid, *kept["grid"]), part.classifier)


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


NOTHING_DROPPED = dict.fromkeys(("head", "tail", "grid"), (1, 1))


def w2ner(words, net, dilations, *, chained, encode=lambda hidden: hidden, channels=1, kept=None):
    """The scores of one sentence; what dropout keeps of the pair features' channels and of the
    co-predictor's MLPs is given."""
    hidden = encode(bilstm(words, net.bilstm.lstm))
    pairs = conditional_norm(hidden, net.pairs.gain, net.pairs.bias)
    places = by_cell(
        len(words),
        lambda i, j: torch.cat(
            [net.distance.weight[bucket(i, j)], net.region.weight[1 + (j > i) - (j < i)]]
        ),
    )
    grid = gelu(linear(torch.cat([pairs, places], dim=-1) * channels, net.base))
    grid = convolutions(grid, net.convolutions.convolutions, dilations, chained)
    return co_predictor(hidden, grid, net.predictor, kept or NOTHING_DROPPED)
