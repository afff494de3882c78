"""The equations of W2NER and TOE, cell by cell, for one sentence. Dropout draws the same numbers in
the same order as the networks."""

import math

import torch
from equations import biaffine, bilstm, bucket, by_cell, gelu, linear
from torch.nn.functional import dropout

from project.baselines.w2ner import NORM_EPS


def normalize(x):
    return (x - x.mean()) / (x.var(correction=0) + NORM_EPS).sqrt()


def conditional_norm(rows, columns, gain, bias):
    """Word i, normalized with the gain and bias of word j."""
    gains, biases = linear(columns, gain), linear(columns, bias)
    return by_cell(len(rows), lambda i, j: gains[j] * normalize(rows[i]) + biases[j])


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


def mlp(x, part):
    drop_input, layer, _, drop_output = part
    return drop_output(gelu(linear(drop_input(x), layer)))


def co_predictor(hidden, grid, part):
    heads, tails = mlp(hidden, part.head), mlp(hidden, part.tail)
    u1, u2, b1 = part.biaffine.bilinear, part.biaffine.linear.weight.T, part.biaffine.linear.bias
    by_words = biaffine(heads, tails, u1, u2, b1)
    return by_words + linear(mlp(grid, part.grid), part.classifier)


def grid_features(rows, columns, net, dilations, *, chained):
    pairs = conditional_norm(rows, columns, net.pairs.gain, net.pairs.bias)
    places = by_cell(
        len(rows),
        lambda i, j: torch.cat([net.distance.weight[bucket(i, j)], net.region.weight[int(j > i)]]),
    )
    features = torch.cat([pairs, places], dim=-1)
    # drops channels
    kept = dropout(features.new_ones(features.shape[-1]), net.grid_dropout, net.training)
    grid = gelu(linear(features * kept, net.base))
    parts = []
    for layer, step in zip(net.convolutions.convolutions, dilations, strict=True):
        parts.append(gelu(depthwise_convolution(grid, layer, step)))
        grid = parts[-1] if chained else grid
    return torch.cat(parts, dim=-1)


def w2ner(words, net, dilations):
    """The scores of a sentence."""
    hidden = bilstm(net.word_dropout(words), net.bilstm.lstm)
    grid = grid_features(hidden, hidden, net, dilations, chained=True)
    return co_predictor(hidden, grid, net.predictor)


def residual(x, added, part):
    x = x + part.dropout(linear(added, part.linear))
    return torch.stack([normalize(row) for row in x]) * part.norm.weight + part.norm.bias


def attention(x, words, part):
    queries, keys, values = (
        linear(y, layer).chunk(part.n_heads, dim=1)
        for y, layer in ((x, part.query), (words, part.key), (words, part.value))
    )
    scores = [q @ k.T / math.sqrt(q.shape[1]) for q, k in zip(queries, keys, strict=True)]
    weights = part.dropout(torch.stack(scores).softmax(dim=2))
    heads = [w @ v for w, v in zip(weights, values, strict=True)]
    return residual(x, torch.cat(heads, dim=1), part.output)


def decoder(x, words, part):
    x = attention(x, x, part.self_attention)
    x = attention(x, words, part.cross_attention)
    return residual(x, gelu(linear(x, part.inner)), part.output)


def toe(words, net, dilations):
    """The scores of a sentence."""
    hidden = bilstm(net.word_dropout(words), net.bilstm.lstm)
    rows, columns = linear(hidden, net.rows), linear(hidden, net.columns)
    tags = linear(grid_features(rows, columns, net, dilations, chained=False), net.tags)
    for _ in range(net.n_rounds - 1):
        of_rows, of_columns = tags.amax(dim=1), tags.amax(dim=0)
        rows = rows + decoder(linear(of_rows, net.rows_of_tags), hidden, net.decoder)
        columns = columns + decoder(linear(of_columns, net.columns_of_tags), hidden, net.decoder)
        tags = linear(grid_features(rows, columns, net, dilations, chained=False), net.tags)
    sizes = [grid.in_features for grid in net.grids]
    groups = linear(tags, net.labels_of_tags).split(sizes, dim=2)
    scores = [
        co_predictor(hidden, linear(group, grid), predictor)
        for group, grid, predictor in zip(groups, net.grids, net.predictors, strict=True)
    ]
    return torch.cat(scores, dim=2)
