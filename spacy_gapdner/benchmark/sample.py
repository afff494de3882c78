"""Made-up texts with sentences as long as those of biomedical articles, for use without data."""

import math
import random
from collections.abc import Iterator

# words of a sentence: a log-normal distribution with this mean
_MEAN, _SPREAD, _SHORTEST, _LONGEST = 24, 0.55, 3, 110
_SENTENCES_PER_TEXT = 10

_NOUNS = """
patients mice cells neurons receptors kinases genes proteins embryos lesions symptoms doses
antibodies transcripts mutations fibroblasts hepatocytes controls siblings biopsies
"""
_ADJECTIVES = """
severe early chronic mutant heterozygous untreated elderly intracellular mitochondrial small
proximal dorsal homozygous systemic acute cortical pulmonary residual
"""
_VERBS = "showed lacked expressed tolerated required developed retained suppressed"
_PLACES = "liver cerebellum retina shoulder plasma hippocampus intestine kidney cortex"
_LINKS = "whereas and while because although but"


def make_texts(n_sentences: int, seed: int = 0) -> list[str]:
    """Make texts of ten sentences each, the last of what remains.

    n_sentences (int): The number of sentences.
    seed (int): Seed of the random choices.
    RETURNS (list[str]): The texts.
    """
    rng = random.Random(seed)
    sentences = [_make_sentence(rng) for _ in range(n_sentences)]
    starts = range(0, n_sentences, _SENTENCES_PER_TEXT)
    return [" ".join(sentences[start : start + _SENTENCES_PER_TEXT]) for start in starts]


def _make_sentence(rng: random.Random) -> str:
    drawn = rng.lognormvariate(math.log(_MEAN) - _SPREAD**2 / 2, _SPREAD)
    length = min(max(round(drawn), _SHORTEST), _LONGEST)
    words = _draw_words(rng)
    # the full stop is a word of its own
    text = " ".join(next(words) for _ in range(length - 1))
    return f"{text.capitalize()}."


def _draw_words(rng: random.Random) -> Iterator[str]:
    while True:
        yield rng.choice(("the", "most", "all", "these", str(rng.randint(2, 99))))
        yield from rng.sample(_ADJECTIVES.split(), rng.randint(0, 2))
        for words in (_NOUNS, _VERBS, _ADJECTIVES, _NOUNS, "in of near", "the", _PLACES, _LINKS):
            yield rng.choice(words.split())
