"""The session of the annotation server: handles the requests of the page."""

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
from .proposals import Proposal, Proposer, Uncertainty, order_uncertain
from .segmented_texts import Checker
from .store import Loaded, Store, Texts
from .training import Trainer, Training

Order = Literal["files", "uncertain", "random"]
# subfolder for annotators who share a folder; hidden, so that its texts are not listed
_SHARED = ".annotators"
_PERSON = re.compile(r"\w[\w .'-]{0,63}")


class Annotation(Message):
    """The new annotation of a text, and the version on which it is based."""

    version: str
    entities: list[Mark]
    status: Status
    rejected: tuple[Mark, ...] = ()


@dataclass
class Session:
    """The state of a server. It must only be used in one thread.

    texts (Texts): The texts.
    labels (list[Label]): The labels.
    checker (Checker): Segments texts and finds entities that cannot be learned.
    annotator (str): The name of the annotator, unless the folder is shared.
    proposer (Optional[Proposer]): The model.
    trainer (Optional[Trainer]): Trains the model.
    adjudication (Optional[Adjudication]): The folders to adjudicate.
    order (str): The initial order of the texts.
    budget (Optional[int]): Number of words to select by uncertainty.
    retrain_after (Optional[int]): Train each time this number of texts has been completed.
    shared (bool): Whether several annotators share the folder. Each has a subfolder.
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
        """Get the annotation of a person.

        person (str): The name. It is only used if the folder is shared.
        RETURNS (Store): The annotation of the person.
        RAISES (GapDNERError): If the name is invalid.
        """
        name = person.strip() if self.shared else self.annotator
        if name not in self._stores:
            if not _PERSON.fullmatch(name):
                raise GapDNERError("Invalid name. Use letters, digits, spaces and . - '")
            self._stores[name] = Store(self.texts, name, self.texts.folder / _SHARED / name)
        return self._stores[name]

    def project(self, person: str) -> dict[str, Any]:
        """RETURNS (dict[str, Any]): The labels and settings for the page."""
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

        store (Store): The annotation of the person.
        order (str): The order of the texts.
        RETURNS (dict[str, Any]): The texts, and whether uncertainties are still being computed.
        """
        sizes, entries = self.texts.list(), store.journal.entries()
        names, pending = list(sizes), False
        uncertainties: dict[str, Uncertainty] = {}
        if order == "random":
            names.sort(key=lambda name: sha1(name.encode(), usedforsecurity=False).digest())
        elif order == "uncertain" and self.proposer is not None:
            if self.proposer.ranked is None:
                self._rank(self.proposer)
            uncertainties, pending = dict(self.proposer.uncertainties), self.proposer.pending
            names = order_uncertain(names, uncertainties, self.budget)
        texts = [
            {
                "id": name,
                "status": entries.get(name, Entry()).status,
                "characters": sizes[name],
                "score": uncertainties[name].uncertainty if name in uncertainties else None,
            }
            for name in names
        ]
        return {"texts": texts, "pending": pending}

    def show(self, loaded: Loaded) -> dict[str, Any]:
        """RETURNS (dict[str, Any]): A text with its annotation."""
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
        """Save the annotation of a text, and start training if necessary.

        store (Store): The annotation of the person.
        name (str): The id of the text.
        sent (Annotation): The new annotation.
        RETURNS (dict[str, Any]): The new version, the entities with ids, and the removed lines.
        RAISES (ChangedError): If the annotation is not based on the current version.
        RAISES (GapDNERError): If an entity is invalid.
        """
        what = (sent.entities, sent.status, sent.rejected)
        loaded, ids, removed = store.save(name, sent.version, *what)
        due = self.retrain_after is not None and len(self._new()) >= self.retrain_after
        if self.trainer and due and self.trainer.training.state != "running":
            self.train()
        entities = self._show_entities(loaded, ids)
        return {"version": loaded.version, "entities": entities, "removed": removed}

    def choose(self, loaded: Loaded, proposals: list[Proposal]) -> list[dict[str, Any]]:
        """RETURNS (list[dict[str, Any]]): Proposals that are neither accepted nor rejected."""
        labels = {label.name for label in self.labels}
        decided = {m.key for m in (*loaded.file.entities.values(), *loaded.entry.rejected)}
        if self.adjudication is not None:
            proposals = self.adjudication.disagreements(loaded.id)
            labels.update(proposal.label for proposal in proposals)
        return [p._asdict() for p in proposals if p[:2] not in decided and p.label in labels]

    def state(self, store: Store) -> dict[str, Any]:
        """RETURNS (dict[str, Any]): The progress of a person and the state of training."""
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
        """Start training on all texts that are done.

        RAISES (GapDNERError): If there is no model, no text is done, or training is running.
        """
        if self.trainer is None:
            raise GapDNERError("There is no model to train. Restart annotate with a model.")
        done = self._done()
        self.trainer.start(list(done.items()))
        self._trained = set(done)

    def _done(self) -> dict[str, Any]:
        # if several annotators have completed a text, the annotation of the first one
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
                warnings.append(f"the file contains the text {file.misfits[mark.id]!r}")
            if mark.label not in known:
                warnings.append(f"unknown label {mark.label}")
            said = {"notes": notes.get(mark.id or "", []), "warnings": warnings}
            shown.append({"id": mark.id, "label": mark.label, "fragments": mark.fragments, **said})
        return shown

    def _rank(self, proposer: Proposer) -> None:
        # before the new thread starts, because journals are not thread-safe
        done = self._done()
        names = [name for name in self.texts.list() if name not in done]

        def read_texts() -> Iterator[tuple[str, str]]:
            for name in names:
                # the page shows errors when the text is opened; the file may have been deleted
                with suppress(GapDNERError, KeyError, OSError):
                    yield name, self.texts.read(name)

        proposer.rank(read_texts)
