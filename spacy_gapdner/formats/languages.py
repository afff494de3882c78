"""Guess the language of texts."""

import pkgutil
from functools import cache
from typing import Any

import spacy.lang

# Sentences of 100 characters are more certain, lists of names and abbreviations are less certain
_LEAST_CERTAINTY = 0.75
# languages with another code in spaCy
_CODES = {"no": "nb"}
# Latin would be the guess for some lists of English medical terms
_UNLIKELY = "la"


def guess_language(text: str) -> str:
    """Guess the language of a text. It is English unless another language is clearly more likely.

    text (str): The text.
    RETURNS (str): A language code of spaCy, such as "de".
    """
    code, certainty = _load_identifier().classify(text)
    return _CODES.get(code, code) if certainty >= _LEAST_CERTAINTY else "en"


@cache
def _load_identifier() -> Any:
    # py3langid needs only numpy and 5 MB. It recognizes texts of 100 characters, in which spaCy's
    # stop words are often too few, and importing spaCy's languages takes several times as long.
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    identifier = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    known = {module.name for module in pkgutil.iter_modules(spacy.lang.__path__)} - {_UNLIKELY}
    identifier.set_languages([c for c in identifier.labels if _CODES.get(c, c) in known])
    return identifier
