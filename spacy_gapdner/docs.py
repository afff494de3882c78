"""Tokenize, cut and split Docs, and find their sentences, languages and strings."""

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

import numpy as np
from spacy.language import Language
from spacy.tokenizer import Tokenizer
from spacy.tokens import Doc, Span
from spacy.util import get_lang_class

# the key in doc.user_data of the language whose rules made the tokens
DOC_LANG = "gapdner_lang"
_LONGEST_RUN = 1000
_LONG_RUN = re.compile(rf"\S{{{_LONGEST_RUN + 1},}}")


def make_doc(nlp: Language, text: str) -> Doc:
    """Tokenize a text in linear time.

    spaCy's tokenizer needs quadratic time for long strings without whitespace: 100,000 brackets
    take an hour. Strings of more than 1000 characters without whitespace are therefore tokenized in
    pieces, which can split a token.
    """
    cuts = [0]
    # other tokenizers may need the entire string
    if isinstance(nlp.tokenizer, Tokenizer):
        for run in _LONG_RUN.finditer(text):
            cuts.extend(range(run.start() + _LONGEST_RUN, run.end(), _LONGEST_RUN))
    docs = [nlp.make_doc(text[start:end]) for start, end in pairwise([*cuts, len(text)])]
    if len(docs) == 1:
        return docs[0]
    # without SENT_START, because from_docs would start a sentence at each piece
    joined = Doc.from_docs(docs, ensure_whitespace=False, attrs=["NORM"])
    assert joined is not None
    return joined


def split_tokens(doc: Doc, offsets: Iterable[int]) -> Doc:
    """RETURNS (Doc): The Doc, with a token boundary at each of these characters. If a token is
    split, the Doc has no other annotation.
    """
    words: list[str] = []
    spaces: list[bool] = []
    cuts, text = sorted(set(offsets)), doc.text
    for token in doc:
        start, end = token.idx, token.idx + len(token)
        inside = cuts[bisect_right(cuts, start) : bisect_left(cuts, end)]
        words += [text[a:b] for a, b in pairwise([start, *inside, end])]
        spaces += [*[False] * len(inside), bool(token.whitespace_)]
    return Doc(doc.vocab, words=words, spaces=spaces) if len(words) > len(doc) else doc


def cut_doc(doc: Doc, ranges: Iterable[tuple[int, int]], attrs: list[int | str]) -> Iterator[Doc]:
    """YIELDS (Doc): A copy of each range of tokens with these attributes. `Span.as_doc` would read
    the attributes of the entire Doc each time.
    """
    array = doc.to_array(attrs)
    for start, end in ranges:
        # spaCy's stub lacks the arguments
        yield doc[start:end].as_doc(array_head=attrs, array=array)  # type: ignore[call-arg]


def without_annotation(reference: Doc, nlp: Language) -> Doc:
    """RETURNS (Doc): A Doc to predict. It is tokenized again if the spaces are known."""
    if not reference.has_unknown_spaces:
        return make_doc(nlp, reference.text)
    words = [token.text for token in reference]
    spaces = [bool(token.whitespace_) for token in reference]
    return Doc(nlp.vocab, words=words, spaces=spaces)


def get_sentences(doc: Doc) -> list[Span]:
    """RETURNS (list[Span]): The sentences. Without sentence boundaries, the complete Doc."""
    if not doc.has_annotation("SENT_START"):
        return [doc[:]]
    # a hook can find empty ones
    return [sentence for sentence in doc.sents if len(sentence)]


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
    """RETURNS (str): A message if Docs have tokens of another language's rules, else ""."""
    others = [other for other in counts if other and other != lang]
    if not others or not lang:
        return ""
    found = (f"{counts[o]} with the rules of {describe_language(o)}" for o in others)
    return (
        f"The pipeline tokenizes with the rules of {describe_language(lang)}, but Docs of the data "
        f"were tokenized with other rules: {', '.join(found)}. Entities can end inside its tokens. "
        f"Use init-config --lang {others[0]}, or convert --lang {lang}."
    )


def find_strings(
    docs: Sequence[Doc], owners: np.ndarray, hashes: np.ndarray
) -> tuple[list[str], np.ndarray]:
    """Look up the strings of tokens of several Docs, each of which can have its own vocab.

    docs (Sequence[Doc]): The documents.
    owners (ndarray): The index of the Doc of each token.
    hashes (ndarray): A hash of each token, such as its ORTH.
    RETURNS (tuple[list[str], ndarray]): The different strings, and the index of each token's
        string among them.
    """
    different, first, index = np.unique(hashes, return_index=True, return_inverse=True)
    places = zip(owners[first].tolist(), different.tolist(), strict=True)
    return [docs[i].vocab.strings[value] for i, value in places], index
