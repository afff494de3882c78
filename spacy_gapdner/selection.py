"""From the scores of a label grid to the entities that count."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from thinc.types import Floats3d

from .calibration import Calibration
from .decoding import DecodedSegment, EntityScore, keep_consistent
from .entities import Entity
from .tagging import TaggingScheme


@dataclass(frozen=True)
class Selection:
    """Which of the entities that a grid spells out count.

    threshold (float): Entities that score lower are dropped.
    cell_threshold (float): Labels of the grid are used from this probability on. With the weakest
        cell's score, none is used with which no entity could reach a threshold.
    entity_score (EntityScore): See `spacy_gapdner.decoding.search_entities`.
    consistent (bool): Drop the entities that `spacy_gapdner.decoding.keep_consistent` drops.
    max_paths (int): Bound of the path search.
    calibration (Optional[Calibration]): Turns scores into probabilities before they are compared
        with thresholds.
    type_thresholds (Mapping[str, float]): Thresholds of entity types that go before `threshold`.
    """

    threshold: float
    cell_threshold: float
    entity_score: EntityScore
    consistent: bool
    max_paths: int
    calibration: Calibration | None = None
    type_thresholds: Mapping[str, float] = field(default_factory=dict)

    def decode(
        self, scores: Floats3d, tagging: TaggingScheme, labels: Sequence[str]
    ) -> DecodedSegment:
        """Find the entities of a segment.

        scores (Floats3d): Logits `(n, n, channels)`.
        tagging (TaggingScheme): How they hold entities.
        labels (Sequence[str]): The entity types.
        RETURNS (DecodedSegment): Entities in text order and the number of paths cut.
        """
        thresholds = dict.fromkeys(labels, self.threshold) | dict(self.type_thresholds)
        lowest = min(thresholds.values())
        if self.calibration is not None:
            lowest = self.calibration.lowest_score(lowest)
        lowest_cell = self.cell_threshold
        if self.entity_score == "weakest":
            lowest_cell = max(lowest_cell, lowest)
        decoded = tagging.decode(
            tagging.labelled_cells(scores, lowest_cell),
            labels,
            threshold=lowest,
            max_paths=self.max_paths,
            score=self.entity_score,
        )
        entities: Iterable[Entity] = decoded.entities
        if self.calibration is not None:
            entities = map(self.calibration, entities)
        entities = [e for e in entities if (e.score or 0.0) >= thresholds[e.label]]
        if self.consistent:
            entities = keep_consistent(entities, lambda e: _cells(e, tagging, labels))
        return DecodedSegment(entities, decoded.n_cut)


def _cells(
    entity: Entity, tagging: TaggingScheme, labels: Sequence[str]
) -> list[tuple[int, int, int]]:
    cells = tagging.encode([entity], labels).tolist()
    return [(row, column, channel) for row, column, channel in cells]
