"""A thinc model that wraps the PyTorch network and scores the label grids of documents."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from io import BytesIO
from typing import cast

import numpy as np
import srsly
import torch
from spacy.tokens import Doc
from thinc.api import ArgsKwargs, Model, Ops, get_torch_default_device, torch2xp, xp2torch
from thinc.shims.pytorch import default_serialize_torch_model
from thinc.types import Floats2d, Floats3d, Floats4d

from ..errors import GapDNERError
from ..grid import TaggingScheme
from ..grid.scheme import channel_places
from ..segments import Segment
from . import upstream_bugs
from .batching import batch_by_length
from .grid_network import GridNetwork

# Maximum number of words, including padding, in a call of the network.
_MAX_CALL_WORDS = 2**14
# At most one in this many cells of a full batch of grids is padding.
_PADDING = 32

# The documents and the segments of each document.
ModelIn = tuple[list[Doc], list[list[Segment]]]
# Scores `(n, n, channels)` of each segment, in the order of documents and segments.
ModelOut = list[Floats3d]
GridModel = Model[ModelIn, ModelOut]
GridIn = tuple[list[Floats2d], list[list[Segment]]]
# Padded words, the lengths of the segments, and the number of segments in each batch of grids.
NetworkIn = tuple[Floats3d, np.ndarray, list[int]]
_Backprop = Callable[[list[Floats4d]], Floats3d]
# Makes the network from the input width, and the channels of the grid or the entity types.
NetworkFactory = Callable[[int, Sequence[str]], GridNetwork]


def build_grid_model(
    name: str,
    tok2vec: Model[list[Doc], list[Floats2d]],
    tagging: TaggingScheme,
    make_network: NetworkFactory,
    *,
    max_batch_cells: int,
    mixed_precision: bool,
) -> GridModel:
    """Build a thinc model that scores the label grids of segments with a PyTorch network.

    name (str): Name of the model.
    make_network (NetworkFactory): Makes the network from the input width and the channels.
    tok2vec, tagging, max_batch_cells, mixed_precision: See `make_architecture`.
    RETURNS (Model[ModelIn, ModelOut]): The model, with the refs "tok2vec" and "grid" and these
        attrs: "tagging" is the scheme. "labels" are the entity types. "resize_output" is a function
        that takes the model and a longer list of entity types.
    RAISES (GapDNERError): If `max_batch_cells` is not positive.
    """
    if max_batch_cells < 1:
        raise GapDNERError(f"Invalid max_batch_cells: {max_batch_cells}. It must be at least 1.")
    upstream_bugs.bound_onednn_caches()
    upstream_bugs.load_srsly_extensions_once()
    upstream_bugs.use_one_thread_in_workers()
    upstream_bugs.multiply_by_torch(tok2vec)
    make = partial(_make_network, tagging, make_network, mixed_precision)
    grid: Model[GridIn, ModelOut] = Model(
        f"{name}_grid",
        # not an attr, because thinc restores saved attrs, which would override the config
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
        attrs={"tagging": tagging, "labels": [], "resize_output": partial(_resize_output, make)},
    )


def _make_network(
    tagging: TaggingScheme,
    make_network: NetworkFactory,
    mixed_precision: bool,
    n_in: int,
    labels: Sequence[str],
) -> GridNetwork:
    network = make_network(n_in, tagging.channels(labels))
    network.labels = tuple(labels)
    network.mixed_precision = mixed_precision
    return network


def _init(
    make_network: NetworkFactory, model: GridModel, X: ModelIn | None = None, Y: object = None
) -> None:
    tok2vec, grid = model.get_ref("tok2vec"), model.get_ref("grid")
    docs, _ = cast(ModelIn, X)
    tok2vec.initialize(X=docs)
    if grid.has_dim("nI") is None:
        grid.set_dim("nI", max(vectors.shape[1] for vectors in tok2vec.predict(docs)))
    network = make_network(grid.get_dim("nI"), model.attrs["labels"])
    grid.layers[0].shims[0]._model = network.to(get_torch_default_device())


def _forward(
    model: GridModel, inputs: ModelIn, is_train: bool
) -> tuple[ModelOut, Callable[[ModelOut], list[Doc]]]:
    upstream_bugs.use_one_thread_in_workers()
    docs, segments = inputs
    vectors, backprop_tok2vec = model.get_ref("tok2vec")(docs, is_train)
    scores, backprop_grid = model.get_ref("grid")((vectors, segments), is_train)

    def backprop(d_scores: ModelOut) -> list[Doc]:
        return backprop_tok2vec(backprop_grid(d_scores))

    return scores, backprop


def _resize_output(make_network: NetworkFactory, model: GridModel, labels: Sequence[str]) -> None:
    # Add entity types to an initialized model and keep the weights of the others
    model.attrs["labels"] = list(labels)
    grid = model.get_ref("grid")
    trained = grid.layers[0].shims[0]._model
    if trained is None:
        return
    network = make_network(grid.get_dim("nI"), labels)
    channels, larger = map(model.attrs["tagging"].channels, (trained.labels, labels))
    network.take_over(trained, channel_places(channels, larger))
    network.train(trained.training)
    # a new shim, because optimizers store moments with the old shapes under the id of the old one
    grid.layers[0] = _wrap(make_network)
    grid.layers[0].shims[0]._model = network.to(next(trained.parameters()).device)


def _grid_forward(
    max_batch_cells: int, model: Model[GridIn, ModelOut], inputs: GridIn, is_train: bool
) -> tuple[ModelOut, Callable[[ModelOut], list[Floats2d]]]:
    vectors, segments = inputs
    ops, network = model.ops, model.layers[0]
    flat = [(doc, segment) for doc, parts in enumerate(segments) for segment in parts]
    scores: dict[int, Floats3d] = {}
    backprops: list[tuple[list[list[int]], _Backprop]] = []
    sizes = [segment.n_tokens for _, segment in flat]
    for batches in _batch_calls(sizes, max_batch_cells):
        rows = [i for batch in batches for i in batch]
        lengths = np.array([sizes[i] for i in rows])
        unpadded = [vectors[doc][start:end] for doc, (start, end) in (flat[i] for i in rows)]
        words = ops.asarray3f(ops.pad(unpadded))
        n_grids = [len(batch) for batch in batches]
        grids, backprop_network = network((words, lengths, n_grids), is_train)
        for batch, grid in zip(batches, grids, strict=True):
            for row, i in enumerate(batch):
                scores[i] = grid[row, : sizes[i], : sizes[i]]
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
    # the longest grid comes first
    padded = ops.alloc4f(len(grids), *grids[0].shape)
    for row, grid in enumerate(grids):
        padded[row, : len(grid), : len(grid)] = grid
    return padded


def _batch_calls(lengths: Sequence[int], max_batch_cells: int) -> Iterator[list[list[int]]]:
    # The batches of grids in each call of the network, longest segments first
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


def _wrap(make_network: NetworkFactory) -> Model[NetworkIn, list[Floats4d]]:
    # the network is made once the labels are known
    shim = upstream_bugs.InPlaceShim(
        None, serialize_model=_serialize, deserialize_model=partial(_deserialize, make_network)
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
        (scores,) = upstream_bugs.infer(shim._model, [inputs_torch])
        # a single transfer, because each one waits for the GPU
        flat = torch.cat([batch.flatten() for batch in scores]).float().cpu().numpy()
        parts = np.split(flat, np.cumsum([batch.numel() for batch in scores])[:-1])
        grids = [part.reshape(batch.shape) for part, batch in zip(parts, scores, strict=True)]
        return cast(list[Floats4d], grids), lambda d_scores: words
    scores_torch, backprop_torch = shim.begin_update(inputs_torch)

    def backprop(d_scores: list[Floats4d]) -> Floats3d:
        gradients = tuple(
            xp2torch(d_batch, device=batch.device).to(batch.dtype)
            for d_batch, batch in zip(d_scores, scores_torch, strict=True)
        )
        arguments = ArgsKwargs(args=(scores_torch,), kwargs={"grad_tensors": gradients})
        return cast(Floats3d, torch2xp(backprop_torch(arguments).args[0]))

    return [cast(Floats4d, torch2xp(b.float().detach())) for b in scores_torch], backprop


def _serialize(network: GridNetwork | None) -> bytes:
    if network is None:
        return srsly.msgpack_dumps({"state": None})
    made_from = {"nI": network.n_in, "labels": list(network.labels)}
    return srsly.msgpack_dumps({**made_from, "state": default_serialize_torch_model(network)})


def _deserialize(
    make_network: NetworkFactory, network: GridNetwork | None, data: bytes, device: torch.device
) -> GridNetwork | None:
    saved = srsly.msgpack_loads(data)
    if saved["state"] is None:
        return network
    network = make_network(saved["nI"], saved["labels"])
    state = torch.load(BytesIO(saved["state"]), map_location=device, weights_only=True)
    network.load_state_dict(state)
    return network.to(device)
