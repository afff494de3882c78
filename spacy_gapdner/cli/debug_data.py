"""debug-data: what in the data will keep a pipe from learning, and what no pipe can learn."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import typer
from wasabi import msg

from ..errors import GapDNERError
from ..formats.docbin import read_docbin, require_docbins
from ..formats.files import write_json
from ._training_config import default_setup, read_setup
from ._util import clean_errors

if TYPE_CHECKING:
    from spacy.scorer import PRFScore

    from ..analysis.data_report import DataReport, Tally
    from ._training_config import TrainingSetup

_RARE = 20
# grids from this length on need more memory than most GPUs give
_LONG = 512


class DebugData(NamedTuple):
    """What `debug_data` finds.

    setup (TrainingSetup): How the pipe will see the data.
    reports (dict[str, DataReport]): For "train", and "dev" if given.
    shared (Optional[tuple[int, int]]): Different segments of dev that train has too; how many of
        them with entities.
    problems (list[str]): What will spoil training or evaluation, and what to do.
    hints (list[str]): What is worth knowing.
    """

    setup: "TrainingSetup"
    reports: dict[str, "DataReport"]
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


def debug_data_cli(
    train_path: Path = typer.Argument(
        ..., metavar="TRAIN", help=".spacy file with training data, or folder of such"
    ),
    dev_path: Path | None = typer.Option(None, "--dev", "-d", help="The same, development data"),
    config_path: Path | None = typer.Option(
        None,
        "--config",
        "-c",
        help="Training config to take the settings from and to check; defaults if not given",
    ),
    lang: str = typer.Option(
        "en", "--lang", "-l", help="Language of the tokeniser if there is no --config"
    ),
    spans_key: str | None = typer.Option(
        None,
        "--spans-key",
        "-sk",
        help="Prefix of the span groups that hold the entities; the config's if not given",
    ),
    output_path: Path | None = typer.Option(
        None, "--output", "-o", help="JSON file for the findings"
    ),
) -> None:
    """Check data before training: labels, entities that cannot be learned and why, the best
    score that each tagging scheme could reach, and settings that would spoil the training."""
    with clean_errors():
        findings = debug_data(
            train_path, dev_path, config_path=config_path, lang=lang, spans_key=spans_key
        )
        if output_path is not None:
            write_json(findings.to_dict(), output_path)
    print_findings(findings)


def debug_data(
    train_path: Path,
    dev_path: Path | None = None,
    *,
    config_path: Path | None = None,
    lang: str = "en",
    spans_key: str | None = None,
) -> DebugData:
    """Check data before training.

    train_path (Path): .spacy file, or folder of such.
    dev_path (Optional[Path]): The same, development data.
    config_path (Optional[Path]): Training config to take the settings from and to check; without
        it they are those of the factory, after a rule-based sentence splitter.
    lang (str): Language of the tokeniser if there is no config.
    spans_key (Optional[str]): Prefix of the span groups; the config's if None.
    RETURNS (DebugData): The findings.
    RAISES (GapDNERError): If data or config are missing or cannot be read.
    """
    from ..analysis.data_report import count_shared_texts, default_schemes, report_data

    paths = {"train": train_path, **({"dev": dev_path} if dev_path else {})}
    files = {name: require_docbins(path) for name, path in paths.items()}
    setup = read_setup(config_path, spans_key) if config_path else default_setup(lang, spans_key)
    schemes = {**default_schemes(), setup.tagging.name: setup.tagging}
    reports = {}
    for name, found in files.items():
        docs = (doc for file in found for doc in read_docbin(file, setup.nlp.vocab))
        try:
            report = report_data(
                docs,
                setup.nlp,
                schemes,
                spans_key=setup.spans_key,
                max_length=setup.max_length,
                stride=setup.stride,
            )
        except ValueError as error:
            raise GapDNERError(f"{paths[name]}: {error}") from None
        if not report.statistics.docs:
            raise GapDNERError(f"{paths[name]} holds no document. Check the path.")
        reports[name] = report
    shared = count_shared_texts(reports["train"], reports["dev"]) if "dev" in reports else None
    problems = [*setup.traps, *_find_problems(reports, setup)]
    return DebugData(setup, reports, shared, problems, _find_hints(reports, setup))


def print_findings(findings: DebugData) -> None:
    """Print findings as tables and lists.

    findings (DebugData): What `debug_data` returns.
    """
    from .stats import print_statistics

    setup, reports = findings.setup, findings.reports
    msg.divider("Corpora")
    print_statistics({name: report.statistics for name, report in reports.items()})
    msg.divider("Segments")
    source = ", ".join(setup.nlp.pipe_names)
    splitter = f"sentences of {source}" if source else "whole Docs"
    print(f"{splitter}; those over {setup.max_length} tokens in windows, stride {setup.stride}")
    for name, report in reports.items():
        length = report.longest_segment
        print(f"{name}: {report.segments} segments, longest {length} tokens ({length**2} cells)")
    if findings.shared is not None:
        n_shared, n_entities = findings.shared
        print(f"dev: {n_shared} different segments are in train too, {n_entities} with entities")
    msg.divider("Tagging schemes: what gold -> grid -> gold gives back")
    for name, report in reports.items():
        _print_schemes(name, report, setup.tagging.name)
    for title, attribute in (
        ("Entities that are not whole tokens of the tokenizer", "misaligned"),
        ("Entities that no segment holds", "unheld"),
    ):
        tallies = {name: getattr(report, attribute) for name, report in reports.items()}
        if any(tally.counts for tally in tallies.values()):
            msg.divider(title)
        for name, tally in tallies.items():
            _print_tally(name, tally)
    msg.divider("Summary")
    for hint in findings.hints:
        msg.info(hint)
    for problem in findings.problems:
        msg.warn(problem)
    if not findings.problems:
        msg.good("No problem found")


def _find_problems(reports: dict[str, "DataReport"], setup: "TrainingSetup") -> list[str]:
    problems = []
    for name, report in reports.items():
        if not report.statistics.entities:
            others = ", ".join(sorted(report.spans_keys - {setup.spans_key}))
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


def _find_hints(reports: dict[str, "DataReport"], setup: "TrainingSetup") -> list[str]:
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
    used = train.schemes[setup.tagging.name].ceiling.fscore
    best = max(train.schemes, key=lambda name: train.schemes[name].ceiling.fscore)
    gain = train.schemes[best].ceiling.fscore - used
    # less would be printed as 0.00
    if gain >= 0.00005:
        hints.append(
            f"train: the scheme {best} could reach {100 * gain:.2f} points of F1 more than "
            f"{setup.tagging.name}."
        )
    return hints


def _print_schemes(name: str, report: "DataReport", used: str) -> None:
    rows = []
    for scheme, found in report.schemes.items():
        causes = ", ".join(f"{cause}: {n}" for cause, n in found.missed.counts.most_common())
        rows.append(
            (
                f"{scheme} (used)" if scheme == used else scheme,
                _percent(found.ceiling),
                _percent(found.disc_ceiling),
                str(found.missed.counts.total()),
                str(found.spurious.counts.total()),
                causes,
            )
        )
    header = (name, "Best F1", "discontinuous", "Missed", "Spurious", "Missed because")
    msg.table(rows, header=header, divider=True, aligns=list("lrrrrl"), max_col=80)
    _print_tally("missed", report.schemes[used].missed)
    _print_tally("spurious", report.schemes[used].spurious)


def _print_tally(name: str, tally: "Tally") -> None:
    for kind, count in tally.counts.most_common():
        print(f"{name}, {kind}: {count}")
        for example in tally.examples[kind]:
            # not msg.text: wrapped lines could not be searched for
            print(f"    {example}")


def _percent(score: "PRFScore") -> str:
    return f"{100 * score.fscore:.2f}" if len(score) else "-"


def _entities(count: int) -> str:
    return f"{count} {'entity' if count == 1 else 'entities'}"
