"""Recognize discontinuous named entities with a trainable pipeline component."""

import math
import warnings
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, cast

from spacy.language import Language
from spacy.pipeline import TrainablePipe
from spacy.tokens import Doc
from spacy.training import Example, validate_examples
from spacy.util import logger
from spacy.vocab import Vocab
from thinc.api import Optimizer, set_dropout_rate

from ..entities import Entity, set_contiguous_ents, set_entities
from ..entities.alignment import align_entities
from ..errors import GapDNERError
from ..grid import TaggingScheme
from ..grid.grids import GridModel, Grids
from ..grid.losses import GridTarget
from ..grid.segments import Segment, check_window, get_segments
from .calibration import Calibration
from .gold import check_labels, collect_gold, make_targets, report_unaligned
from .prediction import predict_entities, warn_without_vectors
from .settings import (
    check_pipeline,
    check_settings,
    require_labels,
    require_network,
    restore_settings,
)
from .thresholds import Thresholds


class DiscontinuousEntityRecognizer(TrainablePipe):
    """Recognize contiguous, nested, overlapping and discontinuous entities with a GapDNER model.

    The settings are in `cfg` and can be changed at any time. Saved settings override the config. A
    warning reports the settings of `spacy.load(path, config=...)` that are ignored.
    """

    def __init__(
        self,
        vocab: Vocab,
        model: GridModel,
        name: str = "gapdner",
        *,
        spans_key: str,
        threshold: float,
        disc_threshold: float | None,
        max_paths: int,
        max_length: int,
        stride: int,
        annotate_ents: bool,
        lr_scale: float,
        scorer: Callable[..., dict[str, Any]] | None,
    ) -> None:
        """Initialize the pipe. See `make_gapdner` for the other arguments.

        vocab (Vocab): The shared vocabulary.
        RAISES (GapDNERError): If a setting is invalid.
        """
        # raises an error if one is invalid
        Thresholds(threshold, disc_threshold)
        check_window(max_length, stride)
        check_settings(spans_key, max_paths, lr_scale)
        self.vocab = vocab
        self.model = model
        self.name = name
        config: dict[str, Any] = {
            "spans_key": spans_key,
            "threshold": threshold,
            "disc_threshold": disc_threshold,
            "max_paths": max_paths,
            "max_length": max_length,
            "stride": stride,
            "annotate_ents": annotate_ents,
            "lr_scale": lr_scale,
        }
        self.cfg: dict[str, Any] = {
            "labels": [],
            **config,
            # set by `tune`: the parameters of `Calibration`, and thresholds by entity type
            "calibration": None,
            "type_thresholds": {},
            # to recognize other settings when the pipe is loaded
            "config": config,
        }
        self.scorer = scorer
        self.strict_alignment = False

    @property
    def key(self) -> str:
        """RETURNS (str): Prefix of the span groups that contain the entities."""
        return str(self.cfg["spans_key"])

    @property
    def labels(self) -> tuple[str, ...]:
        """RETURNS (tuple[str, ...]): The entity types, in the order of their channels."""
        return tuple(self.cfg["labels"])

    @property
    def label_data(self) -> list[str]:
        """RETURNS (list[str]): The labels that `spacy init labels` saves for `initialize`."""
        return list(self.labels)

    @property
    def tagging(self) -> TaggingScheme:
        """RETURNS (TaggingScheme): The tagging scheme of the model."""
        return self.model.attrs["tagging"]

    @property
    def thresholds(self) -> Thresholds:
        """RETURNS (Thresholds): The thresholds and the other settings of decoding."""
        names = ("threshold", "disc_threshold", "max_paths", "type_thresholds")
        calibration = Calibration(**self.cfg["calibration"] or {})
        return Thresholds(**{n: self.cfg[n] for n in names}, calibration=calibration)

    def add_label(self, label: str) -> int:
        """Add an entity type. A model that is already initialized is resized and keeps its weights.

        label (str): The label to add.
        RETURNS (int): 1 if the label was added, 0 if it already existed.
        RAISES (GapDNERError): If the label is not a string, or is empty.
        """
        if not isinstance(label, str) or not label:
            raise GapDNERError(f"Invalid label: {label!r}. Use a non-empty string.")
        if label in self.labels:
            return 0
        self.model.attrs["resize_labels"](self.model, [*self.labels, label])
        self.cfg["labels"].append(label)
        self.vocab.strings.add(label)
        return 1

    def initialize(
        self,
        get_examples: Callable[[], Iterable[Example]],
        *,
        nlp: Language | None = None,
        labels: Sequence[str] | None = None,
        strict_alignment: bool = False,
    ) -> None:
        """Collect the labels and initialize the model. The calibration and the thresholds that
        `gapdner tune` has chosen are reset to the settings of the config.

        get_examples (Callable[[], Iterable[Example]]): Returns a representative sample of examples.
        nlp (Optional[Language]): The pipeline.
        labels (Optional[Sequence[str]]): The labels, as saved by `spacy init labels`. If None,
            they are collected from the examples and sorted.
        strict_alignment (bool): Raise an error for entities whose boundaries fall inside a token,
            now and in training. By default, a warning reports their number.
        RAISES (GapDNERError): If there are no labels or no documents with tokens, if the examples
            cannot be read, or, in strict mode, if the boundaries of an entity fall inside a token.
        """
        self.strict_alignment = strict_alignment
        gold = collect_gold(get_examples, self.key)
        if not gold.labels:
            message = gold.explain_no_labels(self.key)
            if not labels and not self.labels:
                raise GapDNERError(message)
            warnings.warn(message, stacklevel=2)
        if gold.n_unaligned:
            numbers = f"{gold.n_unaligned} of {gold.n_entities} "
            report_unaligned(self.name, numbers, strict_alignment)
        if nlp is not None:
            check_pipeline(nlp, self.name, self.key)
        for label in sorted(gold.labels) if labels is None else labels:
            self.add_label(label)
        require_labels(self.name, self.labels)
        if self.cfg["calibration"] or self.cfg["type_thresholds"]:
            # they and the thresholds were chosen for the scores of the previous model
            given = {name: self.cfg["config"][name] for name in ("threshold", "disc_threshold")}
            self.cfg.update(given, calibration=None, type_thresholds={})
        if self.model.ops.device_type == "gpu":
            logger.info(
                "The first batches on a GPU can take a minute, because CuPy compiles its kernels. "
                "Later trainings on this machine reuse them."
            )
        # thinc's Y is the output, from which models infer its size
        self.model.initialize((gold.sample, self.segments(gold.sample)), cast(Grids, self.labels))

    def segments(self, docs: Iterable[Doc]) -> list[list[Segment]]:
        """RETURNS (list[list[Segment]]): The sentences or windows of each document."""
        max_length, stride = self.cfg["max_length"], self.cfg["stride"]
        return [get_segments(doc, max_length, stride) for doc in docs]

    def predict(self, docs: Iterable[Doc]) -> list[list[Entity]]:
        """Find the entities of documents without modifying them.

        docs (Iterable[Doc]): The documents to predict.
        RETURNS (list[list[Entity]]): The entities of each document with scores, in text order.
        RAISES (GapDNERError): If there are no labels.
        """
        docs = list(docs)
        if not any(len(doc) for doc in docs):
            return [[] for _ in docs]
        require_labels(self.name, self.labels)
        require_network(self.name, self.model)
        warn_without_vectors(self.name, self.model, docs)
        found = predict_entities(self.model, docs, self.segments, self.thresholds, self.labels)
        entities, n_cut = zip(*found, strict=True)
        if any(n_cut):
            warnings.warn(
                f"'{self.name}' dropped {sum(n_cut)} paths in {sum(map(bool, n_cut))} of "
                f"{len(n_cut)} documents because max_paths ({self.cfg['max_paths']}) was reached. "
                "Some entities may be missing. This is normal if the model is untrained.",
                stacklevel=2,
            )
        return list(entities)

    def set_annotations(self, docs: Iterable[Doc], entities: Iterable[list[Entity]]) -> None:
        """Set the entities of documents and replace existing ones under the same key.

        docs (Iterable[Doc]): The documents to modify.
        entities (Iterable[list[Entity]]): The entities, produced by `predict`.
        """
        for doc, found in zip(docs, entities, strict=True):
            if self.cfg["annotate_ents"]:
                set_contiguous_ents(doc, found, self.key)
            set_entities(doc, found, self.key)

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
        drop (float): Dropout rate of thinc layers (the tok2vec). The config sets the network's.
        sgd (Optional[Optimizer]): The optimizer. If None, gradients are accumulated.
        losses (Optional[dict[str, float]]): The losses to update, keyed by component name.
        RETURNS (dict[str, float]): The updated losses.
        RAISES (GapDNERError): If the pipe is not initialized, a gold label is unknown, or the loss
            is not finite.
        """
        losses = {} if losses is None else losses
        losses.setdefault(self.name, 0.0)
        examples = list(examples)
        validate_examples(examples, "DiscontinuousEntityRecognizer.update")
        docs = [example.predicted for example in examples]
        if not any(len(doc) for doc in docs):
            return losses
        require_network(self.name, self.model)
        set_dropout_rate(self.model, drop)
        scores, backprop = self.model.begin_update((docs, self.segments(docs)))
        loss, d_scores = self.get_loss(examples, scores)
        if not math.isfinite(loss):
            raise GapDNERError(
                f"Training has diverged: the loss of '{self.name}' is {loss}. Lower the learning "
                "rate (or lr_scale), or clip gradients (grad_clip of the optimizer)."
            )
        backprop(d_scores)
        if sgd is not None:
            self.finish_update(sgd)
        losses[self.name] += loss
        return losses

    def get_loss(self, examples: Iterable[Example], scores: Grids) -> tuple[float, Grids]:
        """Compute the loss and its gradient.

        Entities that do not fit into a segment are not learned, and a warning is shown. Cells
        around entities that cannot be aligned with the predicted tokens are ignored.

        examples (Iterable[Example]): The batch.
        scores (Grids): The model's scores for all segments.
        RETURNS (tuple[float, Grids]): The loss and its gradient.
        RAISES (GapDNERError): If the gold annotation has an unknown label.
        """
        targets = [target for example in examples for target in self._targets(example)]
        return self.tagging.loss(scores, targets)

    def finish_update(self, sgd: Optimizer) -> None:
        """Update the weights. `lr_scale` multiplies the learning rate of the network, but not of
        the tok2vec or transformer.

        sgd (Optimizer): The optimizer.
        """
        self.model.get_ref("tok2vec").finish_update(sgd)
        # thinc only calls it, so it does not have to be an Optimizer
        scaled = cast(Optimizer, partial(sgd, lr_scale=self.cfg["lr_scale"]))
        self.model.get_ref("grid").finish_update(scaled)

    def from_bytes(self, bytes_data: bytes, *, exclude: Iterable[str] = ()) -> TrainablePipe:
        """Load the pipe. See `TrainablePipe.from_bytes`."""
        config = self.cfg["config"]
        super().from_bytes(bytes_data, exclude=exclude)
        restore_settings(self.name, self.cfg, config)
        return self

    def from_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> TrainablePipe:
        """Load the pipe. See `TrainablePipe.from_disk`."""
        config = self.cfg["config"]
        super().from_disk(path, exclude=exclude)
        restore_settings(self.name, self.cfg, config)
        return self

    def _targets(self, example: Example) -> list[GridTarget]:
        aligned, unaligned = align_entities(example, self.key)
        check_labels(self.name, aligned, self.labels)
        # without numbers, so that Python shows the warnings once
        if unaligned:
            report_unaligned(self.name, "", self.strict_alignment)
        (segments,) = self.segments([example.predicted])
        targets, unassigned = make_targets(aligned, unaligned, segments, self.tagging, self.labels)
        if unassigned:
            warnings.warn(
                f"'{self.name}' cannot learn entities that cross a sentence boundary or do not fit "
                f"into a window of {self.cfg['max_length']} tokens. Run gapdner debug-data to "
                "count them.",
                stacklevel=2,
            )
        return targets
