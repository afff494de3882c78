"""Embed the distance between the two tokens of a grid cell."""

import torch
from torch import Tensor, nn

# The shortest distances of the buckets in tokens; 0 is a bucket, too
_STARTS = (1, 2, 3, 4, 6, 10, 18, 34, 66)


class DistanceEmbedding(nn.Module):
    """A vector for each range of distances from the first to the second token of a cell. Negative
    distances have their own vectors, so it also tells the two triangles of the grid apart, like the
    distance and region embeddings of W2NER (Li et al. 2022).

    width (int): Width of the vectors.
    """

    def __init__(self, width: int) -> None:
        super().__init__()
        self.vectors = nn.Embedding(2 * len(_STARTS) + 1, width)
        nn.init.normal_(self.vectors.weight, std=0.1)

    def forward(self, n: int, rows: slice) -> Tensor:
        """RETURNS (Tensor): The vectors of the cells in some rows of the grid of a sentence of n
        tokens `(rows, n, width)`.
        """
        device = self.vectors.weight.device
        token = torch.arange(n, device=device)
        distance = token - token[rows, None]
        starts = torch.tensor(_STARTS, device=device)
        bucket = torch.bucketize(distance.abs(), starts, right=True)
        vectors: Tensor = self.vectors(len(_STARTS) + distance.sign() * bucket)
        return vectors
