"""What the page asks for, and what becomes of what it sends: texts, statuses, training."""

import re
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from hashlib import sha1
from typing import Any, Literal

from ..errors import GapDNERError
from ..web import Message
from .adjudication import Adjudication
from .brat_file import Mark
from .guidelines import Label
from .journal import Entry, Status
from .proposals import Judgment, Proposal, Proposer, order_uncertain
from .segmented_texts import Checker
from .store import Loaded, Store, Texts
from .training import Trainer, Training

Order = Literal["files", "uncertain", "random"]
# where people go who share a folder; a hidden one holds no texts of the others
_SHARED = ".annotators"
_PERSON = re.compile(r"\w[\w .'-]{0,63}")


class Annotation(Message):
    """All that is to be saved of a text, and the version that was changed."""

    version: str
    entities: list[Mark]
    status: Status
    rejected: tuple[Mark, ...] = ()


@dataclass
class Session:
    """All that a server knows. It is to be used in one thread.

    texts (Texts): The texts.
    labels (list[Label]): The labels.
    checker (Checker): Segments texts and warns.
    annotator (str): Who annotates, unless the page says so.
    proposer (Optional[Proposer]): The model.
    trainer (Optional[Trainer]): Trains it further.
    adjudication (Optional[Adjudication]): Two folders whose disagreements are adjudicated.
    order (str): The order of texts to begin with.
    budget (Optional[int]): How many words come first by uncertainty.
    retrain_after (Optional[int]): Train when so many more texts are done.
    shared (bool): Whether several people work in folders of their own, by their names.
    """

    texts: Texts
    labels: list[Label]
    checker: Checker
    annotator: str = ""
    proposer: Proposer | None = None
    trainer: Trainer | None = None
    adjudication: Adjudication | None = None
    order: Order = "files"
    budget: int | None = None
    retrain_after: int | None = None
    shared: bool = False
    _stores: dict[str, Store] = field(default_factory=dict)
    _trained: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        folder = self.texts.folder / _SHARED
        if not self.shared:
            self._stores[self.annotator] = Store(self.texts, self.annotator)
        elif folder.is_dir():
            for path in sorted(folder.iterdir()):
                if path.is_dir() and _PERSON.fullmatch(path.name):
                    self.store(path.name)
        if self.order == "uncertain" and self.proposer is not None:
            self._rank(self.proposer)

    def store(self, person: str) -> Store:
        """Find what a person has annotated.

        person (str): The name, which counts only where several people share the folder.
        RETURNS (Store): The person's annotation.
        RAISES (GapDNERError): If the name cannot be that of a folder.
        """
        name = person.strip() if self.shared else self.annotator
        if name not in self._stores:
            if not _PERSON.fullmatch(name):
                raise GapDNERError("Give a name: letters, digits, spaces, and . - '")
            self._stores[name] = Store(self.texts, name, self.texts.folder / _SHARED / name)
        return self._stores[name]

    def project(self, person: str) -> dict[str, Any]:
        """RETURNS (dict[str, Any]): What the page has to know at first."""
        folder, model = self.texts.folder, None
        if self.shared:
            folder = folder / _SHARED / person if _PERSON.fullmatch(person) else folder / _SHARED
        if self.proposer is not None:
            meta, pipe = self.proposer.model.nlp.meta, self.proposer.model.pipe
            name = self.proposer.name.rstrip("/").rpartition("/")[2]
            model = {"name": name, "version": meta["version"], "labels": list(pipe.labels)}
        return {
            "name": self.texts.folder.name,
            "annotator": person if self.shared else self.annotator,
            "shared": self.shared,
            "labels": [asdict(label) for label in self.labels],
            "model": model,
            "orders": ["files", *(["uncertain"] if model else []), "random"],
            "order": self.order,
            "writes": str(folder),
            "adjudication": self.adjudication and {"sources": list(self.adjudication.sources)},
        }

    def list_texts(self, store: Store, order: Order) -> dict[str, Any]:
        """List all texts.

        store (Store): The person's annotation.
        order (str): In which order.
        RETURNS (dict[str, Any]): The texts, and whether their order is still being found out.
        """
        sizes, entries = self.texts.list(), store.journal.entries()
        names, pending = list(sizes), False
        judged: dict[str, Judgment] = {}
        if order == "random":
            names.sort(key=lambda name: sha1(name.encode(), usedforsecurity=False).digest())
        elif order == "uncertain" and self.proposer is not None:
            if self.proposer.ranked is None:
                self._rank(self.proposer)
            judged, pending = dict(self.proposer.judged), self.proposer.pending
            names = order_uncertain(names, judged, self.budget)
        texts = [
            {
                "id": name,
                "status": entries.get(name, Entry()).status,
                "characters": sizes[name],
                "score": judged[name].uncertainty if name in judged else None,
            }
            for name in names
        ]
        return {"texts": texts, "pending": pending}

    def show(self, loaded: Loaded) -> dict[str, Any]:
        """RETURNS (dict[str, Any]): A text with all that the page draws."""
        segmented = self.checker.segment(loaded.text)
        return {
            "id": loaded.id,
            "text": loaded.text,
            "version": loaded.version,
            "status": loaded.entry.status,
            "tokens": segmented.tokens,
            "sentences": segmented.sentences,
            "entities": self._show_entities(loaded, list(loaded.file.entities)),
            "rejected": [
                {"label": mark.label, "fragments": mark.fragments} for mark in loaded.entry.rejected
            ],
        }

    def save(self, store: Store, name: str, sent: Annotation) -> dict[str, Any]:
        """Save a text, and begin a training if it is time.

        store (Store): The person's annotation.
        name (str): The text's id.
        sent (Annotation): All that there is to save.
        RETURNS (dict[str, Any]): The new version, the entities with their ids, and what went.
        RAISES (ChangedError): If the page did not know the newest version.
        RAISES (GapDNERError): If an entity cannot be.
        """
        what = (sent.entities, sent.status, sent.rejected)
        loaded, ids, removed = store.save(name, sent.version, *what)
        due = self.retrain_after is not None and len(self._new()) >= self.retrain_after
        if self.trainer and due and self.trainer.training.state != "running":
            self.train()
        entities = self._show_entities(loaded, ids)
        return {"version": loaded.version, "entities": entities, "removed": removed}

    def choose(self, loaded: Loaded, proposals: list[Proposal]) -> list[dict[str, Any]]:
        """RETURNS (list[dict[str, Any]]): Proposals that nobody has decided on, nor rejected."""
        labels = {label.name for label in self.labels}
        decided = {m.key for m in (*loaded.file.entities.values(), *loaded.entry.rejected)}
        if self.adjudication is not None:
            proposals = self.adjudication.disagreements(loaded.id)
            labels.update(proposal.label for proposal in proposals)
        return [p._asdict() for p in proposals if p[:2] not in decided and p.label in labels]

    def state(self, store: Store) -> dict[str, Any]:
        """RETURNS (dict[str, Any]): How far a person is, and how a training is going."""
        return {
            "done": sum(name in self.texts for name in store.journal.done()),
            "total": len(self.texts),
            "per_hour": store.journal.pace(time.time()),
            "model_version": self.proposer.version if self.proposer else 0,
            "training": asdict(self.trainer.training if self.trainer else Training()),
            "retrain_after": self.retrain_after,
            "done_since": len(self._new()),
        }

    def train(self) -> None:
        """Begin a training on all that is done.

        RAISES (GapDNERError): If there is no model or nothing is done, or one is running.
        """
        if self.trainer is None:
            raise GapDNERError("There is no model to train. Start with a model.")
        done = self._done()
        self.trainer.start(list(done.items()))
        self._trained = set(done)

    def _done(self) -> dict[str, Any]:
        # of a text that several people have done, the annotation of one
        return {
            name: store.stem(name)
            for _, store in sorted(self._stores.items(), reverse=True)
            for name in store.journal.done()
            if name in self.texts
        }

    def _new(self) -> set[str]:
        return self._done().keys() - self._trained

    def _show_entities(self, loaded: Loaded, ids: list[str]) -> list[dict[str, Any]]:
        file, known = loaded.file, {label.name for label in self.labels}
        marks, notes = [file.entities[name] for name in ids], file.notes()
        shown = []
        for mark, warnings in zip(marks, self.checker.warn(marks, loaded.text), strict=True):
            if mark.id in file.misfits:
                warnings.append(f"the file says {file.misfits[mark.id]!r}")
            if mark.label not in known:
                warnings.append(f"{mark.label} is not among the labels")
            said = {"notes": notes.get(mark.id or "", []), "warnings": warnings}
            shown.append({"id": mark.id, "label": mark.label, "fragments": mark.fragments, **said})
        return shown

    def _rank(self, proposer: Proposer) -> None:
        # here, as the journals are of this thread
        done = self._done()
        names = [name for name in self.texts.list() if name not in done]

        def read_texts() -> Iterator[tuple[str, str]]:
            for name in names:
                # the page says what is the matter when it is opened; or the file has gone
                with suppress(GapDNERError, KeyError, OSError):
                    yield name, self.texts.read(name)

        proposer.rank(read_texts)
