"""Update a pipeline with the finished texts, in the training process.

The job is a line of JSON on standard input. The process exits when standard input is closed, so
that it never outlives the server.
"""

import json
import os
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha1
from itertools import chain
from pathlib import Path
from random import Random
from typing import Any

from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example, dont_augment
from spacy.training.loop import create_train_batches
from spacy.util import import_file, registry
from thinc.api import fix_random_seed

from ...analysis.evaluation import evaluate
from ...components.pipelines import load_model, load_splitter
from ...docs import without_annotation
from ...entities import get_entities
from ...errors import GapDNERError
from ...formats import Report, read, to_docs
from ...formats.brat import read_document
from ...formats.outputs import filling
from ...inference.loading import find_pipe, use_gpu
from ...pipe import DiscontinuousEntityRecognizer
from ...pipe.scorer import DISC_F_WEIGHT, F_WEIGHT

# the exit code if the score of the new pipeline is lower
EXIT_UNCHANGED = 3
_EPOCHS = 10
# at the config's learning rate, a trained pipeline forgets; only new labels require it
_LEARN_RATE_SCALE = 0.1
# one in this many texts is held out
HELD_OUT_ONE_IN = 3


def learn(
    model: str,
    stems: Sequence[tuple[str, str]],
    output: str,
    before: str,
    report: Report,
    spans_key: str | None = None,
    data: str | None = None,
) -> tuple[bool, str]:
    """Continue to train a pipeline on texts, given by ids and files without extension, and on
    sentences of its training `data`. It is saved in `output` if its score on held-out texts is not
    lower than the score of the pipeline `before`. Returns whether it was saved, and a message."""
    fix_random_seed(0)
    records = [read_document(Path(stem), name, report) for name, stem in stems]
    held_out = [record for record in records if is_held_out(record.name)]
    learned = [record for record in records if not is_held_out(record.name)]
    nlp, splitter = load_model(model), load_splitter(model)
    pipe = find_pipe(nlp, spans_key)
    docs, unseen = (
        list(to_docs(part, splitter, report, n_sents=1, spans_key=pipe.key))
        for part in (learned, held_out)
    )
    new_labels = {e.label_ for doc in docs for e in get_entities(doc, pipe.key)} - {*pipe.labels}
    for label in sorted(new_labels):
        pipe.add_label(label)
    source = "1 text" if len(learned) == 1 else f"{len(learned)} texts"
    if data is not None:
        known = list(
            read(data, model=model, n_sents=1, types=pipe.labels, report=report, spans_key=pipe.key)
        )
        sample = Random(0).sample(known, min(len(known), len(docs)))
        docs += sample
        source += f" and {len(sample)} of {len(known)} sentences of {Path(data).name}"
    _update(nlp, pipe, docs, 1.0 if new_labels else _LEARN_RATE_SCALE)
    new, old = (evaluate(each, unseen, spans_key=pipe.key) for each in (nlp, load_model(before)))
    message = (
        f"A model trained on {source} has {describe_scores(new, pipe.key)} on "
        f"{len(held_out)} held-out texts, the current one {describe_scores(old, pipe.key)}."
    )
    if _score(new, pipe.key) < _score(old, pipe.key):
        return False, f"The model is unchanged. {message}"
    nlp.meta["performance"] = {name: new[name] for name in new if name.startswith("spans_")}
    with filling(Path(output)) as temporary:
        nlp.to_disk(temporary)
    return True, f"New model. {message.replace('the current one', 'the previous one')}"


def _score(scores: Mapping[str, Any], key: str) -> float:
    # the same measure as in training
    f, disc_f = (scores[f"spans_{key}_{name}"] or 0.0 for name in ("f", "disc_f"))
    return float(F_WEIGHT * f + DISC_F_WEIGHT * disc_f)


def describe_scores(scores: Mapping[str, Any], key: str) -> str:
    """The scores of a pipeline, such as "F1 66.5, discontinuous F1 43.5"."""
    names = {"F1": f"spans_{key}_f", "discontinuous F1": f"spans_{key}_disc_f"}
    found = {shown: scores[name] for shown, name in names.items() if scores.get(name) is not None}
    return ", ".join(f"{shown} {100 * score:.1f}" for shown, score in found.items())


def is_held_out(name: str) -> bool:
    """Whether a text is held out from training, which depends on its name."""
    return sha1(name.encode(), usedforsecurity=False).digest()[0] % HELD_OUT_ONE_IN == 0


def _update(
    nlp: Language, pipe: DiscontinuousEntityRecognizer, docs: Sequence[Doc], scale: float
) -> None:
    config = nlp.config.interpolate()
    settings = config["training"]
    batcher = _resolve(settings["batcher"])
    # other settings of the reader are for the data of the config
    augmenter = (config.get("corpora", {}).get("train") or {}).get("augmenter")
    augment = _resolve(augmenter) if augmenter else dont_augment
    examples = [Example(without_annotation(doc, nlp), doc) for doc in docs if len(doc)]

    def corpus(nlp: Language) -> Iterator[Example]:
        return chain.from_iterable(augment(nlp, example) for example in examples)

    # the texts lack the annotation of other components
    parts: list[tuple[str, Any]] = nlp.pipeline
    heard = {n: p for n, p in parts if pipe.name in getattr(p, "listening_components", ())}
    trained = {pipe.name, *(heard.keys() - set(settings["frozen_components"]))}
    others = [name for name in nlp.pipe_names if name not in trained]
    for encoder in heard.values():
        # only the last listener updates the encoder
        for name in set(others).intersection(encoder.listening_components):
            for listener in list(encoder.listener_map[name]):
                encoder.remove_listener(listener, name)
    n_steps = _EPOCHS * sum(1 for _ in batcher(corpus(nlp)))
    _shorten(settings["optimizer"].get("learn_rate"), n_steps)
    optimizer = _resolve(settings["optimizer"])
    optimizer.learn_rate *= scale
    if rates := optimizer.schedules.get("learn_rate"):
        optimizer.schedules["learn_rate"] = (scale * rate for rate in rates)
    dropout, annotates = settings["dropout"], settings["annotating_components"]
    for _, batch in create_train_batches(nlp, corpus, batcher, _EPOCHS):
        nlp.update(batch, drop=dropout, sgd=optimizer, exclude=others, annotates=annotates)
        optimizer.step_schedules()


def _shorten(schedule: Any, n_steps: int) -> None:
    # the schedule of the config is for a long training
    if isinstance(schedule, dict) and "total_steps" in schedule:
        if "warmup_steps" in schedule:
            warmup = n_steps * schedule["warmup_steps"] // max(schedule["total_steps"], 1)
            schedule["warmup_steps"] = warmup
        schedule["total_steps"] = n_steps


def _resolve(block: dict[str, Any]) -> Any:
    return registry.resolve({"block": block})["block"]


def main() -> None:
    """Run the job from standard input."""
    job, report = json.loads(sys.stdin.readline()), Report(needs_types=False)
    gpu_id, code = job.pop("gpu_id"), job.pop("code")
    threading.Thread(target=_exit_with_server, daemon=True).start()
    # the page shows the last line of the output
    try:
        use_gpu(gpu_id)
        if code:
            import_file("python_code", code)
        is_used, message = learn(**job, report=report)
    except GapDNERError as error:
        sys.exit(str(error))
    print(json.dumps(report.to_dict(), ensure_ascii=False, indent=2))
    print(message)
    sys.exit(0 if is_used else EXIT_UNCHANGED)


def _exit_with_server() -> None:
    # not sys.stdin, which is locked while a thread reads it
    os.read(0, 1)
    os._exit(1)


if __name__ == "__main__":
    main()
