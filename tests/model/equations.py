"""The equations of the paper's "Proposed Model", written out cell by cell for one sentence."""

import math

import torch


def linear(x, layer):
    result = x @ layer.weight.T
    return result if layer.bias is None else result + layer.bias


def gelu(x):
    return x * (1 + torch.erf(x / math.sqrt(2))) / 2


def bilstm(words, lstm):
    """Equations 2 to 4; the LSTM's gates as Hochreiter and Schmidhuber's, with a forget gate."""

    def read(inputs, suffix):
        w_in = getattr(lstm, f"weight_ih_l0{suffix}")
        w_hidden = getattr(lstm, f"weight_hh_l0{suffix}")
        bias = getattr(lstm, f"bias_ih_l0{suffix}") + getattr(lstm, f"bias_hh_l0{suffix}")
        hidden = cell = words.new_zeros(lstm.hidden_size)
        outputs = []
        for x in inputs:
            write, forget, new, show = (w_in @ x + w_hidden @ hidden + bias).chunk(4)
            cell = forget.sigmoid() * cell + write.sigmoid() * new.tanh()
            hidden = show.sigmoid() * cell.tanh()
            outputs.append(hidden)
        return outputs

    forward, backward = read(words, ""), read(words.flip(0), "_reverse")[::-1]
    return torch.stack([torch.cat(pair) for pair in zip(forward, backward, strict=True)])


def biaffine(heads, tails, u1, u2, b1):
    """Equation 7."""

    def score_pair(i, j):
        products = [heads[i] @ u1[:, :, k] @ tails[j] for k in range(u1.shape[2])]
        return torch.stack(products) + torch.cat([heads[i], tails[j]]) @ u2 + b1

    return by_cell(len(heads), score_pair)


def regularity(hidden, upper, lower):
    """Equations 8 to 10; `upper` and `lower` are the weights of the two triangles."""

    def pool_span(i, j):
        if i == j:
            return hidden[i]
        tokens = hidden[min(i, j) : max(i, j) + 1]
        scores = linear(tokens, upper if i < j else lower)
        return (scores.softmax(dim=0) * tokens).sum(dim=0)

    return by_cell(len(hidden), pool_span)


def criss_cross(grid, query, key, value):
    """Equation 13."""
    n = len(grid)

    def attend(i, j):
        cross = [(i, k) for k in range(n)] + [(k, j) for k in range(n) if k != i]
        assert len(cross) == 2 * n - 1
        keys = torch.stack([linear(grid[cell], key) for cell in cross])
        values = torch.stack([linear(grid[cell], value) for cell in cross])
        scores = keys @ linear(grid[i, j], query) / math.sqrt(query.out_features)
        return scores.softmax(dim=0) @ values

    return by_cell(n, attend)


def bucket(i, j):
    """0, 1, 2-3, 4-7, ..., 64-127, and one for 128 and above; negative before the head."""
    size = min(abs(j - i).bit_length(), 8)
    return (size if j > i else -size) + 8


def by_cell(n, feature):
    return torch.stack([torch.stack([feature(i, j) for j in range(n)]) for i in range(n)])


def assert_same(actual, expected, tensors, atol):
    """Compare two results, and their gradients by the given tensors."""
    torch.testing.assert_close(actual, expected, rtol=0, atol=atol)
    weights = torch.randn_like(expected)
    sums = [(result * weights).sum() for result in (actual, expected)]
    gradients = [torch.autograd.grad(one, tensors, materialize_grads=True) for one in sums]
    assert any(gradient.abs().max() > 1e-3 for gradient in gradients[1])
    for gradient, expected_gradient in zip(*gradients, strict=True):
        torch.testing.assert_close(gradient, expected_gradient, rtol=0, atol=atol)
