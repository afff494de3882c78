"""Select the entities of a label grid by thresholds."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from ..entities import Entity, text_order
from ..errors import check_probability
from ..grid import TaggingScheme
from ..grid.decoding import DecodedSegment
from ..grid.grids import Grids
from ..grid.scheme import label_segments
from .calibration import Calibration


@dataclass(frozen=True)
class Thresholds:
    """Settings that select the entities of a label grid. See `make_gapdner`.

    Scores are calibrated before they are compared with thresholds. The thresholds of entity types
    override `threshold`, and `disc_threshold` overrides both.
    """

    threshold: float
    disc_threshold: float | None = None
    max_paths: int = 10_000
    calibration: Calibration = field(default_factory=Calibration)
    type_thresholds: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        # the settings of a pipe can be changed at any time
        check_probability("threshold", self.threshold)
        if self.disc_threshold is not None:
            check_probability("disc_threshold", self.disc_threshold)
        for label, value in self.type_thresholds.items():
            check_probability(f"threshold of {label}", value)

    def threshold_of(self, label: str, discontinuous: bool) -> float:
        """RETURNS (float): The threshold of the entities of a type."""
        if discontinuous and self.disc_threshold is not None:
            return self.disc_threshold
        return self.type_thresholds.get(label, self.threshold)

    def lowest_scores(self, labels: Sequence[str]) -> list[float]:
        """RETURNS (list[float]): The lowest uncalibrated score of each search. If a threshold is
        0.0, a search with 0.0 finds the most probable label of each cell. Another search finds the
        scores that reach the lowest of the other thresholds.
        """
        kinds = (False, True)
        limits = {(self.threshold_of(label, kind), kind) for label in labels for kind in kinds}
        scores = {self.calibration.score(limit, discontinuous=kind) for limit, kind in limits}
        return sorted(scores)[: 2 if 0.0 in scores else 1]

    def decode(
        self, grids: Grids, tagging: TaggingScheme, labels: Sequence[str]
    ) -> Iterator[DecodedSegment]:
        """YIELDS (DecodedSegment): The entities of each segment, from the logits of all."""
        searches = self.lowest_scores(labels)
        labeled = [label_segments(grids, tagging, least) for least in searches]
        for found in zip(*labeled, strict=True):
            entities: list[Entity] = []
            n_cut = 0
            for least, cells in zip(searches, found, strict=True):
                if not len(cells.cells):
                    continue
                decoded = tagging.decode(cells, labels, threshold=least, max_paths=self.max_paths)
                entities += self._accept(decoded.entities, least)
                n_cut += decoded.n_cut
            yield DecodedSegment(sorted(entities, key=text_order), n_cut)

    def _accept(self, entities: Iterable[Entity], least: float) -> Iterator[Entity]:
        for uncalibrated in entities:
            entity = self.calibration(uncalibrated)
            limit = self.threshold_of(entity.label, entity.is_discontinuous)
            # a search with 0.0 is for thresholds of 0.0, the other search for the other thresholds
            if bool(limit) == bool(least) and (entity.score or 0.0) >= limit:
                yield entity
