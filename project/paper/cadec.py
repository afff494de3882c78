"""Read CADEC in its official layout, with the sentences and tokens of published figures."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_gapdner.errors import GapDNERError
from spacy_gapdner.formats.brat_lines import parse_entity
from spacy_gapdner.formats.files import read_lines
from spacy_gapdner.formats.records import BratLine, TextEntity
from spacy_gapdner.formats.report import Place, Report
from spacy_gapdner.formats.sentences import TokenRecord, make_docs

from .dai import align_cadec, find_documents, flatten, read_documents
from .dai_tokens import cadec_sentences
from .id_lists import check_split, note_missing, read_ids

ARCHIVE = "CADEC.v2.zip"
TYPES = ("ADR", "Drug", "Disease", "Symptom", "Finding")


def is_cadec(path: Path) -> bool:
    """RETURNS (bool): Whether a folder is the top folder of CADEC, or its parent."""
    return _find_top(path) is not None


def read_cadec(
    path: Path,
    report: Report,
    *,
    types: tuple[str, ...] = ("ADR",),
    split: str | None = None,
    ids: Path | None = None,
) -> Iterator[TokenRecord]:
    """Read CADEC as Dai et al. do, sorted by document. Each line is a sentence, and repeated
    mentions are kept.

    types (tuple[str, ...]): The types to read, or "all". Published figures are for ADR.
    split (Optional[str]): "train", "dev" or "test". None for the complete corpus.
    ids (Optional[Path]): The list of documents of the split, or the folder with train.id, dev.id
        and test.id.
    """
    root = _find_top(path)
    if root is None:
        raise GapDNERError(
            f"{path} has no folders text and original. Unpack {ARCHIVE} and use its folder cadec."
        )
    check_split(split, ids)
    unknown = [name for name in types if name not in (*TYPES, "all")]
    if unknown:
        raise GapDNERError(f"Unknown types: {', '.join(unknown)}. Use {', '.join(TYPES)}, or all.")
    texts = find_documents(root / "text", (".txt",), ".txt")
    annotations = find_documents(root / "original", (".ann",), ".ann")
    if not texts or not annotations:
        empty = root / ("original" if texts else "text")
        raise GapDNERError(f"{empty} contains no file of CADEC. Unpack {ARCHIVE} again.")
    names = set(texts)
    if split is not None:
        wanted = read_ids(ids, f"{split}.id", "cadec", split, report)
        note_missing(wanted, texts, ids, report)
        names &= wanted
    read_entities = partial(_read_annotations, types=types, report=report)
    files = (texts, annotations, names)
    yield from read_documents(*files, read_entities, cadec_sentences, align_cadec, report)


def read_cadec_docs(
    path: Path,
    report: Report,
    *,
    vocab: Vocab,
    spans_key: str,
    n_sents: int,
    types: tuple[str, ...] = ("ADR",),
    split: str | None = None,
    ids: Path | None = None,
) -> Iterator[Doc]:
    """Make Docs, see `read_cadec`."""
    sentences = read_cadec(path, report, types=types, split=split, ids=ids)
    yield from make_docs(sentences, vocab, spans_key, n_sents)


def _find_top(path: Path) -> Path | None:
    for folder in (path, path / "cadec"):
        if (folder / "text").is_dir() and (folder / "original").is_dir():
            return folder
    return None


def _read_annotations(
    path: Path, document: str, text: str, *, types: tuple[str, ...], report: Report
) -> Iterator[TextEntity]:
    for number, raw in enumerate(read_lines(path), start=1):
        line, place = raw.strip(), Place(str(path), number, document)
        if not line:
            continue
        if not line.startswith("T"):
            message = f"{line[:40]!r} is not a mention"
            report.add("kept", "unsupported line", message, place)
            continue
        entity = parse_entity(BratLine(line, place))
        if entity is None:
            raise GapDNERError(
                f"{place} is not an annotation of CADEC (ID, tab, TYPE START END;..., tab, text): "
                f"{line[:60]!r}. Is the file damaged?"
            )
        if entity.label not in types and "all" not in types:
            continue
        flat = flatten(entity, text, report)
        if flat is None:
            continue
        found = " ".join(text[start:end] for start, end in flat.fragments)
        if found != flat.surface:
            message = f"{flat.label} {flat.id} is {flat.surface!r}, but its offsets give {found!r}"
            report.add("kept", "surface text differs", message, place, flat.fragments)
        yield flat
