"""From annotations of CADEC and ShARe to the tokens that Dai et al. (ACL 2020) give them."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import accumulate
from pathlib import Path

from spacy_gapdner.entities import Entity
from spacy_gapdner.errors import GapDNERError
from spacy_gapdner.formats.files import read_text, visible_files, with_unix_line_ends
from spacy_gapdner.formats.inline import merge_ranges
from spacy_gapdner.formats.records import TextEntity, TokenRecord
from spacy_gapdner.formats.report import Place, Report, reading

from .dai_tokens import Tokeniser

# characters that a boundary may be moved by
_CADEC_REACH = 20
_SHARE_REACH = 9


@dataclass(frozen=True)
class TokenisedText:
    """A document with the sentences and tokens it is cut into.

    name (str): The document's name.
    text (str): Its text, with one character a line end.
    place (Place): The file.
    starts (list[int]): Character offsets at which tokens begin.
    ends (list[int]): Character offsets at which they end.
    cuts (list[int]): The first token of every sentence, and last the number of tokens.
    """

    name: str
    text: str
    place: Place
    starts: list[int]
    ends: list[int]
    cuts: list[int]

    def sentence_of(self, token: int) -> int:
        """RETURNS (int): The number of the sentence of a token."""
        return bisect_right(self.cuts, token) - 1

    def records(self, entities: Iterable[Entity]) -> Iterator[TokenRecord]:
        """YIELDS (TokenRecord): The sentences in order, with the entities, each within one, that
        are given in tokens of the document.
        """
        held: list[list[Entity]] = [[] for _ in self.cuts[1:]]
        for entity in entities:
            number = self.sentence_of(entity.start)
            held[number].append(entity.shift(-self.cuts[number]))
        for number, inside in enumerate(held):
            part = slice(self.cuts[number], self.cuts[number + 1])
            bounds = zip(self.starts[part], self.ends[part], strict=True)
            tokens = tuple(self.text[start:end] for start, end in bounds)
            name = f"{self.name}-{number + 1}"
            yield TokenRecord(name, tokens, tuple(inside), self.place, self.name)


# the first and the last token of a fragment, by its offsets; None if no token is near
Nearest = Callable[[TokenisedText, int, int], tuple[int, int] | None]


def find_documents(folder: Path, suffixes: tuple[str, ...], part: str) -> dict[str, Path]:
    """Find files by the names of their documents.

    folder (Path): The folder that holds them at any depth.
    suffixes (tuple[str, ...]): The files' endings.
    part (str): What a file's name has beyond the document's.
    RETURNS (dict[str, Path]): The files by name.
    RAISES (GapDNERError): If two files have one name.
    """
    found: dict[str, Path] = {}
    for file in visible_files(folder, suffixes):
        other = found.setdefault(file.name.replace(part, ""), file)
        if other is not file:
            raise GapDNERError(f"{other} and {file} are of the same document. Keep one.")
    return found


def read_tokenised(path: Path, name: str, tokenise: Tokeniser, report: Report) -> TokenisedText:
    """Read a text and cut it into tokens.

    The offsets in these corpora count a line end as one character, however the file has it.

    path (Path): The file.
    name (str): The document's name.
    tokenise (Callable[[str], list[Sentence]]): Cuts the text.
    report (Report): Takes a note if line ends were changed, or if there is no token.
    RETURNS (TokenisedText): The document.
    RAISES (GapDNERError): If there is no such file, or it is not UTF-8.
    """
    raw, place = read_text(path, report), Place(str(path), None, name)
    text = with_unix_line_ends(raw)
    if text != raw:
        message = f"{name}: every line end is counted as one character"
        report.add("repaired", "line ends CRLF -> LF", message, place)
    sentences = tokenise(text)
    if not sentences:
        report.add("kept", "document without text", f"{name} has no text", place)
    starts = [start for sentence in sentences for start, _ in sentence]
    ends = [end for sentence in sentences for _, end in sentence]
    cuts = [*accumulate(map(len, sentences), initial=0)]
    return TokenisedText(name, text, place, starts, ends, cuts)


def read_documents(
    texts: Mapping[str, Path],
    annotations: Mapping[str, Path],
    names: Iterable[str],
    read_entities: Callable[[Path, str, str], Iterable[TextEntity]],
    tokenise: Tokeniser,
    nearest: Nearest,
    report: Report,
) -> Iterator[TokenRecord]:
    """Read documents; one without an annotation file is taken as one without entities.

    texts (Mapping[str, Path]): Texts by the documents' names.
    annotations (Mapping[str, Path]): Annotation files by name.
    names (Iterable[str]): The documents to read.
    read_entities (Callable): Gives entities, as `flatten` does, of an annotation file, the
        document's name and its text.
    tokenise (Callable[[str], list[Sentence]]): Cuts the texts.
    nearest (Callable): `nearest_cadec` or `nearest_share`.
    report (Report): Takes what is dropped, repaired or repeated.
    YIELDS (TokenRecord): Sentences, by the order of their documents' names.
    RAISES (GapDNERError): If an annotation file has no text.
    """
    if missing := annotations.keys() - texts.keys():
        name = min(missing)
        raise GapDNERError(f"{annotations[name]} annotates {name}, which is missing. Unpack anew.")
    for name in sorted(names):
        with reading(report, Place(str(texts[name]), None, name)):
            document = read_tokenised(texts[name], name.removesuffix(".txt"), tokenise, report)
            found: Iterable[TextEntity] = ()
            if name in annotations:
                found = read_entities(annotations[name], name, document.text)
            else:
                message = f"{name} has a text but no annotation file: taken as without entities"
                report.add("kept", "no annotation file", message, document.place)
            yield from document.records(_align_all(document, found, nearest, report))


def flatten(entity: TextEntity, text: str, report: Report) -> TextEntity | None:
    """Put the offsets of an entity in one ascending row, whatever the order of its fragments.

    Fragments that share an offset leave one without length, which stands for the token there.

    entity (TextEntity): The entity with the offsets its file gives.
    text (str): The text.
    report (Report): Takes what is changed or dropped.
    RETURNS (Optional[TextEntity]): The entity with fragments in text order; None if it reaches
        too far beyond the text for any token to be near.
    """
    offsets = sorted(offset for fragment in entity.fragments for offset in fragment)
    fragments = tuple(zip(offsets[::2], offsets[1::2], strict=True))
    if offsets[0] < 0 or offsets[-1] > len(text) + _SHARE_REACH:
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
    document: TokenisedText, entities: Iterable[TextEntity], nearest: Nearest, report: Report
) -> Iterator[Entity]:
    # one that repeats another is kept, and noted
    places: dict[Entity, Place] = {}
    for source in entities:
        entity = align(document, source, nearest, report)
        if entity is None:
            continue
        if entity in places:
            message = f"{source.label} has the same tokens as the one at {places[entity]}"
            report.add("kept", "duplicate entity", message, source.place, source.fragments)
        places.setdefault(entity, source.place)
        yield entity


def nearest_cadec(document: TokenisedText, start: int, end: int) -> tuple[int, int] | None:
    """Find tokens as in CADEC: a beginning moves left to that of a token, however far it is, an end
    moves right by up to 20 characters."""
    first = bisect_right(document.starts, start) - 1
    last = bisect_left(document.ends, end)
    if first < 0 or last == len(document.ends) or document.ends[last] - end > _CADEC_REACH:
        return None
    return first, last


def nearest_share(document: TokenisedText, start: int, end: int) -> tuple[int, int] | None:
    """Find tokens as in ShARe: a boundary moves to the nearest one of a token. Of two equally near,
    a beginning takes the right one and an end the left one."""
    first = _nearest(document.starts, start, rightmost=True)
    last = _nearest(document.ends, end, rightmost=False)
    return None if first is None or last is None else (first, last)


def _nearest(offsets: list[int], offset: int, *, rightmost: bool) -> int | None:
    right = bisect_left(offsets, offset)
    order = (right, right - 1) if rightmost else (right - 1, right)
    near = [i for i in order if 0 <= i < len(offsets) and abs(offsets[i] - offset) <= _SHARE_REACH]
    # of two equally near, min takes the first
    return min(near, key=lambda i: abs(offsets[i] - offset), default=None)


def align(
    document: TokenisedText, source: TextEntity, nearest: Nearest, report: Report
) -> Entity | None:
    """RETURNS (Optional[Entity]): An entity in tokens of the document; None if no token is near, or
    no sentence holds it, which is reported."""
    label, place, fragments = source.label, source.place, source.fragments
    found = [nearest(document, start, end) for start, end in fragments]
    ranges = [tokens for tokens in found if tokens is not None]
    if len(ranges) < len(found):
        message = f"{label} begins or ends too far from any token"
        report.add("dropped", "no whole token", message, place, fragments)
        return None
    if len({document.sentence_of(token) for tokens in ranges for token in tokens}) > 1:
        message = f"{label} is held by no sentence"
        report.add("dropped", "entity crosses a sentence boundary", message, place, fragments)
        return None
    for (start, end), (first, last) in zip(fragments, ranges, strict=True):
        for wanted, token in ((start, document.starts[first]), (end, document.ends[last])):
            if wanted != token:
                message = f"{label} has a boundary at {wanted}, taken to be at {token}"
                report.add("repaired", "boundary moved to whole tokens", message, place, fragments)
    return replace(merge_ranges(label, ranges, report, place, fragments), attrs=source.carried)
