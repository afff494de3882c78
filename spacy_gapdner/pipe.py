"""The pipe: discontinuous entity recognition as a trainable component of a spaCy pipeline."""

import math
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast, get_args

from spacy.language import Language
from spacy.pipeline import TrainablePipe
from spacy.tokens import Doc
from spacy.training import Example, validate_examples, validate_get_examples
from spacy.vocab import Vocab
from thinc.api import Model, Optimizer, set_dropout_rate
from thinc.types import Floats3d

from .alignment import align_entities
from .calibration import Calibration
from .decoding import EntityScore
from .entities import (
    DEFAULT_SPANS_KEY,
    Entity,
    get_contiguous,
    get_entities,
    get_spans_keys,
    set_contiguous_ents,
    set_entities,
)
from .errors import GapDNERError
from .losses import GridTarget
from .saved_settings import forget_settings, load_settings, save_settings
from .saved_version import forget_version, save_version, tell_newer
from .segments import Segment, assign_entities, check_window, get_segments, merge_segments
from .selection import Selection
from .tagging import TaggingScheme

# The grids of so many words exist at once, or those of one Doc.
_MAX_WORDS = 2**14
# What may be changed on a pipe, and is saved with it
_SETTINGS = (
    "threshold",
    "cell_threshold",
    "entity_score",
    "consistent",
    "max_paths",
    "max_length",
    "stride",
    "annotate_ents",
)


class DiscontinuousEntityRecognizer(TrainablePipe):
    """Finds contiguous, nested, overlapping and discontinuous entities with a GapDNER model."""

    def __init__(
        self,
        vocab: Vocab,
        model: Model[tuple[list[Doc], list[list[Segment]]], list[Floats3d]],
        name: str = "gapdner",
        *,
        spans_key: str = DEFAULT_SPANS_KEY,
        threshold: float = 0.0,
        cell_threshold: float = 0.5,
        entity_score: EntityScore = "mean",
        consistent: bool = False,
        max_paths: int = 10_000,
        max_length: int = 128,
        stride: int = 96,
        annotate_ents: bool = False,
        lr_scale: float = 1.0,
        scorer: Callable[..., dict[str, Any]] | None = None,
    ) -> None:
        """Initialize the pipe; the arguments are those of `spacy_gapdner.factory.make_gapdner`.

        vocab (Vocab): The shared vocabulary.
        RAISES (ValueError): If a setting is out of its range.
        """
        check_window(max_length, stride)
        if entity_score not in get_args(EntityScore):
            raise ValueError(f"entity_score is 'mean' or 'weakest', but not {entity_score!r}.")
        if max_paths < 1:
            raise ValueError(f"max_paths must be at least 1, but it is {max_paths}.")
        if not spans_key:
            raise ValueError("spans_key must not be empty.")
        self.vocab = vocab
        self.model = model
        self.name = name
        # What is saved besides the config, which cannot know of it
        self.cfg: dict[str, Any] = {"labels": []}
        self.key = spans_key
        self.threshold = threshold
        self.cell_threshold = cell_threshold
        self.entity_score: EntityScore = entity_score
        self.consistent = consistent
        self.max_paths = max_paths
        self.max_length = max_length
        self.stride = stride
        self.annotate_ents = annotate_ents
        self.lr_scale = lr_scale
        self.scorer = scorer
        self._configured = self._current_settings()
        # `gapdner tune` fits them: probabilities of entities, and thresholds by entity type that
        # go before the general one
        self.calibration: Calibration | None = None
        self.type_thresholds: dict[str, float] = {}

    @property
    def labels(self) -> tuple[str, ...]:
        """RETURNS (tuple[str, ...]): The entity types, in the order of their channels."""
        return tuple(self.cfg["labels"])

    @property
    def label_data(self) -> list[str]:
        """RETURNS (list[str]): What `spacy init labels` saves for `initialize`."""
        return list(self.labels)

    @property
    def threshold(self) -> float:
        """Entities that score lower are dropped.

        RAISES (ValueError): If it is set to what is no probability.
        """
        return self._threshold

    @threshold.setter
    def threshold(self, value: float) -> None:
        _check_probability("threshold", value)
        self._threshold = value

    @property
    def cell_threshold(self) -> float:
        """Labels of the grid are used from this probability on.

        RAISES (ValueError): If it is set to what is no probability.
        """
        return self._cell_threshold

    @cell_threshold.setter
    def cell_threshold(self, value: float) -> None:
        _check_probability("cell_threshold", value)
        self._cell_threshold = value

    @property
    def tagging(self) -> TaggingScheme:
        """RETURNS (TaggingScheme): How the model's grids hold entities."""
        return self.model.attrs["tagging"]

    @property
    def selection(self) -> Selection:
        """RETURNS (Selection): Which of the entities that a grid spells out count."""
        return Selection(
            self.threshold,
            self.cell_threshold,
            self.entity_score,
            self.consistent,
            self.max_paths,
            self.calibration,
            self.type_thresholds,
        )

    def add_label(self, label: str) -> int:
        """Add an entity type. A model that is initialized grows by its weights, and keeps those
        that it has learned.

        label (str): The type.
        RETURNS (int): 1 if it is new, 0 if it was there.
        RAISES (ValueError): If it is no text, or if the model cannot grow.
        """
        if not isinstance(label, str) or not label:
            raise ValueError(f"A label must be a text of at least one character, not {label!r}.")
        if label in self.labels:
            return 0
        if self.model.has_dim("nO"):
            if not self.is_resizable:
                raise ValueError(
                    f"Cannot add the label {label!r} to '{self.name}': its model cannot grow. Add "
                    "all labels before initialize()."
                )
            layout = self.tagging.layout(len(self.labels) + 1)
            self.model.attrs["resize_output"](self.model, layout.n_channels)
        self.cfg["labels"].append(label)
        self.vocab.strings.add(label)
        return 1

    def initialize(
        self,
        get_examples: Callable[[], Iterable[Example]],
        *,
        nlp: Language | None = None,
        labels: Sequence[str] | None = None,
    ) -> None:
        """Collect the labels and initialize the model.

        get_examples (Callable[[], Iterable[Example]]): Gives a representative sample.
        nlp (Optional[Language]): The pipeline.
        labels (Optional[Sequence[str]]): The labels, as `spacy init labels` saves them; else they
            are collected from all examples, in sorted order.
        RAISES (ValueError): If there are no labels, or no documents with tokens.
        """
        validate_get_examples(get_examples, "DiscontinuousEntityRecognizer.initialize")
        found: set[str] = set()
        other_keys: set[str] = set()
        sample: list[Doc] = []
        for example in get_examples():
            entities = get_entities(example.reference, self.key)
            found.update(entity.label_ for entity in entities)
            if not entities:
                other_keys.update(get_spans_keys(example.reference))
            if len(sample) < 10 and len(example.reference):
                sample.append(example.reference)
        if not found:
            self._report_no_gold(other_keys, must_have=not labels and not self.labels)
        for label in sorted(found) if labels is None else labels:
            self.add_label(label)
        self._require_labels()
        if not sample:
            raise ValueError(f"Cannot initialize '{self.name}': all documents are empty.")
        n_channels = self.tagging.layout(len(self.labels)).n_channels
        self.model.initialize(
            X=(sample, self.segments(sample)), Y=[self.model.ops.alloc3f(1, 1, n_channels)]
        )

    def segments(self, docs: Iterable[Doc]) -> list[list[Segment]]:
        """Cut documents into the segments that grids are made of.

        docs (Iterable[Doc]): The documents.
        RETURNS (list[list[Segment]]): Per document its segments; see `get_segments`.
        """
        return [get_segments(doc, self.max_length, self.stride) for doc in docs]

    def predict(self, docs: Iterable[Doc]) -> list[list[Entity]]:
        """Find the entities of documents without changing these.

        docs (Iterable[Doc]): The documents.
        RETURNS (list[list[Entity]]): Per document its entities with scores, in text order.
        RAISES (ValueError): If there are no labels.
        """
        docs = list(docs)
        if not any(len(doc) for doc in docs):
            return [[] for _ in docs]
        self._require_labels()
        decoded = [doc for batch in _batch_by_words(docs) for doc in self._predict_batch(batch)]
        n_cut = sum(n for _, n in decoded)
        if n_cut:
            warnings.warn(
                f"'{self.name}' gave up {n_cut} paths because max_paths ({self.max_paths}) was "
                "reached: its grids are crowded, as those of an untrained model are.",
                stacklevel=2,
            )
        return [entities for entities, _ in decoded]

    def set_annotations(self, docs: Iterable[Doc], entities: Iterable[list[Entity]]) -> None:
        """Store entities in documents, replacing those under the same key.

        docs (Iterable[Doc]): The documents.
        entities (Iterable[list[Entity]]): What `predict` gave for them.
        """
        for doc, found in zip(docs, entities, strict=True):
            own = get_contiguous(doc, self.key) if self.annotate_ents else []
            set_entities(doc, found, self.key)
            if self.annotate_ents:
                set_contiguous_ents(doc, self.key, replaced=own)

    def update(
        self,
        examples: Iterable[Example],
        *,
        drop: float = 0.0,
        sgd: Optimizer | None = None,
        losses: dict[str, float] | None = None,
    ) -> dict[str, float]:
        """Learn from a batch of examples.

        examples (Iterable[Example]): The batch.
        drop (float): Dropout rate of thinc layers (a tok2vec); the network's own are in the
            config.
        sgd (Optional[Optimizer]): The optimizer; without it gradients accumulate.
        losses (Optional[dict[str, float]]): Updated with the loss under the pipe's name.
        RETURNS (dict[str, float]): The losses.
        RAISES (ValueError): If the gold has an unknown label, or if the loss is not finite.
        """
        losses = {} if losses is None else losses
        losses.setdefault(self.name, 0.0)
        examples = list(examples)
        validate_examples(examples, "DiscontinuousEntityRecognizer.update")
        docs = [example.predicted for example in examples]
        if not any(len(doc) for doc in docs):
            return losses
        self._require_labels()
        set_dropout_rate(self.model, drop)
        scores, backprop = self.model.begin_update((docs, self.segments(docs)))
        loss, d_scores = self.get_loss(examples, scores)
        if not math.isfinite(loss):
            raise ValueError(
                f"The loss of '{self.name}' is {loss}: training has diverged. Lower the learning "
                "rate (or lr_scale), or clip gradients (grad_clip of the optimizer)."
            )
        backprop(d_scores)
        if sgd is not None:
            self.finish_update(sgd)
        losses[self.name] += loss
        return losses

    def get_loss(
        self, examples: Iterable[Example], scores: Sequence[Floats3d]
    ) -> tuple[float, list[Floats3d]]:
        """Compare scores with the gold annotation.

        Entities that no segment can hold are not learned. The cells around annotation that cannot
        be aligned with the predicted tokens take no part.

        examples (Iterable[Example]): The batch.
        scores (Sequence[Floats3d]): The model's scores of their segments.
        RETURNS (tuple[float, list[Floats3d]]): The loss and its gradient by the scores.
        RAISES (ValueError): If the gold has an unknown label.
        """
        targets = [target for example in examples for target in self._targets(example)]
        return self.tagging.loss(scores, targets)

    def finish_update(self, sgd: Optimizer) -> None:
        """Apply the gradients, with the learning rate times `lr_scale`.

        sgd (Optimizer): The optimizer.
        """

        def scaled(key: tuple[int, str], weights: Any, gradient: Any) -> tuple[Any, Any]:
            return sgd(key, weights, gradient, lr_scale=self.lr_scale)

        # thinc calls it as it calls an optimizer
        self.model.finish_update(cast(Optimizer, scaled))

    def to_bytes(self, *, exclude: Iterable[str] = ()) -> bytes:
        """Serialize the pipe, with the settings that were changed since it was made; see
        `TrainablePipe.to_bytes`."""
        self._save_settings()
        return super().to_bytes(exclude=exclude)

    def from_bytes(
        self, bytes_data: bytes, *, exclude: Iterable[str] = ()
    ) -> "DiscontinuousEntityRecognizer":
        """Load the pipe; see `TrainablePipe.from_bytes`.

        RAISES (GapDNERError): If a newer version has saved what this one cannot load.
        """
        with self._loading(exclude):
            super().from_bytes(bytes_data, exclude=exclude)
        return self

    def to_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> None:
        """Save the pipe, with the settings that were changed since it was made; see
        `TrainablePipe.to_disk`."""
        self._save_settings()
        super().to_disk(path, exclude=exclude)

    def from_disk(
        self, path: str | Path, *, exclude: Iterable[str] = ()
    ) -> "DiscontinuousEntityRecognizer":
        """Load the pipe; see `TrainablePipe.from_disk`.

        RAISES (GapDNERError): If a newer version has saved what this one cannot load.
        """
        with self._loading(exclude):
            super().from_disk(path, exclude=exclude)
        return self

    def score(self, examples: Iterable[Example], **kwargs: object) -> dict[str, Any]:
        """Score predictions against gold with the scoring method of the config.

        examples (Iterable[Example]): Examples with predictions.
        RETURNS (dict[str, Any]): The scores; see `spacy_gapdner.scorer`.
        """
        if self.scorer is None:
            return {}
        return self.scorer(examples, **{"spans_key": self.key, **kwargs})

    def _targets(self, example: Example) -> list[GridTarget]:
        segments = get_segments(example.predicted, self.max_length, self.stride)
        aligned, unaligned = align_entities(example, self.key)
        unknown = {entity.label for entity in aligned} - set(self.labels)
        if unknown:
            raise ValueError(
                f"The gold annotation has the label {sorted(unknown)[0]!r}, which '{self.name}' "
                f"does not know: it has {', '.join(self.labels)}. Add it with add_label()."
            )
        held, _ = assign_entities(aligned, segments)
        return [
            GridTarget(
                self.tagging.encode(entities, self.labels),
                [
                    (max(entity.start - start, 0), min(entity.end, end) - start)
                    for entity in unaligned
                    if entity.start < end and entity.end > start
                ],
            )
            for entities, (start, end) in zip(held, segments, strict=True)
        ]

    def _predict_batch(self, docs: list[Doc]) -> Iterator[tuple[list[Entity], int]]:
        # Per Doc its entities, and the number of paths cut
        segments = self.segments(docs)
        grids = iter(self.model.predict((docs, segments)))
        selection = self.selection
        for parts in segments:
            decoded = [selection.decode(next(grids), self.tagging, self.labels) for _ in parts]
            entities = merge_segments([segment.entities for segment in decoded], parts)
            yield entities, sum(segment.n_cut for segment in decoded)

    def _current_settings(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in _SETTINGS}

    def _save_settings(self) -> None:
        save_version(self.cfg)
        save_settings(
            self.cfg,
            self._configured,
            self._current_settings(),
            self.calibration,
            self.type_thresholds,
        )

    @contextmanager
    def _loading(self, exclude: Iterable[str]) -> Iterator[None]:
        has_cfg = "cfg" not in exclude
        forget_version(self.cfg)
        if has_cfg:
            forget_settings(self.cfg)
        try:
            yield
            if has_cfg:
                self._load_settings()
        # what a newer version has changed fails anywhere in spaCy, thinc or torch
        except Exception as error:
            newer = tell_newer(self.cfg)
            if not newer:
                raise
            raise GapDNERError(
                f"Cannot load the pipe '{self.name}' ({type(error).__name__}): {error} {newer}"
            ) from error
        newer = tell_newer(self.cfg)
        if newer:
            warnings.warn(f"'{self.name}' may find other entities. {newer}", stacklevel=4)

    def _load_settings(self) -> None:
        loaded = load_settings(self.cfg, self._configured)
        settings, self.calibration, self.type_thresholds = loaded
        for name, value in settings.items():
            setattr(self, name, value)

    def _require_labels(self) -> None:
        if not self.labels:
            raise ValueError(
                f"'{self.name}' has no labels. Annotate the training documents with "
                "spacy_gapdner.set_entities, or add labels with add_label() before initialize()."
            )

    def _report_no_gold(self, other_keys: set[str], must_have: bool) -> None:
        message = f"No document has an entity under the spans_key {self.key!r} of '{self.name}'."
        if other_keys:
            keys = ", ".join(repr(key) for key in sorted(other_keys))
            message += f" There are groups under {keys}: set spans_key to the one meant."
        else:
            message += (
                " Note that spacy.Corpus.v1 drops all span groups if max_length or gold_preproc "
                "is set: both must stay off."
            )
        if must_have:
            raise ValueError(message)
        warnings.warn(message, stacklevel=3)


def _batch_by_words(docs: Iterable[Doc]) -> Iterator[list[Doc]]:
    batch: list[Doc] = []
    n_words = 0
    for doc in docs:
        if batch and n_words + len(doc) > _MAX_WORDS:
            yield batch
            batch, n_words = [], 0
        batch.append(doc)
        n_words += len(doc)
    if batch:
        yield batch


def _check_probability(name: str, value: float) -> None:
    if not 0 <= value <= 1:
        raise ValueError(f"{name} must lie between 0 and 1, but it is {value}.")
