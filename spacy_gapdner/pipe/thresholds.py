"""From the scores of a label grid to the entities that count."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from thinc.types import Floats3d

from ..calibration import Calibration
from ..entities import Entity
from ..grid import TaggingScheme
from ..grid.decoding import DecodedSegment


@dataclass(frozen=True)
class Thresholds:
    """Which of the entities that a grid spells out count.

    threshold (float): Entities that score lower are dropped. At 0.0, every entity that the most
        probable labels spell out counts, as in the paper.
    disc_threshold (Optional[float]): The threshold of discontinuous entities; that of the others
        if None.
    max_paths (int): Bound of the path search.
    calibration (Optional[Calibration]): Turns scores into probabilities before they are compared
        with thresholds.
    type_thresholds (Mapping[str, float]): Thresholds of entity types that override `threshold`.
    """

    threshold: float
    disc_threshold: float | None = None
    max_paths: int = 10_000
    calibration: Calibration | None = None
    type_thresholds: Mapping[str, float] = field(default_factory=dict)

    def threshold_of(self, entity: Entity) -> float:
        """RETURNS (float): What an entity must reach."""
        if entity.is_discontinuous and self.disc_threshold is not None:
            return self.disc_threshold
        return self.type_thresholds.get(entity.label, self.threshold)

    def lowest_score(self, labels: Sequence[str]) -> float:
        """Find out which labels of the grid can be of use.

        labels (Sequence[str]): The entity types.
        RETURNS (float): The probability from which on they are.
        """
        lowest = min(self.type_thresholds.get(label, self.threshold) for label in labels)
        disc_lowest = lowest if self.disc_threshold is None else self.disc_threshold
        if self.calibration is None:
            return min(lowest, disc_lowest)
        return min(
            self.calibration.score(lowest, discontinuous=False),
            self.calibration.score(disc_lowest, discontinuous=True),
        )

    def decode(
        self, scores: Floats3d, tagging: TaggingScheme, labels: Sequence[str]
    ) -> DecodedSegment:
        """Find the entities of a segment.

        scores (Floats3d): Logits `(n, n, channels)`.
        tagging (TaggingScheme): How they hold entities.
        labels (Sequence[str]): The entity types.
        RETURNS (DecodedSegment): Entities in text order and the number of paths cut.
        """
        lowest = self.lowest_score(labels)
        decoded = tagging.decode(
            tagging.labelled_cells(scores, lowest),
            labels,
            threshold=lowest,
            max_paths=self.max_paths,
        )
        entities: Iterable[Entity] = decoded.entities
        if self.calibration is not None:
            entities = [self.calibration(entity) for entity in entities]
        entities = [e for e in entities if (e.score or 0.0) >= self.threshold_of(e)]
        return DecodedSegment(entities, decoded.n_cut)
