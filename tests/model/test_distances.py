import pytest
import torch
from equations import bucket, by_cell

from spacy_gapdner.model.distances import N_DISTANCES, distance_buckets

CPU = torch.device("cpu")


def test_buckets_by_hand():
    by_hand = {0: 0, 1: 1, 2: 2, 3: 2, 4: 3, 7: 3, 8: 4, 15: 4, 16: 5, 31: 5, 32: 6, 63: 6}
    by_hand |= {64: 7, 127: 7, 128: 8, 255: 8, 256: 8, 299: 8}
    buckets = distance_buckets(300, CPU)
    for distance, size in by_hand.items():
        # the middle one is that of no distance
        assert buckets[0, distance] == 8 + size
        assert buckets[distance, 0] == 8 - size
        assert buckets[299 - distance, 299] == 8 + size


def test_small_grid():
    assert distance_buckets(4, CPU).tolist() == [
        [8, 9, 10, 10],
        [7, 8, 9, 10],
        [6, 7, 8, 9],
        [6, 6, 7, 8],
    ]


@pytest.mark.parametrize("n", [1, 2, 9, 40])
def test_buckets_of_all_cells(n):
    expected = by_cell(n, lambda i, j: torch.tensor(bucket(i, j)))
    assert torch.equal(distance_buckets(n, CPU), expected)


def test_every_bucket_is_used_and_has_a_number():
    buckets = distance_buckets(200, CPU)
    assert buckets.dtype == torch.int64
    assert buckets.unique().tolist() == list(range(N_DISTANCES))
