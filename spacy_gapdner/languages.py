"""The languages of texts and of the rules with which Docs were tokenized."""

import importlib.util
import runpy
import string
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path

from spacy.tokens import Doc
from spacy.util import get_lang_class

# the key in doc.user_data of the language whose rules made the tokens
DOC_LANG = "gapdner_lang"
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


def describe_language(lang: str) -> str:
    """RETURNS (str): The name and code of a language, such as "German (de)"."""
    try:
        return f"{get_lang_class(lang).__name__} ({lang})"
    # of a package that is not installed
    except ImportError:
        return lang


def count_languages(docs: Iterable[Doc], counts: Counter[str]) -> Iterator[Doc]:
    """YIELDS (Doc): The Docs, after counting the languages whose rules made their tokens."""
    for doc in docs:
        if lang := doc.user_data.get(DOC_LANG):
            counts[str(lang)] += 1
        yield doc


def describe_other_languages(counts: Mapping[str, int], lang: str | None) -> str:
    """RETURNS (str): A message if Docs were tokenized with the rules of another language than that
    of a pipeline, else "".
    """
    others = {other: n for other, n in counts.items() if other != lang}
    if not others or not lang:
        return ""
    found = ", ".join(
        f"{n} with those of {describe_language(other)}" for other, n in others.items()
    )
    first = next(iter(others))
    return (
        f"The pipeline tokenizes with the rules of {describe_language(lang)}, but Docs of the data "
        f"were tokenized with other rules: {found}. Entities can end inside its tokens. Use "
        f"init-config --lang {first}, or convert --lang {lang}."
    )


def warn_other_languages(docs: Iterable[Doc]) -> None:
    """Warn if Docs were tokenized with the rules of another language than that of their vocab."""
    counts: Counter[str] = Counter()
    lang = None
    for doc in count_languages(docs, counts):
        lang = doc.vocab.lang
    if message := describe_other_languages(counts, lang):
        warnings.warn(message, stacklevel=2)


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
