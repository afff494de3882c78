"""Store the label grids of a batch of segments in padded arrays."""

from dataclasses import dataclass, replace
from typing import cast

import numpy as np
from spacy.tokens import Doc
from thinc.api import Model
from thinc.types import Floats2d, Floats3d, Floats4d
from thinc.util import get_array_module

from .segments import Segment

# Documents and the segments of each document
GridInput = tuple[list[Doc], list[list[Segment]]]


@dataclass(frozen=True)
class Grids:
    """Scores of label grids, or their gradient. `grids[i]` is the grid of a segment.

    batches (list[Floats4d]): Arrays `(batch, n, n, channels)` of segments of similar length, in
        NumPy or CuPy. A shorter segment occupies the first rows and columns of its grid. The other
        cells are padding with arbitrary finite values.
    segments (list[list[int]]): The indices of the segments in each batch.
    lengths (ndarray): Number of tokens of each segment.
    """

    batches: list[Floats4d]
    segments: list[list[int]]
    lengths: np.ndarray

    def flat(self) -> Floats2d:
        """RETURNS (Floats2d): The values `(cells, channels)` of all cells of all batches. All at
        once, because a GPU takes longer to start an operation than to compute it.
        """
        xp = get_array_module(self.batches[0])
        flat = [batch.reshape((-1, batch.shape[-1])) for batch in self.batches]
        return cast(Floats2d, xp.concatenate(flat))

    def from_flat(self, flat: Floats2d) -> "Grids":
        """RETURNS (Grids): Other values, in the form of `flat`."""
        batches: list[Floats4d] = []
        start = 0
        for batch in self.batches:
            end = start + batch.size // batch.shape[-1]
            batches.append(cast(Floats4d, flat[start:end].reshape(batch.shape)))
            start = end
        return replace(self, batches=batches)

    def __len__(self) -> int:
        return len(self.lengths)

    def __getitem__(self, i: int) -> Floats3d:
        n = self.lengths[i]
        for scores, segments in zip(self.batches, self.segments, strict=True):
            if i in segments:
                return scores[segments.index(i), :n, :n]
        raise IndexError(i)

    def cell_index(self) -> tuple[np.ndarray, np.ndarray]:
        """RETURNS (tuple[ndarray, ndarray]): The place of each segment in the flat array of all
        cells of all batches: the index of its first cell, and the number of cells in a row.
        """
        firsts, widths = np.zeros_like(self.lengths), np.zeros_like(self.lengths)
        n_cells = 0
        for scores, segments in zip(self.batches, self.segments, strict=True):
            n = scores.shape[1]
            firsts[segments] = n_cells + np.arange(len(segments)) * n * n
            widths[segments] = n
            n_cells += len(segments) * n * n
        return firsts, widths


# Scores the label grids of segments, in the order of documents and segments
GridModel = Model[GridInput, Grids]
