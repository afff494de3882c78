"""Wrap the PyTorch network in a thinc model that scores the label grids of documents."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from io import BytesIO
from itertools import accumulate
from typing import cast

import numpy as np
import srsly
import torch
from spacy.tokens import Doc
from thinc.api import Model, get_torch_default_device, torch2xp, xp2torch
from thinc.shims.pytorch import default_serialize_torch_model
from thinc.types import Floats2d, Floats4d
from torch import Tensor

from ..errors import GapDNERError
from ..grid import TaggingScheme
from ..grid.grids import GridInput, GridModel, Grids
from ..grid.scheme import channel_indices
from ..grid.segments import Segment
from .batching import batch_by_length
from .grid_network import Call, GridNetwork
from .products import multiply_by_torch
from .shim import NetworkShim, refuse_gradient
from .threads import use_one_thread_after_fork

# Maximum number of words, including padding, in a call of the network.
_MAX_CALL_WORDS = 2**14
# At most one in this many cells of a full batch of grids is padding. A GPU takes longer to start an
# operation than to compute some cells more.
_CPU_PADDING, _GPU_PADDING = 64, 32
# Size of a batch of grids, in features of cells, if max_batch_cells is not set. On a CPU, it should
# fit into the cache. On a GPU, it only limits memory use.
_CPU_BATCH, _GPU_BATCH = 3 * 2**20, 2**25
_ATTENTION_WIDTH = 96

GridIn = tuple[list[Floats2d], list[list[Segment]]]
# The vectors of all words, and the segments of each call.
NetworkIn = tuple[Floats2d, list[Call]]
# Makes the network from the input width, and the channels of the grid or the entity types.
NetworkFactory = Callable[[int, Sequence[str]], GridNetwork]


def build_grid_model(
    name: str,
    tok2vec: Model[list[Doc], list[Floats2d]],
    tagging: TaggingScheme,
    make_network: NetworkFactory,
    *,
    max_batch_cells: int | None,
    mixed_precision: bool,
) -> GridModel:
    """Build a thinc model that scores the label grids of segments with a PyTorch network.

    name (str): Name of the model.
    tok2vec (Model[list[Doc], list[Floats2d]]): The word representations.
    tagging (TaggingScheme): The tagging scheme and its loss.
    make_network (NetworkFactory): Makes the network from the input width and the channels.
    max_batch_cells (Optional[int]): Maximum number of grid cells in a batch of segments.
    mixed_precision (bool): Multiply the network's matrices in bfloat16.
    RETURNS (Model[GridInput, Grids]): The model, with the refs "tok2vec" and "grid" and these
        attrs: "tagging" is the scheme, and "resize_labels" a function that takes the model and a
        longer list of entity types. `initialize` takes the entity types as Y. The width of the
        word representations, the dimension "nI" of "grid", is set when the network is created.
    RAISES (GapDNERError): If `max_batch_cells` is not positive.
    """
    if max_batch_cells is not None and max_batch_cells < 1:
        raise GapDNERError(f"Invalid max_batch_cells: {max_batch_cells}. It must be at least 1.")
    use_one_thread_after_fork()
    multiply_by_torch(tok2vec)
    make = partial(_make_network, tagging, make_network)
    grid: Model[GridIn, Grids] = Model(
        f"{name}_grid",
        # not an attr, because thinc restores saved attrs, which would override the config
        partial(_grid_forward, max_batch_cells),
        layers=[_wrap(make, mixed_precision)],
        dims={"nI": None},
    )
    return Model(
        name,
        _forward,
        init=partial(_init, make),
        layers=[tok2vec, grid],
        refs={"tok2vec": tok2vec, "grid": grid},
        # not called resize_output, because spaCy would pass only the number of labels
        attrs={"tagging": tagging, "resize_labels": partial(_resize_labels, make)},
    )


def get_shim(grid: Model[GridIn, Grids]) -> NetworkShim:
    """RETURNS (NetworkShim): The shim that contains the network, from the ref "grid"."""
    return cast(NetworkShim, grid.layers[0].shims[0])


def _make_network(
    tagging: TaggingScheme,
    make_network: NetworkFactory,
    n_in: int,
    labels: Sequence[str],
) -> GridNetwork:
    # thinc's arrays have single precision, whatever PyTorch's default is
    network = make_network(n_in, tagging.channels(labels)).float()
    network.labels = tuple(labels)
    return network


def _init(
    make_network: NetworkFactory, model: GridModel, X: GridInput | None = None, Y: object = None
) -> None:
    tok2vec, grid = model.get_ref("tok2vec"), model.get_ref("grid")
    docs, _ = cast(GridInput, X)
    tok2vec.initialize(X=docs)
    n_in = grid.maybe_get_dim("nI") or max(array.shape[1] for array in tok2vec.predict(docs))
    network = make_network(n_in, cast(Sequence[str], Y))
    get_shim(grid).network = network.to(get_torch_default_device())
    grid.set_dim("nI", n_in)


def _forward(
    model: GridModel, inputs: GridInput | list[Doc], is_train: bool
) -> tuple[Grids, Callable[[Grids], list[Doc]]]:
    use_one_thread_after_fork()
    docs, segments = inputs if isinstance(inputs, tuple) else (inputs, _whole_docs(inputs))
    vectors, backprop_tok2vec = model.get_ref("tok2vec")(docs, is_train)
    for doc, array in zip(docs, vectors, strict=True):
        # a transformer's vectors keep the tokens that the document had before
        if len(array) != len(doc):
            raise GapDNERError(
                f"A document has {len(doc)} tokens, but vectors of {len(array)} tokens. Merge or "
                "split tokens (merge_entities, retokenizer) before the transformer or tok2vec."
            )
    scores, backprop_grid = model.get_ref("grid")((vectors, segments), is_train)

    def backprop(d_scores: Grids) -> list[Doc]:
        return backprop_tok2vec(backprop_grid(d_scores))

    return scores, backprop


def _whole_docs(docs: list[Doc]) -> list[list[Segment]]:
    # spacy debug model has no segments
    return [[Segment(0, len(doc))] if len(doc) else [] for doc in docs]


def _resize_labels(make_network: NetworkFactory, model: GridModel, labels: Sequence[str]) -> None:
    # Adds entity types to an initialized model and keeps the weights of the others
    grid = model.get_ref("grid")
    trained = get_shim(grid).network
    if trained is None:
        return
    network = make_network(grid.get_dim("nI"), labels)
    channels, larger = map(model.attrs["tagging"].channels, (trained.labels, labels))
    network.copy_weights_from(trained, channel_indices(channels, larger))
    network.train(trained.training)
    # a new shim, because optimizers store the moments of the old weights under the old shim's id
    layer = _wrap(make_network, get_shim(grid).mixed_precision)
    cast(NetworkShim, layer.shims[0]).network = network.to(next(trained.parameters()).device)
    grid.layers[0] = layer


def _grid_forward(
    max_batch_cells: int | None, model: Model[GridIn, Grids], inputs: GridIn, is_train: bool
) -> tuple[Grids, Callable[[Grids], list[Floats2d]]]:
    vectors, segments = inputs
    xp, layer = model.ops.xp, model.layers[0]
    limits = _choose_limits(get_shim(model).network, max_batch_cells)
    starts, lengths = _place_segments(vectors, segments)
    # documents without tokens may have vectors without width
    filled = [array for array in vectors if len(array)]
    if not filled:
        return Grids([], [], lengths), lambda d_scores: list(vectors)
    words = xp.concatenate(filled)
    calls = list(_batch_calls(lengths.tolist(), *limits))
    placed = [_make_call(call, starts, lengths, len(words)) for call in calls]
    scores, backprop_network = layer((words, placed), is_train)

    def backprop(d_scores: Grids) -> list[Floats2d]:
        d_words = backprop_network(d_scores.batches)
        ends = np.cumsum([len(array) for array in vectors])[:-1].tolist()
        return cast(list[Floats2d], xp.split(d_words, ends))

    return Grids(scores, [batch for call in calls for batch in call], lengths), backprop


def _choose_limits(network: GridNetwork, max_batch_cells: int | None) -> tuple[int, int]:
    # the maximum numbers of all cells and of padding cells of a batch of grids
    on_cpu = next(network.parameters()).device.type == "cpu"
    size, padding = (_CPU_BATCH, _CPU_PADDING) if on_cpu else (_GPU_BATCH, _GPU_PADDING)
    # the attention of a cell to its row and column needs memory, too
    max_cells = max_batch_cells or size // (network.cell_width + _ATTENTION_WIDTH)
    return max_cells, max_cells // padding


def _place_segments(
    vectors: Sequence[Floats2d], segments: Sequence[Sequence[Segment]]
) -> tuple[np.ndarray, np.ndarray]:
    # the index of the first word of each segment among the words of all documents, and its length
    firsts = accumulate((len(array) for array in vectors), initial=0)
    placed = [
        (first + start, end - start)
        for first, parts in zip(firsts, segments, strict=False)
        for start, end in parts
    ]
    starts, lengths = np.array(placed, dtype="int64").reshape(-1, 2).T
    return starts, lengths


def _make_call(
    batches: list[list[int]], starts: np.ndarray, lengths: np.ndarray, n_words: int
) -> Call:
    rows = [i for batch in batches for i in batch]
    starts, lengths = starts[rows], lengths[rows]
    token = np.arange(lengths[0])
    words = np.where(token < lengths[:, None], starts[:, None] + token, n_words)
    sizes = [len(batch) for batch in batches]
    return Call(torch.from_numpy(words), torch.from_numpy(lengths), sizes)


def _batch_calls(
    lengths: Sequence[int], max_cells: int, max_padding: int
) -> Iterator[list[list[int]]]:
    # The batches of grids in each call of the network, longest segments first
    call: list[list[int]] = []
    for batch in batch_by_length(lengths, max_cells, power=2, max_padding=max_padding):
        n_rows = sum(len(batch) for batch in [*call, batch])
        if call and n_rows * lengths[call[0][0]] > _MAX_CALL_WORDS:
            yield call
            call = []
        call.append(batch)
    if call:
        yield call


def _wrap(make_network: NetworkFactory, mixed_precision: bool) -> Model[NetworkIn, list[Floats4d]]:
    # the network is made once the labels are known
    shim = NetworkShim(
        None, serialize_model=_serialize, deserialize_model=partial(_deserialize, make_network)
    )
    shim.mixed_precision = mixed_precision
    return Model("pytorch", _call_network, shims=[shim], dims={"nI": None, "nO": None})


def _call_network(
    model: Model[NetworkIn, list[Floats4d]], inputs: NetworkIn, is_train: bool
) -> tuple[list[Floats4d], Callable[[list[Floats4d]], Floats2d]]:
    shim = cast(NetworkShim, model.shims[0])
    device = shim.device
    words = xp2torch(inputs[0], requires_grad=is_train, device=device)
    calls = [call._replace(words=call.words.to(device)) for call in inputs[1]]
    compute = partial(shim.network, words, calls)
    if not is_train:
        return list(map(_to_array, shim.run(compute))), refuse_gradient
    scores, backprop_torch = shim.run_training(compute)

    def backprop(d_scores: list[Floats4d]) -> Floats2d:
        gradients = [xp2torch(d_batch, device=device) for d_batch in d_scores]
        backprop_torch([d.to(batch.dtype) for d, batch in zip(gradients, scores, strict=True)])
        return cast(Floats2d, torch2xp(cast(Tensor, words.grad)))

    return list(map(_to_array, scores)), backprop


def _to_array(scores: Tensor) -> Floats4d:
    return cast(Floats4d, torch2xp(scores.detach().float()))


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
    # without weights, which would be initialized only to be overwritten
    with torch.device("meta"):
        network = make_network(saved["nI"], saved["labels"])
    state = torch.load(BytesIO(saved["state"]), map_location=device, weights_only=True)
    network.load_state_dict(state, assign=True)
    return network
