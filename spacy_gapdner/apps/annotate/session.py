"""Handle the requests of the annotation page, in a session of the server."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha1
from pathlib import Path
from typing import Any, Literal

from ...docs import get_sentences
from ...errors import GapDNERError
from ...formats import TextEntity
from ...formats.brat import SHARED
from .adjudication import Adjudication
from .guidelines import Label
from .journal import Entry
from .proposals import Proposer
from .segmented_texts import Checker
from .store import Annotation, Loaded, Store, Texts, inside
from .training import NO_TRAINING, Trainer

Order = Literal["files", "uncertain", "random"]
# the name of a folder on any system
_PERSON = re.compile(r"\w[^\x00-\x1f\x7f/\\:*?\"<>|]{0,63}")
_MAX_NAME_BYTES = 128


@dataclass
class Session:
    """The state of a server. It must only be used in one thread."""

    texts: Texts
    labels: list[Label]
    checker: Checker
    # unless the folder is shared
    annotator: str = "annotator"
    proposer: Proposer | None = None
    trainer: Trainer | None = None
    adjudication: Adjudication | None = None
    order: Order = "files"
    # the number of texts that must be completed before the next training
    retrain_after: int | None = None
    # whether each annotator has a subfolder
    shared: bool = False
    _stores: dict[str, Store] = field(default_factory=dict)
    _trained: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        folder = self.texts.folder / SHARED
        if not self.shared:
            self._stores[self.annotator] = Store(self.texts, self.annotator)
        elif folder.is_dir():
            for path in sorted(folder.iterdir()):
                if path.is_dir() and _is_person(path.name):
                    self.store(path.name)

    def store(self, person: str) -> Store:
        """The annotation of a person. The name is used only if the folder is shared."""
        name = person.strip() if self.shared else self.annotator
        if name not in self._stores:
            if not _is_person(name):
                raise GapDNERError(
                    "Invalid name. Use a shorter name that starts with a letter or digit, without "
                    '/ \\ : * ? " < > |'
                )
            own = inside(self.texts.folder / SHARED / name, self.texts.folder)
            self._stores[name] = Store(self.texts, name, own)
        return self._stores[name]

    def project(self, person: str) -> dict[str, Any]:
        """The labels and settings for the page."""
        folder = self.texts.folder
        return {
            "name": folder.name,
            "annotator": person if self.shared else self.annotator,
            "shared": self.shared,
            "labels": [label.model_dump() for label in self.labels],
            "orders": ["files", *(["uncertain"] if self.proposer else []), "random"],
            "order": self.order,
            "writes": str(folder / SHARED / person if self.shared else folder),
        }

    def list_texts(self, store: Store, order: Order) -> dict[str, Any]:
        """All texts, and whether uncertainties are still being computed."""
        names, entries = self.texts.list(), store.journal.entries()
        scores: dict[str, float] = {}
        pending = False
        if order == "random":
            names.sort(key=lambda name: sha1(name.encode(), usedforsecurity=False).digest())
        elif order == "uncertain" and self.proposer is not None:
            done = self._done()
            self.proposer.rank([name for name in names if name not in done], self.texts.read)
            scores, pending = dict(self.proposer.uncertainties), self.proposer.pending
            # texts without a score come last
            names.sort(key=lambda name: -scores.get(name, -1))
        texts = [
            {
                "id": name,
                "begin": self.texts.begin(name),
                "status": entries.get(name, Entry()).status,
                "score": scores.get(name),
            }
            for name in names
        ]
        return {"texts": texts, "pending": pending}

    def show(self, loaded: Loaded) -> dict[str, Any]:
        """A text with its annotation."""
        text = loaded.file.text
        doc, _ = self.checker.segment(text)
        return {
            "id": loaded.id,
            "text": text,
            "version": loaded.version,
            "status": loaded.entry.status,
            "tokens": [(t.idx, t.idx + len(t)) for t in doc if not t.is_space],
            "sentences": [(s.start_char, s.end_char) for s in get_sentences(doc)],
            "entities": self._show_entities(loaded),
            "rejected": [_to_row(e, id=e.id) for e in loaded.entry.rejected],
            "n_hidden": loaded.file.n_hidden,
        }

    def save(self, store: Store, name: str, sent: Annotation) -> dict[str, Any]:
        """Save the annotation of a text, and start training if necessary. See `Store.save`."""
        loaded, removed = store.save(name, sent)
        self._train_if_due()
        entities = self._show_entities(loaded)
        return {"version": loaded.version, "entities": entities, "removed": removed}

    def choose(self, loaded: Loaded, found: Sequence[TextEntity]) -> list[dict[str, Any]]:
        """The proposals that are neither accepted nor rejected. In adjudication, accepted ones are
        included, so that the page can reject them if they are edited."""
        labels = {label.name for label in self.labels}
        decided = {entity.key for entity in loaded.entry.rejected}
        if self.adjudication is None:
            decided |= {entity.key for entity in loaded.file.entities.values()}
            by_source = {"model": [entity for entity in found if entity.label in labels]}
        else:
            by_source = self.adjudication.propose(loaded.id)
        return [
            _to_row(e, score=e.score, source=source)
            for source, entities in by_source.items()
            for e in entities
            if e.key not in decided
        ]

    def state(self, store: Store) -> dict[str, Any]:
        """The progress of a person and the state of training."""
        # the page asks every few seconds, and texts can be finished during a training
        self._train_if_due()
        done, trainer = self._done(), self.trainer
        return {
            "done": sum(name in self.texts.paths for name in store.journal.done()),
            "total": len(self.texts.paths),
            "model": self.proposer.describe() if self.proposer else None,
            "model_version": self.proposer.version if self.proposer else 0,
            "has_previous": bool(trainer and trainer.previous),
            "training": trainer.training if trainer else NO_TRAINING,
            "requirement": trainer.requirement(done.items()) if trainer else "",
            "retrain_after": self.retrain_after,
            "done_since": len(done.keys() - self._trained),
        }

    def train(self) -> None:
        """Start training on all finished texts."""
        if self.trainer is None:
            raise GapDNERError("There is no model to train. Restart annotate with --model.")
        done = self._done()
        self.trainer.start(list(done.items()))
        self._trained = set(done)

    def _done(self) -> dict[str, Path]:
        # if several annotators have completed a text, the first annotation counts
        return {
            name: store.stem(name)
            for _, store in sorted(self._stores.items(), reverse=True)
            for name in store.journal.done()
            if name in self.texts.paths
        }

    def _train_if_due(self) -> None:
        trainer, done = self.trainer, self._done()
        if trainer is None or trainer.is_running or self.retrain_after is None:
            return
        is_due = len(done.keys() - self._trained) >= self.retrain_after
        if is_due and not trainer.requirement(done.items()):
            self.train()

    def _show_entities(self, loaded: Loaded) -> list[dict[str, Any]]:
        file, known = loaded.file, {label.name for label in self.labels}
        notes, shown = file.notes(), []
        found = self.checker.warn(file.entities.values(), file.text)
        for (id, entity), warnings in zip(file.entities.items(), found, strict=True):
            if entity.surface:
                warnings.append(f"the file contains the text {entity.surface!r}")
            if entity.label not in known:
                warnings.append(f"{entity.label} is not one of the types")
            shown.append(_to_row(entity, id=id, notes=notes.get(id, []), warnings=warnings))
        return shown


def _to_row(entity: TextEntity, **others: object) -> dict[str, Any]:
    return {"label": entity.label, "fragments": entity.fragments, **others}


def _is_person(name: str) -> bool:
    return bool(_PERSON.fullmatch(name)) and len(name.encode()) <= _MAX_NAME_BYTES
