"""Make Docs from tokenized sentences, and split Docs into them."""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby, islice
from pathlib import Path

from spacy.tokens import Doc
from spacy.vocab import Vocab

from ..docs import get_sentences
from ..entities import DiscontinuousEntity, Entity, get_entities, set_entities
from .docs import BLANK, DOC_NAME, SEVERAL, doc_place
from .report import NOWHERE, Place, Report, printable


@dataclass(frozen=True)
class TokenRecord:
    """A tokenized sentence of a document, with its entities in token offsets."""

    name: str
    tokens: tuple[str, ...]
    entities: tuple[Entity, ...] = ()
    place: Place = NOWHERE
    document: str | None = None


def docs_reader(read: Callable[..., Iterator[TokenRecord]]) -> Callable[..., Iterator[Doc]]:
    """RETURNS (Callable): The reader, which makes Docs of the sentences, see `make_docs`."""

    def read_docs(
        path: Path, report: Report, vocab: Vocab, spans_key: str, n_sents: int
    ) -> Iterator[Doc]:
        return make_docs(read(path, report), vocab, spans_key, n_sents)

    return read_docs


def make_docs(
    sentences: Iterable[TokenRecord], vocab: Vocab, spans_key: str, n_sents: int
) -> Iterator[Doc]:
    """YIELDS (Doc): Docs of `n_sents` sentences, or 0 for all, of a document. A sentence that names
    no document is a Doc.
    """

    def document_of(sentence: TokenRecord) -> tuple[str, str | None]:
        # files can contain documents with the same name
        return sentence.document or sentence.name, sentence.place.file

    for (name, _), group in groupby(sentences, document_of):
        while part := list(islice(group, n_sents or None)):
            words: list[str] = []
            sent_starts: list[bool | int | None] = []
            entities: list[Entity] = []
            for sentence in part:
                entities.extend(entity.shift(len(words)) for entity in sentence.entities)
                words.extend(sentence.tokens)
                sent_starts += [True] + [False] * (len(sentence.tokens) - 1)
            # with unknown spaces, spacy.Corpus.v1 keeps these tokens
            doc = Doc(vocab, words=words, sent_starts=sent_starts)
            doc.user_data[DOC_NAME] = printable(name)
            set_entities(doc, entities, spans_key)
            yield doc


def doc_sentences(
    docs: Iterable[Doc], spans_key: str, report: Report
) -> Iterator[tuple[str | None, list[str], list[Entity]]]:
    """YIELDS (tuple): Each sentence's document, its tokens except whitespace, and its entities."""
    for doc in docs:
        sentences = get_sentences(doc)
        starts = [sentence.start for sentence in sentences]
        entities: list[list[DiscontinuousEntity]] = [[] for _ in sentences]
        for entity in get_entities(doc, spans_key):
            entities[bisect_right(starts, entity.start) - 1].append(entity)
        for sentence, own in zip(sentences, entities, strict=True):
            words = [token for token in sentence if not token.text.isspace()]
            numbers = {token.i: number for number, token in enumerate(words)}
            inside = []
            for entity in own:
                tokens = [numbers[i] for i in entity.token_indices if i in numbers]
                if tokens and entity.end <= sentence.end:
                    inside.append(Entity.from_tokens(entity.label_, tokens))
                else:
                    kind = SEVERAL if entity.end > sentence.end else BLANK
                    message = f"{entity.label_} at tokens {entity.fragments}"
                    report.add("dropped", kind, message, doc_place(doc), entity.char_fragments)
            if words:
                yield doc_place(doc).document, [token.text for token in words], inside
