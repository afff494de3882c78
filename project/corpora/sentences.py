"""Split Docs for formats that only represent tokenized sentences."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator

from spacy.tokens import Doc

from spacy_gapdner import Entity, get_entities
from spacy_gapdner.docs import get_sentences
from spacy_gapdner.formats import Report
from spacy_gapdner.formats.docs import BLANK, SEVERAL, doc_place


def doc_sentences(
    docs: Iterable[Doc], spans_key: str, report: Report
) -> Iterator[tuple[str | None, list[str], list[Entity]]]:
    """YIELDS (tuple): Each sentence's document, its tokens except whitespace, and its entities."""
    for doc in docs:
        sentences = get_sentences(doc)
        starts = [sentence.start for sentence in sentences]
        entities: list[list[Entity]] = [[] for _ in sentences]
        for found in get_entities(doc, spans_key):
            entities[bisect_right(starts, found.start) - 1].append(found.to_entity())
        for sentence, own in zip(sentences, entities, strict=True):
            words = [token for token in sentence if not token.text.isspace()]
            numbers = {token.i: number for number, token in enumerate(words)}
            inside = []
            for entity in own:
                tokens = [numbers[i] for i in entity.token_indices if i in numbers]
                if tokens and entity.end <= sentence.end:
                    inside.append(Entity.from_tokens(entity.label, tokens))
                else:
                    kind = SEVERAL if entity.end > sentence.end else BLANK
                    message = f"{entity.label} at tokens {entity.fragments}"
                    spans = [doc[start:end] for start, end in entity.fragments]
                    offsets = tuple((span.start_char, span.end_char) for span in spans)
                    report.add("dropped", kind, message, doc_place(doc), offsets)
            if words:
                yield doc_place(doc).document, [token.text for token in words], inside
