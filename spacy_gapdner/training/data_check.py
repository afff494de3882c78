"""Check the data before training. The ceiling is the score of a perfect model."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from spacy.tokens import Doc
from spacy.training import Example

from ..analysis.statistics import CorpusStatistics
from ..components.sentencizer import blank_pipeline, is_wrapped
from ..docs import count_languages, describe_other_languages, without_annotation
from ..entities import Entity, describe_no_entities, text_order
from ..entities.alignment import align_entities
from ..errors import GapDNERError
from ..grid import TaggingScheme
from ..grid.scheme import find_conflicts
from ..grid.segments import Segment, assign_entities, get_segments, merge_segments
from ..pipe.scorer import Counts
from .training_config import TrainingConfig, make_training_config, read_training_config

# types with fewer examples are difficult to learn
_RARE = 20
# grids of longer segments exceed the memory of most GPUs
_LONG = 512
# tokens shown before and after an entity
_CONTEXT = 3
_CROSSES = "crosses a sentence boundary"
_MISALIGNED = "boundary within a token"
_REMEDIES = {
    _CROSSES: " Split sentences with another model. If the text is wrapped, convert it with "
    '--line-breaks join, and set line_breaks = "join" for gapdner_sentencizer in the config.',
    _MISALIGNED: " Convert the data with a model whose tokenizer splits there.",
}


@dataclass
class DataReport:
    """The findings for one corpus.

    Unlearnable gold entities do not match the tokens or do not fit into a segment. Missed ones are
    lost when they are encoded in a grid, and spurious ones are decoded from gold grids without
    being annotated. They are listed by cause, such as "ADR: had «severe» joint and «back pain»
    since". The ceilings are counts of all entities and of discontinuous ones, with the decoded
    entities as predictions. `texts` has each segment's text, and whether an entity starts
    there, and `languages` the number of Docs by the language of their tokenizer.
    """

    statistics: CorpusStatistics = field(default_factory=CorpusStatistics)
    docs_without_entities: int = 0
    wrapped_docs: int = 0
    segments: int = 0
    longest_segment: int = 0
    unlearnable: dict[str, list[str]] = field(default_factory=dict)
    missed: dict[str, list[str]] = field(default_factory=dict)
    spurious: dict[str, list[str]] = field(default_factory=dict)
    ceiling: Counts = field(default_factory=Counts)
    disc_ceiling: Counts = field(default_factory=Counts)
    texts: dict[str, bool] = field(default_factory=dict, repr=False)
    languages: Counter[str] = field(default_factory=Counter, repr=False)

    def to_dict(self) -> dict[str, Any]:
        """RETURNS (dict[str, Any]): The report for JSON, without the texts."""
        kept = {f.name: getattr(self, f.name) for f in fields(self) if f.repr}
        return {name: v.to_dict() if hasattr(v, "to_dict") else v for name, v in kept.items()}


@dataclass(frozen=True)
class DataFindings:
    """The findings of `check_data` for "train" and "dev". `shared` is the number of unique dev
    segments that also occur in train, and the number of such segments with entities.
    """

    config: TrainingConfig
    reports: dict[str, DataReport]
    shared: tuple[int, int] | None
    problems: list[str]
    hints: list[str]

    def to_dict(self) -> dict[str, Any]:
        """RETURNS (dict[str, Any]): The findings for JSON."""
        return {
            "settings": {
                "lang": self.config.nlp.lang,
                "sentence_components": self.config.nlp.pipe_names,
                "spans_key": self.config.spans_key,
                "max_length": self.config.max_length,
                "stride": self.config.stride,
            },
            **{name: report.to_dict() for name, report in self.reports.items()},
            "shared": self.shared and {"segments": self.shared[0], "with_entities": self.shared[1]},
            "problems": self.problems,
            "hints": self.hints,
        }


def check_data(
    train: Iterable[Doc],
    dev: Iterable[Doc] | None = None,
    *,
    config: str | Path | TrainingConfig | None = None,
    lang: str = "en",
    spans_key: str | None = None,
) -> DataFindings:
    """Check data before training.

    train (Iterable[Doc]): Training Docs with gold entities.
    dev (Optional[Iterable[Doc]]): Development Docs with gold entities.
    config (Optional[Union[str, Path, TrainingConfig]]): Training config to check. Defaults to the
        default settings with a rule-based sentence splitter.
    lang (str): Language of the tokenizer if there is no config.
    spans_key (Optional[str]): Prefix of the span groups. Defaults to the config's `spans_key`.
        Selects the pipe if the config has several.
    RETURNS (DataFindings): The findings.
    RAISES (GapDNERError): If the config is missing or invalid, or the fragments of an entity have
        different labels.
    """
    if config is None:
        config = make_training_config(blank_pipeline(lang), spans_key)
    elif not isinstance(config, TrainingConfig):
        config = read_training_config(config, spans_key)
    reports = {}
    for name, docs in (("train", train), ("dev", dev)):
        if docs is not None:
            try:
                reports[name] = _report_data(docs, config)
            except ValueError as error:
                raise GapDNERError(f"{name}: {error}") from error
    shared = None
    if "dev" in reports:
        texts = reports["train"].texts
        found = [has_entity for text, has_entity in reports["dev"].texts.items() if text in texts]
        shared = len(found), sum(found)
    problems = [*config.mistakes, *_find_problems(reports, config)]
    return DataFindings(config, reports, shared, problems, list(_find_hints(reports)))


def _report_data(docs: Iterable[Doc], config: TrainingConfig) -> DataReport:
    nlp, report = config.nlp, DataReport()
    joins_lines = any(getattr(pipe, "line_breaks", "") == "auto" for _, pipe in nlp.pipeline)
    for reference in count_languages(docs, report.languages):
        report.statistics.add(reference, config.spans_key)
        report.wrapped_docs += joins_lines and is_wrapped(reference.text)
        doc = nlp(without_annotation(reference, nlp))
        aligned, misaligned = align_entities(Example(doc, reference), config.spans_key)
        report.docs_without_entities += not aligned and not misaligned
        findings = [(report.unlearnable, _MISALIGNED, entity) for entity in misaligned]
        # duplicates are counted once, as in the scores
        gold = dict.fromkeys(aligned)
        segments = get_segments(doc, config.max_length, config.stride)
        assigned, unassigned = assign_entities(gold, segments)
        for entity in unassigned:
            reason = why_unassigned(entity, doc, config.max_length)
            findings.append((report.unlearnable, reason, entity))
        starts = {entity.start for entity in (*aligned, *misaligned)}
        report.segments += len(segments)
        for segment in segments:
            report.longest_segment = max(report.longest_segment, segment.n_tokens)
            text = " ".join(doc[segment.start : segment.end].text.split())
            has_entity = not starts.isdisjoint(range(*segment))
            report.texts[text] = report.texts.get(text, False) or has_entity
        found, causes = _round_trip(segments, assigned, config.tagging)
        # entities that another window represents are not missed
        missed = sorted(gold.keys() - set(unassigned) - found, key=text_order)
        findings += [(report.missed, causes.get(e, "cut by a window"), e) for e in missed]
        spurious = sorted(found - gold.keys(), key=text_order)
        findings += [(report.spurious, "not annotated", entity) for entity in spurious]
        for by_cause, cause, entity in findings:
            by_cause.setdefault(cause, []).append(_in_context(doc, entity))
        # misaligned entities cannot be found
        lost = set(misaligned)
        report.ceiling += Counts.of(found, gold.keys()) + Counts(gold=len(lost))
        disc_found, disc_gold, disc_lost = (
            {entity for entity in side if entity.is_discontinuous} for side in (found, gold, lost)
        )
        report.disc_ceiling += Counts.of(disc_found, disc_gold) + Counts(gold=len(disc_lost))
    return report


def _round_trip(
    segments: Sequence[Segment], assigned: Sequence[Sequence[Entity]], tagging: TaggingScheme
) -> tuple[set[Entity], dict[Entity, str]]:
    # decoded entities, and the causes of missed ones
    found: list[list[Entity]] = []
    causes: dict[Entity, str] = {}
    for segment, entities in zip(segments, assigned, strict=True):
        # the order of the labels determines which of them gets a cell
        labels = sorted({entity.label for entity in entities})
        missed, spurious = find_conflicts(entities, tagging, labels) if entities else ({}, [])
        causes |= {entity.shift(segment.start): cause for entity, cause in missed.items()}
        found.append([*(entity for entity in entities if entity not in missed), *spurious])
    return set(merge_segments(found, segments)), causes


def _in_context(doc: Doc, entity: Entity) -> str:
    start, end = max(entity.start - _CONTEXT, 0), min(entity.end + _CONTEXT, len(doc))
    words = {i: doc[i].text for i in range(start, end)}
    for first, last in entity.fragments:
        words[first] = f"«{words[first]}"
        words[last - 1] = f"{words[last - 1]}»"
    text = "".join(word + doc[i].whitespace_ for i, word in words.items())
    before, after = "… " if start else "", " …" if end < len(doc) else ""
    return " ".join(f"{entity.label}: {before}{text}{after}".split())


def why_unassigned(entity: Entity, doc: Doc, max_length: int) -> str:
    """RETURNS (str): The reason why an entity does not fit into a segment of a Doc."""
    if doc.has_annotation("SENT_START") and doc[entity.start].sent.end < entity.end:
        return _CROSSES
    if entity.end - entity.start > max_length:
        return "longer than max_length"
    return "does not fit into any window"


def _find_problems(reports: dict[str, DataReport], config: TrainingConfig) -> Iterator[str]:
    for name, report in reports.items():
        if message := describe_other_languages(report.languages, config.nlp.lang):
            yield f"{name}: {message}"
        if not report.statistics.entities:
            yield describe_no_entities(name, config.spans_key, report.statistics.elsewhere)
        for reason, entities in report.unlearnable.items():
            noun = "entity" if len(entities) == 1 else "entities"
            remedy = _REMEDIES.get(reason, "")
            yield f"{name}: {len(entities)} {noun} cannot be found ({reason}).{remedy}"
        if (longest := report.longest_segment) >= _LONG:
            yield (
                f"{name}: the longest segment has {longest} tokens, so its grid has {longest**2} "
                "cells. Lower max_length, or split sentences."
            )
    train, *dev = (report.statistics.labels for report in reports.values())
    for labels in dev:
        if new := [f"{label} ({n})" for label, n in sorted(labels.items()) if label not in train]:
            yield f"dev: types that do not occur in train: {', '.join(new)}."
    if rare := [f"{label} ({n})" for label, n in sorted(train.items()) if n < _RARE]:
        yield f"train: types with fewer than {_RARE} entities: {', '.join(rare)}."


def _find_hints(reports: dict[str, DataReport]) -> Iterator[str]:
    for name, report in reports.items():
        n_docs = report.statistics.docs
        if report.docs_without_entities:
            yield f"{name}: {report.docs_without_entities} of {n_docs} Docs have no entities."
        if report.wrapped_docs:
            yield (
                f"{name}: {report.wrapped_docs} of {n_docs} Docs look wrapped, so their lines are "
                'joined into sentences. Set line_breaks = "join" to join lines in all Docs.'
            )
    train, *dev = (report.statistics for report in reports.values())
    if not train.discontinuous and train.entities:
        yield "train: no discontinuous entities. spaCy's ner or spancat may be sufficient."
    for statistics in dev:
        if only := sorted(train.labels.keys() - statistics.labels.keys()):
            yield f"dev: missing types that occur in train: {', '.join(only)}."
