import torch
from equations import bucket, by_cell

from project.baselines.distances import N_DISTANCES, distance_buckets


def test_buckets():
    buckets = distance_buckets(300, torch.device("cpu"))
    assert buckets.unique().tolist() == list(range(N_DISTANCES))
    # 8 is the bucket of distance 0
    assert buckets[0, [0, 1, 3, 4, 127, 128, 299]].tolist() == [8, 9, 10, 11, 15, 16, 16]
    expected = by_cell(40, lambda i, j: torch.tensor(bucket(i, j)))
    assert torch.equal(buckets[:40, :40], expected)
