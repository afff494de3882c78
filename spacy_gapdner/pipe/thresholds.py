"""The thresholds that select the entities of a label grid."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from thinc.types import Floats3d

from ..calibration import Calibration
from ..entities import Entity
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

    def threshold_of(self, label: str, discontinuous: bool) -> float:
        """RETURNS (float): The threshold of the entities of a type."""
        if discontinuous and self.disc_threshold is not None:
            return self.disc_threshold
        return self.type_thresholds.get(label, self.threshold)

    def accepts(self, entity: Entity) -> bool:
        """RETURNS (bool): Whether the calibrated score of an entity reaches its threshold."""
        return (entity.score or 0.0) >= self.threshold_of(entity.label, entity.is_discontinuous)

    def lowest_scores(self, labels: Sequence[str]) -> list[float]:
        """RETURNS (list[float]): The different lowest scores before calibration of the accepted
        entities of all types, contiguous and discontinuous.
        """
        kinds = (False, True)
        limits = {(self.threshold_of(label, kind), kind) for label in labels for kind in kinds}
        return [self.calibration.score(limit, discontinuous=kind) for limit, kind in limits]

    def cell_threshold(self, labels: Sequence[str]) -> float:
        """RETURNS (float): The threshold of grid cells before calibration. 0.0, if all thresholds
        are, only accepts the most probable label of each cell.
        """
        return min(filter(None, self.lowest_scores(labels)), default=0.0)

    def decode(
        self, scores: Floats3d, tagging: TaggingScheme, labels: Sequence[str]
    ) -> DecodedSegment:
        """Find the entities of a segment from its logits `(n, n, channels)`."""
        decoded = tagging.decode(
            tagging.labeled_cells(scores, self.cell_threshold(labels)),
            labels,
            threshold=min(self.lowest_scores(labels)),
            max_paths=self.max_paths,
        )
        entities = [self.calibration(entity) for entity in decoded.entities]
        return DecodedSegment([e for e in entities if self.accepts(e)], decoded.n_cut)
