from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from spacy_gapdner.model.batching import batch_by_length

LENGTHS = st.lists(st.integers(0, 64), max_size=40)
SIZES = st.integers(1, 5000)
POWERS = st.sampled_from([1, 2])
PADDING = st.integers(0, 5000)


@given(lengths=LENGTHS, max_size=SIZES, power=POWERS, max_padding=PADDING)
def test_batches_are_sorted_and_as_large_as_possible(lengths, max_size, power, max_padding):
    def fits(batch):
        sizes = [lengths[i] ** power for i in batch]
        padded = max(sizes) * len(sizes)
        padding = padded - sum(sizes)
        return padded <= max_size and padding <= max_padding

    batches = batch_by_length(lengths, max_size, power=power, max_padding=max_padding)
    in_order = [i for batch in batches for i in batch]
    assert in_order == sorted(range(len(lengths)), key=lambda i: (-lengths[i], i))
    assert all(fits(batch) or len(batch) == 1 for batch in batches)
    assert not any(fits([*batch, other[0]]) for batch, other in pairwise(batches))
