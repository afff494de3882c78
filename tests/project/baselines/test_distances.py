import torch
from equations import bucket, by_cell

from project.baselines.distances import N_DISTANCES, distance_buckets


def test_buckets():
    buckets = distance_buckets(300, torch.device("cpu"))
    by_hand = {0: 0, 1: 1, 2: 2, 3: 2, 4: 3, 7: 3, 8: 4, 15: 4, 16: 5, 31: 5, 32: 6, 63: 6}
    by_hand |= {64: 7, 127: 7, 128: 8, 255: 8, 256: 8, 299: 8}
    for distance, size in by_hand.items():
        # the middle one is that of no distance
        assert buckets[0, distance] == 8 + size
        assert buckets[distance, 0] == 8 - size
        assert buckets[299 - distance, 299] == 8 + size
    assert buckets.dtype == torch.int64
    assert buckets.unique().tolist() == list(range(N_DISTANCES))
    expected = by_cell(40, lambda i, j: torch.tensor(bucket(i, j)))
    assert torch.equal(buckets[:40, :40], expected)
