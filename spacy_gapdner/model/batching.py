"""Make batches of sequences of similar length.

Work is batched at seven levels, from the outermost to the innermost:

1. documents of a pipe: `nlp.batch_size`, or fewer for long texts (`inference.predictions`)
2. documents whose grids exist at the same time: `_MAX_WORDS` (`pipe.prediction`)
3. spans that the transformer reads: `_choose_limits` (`model.transformer`)
4. segments that the network reads at once: `_MAX_CALL_WORDS` (`model.thinc_wrapper`)
5. segments in a batch of grids, which has to fit into a CPU's cache: `max_batch_cells`, or
   `_CPU_BATCH` and `_GPU_BATCH` (`model.thinc_wrapper`)
6. sentences that the BiLSTM reads on a CPU: `_MAX_ROWS` (`model.encoder`)
7. rows of a long sentence's grid: `_BLOCK_SIZE` (`model.network`) and `_CHUNK`
   (`model.criss_cross`)

Levels 1, 2 and 4 limit memory use. The other sizes are the fastest in the benchmark.
"""

from collections.abc import Sequence


def batch_by_length(
    lengths: Sequence[int], max_size: int, *, max_padding: int, power: int = 1
) -> list[list[int]]:
    """Group sequences of similar length, so that batches need little padding.

    The size of a sequence of length n is n ** power: its elements (1) or the cells of its grid (2).
    Padding and the overhead of each call both cost time. Set `max_padding` to the size that can be
    computed in the time of an empty call: a few elements on a CPU, thousands on a GPU.

    RETURNS (list[list[int]]): Batches of indices into `lengths`, longest sequences first.
        Sequences of the same length keep their order. The size of a batch includes padding. A
        sequence that is larger than `max_size` is a batch of its own.
    """
    batches: list[list[int]] = []
    longest = padding = 0
    for i in sorted(range(len(lengths)), key=lambda i: -lengths[i]):
        size = lengths[i] ** power
        padding += longest - size
        fits = batches and longest * (len(batches[-1]) + 1) <= max_size
        if fits and padding <= max_padding:
            batches[-1].append(i)
        else:
            batches.append([i])
            longest, padding = size, 0
    return batches
