"""Checks before a training: what in the data will keep a pipe from learning, and what no pipe can
learn."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from spacy.tokens import Doc

from ..errors import GapDNERError
from .data_report import DataReport, count_shared_texts, report_data
from .setup import Setup, default_setup, read_setup

# with fewer examples a type is hardly learned
_RARE = 20
# grids from this length on need more memory than most GPUs give
_LONG = 512


@dataclass(frozen=True)
class DataFindings:
    """What `check_data` finds.

    setup (Setup): How the pipe will see the data.
    reports (dict[str, DataReport]): For "train", and "dev" if given.
    shared (Optional[tuple[int, int]]): Different segments of dev that train has too; how many of
        them with entities.
    problems (list[str]): What will spoil training or evaluation, and what to do.
    hints (list[str]): What is worth knowing.
    """

    setup: Setup
    reports: dict[str, DataReport]
    shared: tuple[int, int] | None
    problems: list[str]
    hints: list[str]

    def to_dict(self) -> dict[str, Any]:
        """RETURNS (dict[str, Any]): The findings as JSON has them."""
        shared = self.shared and {"segments": self.shared[0], "with_entities": self.shared[1]}
        return {
            "settings": {
                "lang": self.setup.nlp.lang,
                "sentence_components": self.setup.nlp.pipe_names,
                "spans_key": self.setup.spans_key,
                "max_length": self.setup.max_length,
                "stride": self.setup.stride,
                "scheme": self.setup.tagging.name,
            },
            **{name: report.to_dict() for name, report in self.reports.items()},
            "shared": shared,
            "problems": self.problems,
            "hints": self.hints,
        }


def check_data(
    train: Iterable[Doc],
    dev: Iterable[Doc] | None = None,
    *,
    config: str | Path | None = None,
    lang: str = "en",
    spans_key: str | None = None,
) -> DataFindings:
    """Check data before training.

    train (Iterable[Doc]): Training data: Docs with gold entities.
    dev (Optional[Iterable[Doc]]): The same, development data.
    config (Optional[Union[str, Path]]): Training config to take the settings from and to check;
        without it they are those of the factory, after a rule-based sentence splitter.
    lang (str): Language of the tokeniser if there is no config.
    spans_key (Optional[str]): Prefix of the span groups; the config's if None. It also chooses
        one of several pipes.
    RETURNS (DataFindings): The findings.
    RAISES (GapDNERError): If the config is missing or cannot be read, or the fragments of an
        entity carry different labels.
    """
    setup = default_setup(lang, spans_key) if config is None else read_setup(config, spans_key)
    reports = {}
    for name, docs in (("train", train), ("dev", dev)):
        if docs is None:
            continue
        try:
            reports[name] = report_data(
                docs,
                setup.nlp,
                setup.tagging,
                spans_key=setup.spans_key,
                max_length=setup.max_length,
                stride=setup.stride,
            )
        except ValueError as error:
            raise GapDNERError(f"{name}: {error}") from None
    shared = count_shared_texts(reports["train"], reports["dev"]) if "dev" in reports else None
    problems = [*setup.traps, *_find_problems(reports, setup)]
    return DataFindings(setup, reports, shared, problems, _find_hints(reports))


def _find_problems(reports: dict[str, DataReport], setup: Setup) -> list[str]:
    problems = []
    for name, report in reports.items():
        if not report.statistics.entities:
            others = ", ".join(sorted(report.statistics.spans_keys - {setup.spans_key}))
            hint = f" There are some under {others}." if others else ""
            problems.append(f"{name}: no entities under the spans key {setup.spans_key!r}.{hint}")
        for tally in (report.misaligned, report.unheld):
            for reason, count in tally.counts.most_common():
                problems.append(f"{name}: {_entities(count)} cannot be found ({reason}).")
        longest = report.longest_segment
        if longest >= _LONG:
            problems.append(
                f"{name}: the longest segment has {longest} tokens, its grid {longest**2} cells. "
                "Lower max_length, or split sentences."
            )
    if "dev" in reports:
        train, dev = (reports[name].statistics.labels for name in ("train", "dev"))
        unseen = {label: dev[label] for label in sorted(dev) if label not in train}
        for label, count in unseen.items():
            problems.append(f"dev: the type {label} ({_entities(count)}) is not in train.")
    rare = reports["train"].statistics.labels
    for label, count in sorted(rare.items()):
        if count < _RARE:
            problems.append(f"train: the type {label} has only {_entities(count)}.")
    return problems


def _find_hints(reports: dict[str, DataReport]) -> list[str]:
    hints = []
    for name, report in reports.items():
        n_docs = report.statistics.docs
        if report.docs_without_entities:
            hints.append(f"{name}: {report.docs_without_entities} of {n_docs} Docs have no entity.")
        if report.empty_docs:
            hints.append(f"{name}: {report.empty_docs} Docs are empty.")
    train = reports["train"]
    if not train.statistics.discontinuous and train.statistics.entities:
        hints.append("train: no entity is discontinuous. spaCy's own ner or spancat may do.")
    if "dev" in reports:
        only = sorted(set(train.statistics.labels) - set(reports["dev"].statistics.labels))
        if only:
            hints.append(f"dev: types of train that it lacks: {', '.join(only)}.")
    return hints


def _entities(count: int) -> str:
    return f"{count} {'entity' if count == 1 else 'entities'}"
