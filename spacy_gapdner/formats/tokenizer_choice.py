"""Choose the rules that tokenize texts by their language."""

from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path

from spacy.language import Language

from ..components.sentencizer import LineBreaks, blank_pipeline
from ..docs import describe_language
from .languages import guess_language
from .records import Record, TextRecord
from .report import Place, Report

# characters from which the language is guessed
_GUESS_FROM = 20_000


def choose_tokenizer(
    nlp: Language, records: Iterable[Record], line_breaks: LineBreaks, report: Report, path: Path
) -> tuple[Language, Iterator[Record]]:
    """Guess the language of the first texts, and note it in the report if it is not English.

    RETURNS (tuple[Language, Iterator[Record]]): A pipeline that tokenizes texts in this language,
        or the given one, and all records.
    """
    records = iter(records)
    start: list[Record] = []
    texts: list[str] = []
    for record in records:
        start.append(record)
        # tokens and Docs are not tokenized again
        if not isinstance(record, TextRecord):
            break
        texts.append(record.text)
        if sum(map(len, texts)) > _GUESS_FROM:
            break
    lang = guess_language(" ".join(texts)[:_GUESS_FROM])
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
