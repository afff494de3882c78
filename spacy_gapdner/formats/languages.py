"""The languages of texts and of the rules with which Docs were tokenized."""

import importlib.util
import runpy
import string
from collections import Counter
from collections.abc import Iterable
from functools import cache
from pathlib import Path

# Minimum number of stop words, and how many times as many as English ones they must be
_LEAST, _RATIO = 4, 3
_PUNCTUATION = f"{string.punctuation}“”„«»‘’‚…–—¿¡।॥،؛؟"


def guess_language(text: str) -> str:
    """Guess the language of a text by spaCy's stop words. It is English unless another language is
    clearly more likely.

    text (str): The text.
    RETURNS (str): A language code, such as "de".
    """
    stripped = (word.strip(_PUNCTUATION).lower() for word in text.split())
    words = Counter(word for word in stripped if any(map(str.isalpha, word)))

    def count(stop_words: Iterable[str]) -> int:
        return sum(words[word] for word in stop_words)

    n_english = count(_stop_words("en"))
    # nearly half of the words of an English text are stop words
    if 5 * n_english >= words.total():
        return "en"
    counts = {lang: count(_stop_words(lang)) for lang in _languages()}
    # on a tie the one with more stop words, which usually is the more common language
    best = max(counts, key=lambda lang: (counts[lang], len(_stop_words(lang))))
    return best if counts[best] >= max(_LEAST, _RATIO * n_english) else "en"


@cache
def _languages() -> tuple[str, ...]:
    return tuple(sorted(path.parent.name for path in _folder().glob("*/stop_words.py")))


@cache
def _stop_words(lang: str) -> frozenset[str]:
    # importing the package of a language compiles its rules, which takes 4 seconds for French
    return frozenset(runpy.run_path(str(_folder() / lang / "stop_words.py"))["STOP_WORDS"])


def _folder() -> Path:
    spec = importlib.util.find_spec("spacy.lang")
    assert spec is not None
    assert spec.submodule_search_locations
    return Path(spec.submodule_search_locations[0])
