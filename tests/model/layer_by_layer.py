"""The GapDNER network layer by layer as the paper writes it, for a padded batch.

`equations` holds the same cell by cell, which is too slow for long sentences.
"""

import torch
from torch.nn import functional as F

from spacy_gapdner.model.distances import distance_buckets


def span_attention(layer, hidden, values):
    """Equations 8 to 10, one softmax for each span."""
    token = torch.arange(hidden.shape[1])
    first = torch.minimum(token[:, None], token[None, :])
    last = torch.maximum(token[:, None], token[None, :])
    outside = (token < first.unsqueeze(-1)) | (last.unsqueeze(-1) < token)
    upper, lower = (part(hidden)[:, None, None, :, 0] for part in (layer.upper, layer.lower))
    scores = torch.where((token[:, None] <= token[None, :]).unsqueeze(-1), upper, lower)
    return scores.masked_fill(outside, -torch.inf).softmax(dim=-1) @ values.unsqueeze(1)


def cross_weights(layer, grid, mask):
    """The weights of Equation 13: for the row, then for the column without the cell itself."""
    n = grid.shape[1]
    queries, keys = layer.query(grid) * layer.query.out_features**-0.5, layer.key(grid)
    rows = torch.einsum("bijd,bikd->bijk", queries, keys)
    columns = torch.einsum("bijd,bkjd->bijk", queries, keys)
    padding = ~mask[:, None, None, :]
    itself = torch.eye(n, dtype=torch.bool)[None, :, None, :]
    rows = rows.masked_fill(padding, -torch.inf)
    columns = columns.masked_fill(padding | itself, -torch.inf)
    return torch.cat([rows, columns], dim=-1).softmax(dim=-1)


def criss_cross(layer, grid, mask):
    """Equation 13."""
    by_row, by_column = cross_weights(layer, grid, mask).chunk(2, dim=-1)
    values = layer.value(grid)
    output = torch.einsum("bijk,bikd->bijd", by_row, values)
    return output + torch.einsum("bijk,bkjd->bijd", by_column, values)


def grid_features(net, hidden, heads, tails):
    """The grid features M (Equations 7 to 12)."""
    if hasattr(net.boundary, "bilinear"):
        bilinear = torch.einsum("bia,ack,bjc->bijk", heads, net.boundary.bilinear, tails)
        pairs = torch.broadcast_tensors(heads.unsqueeze(2), tails.unsqueeze(1))
        boundary = bilinear + net.boundary.linear(torch.cat(pairs, dim=-1))
    else:
        pairs = torch.broadcast_tensors(heads.unsqueeze(2), tails.unsqueeze(1))
        boundary = torch.cat(pairs, dim=-1)
    grid = net.from_boundary(boundary)
    if net.span_attention is not None:
        grid = grid + net.from_tokens(span_attention(net.span_attention, hidden, hidden))
    if net.distance is not None:
        grid = grid + net.distance(distance_buckets(hidden.shape[1], hidden.device))
    return net.norm(F.gelu(grid))


def score(net, hidden, mask):
    """The scores, with dropout in the order in which the network applies it; no triangle mask."""
    kept = hidden.new_ones(len(hidden), 1, 1, net.classifier.in_features)
    kept = F.dropout(kept, net.grid_dropout, net.training)
    grid = grid_features(net, hidden, net.head(hidden), net.tail(hidden)) * kept
    if net.criss_cross is not None:
        # M'' = M' + M (Equation 14)
        grid = criss_cross(net.criss_cross, grid, mask) + grid
    scores = net.classifier(grid)
    if net.co_predictor is not None:
        heads, tails = net.co_predictor.head(hidden), net.co_predictor.tail(hidden)
        part = net.co_predictor.biaffine
        bilinear = torch.einsum("bia,ack,bjc->bijk", heads, part.bilinear, tails)
        pairs = torch.broadcast_tensors(heads.unsqueeze(2), tails.unsqueeze(1))
        scores = scores + bilinear + part.linear(torch.cat(pairs, dim=-1))
    return scores
