"""Align CADEC and ShARe with the tokens of Dai et al. (ACL 2020)."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import accumulate
from pathlib import Path

from spacy_gapdner.entities import Entity
from spacy_gapdner.errors import GapDNERError
from spacy_gapdner.formats.files import read_text, visible_files, with_unix_line_ends
from spacy_gapdner.formats.inline import merge_ranges
from spacy_gapdner.formats.records import TextEntity
from spacy_gapdner.formats.report import Place, Report, reading
from spacy_gapdner.formats.sentences import TokenRecord

from .dai_tokens import Tokenizer

# maximum distances in characters between offsets and token boundaries
_CADEC_DISTANCE = 20
_SHARE_DISTANCE = 9


@dataclass(frozen=True)
class TokenizedText:
    """A document with Unix line ends, and the offsets of its tokens. `sentence_starts` contains the
    first token of each sentence, and the number of tokens."""

    name: str
    text: str
    place: Place
    starts: list[int]
    ends: list[int]
    sentence_starts: list[int]

    def sentence_of(self, token: int) -> int:
        return bisect_right(self.sentence_starts, token) - 1

    def records(self, entities: Iterable[Entity]) -> Iterator[TokenRecord]:
        """YIELDS (TokenRecord): The sentences, with entities given in tokens of the document."""
        by_sentence: list[list[Entity]] = [[] for _ in self.sentence_starts[1:]]
        for entity in entities:
            number = self.sentence_of(entity.start)
            by_sentence[number].append(entity.shift(-self.sentence_starts[number]))
        for number, own in enumerate(by_sentence):
            part = slice(self.sentence_starts[number], self.sentence_starts[number + 1])
            bounds = zip(self.starts[part], self.ends[part], strict=True)
            tokens = tuple(self.text[start:end] for start, end in bounds)
            name = f"{self.name}-{number + 1}"
            yield TokenRecord(name, tokens, tuple(own), self.place, self.name)


# finds the first and the last token of a fragment by its offsets. None if they are too far away
Aligner = Callable[[TokenizedText, int, int], tuple[int, int] | None]


def find_documents(folder: Path, suffixes: tuple[str, ...], part: str) -> dict[str, Path]:
    """Find the files of a folder and its subfolders by the name of their document, which is the
    file name without `part`."""
    found: dict[str, Path] = {}
    for file in visible_files(folder, suffixes):
        other = found.setdefault(file.name.replace(part, ""), file)
        if other is not file:
            raise GapDNERError(f"{other} and {file} belong to the same document. Keep one.")
    return found


def read_tokenized(path: Path, name: str, tokenize: Tokenizer, report: Report) -> TokenizedText:
    """Read and tokenize a document. Its offsets count a line end as one character."""
    raw, place = read_text(path), Place(str(path), None, name)
    text = with_unix_line_ends(raw)
    if text != raw:
        message = f"{name}: each line ending counts as one character"
        report.add("repaired", "line endings CRLF -> LF", message, place)
    sentences = tokenize(text)
    if not sentences:
        report.add("kept", "document without text", f"{name} has no text", place)
    starts = [start for sentence in sentences for start, _ in sentence]
    ends = [end for sentence in sentences for _, end in sentence]
    sentence_starts = [*accumulate(map(len, sentences), initial=0)]
    return TokenizedText(name, text, place, starts, ends, sentence_starts)


def read_documents(
    texts: Mapping[str, Path],
    annotations: Mapping[str, Path],
    names: Iterable[str],
    read_entities: Callable[[Path, str, str], Iterable[TextEntity]],
    tokenize: Tokenizer,
    aligner: Aligner,
    report: Report,
) -> Iterator[TokenRecord]:
    """Read documents, sorted by name. A document without an annotation file has no entities.

    `read_entities` reads an annotation file, given the document's name and text. The offsets of its
    entities have to be sorted, see `flatten`.
    """
    if missing := annotations.keys() - texts.keys():
        name = min(missing)
        raise GapDNERError(
            f"{annotations[name]} annotates {name}, which is missing. Unpack the corpus again."
        )
    for name in sorted(names):
        with reading(report, Place(str(texts[name]), None, name)):
            document = read_tokenized(texts[name], name.removesuffix(".txt"), tokenize, report)
            found: Iterable[TextEntity] = ()
            if name in annotations:
                found = read_entities(annotations[name], name, document.text)
            else:
                message = f"{name} has no annotation file, and therefore no entities"
                report.add("kept", "no annotation file", message, document.place)
            yield from document.records(_align_all(document, found, aligner, report))


def flatten(entity: TextEntity, text: str, report: Report) -> TextEntity | None:
    """Sort all offsets of an entity, and form fragments from each pair of them. Returns None if its
    offsets are too far outside of the text.

    If overlapping fragments share an offset, one becomes empty and stands for the token there.
    """
    offsets = sorted(offset for fragment in entity.fragments for offset in fragment)
    fragments = tuple(zip(offsets[::2], offsets[1::2], strict=True))
    if offsets[0] < 0 or offsets[-1] > len(text) + _SHARE_DISTANCE:
        message = f"{entity.label} at {entity.fragments} of {len(text)} characters"
        report.add("dropped", "offsets out of range", message, entity.place, entity.fragments)
        return None
    kind = None
    if any(start == end for start, end in fragments):
        kind = "fragment without length"
    elif {tuple(sorted(fragment)) for fragment in entity.fragments} != set(fragments):
        kind = "overlapping fragments"
    elif fragments != entity.fragments:
        kind = "fragments out of order"
    if kind:
        message = f"{entity.label} has fragments at {entity.fragments}"
        report.add("repaired", kind, message, entity.place, fragments)
    return replace(entity, fragments=fragments)


def _align_all(
    document: TokenizedText, entities: Iterable[TextEntity], aligner: Aligner, report: Report
) -> Iterator[Entity]:
    places: dict[Entity, Place] = {}
    for source in entities:
        entity = align(document, source, aligner, report)
        if entity is None:
            continue
        if entity in places:
            message = f"{source.label} has the same tokens as the one at {places[entity]}"
            report.add("kept", "duplicate entity", message, source.place, source.fragments)
        places.setdefault(entity, source.place)
        yield entity


def align_cadec(document: TokenizedText, start: int, end: int) -> tuple[int, int] | None:
    """Find the tokens of a fragment in CADEC. The start moves left to the start of a token. The end
    moves right by up to 20 characters."""
    first = bisect_right(document.starts, start) - 1
    last = bisect_left(document.ends, end)
    if first < 0 or last == len(document.ends) or document.ends[last] - end > _CADEC_DISTANCE:
        return None
    return first, last


def align_share(document: TokenizedText, start: int, end: int) -> tuple[int, int] | None:
    """Find the tokens of a fragment in ShARe. Offsets move to the nearest boundary of a token. If
    two are equally near, the start moves right and the end moves left."""
    first = _nearest(document.starts, start, rightmost=True)
    last = _nearest(document.ends, end, rightmost=False)
    return None if first is None or last is None else (first, last)


def _nearest(offsets: list[int], offset: int, *, rightmost: bool) -> int | None:
    right = bisect_left(offsets, offset)
    near = [
        i
        for i in ((right, right - 1) if rightmost else (right - 1, right))
        if 0 <= i < len(offsets) and abs(offsets[i] - offset) <= _SHARE_DISTANCE
    ]
    # min returns the first of several minima
    return min(near, key=lambda i: abs(offsets[i] - offset), default=None)


def align(
    document: TokenizedText, source: TextEntity, aligner: Aligner, report: Report
) -> Entity | None:
    """Align an entity with the tokens of the document. Returns None and reports it if it is too far
    from any token, or crosses a sentence boundary."""
    label, place, fragments = source.label, source.place, source.fragments
    found = [aligner(document, start, end) for start, end in fragments]
    ranges = [tokens for tokens in found if tokens is not None]
    if len(ranges) < len(found):
        message = f"{label} starts or ends too far from any token"
        report.add("dropped", "no matching token", message, place, fragments)
        return None
    if len({document.sentence_of(token) for tokens in ranges for token in tokens}) > 1:
        message = f"{label} is not within one sentence"
        report.add("dropped", "entity crosses a sentence boundary", message, place, fragments)
        return None
    for (start, end), (first, last) in zip(fragments, ranges, strict=True):
        for offset, moved in ((start, document.starts[first]), (end, document.ends[last])):
            if offset != moved:
                message = f"{label} has a boundary at {offset}, which moves to {moved}"
                report.add(
                    "repaired", "boundary moved to a token boundary", message, place, fragments
                )
    return replace(merge_ranges(label, ranges, report, place, fragments), attrs=source.entity_attrs)
