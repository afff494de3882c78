"""A thinc model around the PyTorch network that scores the label grids of documents."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from io import BytesIO
from typing import cast

import numpy as np
import srsly
import torch
from spacy.tokens import Doc
from thinc.api import ArgsKwargs, Model, Ops, torch2xp, xp2torch
from thinc.types import Floats2d, Floats3d, Floats4d
from thinc.util import get_torch_default_device

from ..errors import GapDNERError
from ..grid import GridLayout, TaggingScheme
from ..segments import Segment
from .batching import batch_by_length
from .grid_network import GridNetwork
from .upstream_bugs import (
    InPlaceShim,
    bound_onednn_caches,
    infer,
    multiply_by_torch,
    use_one_thread_in_workers,
)

# So many words, padding included, go through the network at once.
_MAX_CALL_WORDS = 2**14
# Of a batch of grids that is full, at most one in so many cells is padding.
_PADDING = 32

# The documents and the segments of each.
ModelIn = tuple[list[Doc], list[list[Segment]]]
# Scores `(n, n, channels)` of every segment, in the order of documents and segments.
ModelOut = list[Floats3d]
GridIn = tuple[list[Floats2d], list[list[Segment]]]
# What the network reads: padded words, the segments' lengths, and how many make up each batch.
NetworkIn = tuple[Floats3d, np.ndarray, list[int]]
_Backprop = Callable[[list[Floats4d]], Floats3d]


# Makes the network once the input width and the labels are known.
NetworkFactory = Callable[[int, GridLayout], GridNetwork]
# The same from the input width and the entity types.
_MakeNetwork = Callable[[int, Sequence[str]], GridNetwork]


def build_grid_model(
    name: str,
    tok2vec: Model[list[Doc], list[Floats2d]],
    tagging: TaggingScheme,
    make_network: NetworkFactory,
    *,
    max_batch_cells: int,
    mixed_precision: bool,
) -> Model[ModelIn, ModelOut]:
    """Build a thinc model that scores the label grids of segments with a PyTorch network.

    name (str): Name of the model.
    tok2vec (Model[list[Doc], list[Floats2d]]): Gives the word representations.
    tagging (TaggingScheme): How entities are written into the grid, with the loss.
    make_network (NetworkFactory): Makes the network from the width of the word representations
        and the scheme's layout.
    max_batch_cells (int): Segments are computed in batches of at most so many grid cells, padding
        included; a longer segment is a batch of its own.
    mixed_precision (bool): Multiply the network's matrices in bfloat16, on a GPU or on a CPU; its
        weights and its scores stay float32.
    RETURNS (Model[ModelIn, ModelOut]): The model. `attrs["tagging"]` is the scheme, the refs
        "tok2vec" and "grid" are its two parts. `attrs["labels"]` takes the entity types before it
        is initialized; `attrs["resize_output"]` is a function of the model and more of them.
    RAISES (GapDNERError): If `max_batch_cells` is not positive.
    """
    if max_batch_cells < 1:
        raise GapDNERError(
            f"The model's max_batch_cells must be at least 1, but it is {max_batch_cells}."
        )
    bound_onednn_caches()
    multiply_by_torch(tok2vec)
    make = partial(_make_network, tagging, make_network, mixed_precision)
    grid: Model[GridIn, ModelOut] = Model(
        f"{name}_grid",
        # not an attr: thinc would restore its saved value over the config of a loaded pipeline
        partial(_grid_forward, max_batch_cells),
        layers=[_wrap(make)],
        dims={"nI": None},
    )
    return Model(
        name,
        _forward,
        init=partial(_init, make),
        layers=[tok2vec, grid],
        refs={"tok2vec": tok2vec, "grid": grid},
        attrs={
            "tagging": tagging,
            "labels": [],
            "resize_output": partial(_resize_output, tagging, make),
        },
    )


def _make_network(
    tagging: TaggingScheme,
    make_network: NetworkFactory,
    mixed_precision: bool,
    n_in: int,
    labels: Sequence[str],
) -> GridNetwork:
    network = make_network(n_in, tagging.layout(labels))
    network.labels = tuple(labels)
    network.mixed_precision = mixed_precision
    return network


def _init(
    make_network: _MakeNetwork,
    model: Model[ModelIn, ModelOut],
    X: ModelIn | None = None,
    Y: ModelOut | None = None,
) -> None:
    tok2vec, grid = model.get_ref("tok2vec"), model.get_ref("grid")
    if X is None:
        tok2vec.initialize()
        return
    docs, _ = X
    tok2vec.initialize(X=docs)
    if grid.has_dim("nI") is None:
        grid.set_dim("nI", max(vectors.shape[1] for vectors in tok2vec.predict(docs)))
    network = make_network(grid.get_dim("nI"), model.attrs["labels"])
    grid.layers[0].shims[0]._model = network.to(get_torch_default_device())


def _forward(
    model: Model[ModelIn, ModelOut], inputs: ModelIn, is_train: bool
) -> tuple[ModelOut, Callable[[ModelOut], list[Doc]]]:
    use_one_thread_in_workers()
    docs, segments = inputs
    vectors, backprop_tok2vec = model.get_ref("tok2vec")(docs, is_train)
    scores, backprop_grid = model.get_ref("grid")((vectors, segments), is_train)

    def backprop(d_scores: ModelOut) -> list[Doc]:
        return backprop_tok2vec(backprop_grid(d_scores))

    return scores, backprop


def _resize_output(
    tagging: TaggingScheme,
    make_network: _MakeNetwork,
    model: Model[ModelIn, ModelOut],
    labels: Sequence[str],
) -> None:
    # Adds entity types to a model that is initialized, keeping what it has learned of the others
    grid = model.get_ref("grid")
    trained = grid.layers[0].shims[0]._model
    if trained is None:
        return
    network = make_network(grid.get_dim("nI"), labels)
    layouts = [tagging.layout(types) for types in (trained.labels, labels)]
    network.take_over(trained, layouts[0].places_in(layouts[1]))
    network.train(trained.training)
    # a shim of its own: an optimizer keeps moments of the old shapes under the old one's id
    grid.layers[0] = _wrap(make_network)
    grid.layers[0].shims[0]._model = network.to(next(trained.parameters()).device)
    model.attrs["labels"] = list(labels)


def _grid_forward(
    max_batch_cells: int, model: Model[GridIn, ModelOut], inputs: GridIn, is_train: bool
) -> tuple[ModelOut, Callable[[ModelOut], list[Floats2d]]]:
    vectors, segments = inputs
    ops, network = model.ops, model.layers[0]
    flat = [(doc, segment) for doc, parts in enumerate(segments) for segment in parts]
    scores: dict[int, Floats3d] = {}
    backprops: list[tuple[list[list[int]], _Backprop]] = []
    for batches in _batch_calls([segment.n_tokens for _, segment in flat], max_batch_cells):
        rows = [i for batch in batches for i in batch]
        lengths = np.array([flat[i][1].n_tokens for i in rows])
        words = ops.alloc3f(len(rows), int(lengths[0]), model.get_dim("nI"))
        for row, i in enumerate(rows):
            doc, (start, end) = flat[i]
            words[row, : end - start] = vectors[doc][start:end]
        sizes = [len(batch) for batch in batches]
        grids, backprop_network = network((words, lengths, sizes), is_train)
        for batch, grid in zip(batches, grids, strict=True):
            for row, i in enumerate(batch):
                n = flat[i][1].n_tokens
                scores[i] = grid[row, :n, :n]
        backprops.append((batches, backprop_network))

    def backprop(d_scores: ModelOut) -> list[Floats2d]:
        d_vectors = [ops.alloc2f(*array.shape) for array in vectors]
        for batches, backprop_network in backprops:
            d_words = backprop_network([_pad(ops, [d_scores[i] for i in b]) for b in batches])
            for row, i in enumerate(i for batch in batches for i in batch):
                doc, (start, end) = flat[i]
                d_vectors[doc][start:end] += d_words[row, : end - start]
        return d_vectors

    return [scores[i] for i in range(len(flat))], backprop


def _pad(ops: Ops, grids: Sequence[Floats3d]) -> Floats4d:
    # the longest comes first
    padded = ops.alloc4f(len(grids), *grids[0].shape)
    for row, grid in enumerate(grids):
        padded[row, : len(grid), : len(grid)] = grid
    return padded


def _batch_calls(lengths: Sequence[int], max_batch_cells: int) -> Iterator[list[list[int]]]:
    # The batches of grids that go into the network at once, longest segments first
    call: list[list[int]] = []
    padding = max_batch_cells // _PADDING
    for batch in batch_by_length(lengths, max_batch_cells, power=2, max_padding=padding):
        n_rows = sum(len(batch) for batch in [*call, batch])
        if call and n_rows * lengths[call[0][0]] > _MAX_CALL_WORDS:
            yield call
            call = []
        call.append(batch)
    if call:
        yield call


def _wrap(make_network: _MakeNetwork) -> Model[NetworkIn, list[Floats4d]]:
    # the network is made once the labels are known
    shim = InPlaceShim(
        None,
        serialize_model=_serialize,
        deserialize_model=partial(_deserialize, make_network),
    )
    return Model("pytorch", _call_network, shims=[shim], dims={"nI": None, "nO": None})


def _call_network(
    model: Model[NetworkIn, list[Floats4d]], inputs: NetworkIn, is_train: bool
) -> tuple[list[Floats4d], _Backprop]:
    words, lengths, batch_sizes = inputs
    shim = model.shims[0]
    args = (xp2torch(words, requires_grad=is_train), torch.from_numpy(lengths), batch_sizes)
    inputs_torch = ArgsKwargs(args=args, kwargs={})
    if not is_train:
        (scores,) = infer(shim._model, [inputs_torch])
        return _to_numpy(scores), lambda d_scores: words
    scores_torch, backprop_torch = shim.begin_update(inputs_torch)

    def backprop(d_scores: list[Floats4d]) -> Floats3d:
        gradients = tuple(
            xp2torch(d_batch, device=batch.device).to(batch.dtype)
            for d_batch, batch in zip(d_scores, scores_torch, strict=True)
        )
        d_inputs = backprop_torch(
            ArgsKwargs(args=(scores_torch,), kwargs={"grad_tensors": gradients})
        )
        return cast(Floats3d, torch2xp(d_inputs.args[0]))

    return [cast(Floats4d, torch2xp(b.float().detach())) for b in scores_torch], backprop


def _serialize(network: GridNetwork | None) -> bytes:
    if network is None:
        return srsly.msgpack_dumps({"state": None})
    buffer = BytesIO()
    torch.save(network.state_dict(), buffer)
    made_from = {"nI": network.n_in, "labels": list(network.labels)}
    return srsly.msgpack_dumps({**made_from, "state": buffer.getvalue()})


def _deserialize(
    make_network: _MakeNetwork,
    network: GridNetwork | None,
    data: bytes,
    device: torch.device,
) -> GridNetwork | None:
    saved = srsly.msgpack_loads(data)
    if saved["state"] is None:
        return network
    if "labels" not in saved:
        raise GapDNERError("The pipeline was saved by a version before 0.7. Train it anew.")
    network = make_network(saved["nI"], saved["labels"])
    state = torch.load(BytesIO(saved["state"]), map_location=device, weights_only=True)
    network.load_state_dict(state)
    return network.to(device)


def _to_numpy(scores: tuple[torch.Tensor, ...]) -> list[Floats4d]:
    # Decoding works on the CPU. One transfer, as each waits for the GPU
    flat = torch.cat([batch.flatten() for batch in scores]).float().cpu().numpy()
    ends = np.cumsum([batch.numel() for batch in scores])
    parts = np.split(flat, ends[:-1])
    grids = [part.reshape(batch.shape) for part, batch in zip(parts, scores, strict=True)]
    return cast(list[Floats4d], grids)
