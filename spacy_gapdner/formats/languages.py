"""Guess the language of texts, and choose the rules that tokenize them."""

import pkgutil
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any

import spacy.lang
from spacy.language import Language

from ..components.sentencizer import LineBreaks, blank_pipeline
from ..docs import describe_language
from .records import Record, TextRecord
from .report import Place, Report

_GUESS_FROM = 20_000
# Sentences of 100 characters are more certain, lists of names and abbreviations are less certain
_LEAST_CERTAINTY = 0.75
# languages with another code in spaCy
_CODES = {"no": "nb"}
# Latin would be the guess for some lists of English medical terms
_UNLIKELY = "la"


def choose_tokenizer(
    nlp: Language, records: Iterable[Record], line_breaks: LineBreaks, report: Report, path: Path
) -> tuple[Language, Iterator[Record]]:
    """Guess the language of the first texts, and note it in the report if it is not English.

    RETURNS (tuple[Language, Iterator[Record]]): A pipeline that tokenizes texts in this language,
        or the given one, and all records.
    """
    records = iter(records)
    start: list[Record] = []
    text = ""
    for record in records:
        start.append(record)
        # Docs are not tokenized again
        if not isinstance(record, TextRecord):
            break
        text += f" {record.text}"
        if len(text) > _GUESS_FROM:
            break
    # loading the language identifier takes time, and Docs have no text to tokenize
    lang = guess_language(text[:_GUESS_FROM]) if text else "en"
    if lang != "en":
        message = f"the texts are tokenized with the rules of {describe_language(lang)}"
        try:
            nlp = blank_pipeline(lang, line_breaks)
        # languages such as Japanese need a package
        except ImportError as error:
            name = describe_language(lang)
            message = f"the texts look like {name}, whose rules cannot be used: {error}"
        message += ". To choose others: --lang or --model. Use the same --lang for init-config"
        report.add("chosen", "language of the tokenizer", message, Place(str(path)))
    return nlp, chain(start, records)


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
