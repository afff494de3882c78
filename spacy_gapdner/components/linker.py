"""Link entities to a terminology by their joined text."""

import re
import unicodedata
from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path

from spacy.language import Language
from spacy.tokens import Doc
from spacy.util import ensure_path

from ..entities import DEFAULT_SPANS_KEY, get_entities
from ..errors import GapDNERError

_FILE = "terms.tsv"
_HYPHENS = re.compile("[-\u05be\u2010-\u2015\u2212]")
# next to Thai, Lao, Japanese or Chinese characters; entity.text has them between fragments
_SPACES = re.compile("(?<=[\u0e00-\u0eff\u3005-\u9fff]) | (?=[\u0e00-\u0eff\u3005-\u9fff])")
# Number of texts for which the most similar name is cached
_CACHE_SIZE = 100_000


@Language.factory("gapdner_linker", requires=["doc.spans"])
class EntityLinker:
    """Look entities up in a terminology and set their `kb_id_` and ``attrs["kb_name"]``. Entities
    in ``doc.ents`` with the same tokens and label also get the id.

    Registered as the factory `gapdner_linker`. Add it after `gapdner`. The text of an entity is
    the joined text of its fragments: "severe shoulder pain" in "severe joint, shoulder and back
    pain". Case is ignored. Hyphens count as spaces. Spaces next to Chinese, Japanese, Thai or Lao
    characters are ignored. The first of equally good names is used.

    nlp (Language): The pipeline.
    name (str): The component instance name.
    terms (str): A TSV file with an id, a tab and a name on each line. It is read at the first Doc.
        The terms are saved with the pipeline, which then no longer needs the file.
    spans_key (str): Prefix of the span groups with entities.
    min_score (float): Minimum similarity of name and text, measured by `token_sort_ratio` of
        rapidfuzz. 100 matches identical names only.
    labels (Optional[Sequence[str]]): Link only entities of these types.
    overwrite (bool): Replace the ids of entities for which a term is found.
    RAISES (GapDNERError): If the settings or, at the first Doc, the terms are invalid.
    """

    def __init__(
        self,
        nlp: Language,
        name: str,
        terms: str,
        spans_key: str = DEFAULT_SPANS_KEY,
        min_score: float = 100.0,
        labels: list[str] | None = None,
        overwrite: bool = False,
    ) -> None:
        if not 0 < min_score <= 100:
            raise GapDNERError(f"Invalid min_score: {min_score}. Use a number above 0, up to 100.")
        if min_score < 100 and not find_spec("rapidfuzz"):
            raise GapDNERError(
                f"min_score = {min_score:g} requires rapidfuzz. Install it with "
                "pip install 'spacy-gapdner[link]', or set min_score to 100."
            )
        self.path, self.spans_key, self.min_score = Path(terms), spans_key, min_score
        # not called `labels`, because spaCy treats these as predicted labels
        self.types, self.overwrite = labels, overwrite
        # id and name by normalized name
        self._terms: dict[str, tuple[str, str]] = {}
        self._similar: dict[str, str | None] = {}
        # names with sorted words, for the search of similar names
        self._words: dict[str, str] = {}

    def __call__(self, doc: Doc) -> Doc:
        """RETURNS (Doc): The same Doc, with the ids of its entities."""
        self._require_terms()
        entities = get_entities(doc, self.spans_key)
        for entity in entities:
            is_selected = self.types is None or entity.label_ in self.types
            if is_selected and (self.overwrite or not entity.kb_id_):
                name = self._find(_normalize(entity.text))
                if name in self._terms:
                    entity.kb_id_, entity.attrs["kb_name"] = self._terms[name]
        # with annotate_ents, doc.ents has the contiguous entities, too
        ids = {(e.start, e.end, e.label_): e.kb_id_ for e in entities if not e.is_discontinuous}
        for ent in doc.ents:
            kb_id = ids.get((ent.start, ent.end, ent.label_))
            if kb_id and (self.overwrite or not ent.kb_id_):
                for token in ent:
                    token.ent_kb_id_ = kb_id
        return doc

    def _require_terms(self) -> None:
        # not earlier, because a saved pipe does not need the file
        if not self._terms:
            if not self.path.is_file():
                raise GapDNERError(f"Terms file not found: {self.path}. Check the path.")
            self.from_bytes(self.path.read_bytes())

    def _find(self, text: str) -> str | None:
        if text in self._terms or self.min_score == 100:
            return text
        if text not in self._similar:
            from rapidfuzz import fuzz, process

            if len(self._similar) >= _CACHE_SIZE:
                self._similar.clear()
            self._words = self._words or {name: _sort_words(name) for name in self._terms}
            match = process.extractOne(
                _sort_words(text), self._words, scorer=fuzz.ratio, score_cutoff=self.min_score
            )
            self._similar[text] = match[2] if match else None
        return self._similar[text]

    def to_bytes(self, *, exclude: Iterable[str] = ()) -> bytes:
        """RETURNS (bytes): The terms as a TSV file."""
        self._require_terms()
        return "".join(f"{id}\t{name}\n" for id, name in self._terms.values()).encode()

    def from_bytes(self, data: bytes, *, exclude: Iterable[str] = ()) -> "EntityLinker":
        """RETURNS (EntityLinker): The pipe itself, with the terms of a TSV file."""
        try:
            lines = data.decode("utf-8-sig").split("\n")
        except UnicodeDecodeError as error:
            raise GapDNERError(f"{self.path} is not UTF-8: {error}. Convert the file.") from error
        self._terms, self._similar, self._words = {}, {}, {}
        for number, line in enumerate(lines, start=1):
            cells = [cell.strip() for cell in line.split("\t")]
            if cells in ([""], ["id", "name"]):
                continue
            if len(cells) != 2 or not all(cells):
                raise GapDNERError(
                    f"{self.path}, line {number}: {line!r:.80}. Use an id, a tab and a name."
                )
            self._terms.setdefault(_normalize(cells[1]), (cells[0], cells[1]))
        if not self._terms:
            raise GapDNERError(f"{self.path} contains no terms. Use an id, a tab and a name.")
        return self

    def to_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> None:
        """Write the terms to a folder and create it if necessary."""
        folder = ensure_path(path)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / _FILE).write_bytes(self.to_bytes())

    def from_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> "EntityLinker":
        """RETURNS (EntityLinker): The pipe itself, with the terms of a folder."""
        return self.from_bytes((ensure_path(path) / _FILE).read_bytes())


def _normalize(text: str) -> str:
    folded = unicodedata.normalize("NFKC", text).casefold().replace("\u2019", "'")
    return _SPACES.sub("", " ".join(_HYPHENS.sub(" ", folded).split()))


def _sort_words(text: str) -> str:
    return " ".join(sorted(text.split()))
