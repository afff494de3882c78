"""Batches of sequences of similar length, and all levels at which work is divided.

From the outside in, with the place of each bound:

1. documents of a pipe: `nlp.batch_size`; for long texts fewer (`analysis.predictions`);
2. documents whose grids exist at the same time: `_MAX_WORDS` (`pipe.prediction`);
3. spans in a batch of the transformer: `Limits` (`model.transformer`);
4. segments in a call of the network, whose words are padded to the longest:
   `_MAX_CALL_WORDS` (`model.thinc_wrapper`);
5. segments in a batch of grids: the setting `max_batch_cells`, which is the bound that matters
   most: a batch of grids has to fit into a CPU's cache;
6. sentences that the BiLSTM reads at once on a CPU: `_MAX_ROWS` (`model.encoder`);
7. rows of a long sentence's grid: `_BLOCK_SIZE` (`model.network`) for the features, `_CHUNK`
   (`model.criss_cross`) for the attention weights.

The first two and the fourth bound the memory, the others are the fastest sizes in the benchmark.
"""

from collections.abc import Sequence


def batch_by_length(
    lengths: Sequence[int], max_size: int, *, power: int = 1, max_padding: int | None = None
) -> list[list[int]]:
    """Group sequences so that padding each batch to its longest costs little.

    A sequence of length n has the size n ** power: 1 counts its elements, 2 the cells of its grid.
    Padding costs time for each element, a batch for each call of a network. The sum of both is
    near its least where `max_padding` is the size that the network computes in the time of an
    empty call: a few elements on a CPU, thousands on a GPU.

    lengths (Sequence[int]): Lengths of the sequences.
    max_size (int): A batch is at most so large, padding included; a larger sequence is a batch of
        its own.
    power (int): How the size of a sequence grows with its length.
    max_padding (Optional[int]): So much of a batch may be padding; without limit if None.
    RETURNS (list[list[int]]): Batches of indices into `lengths`, longest sequences first, those of
        one length in their order.
    """
    batches: list[list[int]] = []
    longest = padding = 0
    for i in sorted(range(len(lengths)), key=lambda i: -lengths[i]):
        size = lengths[i] ** power
        padding += longest - size
        fits = batches and longest * (len(batches[-1]) + 1) <= max_size
        if fits and (max_padding is None or padding <= max_padding):
            batches[-1].append(i)
        else:
            batches.append([i])
            longest, padding = size, 0
    return batches
