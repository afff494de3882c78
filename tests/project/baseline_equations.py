"""The equations of W2NER and TOE, cell by cell, for one sentence."""

import math

import torch
from equations import bilstm, bucket, by_cell, gelu, linear

from project.baselines.w2ner import NORM_EPS


def normalize(x):
    return (x - x.mean()) / (x.var(correction=0) + NORM_EPS).sqrt()


def conditional_norm(rows, columns, gain, bias):
    """Word i, normalized with the gain and bias of word j."""
    return by_cell(
        len(rows),
        lambda i, j: linear(columns[j], gain) * normalize(rows[i]) + linear(columns[j], bias),
    )


def depthwise_convolution(grid, layer, step):
    """One convolution per channel, with zeros outside of the grid."""
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
    """With dropout masks of the input and the output."""
    return gelu(linear(x * kept_in, part[1])) * kept_out


def biaffine_with_ones(heads, tails, layer):
    """A single tensor, after appending 1 to head and tail."""
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


NO_DROPOUT = dict.fromkeys(("head", "tail", "grid"), (1, 1))


def grid_features(rows, columns, net, dilations, *, chained, channels=1):
    """With a dropout mask of the channels."""
    pairs = conditional_norm(rows, columns, net.pairs.gain, net.pairs.bias)
    places = by_cell(
        len(rows),
        lambda i, j: torch.cat([net.distance.weight[bucket(i, j)], net.region.weight[int(j > i)]]),
    )
    grid = gelu(linear(torch.cat([pairs, places], dim=-1) * channels, net.base))
    return convolutions(grid, net.convolutions.convolutions, dilations, chained)


def w2ner(words, net, dilations, channels=1, kept=NO_DROPOUT):
    """The scores of a sentence, with dropout masks."""
    hidden = bilstm(words, net.bilstm.lstm)
    grid = grid_features(hidden, hidden, net, dilations, chained=True, channels=channels)
    return co_predictor(hidden, grid, net.predictor, kept)


def residual(x, added, part, kept=1):
    x = x + linear(added, part.linear) * kept
    return torch.stack([normalize(row) for row in x]) * part.norm.weight + part.norm.bias


def attention(x, words, part, kept=(1, 1)):
    """With dropout masks of the weights, one per head, and of the output."""
    width = x.shape[1] // part.n_heads
    outputs = []
    for head in range(part.n_heads):
        own = slice(head * width, (head + 1) * width)
        queries, keys, values = (
            linear(y, layer)[:, own]
            for y, layer in ((x, part.query), (words, part.key), (words, part.value))
        )
        weights = (queries @ keys.T / math.sqrt(width)).softmax(dim=1)
        weights = weights * (kept[0] if isinstance(kept[0], int) else kept[0][head])
        outputs.append(weights @ values)
    return residual(x, torch.cat(outputs, dim=1), part.output, kept[1])


def decoder(x, words, part, kept=((1, 1), (1, 1), 1)):
    x = attention(x, x, part.self_attention, kept[0])
    x = attention(x, words, part.cross_attention, kept[1])
    return residual(x, gelu(linear(x, part.inner)), part.output, kept[2])


def toe(words, net, dilations):
    """The scores of a sentence."""
    hidden = bilstm(words, net.bilstm.lstm)
    rows, columns = linear(hidden, net.rows), linear(hidden, net.columns)
    for round_number in range(net.n_rounds):
        tags = linear(grid_features(rows, columns, net, dilations, chained=False), net.tags)
        if round_number < net.n_rounds - 1:
            of_rows = torch.stack([row.max(dim=0).values for row in tags])
            of_columns = torch.stack([column.max(dim=0).values for column in tags.transpose(0, 1)])
            rows = rows + decoder(linear(of_rows, net.rows_of_tags), hidden, net.decoder)
            columns = columns + decoder(
                linear(of_columns, net.columns_of_tags), hidden, net.decoder
            )
    labels = linear(tags, net.labels_of_tags)
    scores, start = [], 0
    for grid, predictor in zip(net.grids, net.predictors, strict=True):
        group = labels[..., start : start + grid.in_features]
        scores.append(co_predictor(hidden, linear(group, grid), predictor, NO_DROPOUT))
        start += grid.in_features
    return torch.cat(scores, dim=-1)
