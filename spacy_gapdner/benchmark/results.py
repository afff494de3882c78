"""What a benchmark found, and the arithmetic on it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from .corpus import SHORT


@dataclass(frozen=True)
class Timing:
    """How long a batch of sentences took.

    group (int): Length of the longest sentences of its group; see `longest_of_group`.
    n_sentences (int): Its sentences.
    n_words (int): Their words.
    encoder (float): Seconds of the encoder alone: forward, in training also backward.
    model (float): Seconds of encoder, pooling and grid network: forward, in training also the loss
        and backward.
    optimizer (float): Seconds of the optimizer; 0 in prediction.
    """

    group: int
    n_sentences: int
    n_words: int
    encoder: float
    model: float
    optimizer: float = 0.0


@dataclass(frozen=True)
class Speed:
    """How fast batches of sentences were computed. The fields are sums of those of `Timing`."""

    n_sentences: int
    n_words: int
    encoder: float
    model: float
    optimizer: float

    @property
    def ratio(self) -> float:
        """RETURNS (float): How many times as long as the encoder alone the model takes."""
        return self.model / self.encoder

    def words_per_second(self, seconds: float) -> float:
        """RETURNS (float): Words per second where all of them take so many seconds."""
        return self.n_words / seconds

    def to_dict(self) -> dict[str, Any]:
        """RETURNS (dict[str, Any]): The fields and what follows from them."""
        return {
            "sentences": self.n_sentences,
            "words": self.n_words,
            "encoder_seconds": self.encoder,
            "encoder_words_per_second": self.words_per_second(self.encoder),
            "model_seconds": self.model,
            "model_words_per_second": self.words_per_second(self.model),
            "model_ratio": self.ratio,
            "optimizer_seconds": self.optimizer,
        }


def add_up(timings: Iterable[Timing]) -> Speed:
    """Add up batches.

    timings (Iterable[Timing]): Their times.
    RETURNS (Speed): How fast all of them were.
    """
    timings = list(timings)
    return Speed(
        sum(timing.n_sentences for timing in timings),
        sum(timing.n_words for timing in timings),
        sum(timing.encoder for timing in timings),
        sum(timing.model for timing in timings),
        sum(timing.optimizer for timing in timings),
    )


def by_length(timings: Iterable[Timing]) -> dict[str, Speed]:
    """Add up the batches of each group of lengths.

    timings (Iterable[Timing]): The times of batches.
    RETURNS (dict[str, Speed]): By group, "1-16", "17-32" and so on, in this order.
    """
    groups: dict[int, list[Timing]] = {}
    for timing in timings:
        groups.setdefault(timing.group, []).append(timing)
    return {_name(group): add_up(groups[group]) for group in sorted(groups)}


def fastest(timings: Iterable[Timing]) -> Timing:
    """Take the shortest times of a batch that was computed several times.

    timings (Iterable[Timing]): Its times.
    RETURNS (Timing): The least of each.
    """
    timings = list(timings)
    return Timing(
        timings[0].group,
        timings[0].n_sentences,
        timings[0].n_words,
        min(timing.encoder for timing in timings),
        min(timing.model for timing in timings),
        min(timing.optimizer for timing in timings),
    )


def split_part(
    seconds: Mapping[str, float], name: str, inner: Mapping[str, float]
) -> dict[str, float]:
    """Divide the time of a part among its own parts, in proportion to what they took elsewhere.

    seconds (Mapping[str, float]): Time by part.
    name (str): The part to divide; it is left out of the result.
    inner (Mapping[str, float]): Time of its own parts, measured apart.
    RETURNS (dict[str, float]): Time by part; the sum is the same.
    """
    total = sum(inner.values())
    split = {part: time for part, time in seconds.items() if part != name}
    for part, time in inner.items():
        split[part] = split.get(part, 0.0) + seconds.get(name, 0.0) * time / total
    return split


def shares(seconds: Mapping[str, float]) -> dict[str, float]:
    """Compute shares of the whole.

    seconds (Mapping[str, float]): Time by part.
    RETURNS (dict[str, float]): Share by part; they sum to one.
    """
    total = sum(seconds.values())
    return {part: time / total for part, time in seconds.items()}


def name_threads(n_threads: int) -> str:
    """RETURNS (str): The number of threads in words: "1 thread", "2 threads"."""
    return f"{n_threads} thread" + "s" * (n_threads > 1)


def _name(group: int) -> str:
    return f"{1 if group == SHORT else group // 2 + 1}-{group}"
