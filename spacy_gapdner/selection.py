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

    def lowest_cell(self, labels: Sequence[str]) -> float:
        """Find out which labels of the grid can be of use.

        labels (Sequence[str]): The entity types.
        RETURNS (float): The probability from which on labels are used.
        """
        if self.entity_score == "weakest":
            return max(self.cell_threshold, self._lowest_score(labels))
        return self.cell_threshold

    def decode(
        self, scores: Floats3d, tagging: TaggingScheme, labels: Sequence[str]
    ) -> DecodedSegment:
        """Find the entities of a segment.

        scores (Floats3d): Logits `(n, n, channels)`.
        tagging (TaggingScheme): How they hold entities.
        labels (Sequence[str]): The entity types.
        RETURNS (DecodedSegment): Entities in text order and the number of paths cut.
        """
        thresholds = self._thresholds(labels)
        decoded = tagging.decode(
            tagging.labelled_cells(scores, self.lowest_cell(labels)),
            labels,
            threshold=self._lowest_score(labels),
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

    def _thresholds(self, labels: Sequence[str]) -> dict[str, float]:
        return dict.fromkeys(labels, self.threshold) | dict(self.type_thresholds)

    def _lowest_score(self, labels: Sequence[str]) -> float:
        # Uncalibrated, what an entity of any type needs
        lowest = min(self._thresholds(labels).values())
        return lowest if self.calibration is None else self.calibration.lowest_score(lowest)


def _cells(
    entity: Entity, tagging: TaggingScheme, labels: Sequence[str]
) -> list[tuple[int, int, int]]:
    cells = tagging.encode([entity], labels).tolist()
    return [(row, column, channel) for row, column, channel in cells]
