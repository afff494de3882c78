"""The thresholds that select the entities of a label grid."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from thinc.types import Floats3d

from ..calibration import Calibration
from ..entities import Entity
from ..errors import check_probability
from ..grid import TaggingScheme
from ..grid.decoding import DecodedSegment


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

    def accepts(self, entity: Entity) -> bool:
        """RETURNS (bool): Whether the calibrated score of an entity reaches its threshold."""
        return (entity.score or 0.0) >= self.threshold_of(entity.label, entity.is_discontinuous)

    def lowest_scores(self, labels: Sequence[str]) -> tuple[float, float]:
        """RETURNS (tuple[float, float]): The lowest scores before calibration that a cell and an
        accepted entity can have. If all thresholds are 0.0, the first is 0.0, which only accepts
        the most probable label of each cell.
        """
        kinds = (False, True)
        limits = {(self.threshold_of(label, kind), kind) for label in labels for kind in kinds}
        scores = [self.calibration.score(limit, discontinuous=kind) for limit, kind in limits]
        return min(filter(None, scores), default=0.0), min(scores)

    def decode(
        self, grids: Iterable[Floats3d], tagging: TaggingScheme, labels: Sequence[str]
    ) -> Iterator[DecodedSegment]:
        """YIELDS (DecodedSegment): The entities of each segment, from logits `(n, n, channels)`."""
        cell_threshold, threshold = self.lowest_scores(labels)
        for scores in grids:
            labeled = tagging.labeled_cells(scores, cell_threshold)
            decoded = tagging.decode(labeled, labels, threshold=threshold, max_paths=self.max_paths)
            entities = [self.calibration(entity) for entity in decoded.entities]
            yield DecodedSegment([e for e in entities if self.accepts(e)], decoded.n_cut)
