"""A pipe that looks entities up in a terminology, by their recombined text."""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from spacy.language import Language
from spacy.tokens import Doc
from spacy.util import ensure_path, minibatch

from ..entities import DEFAULT_SPANS_KEY, DiscontinuousEntity, get_entities
from ..errors import GapDNERError

_FILE = "terms.tsv"
_HYPHENS = re.compile("[-\u2010-\u2015\u2212]")
# texts compared at once: of similar length, so that few names come into question
_BLOCK = 16
_MOST_REMEMBERED = 100_000


class Terminology:
    """Names and their ids. Of equal names the first counts.

    rows (list[tuple[str, str]]): Ids and names, in the order of the file.
    """

    def __init__(self, rows: list[tuple[str, str]]) -> None:
        self.rows = rows
        self.exact: dict[str, int] = {}
        for number, (_, name) in enumerate(rows):
            self.exact.setdefault(normalize(name), number)
        by_length = sorted((_sort_words(name), number) for name, number in self.exact.items())
        by_length.sort(key=lambda item: len(item[0]))
        self._names = [name for name, _ in by_length]
        self._numbers = np.array([number for _, number in by_length], dtype=int)
        self._lengths = np.array([len(name) for name in self._names], dtype=int)

    @classmethod
    def from_text(cls, text: str, source: str | Path) -> "Terminology":
        """Read lines of an id, a tab, and a name.

        text (str): The lines; the first may be "id", a tab, and "name".
        source (Union[str, Path]): Where they come from, for messages.
        RETURNS (Terminology): The terminology.
        RAISES (GapDNERError): If a line is of another form, or there is no name.
        """
        rows = []
        for number, line in enumerate(text.split("\n"), start=1):
            cells = [cell.strip() for cell in line.split("\t")]
            if cells == [""] or (number == 1 and cells == ["id", "name"]):
                continue
            if len(cells) != 2 or not all(cells):
                raise GapDNERError(
                    f"{source}, line {number}: {line!r:.80} is not an id, a tab, and a name."
                )
            rows.append((cells[0], cells[1]))
        if not rows:
            raise GapDNERError(f"{source} has no terms. Write an id, a tab, and a name a line.")
        return cls(rows)

    @classmethod
    def from_file(cls, path: Path) -> "Terminology":
        """Read a TSV file in UTF-8; see `from_text`.

        path (Path): The file.
        RETURNS (Terminology): The terminology.
        RAISES (GapDNERError): If it cannot be read, or a line is of another form.
        """
        try:
            return cls.from_text(path.read_text(encoding="utf-8-sig"), path)
        except (FileNotFoundError, IsADirectoryError):
            raise GapDNERError(f"There is no file of terms {path}. Check the path.") from None
        except UnicodeDecodeError as error:
            line = error.object.count(b"\n", 0, error.start) + 1
            raise GapDNERError(f"{path}, line {line}: not UTF-8. Convert the file.") from None

    def to_text(self) -> str:
        """RETURNS (str): The lines that `from_text` reads."""
        return "".join(f"{id}\t{name}\n" for id, name in self.rows)

    def find_similar(self, texts: Iterable[str], min_score: float) -> dict[str, int]:
        """Find the most similar names, whatever the order of words; of equally similar ones the
        first.

        texts (Iterable[str]): Normalized texts.
        min_score (float): The lowest score, up to 100, of rapidfuzz's `token_sort_ratio`.
        RETURNS (dict[str, int]): The row of each text with a name that is similar enough.
        """
        from rapidfuzz import fuzz, process

        queries = sorted(((_sort_words(text), text) for text in texts), key=lambda q: len(q[0]))
        # names longer than this by a factor, or shorter, cannot reach the score
        factor = (200 - min_score) / max(min_score, 1)
        found = {}
        for start in range(0, len(queries), _BLOCK):
            words, originals = zip(*queries[start : start + _BLOCK], strict=True)
            first = np.searchsorted(self._lengths, int(len(words[0]) / factor))
            last = np.searchsorted(self._lengths, int(len(words[-1]) * factor) + 1, side="right")
            scores = process.cdist(
                words,
                self._names[first:last],
                scorer=fuzz.ratio,
                score_cutoff=min_score,
                dtype=np.float32,
            )
            numbers = self._numbers[first:last]
            for text, row in zip(originals, scores, strict=True):
                best = row.max(initial=0)
                if best > 0:
                    found[text] = int(numbers[row == best].min())
        return found


class EntityLinker:
    """Gives entities the ids of the terms that their texts name, as `kb_id_`.

    Registered as the factory `gapdner_linker`. Put it after `gapdner`. The text of an entity is
    that of its fragments joined: "severe shoulder pain" out of "severe joint, shoulder and back
    pain". Case, spaces and hyphens make no difference. The name that was found is the entity's
    ``attrs["kb_name"]``.

    spans_key (str): Prefix of the span groups with entities.
    terms (str): A TSV file, each line an id, a tab, and a name. The terms are saved with the
        pipeline, which does not need the file any more.
    min_score (float): The lowest score, up to 100, of a name that is similar to the text; 100
        takes equal names alone.
    labels (Optional[Sequence[str]]): Only link entities of these types.
    overwrite (bool): Replace ids that entities have, where a term is found.
    RAISES (GapDNERError): If the terms or the settings cannot be used.
    """

    def __init__(
        self,
        spans_key: str,
        terms: str,
        min_score: float,
        labels: list[str] | None,
        overwrite: bool,
    ) -> None:
        if not 0 < min_score <= 100:
            raise GapDNERError(f"min_score must lie between 0 and 100, but it is {min_score}.")
        if min_score < 100 and not find_spec("rapidfuzz"):
            raise GapDNERError(
                f"Similar terms (min_score = {min_score:g}) need rapidfuzz: "
                "pip install 'spacy-gapdner[link]', or set min_score to 100."
            )
        self.spans_key = spans_key
        self.path = Path(terms)
        self.min_score = min_score
        # spaCy lists what a pipe has as `labels` with those that pipes set
        self.types = labels
        self.overwrite = overwrite
        self._similar: dict[str, int | None] = {}
        # a pipeline that is about to be loaded brings its terms along
        self._terms = Terminology.from_file(self.path) if self.path.exists() else None

    @property
    def terms(self) -> Terminology:
        """RETURNS (Terminology): The terms."""
        if self._terms is None:
            self._terms = Terminology.from_file(self.path)
        return self._terms

    def __call__(self, doc: Doc) -> Doc:
        """Link the entities of a document.

        doc (Doc): The document.
        RETURNS (Doc): The same.
        """
        self._link([doc])
        return doc

    def pipe(self, stream: Iterable[Doc], *, batch_size: int = 128) -> Iterator[Doc]:
        """Link the entities of many documents.

        stream (Iterable[Doc]): The documents.
        batch_size (int): How many to look up at once.
        YIELDS (Doc): The documents, in order.
        """
        for docs in minibatch(stream, size=batch_size):  # type: ignore[no-untyped-call]
            self._link(docs)
            yield from docs

    def _link(self, docs: Iterable[Doc]) -> None:
        entities = [e for doc in docs for e in get_entities(doc, self.spans_key) if self._wants(e)]
        texts = [normalize(entity.text) for entity in entities]
        rows = self._look_up(set(texts))
        for entity, text in zip(entities, texts, strict=True):
            row = rows[text]
            if row is not None:
                entity.kb_id_, entity.attrs["kb_name"] = self.terms.rows[row]

    def _wants(self, entity: DiscontinuousEntity) -> bool:
        return (self.types is None or entity.label_ in self.types) and (
            self.overwrite or not entity.kb_id_
        )

    def _look_up(self, texts: set[str]) -> dict[str, int | None]:
        exact = self.terms.exact
        if self.min_score < 100:
            if len(self._similar) > _MOST_REMEMBERED:
                self._similar.clear()
            new = [text for text in texts if text not in exact and text not in self._similar]
            found = self.terms.find_similar(new, self.min_score)
            self._similar.update((text, found.get(text)) for text in new)
        return {text: exact.get(text, self._similar.get(text)) for text in texts}

    def to_bytes(self, *, exclude: Iterable[str] = ()) -> bytes:
        """RETURNS (bytes): The terms."""
        return self.terms.to_text().encode()

    def from_bytes(self, data: bytes, *, exclude: Iterable[str] = ()) -> "EntityLinker":
        """Take terms from `to_bytes`.

        data (bytes): The terms.
        RETURNS (EntityLinker): The pipe itself.
        """
        self._terms = Terminology.from_text(data.decode(), "the saved terms")
        self._similar.clear()
        return self

    def to_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> None:
        """Write the terms to a folder.

        path (Union[str, Path]): The folder, which is made if there is none.
        """
        folder = ensure_path(path)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / _FILE).write_bytes(self.to_bytes())

    def from_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> "EntityLinker":
        """Read the terms from a folder.

        path (Union[str, Path]): The folder.
        RETURNS (EntityLinker): The pipe itself.
        """
        self._terms = Terminology.from_file(ensure_path(path) / _FILE)
        self._similar.clear()
        return self


def normalize(text: str) -> str:
    """RETURNS (str): The text by which names are compared, with small letters and single spaces,
    which hyphens become as well.
    """
    return " ".join(_HYPHENS.sub(" ", unicodedata.normalize("NFKC", text).casefold()).split())


def _sort_words(text: str) -> str:
    return " ".join(sorted(text.split()))


@Language.factory(
    "gapdner_linker",
    default_config={
        "spans_key": DEFAULT_SPANS_KEY,
        "min_score": 100.0,
        "labels": None,
        "overwrite": False,
    },
)
def make_linker(
    nlp: Language,
    name: str,
    spans_key: str,
    terms: str,
    min_score: float,
    labels: list[str] | None,
    overwrite: bool,
) -> EntityLinker:
    """Create the component; the arguments are those of `EntityLinker`.

    nlp (Language): The pipeline.
    name (str): The component's name in it.
    """
    return EntityLinker(spans_key, terms, min_score, labels, overwrite)
