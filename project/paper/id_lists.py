"""Read the lists of documents of Dai et al. (ACL 2020) for the splits of a corpus."""

import hashlib
from collections.abc import Iterable
from pathlib import Path

from spacy_gapdner.errors import GapDNERError
from spacy_gapdner.formats.files import read_text
from spacy_gapdner.formats.report import Place, Report

SPLITS = ("train", "dev", "test")
SOURCE = "github.com/dainlp/acl2020-transition-discontinuous-ner"

# number of names, and their hash
_PUBLISHED = {
    "cadec/train": (875, "6943d5b83691c5ff"),
    "cadec/dev": (187, "f982ce05683e90f0"),
    "cadec/test": (188, "0f1b14b794df6474"),
    "share13/dev": (19, "da415af46af8ae8b"),
    "share14/dev": (29, "1e1d234185586b80"),
}


def check_split(split: str | None, ids: Path | None) -> None:
    """Raise a GapDNERError if a split is unknown, or a list is given without a split."""
    if split not in (None, *SPLITS):
        raise GapDNERError(f"Unknown split: {split!r}. Use {', '.join(SPLITS)}.")
    if ids is not None and split is None:
        raise GapDNERError(f"The lists in {ids} require a split: {', '.join(SPLITS)}.")


def read_ids(ids: Path | None, name: str, corpus: str, part: str, report: Report) -> set[str]:
    """Read a list of documents, such as train.id, from this file or from its folder. Reports if it
    is not the published list."""
    if ids is None:
        raise GapDNERError(
            f"The split of {corpus} requires a list of documents. Set ids to {name} of {SOURCE}, "
            "or to its folder."
        )
    path = Path(ids) / name if Path(ids).is_dir() else Path(ids)
    names = {line.strip() for line in read_text(path).split("\n") if line.strip()}
    if not names:
        raise GapDNERError(f"{path} is empty. It should list the documents of {part}.")
    number, published = _PUBLISHED[f"{corpus}/{part}"]
    if hash_names(names) != published:
        message = (
            f"{len(names)} names, which are not the {number} of the published {part} list of "
            f"{corpus}. Published figures do not apply"
        )
        report.add("kept", "not the published split", message, Place(str(path)))
    return names


def hash_names(names: Iterable[str]) -> str:
    """RETURNS (str): 16 hexadecimal digits, which do not depend on the order of the names."""
    text = "".join(f"{name}\n" for name in sorted(names))
    return hashlib.sha256(text.encode("utf-8")).hexdigest()[:16]


def note_missing(
    wanted: set[str], present: Iterable[str], ids: Path | None, report: Report
) -> None:
    """Report listed documents that are missing from the corpus. Raise a GapDNERError if all are."""
    missing = wanted - set(present)
    if missing == wanted:
        raise GapDNERError(
            f"None of the {len(wanted)} documents in {ids}, e.g. {min(wanted)}, is in the corpus, "
            f"which contains e.g. {min(present, default='none')}. Check the list."
        )
    for name in sorted(missing):
        message = f"{name} is in the list but has no text"
        report.add("dropped", "document missing", message, Place(str(ids), None, name))
