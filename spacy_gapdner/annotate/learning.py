"""The training process: updates a pipeline with the texts that are done.

The job is a line of JSON on standard input. The process exits when standard input is closed, so
that it never outlives the server.
"""

import json
import os
import sys
import tempfile
import threading
from collections.abc import Sequence
from hashlib import sha1
from pathlib import Path
from typing import Any

from spacy.language import Language
from spacy.tokens import Doc, DocBin
from spacy.util import import_file, registry
from thinc.api import fix_random_seed

from ..analysis.evaluation import evaluate
from ..analysis.pipes import find_pipe, use_gpu
from ..entities import get_entities
from ..errors import GapDNERError
from ..formats.brat import read_document
from ..formats.docs import to_docs
from ..formats.outputs import filling
from ..formats.report import Report
from ..loading import load_model, load_splitter
from ..scorer import DISC_F_WEIGHT, F_WEIGHT

# the exit code if the new pipeline is not better
STAYS = 3
_EPOCHS = 10
# one in this many texts is held out
_SHARE = 5
# minimum number of held-out texts for a comparison
_LEAST = 4


def learn(
    model: str,
    stems: Sequence[tuple[str, str]],
    output: str,
    spans_key: str | None,
    before: str,
    report: Report,
) -> tuple[bool, str]:
    """Continue to train a pipeline with the optimizer, batches and augmentation of its config. It
    is saved unless its score on held-out texts is lower than the score of the current pipeline.

    model (str): Folder or name of the pipeline.
    stems (Sequence[tuple[str, str]]): The ids and files of the texts, without file extension.
    output (str): Folder of the new pipeline. It is never written partially.
    spans_key (Optional[str]): The `spans_key` of the pipe, if the pipeline has several.
    before (str): The current pipeline.
    report (Report): Collects annotation that cannot be used.
    RETURNS (tuple[bool, str]): Whether the new pipeline was saved, and a message.
    RAISES (GapDNERError): If the texts have no entities, or training fails.
    """
    fix_random_seed(0)
    nlp, splitter = load_model(model), load_splitter(model)
    pipe = find_pipe(nlp, spans_key)

    def read(part: Sequence[tuple[str, str]]) -> list[Doc]:
        records = (read_document(Path(stem), name, report) for name, stem in part)
        return list(to_docs(records, splitter, report, n_sents=1, spans_key=pipe.key))

    def score(pipeline: Language) -> float:
        # the same measure as in training
        scores = evaluate(pipeline, unseen, spans_key=pipe.key)
        f, disc_f = (scores[f"spans_{pipe.key}_{name}"] or 0.0 for name in ("f", "disc_f"))
        return float(F_WEIGHT * f + DISC_F_WEIGHT * disc_f)

    held_out = [stem for stem in stems if is_held_out(stem[0])]
    # train on held-out texts if there are no others
    learned = [stem for stem in stems if stem not in held_out] or stems
    docs = read(learned)
    labels = {entity.label_ for doc in docs for entity in get_entities(doc, pipe.key)}
    if not labels:
        raise GapDNERError("No text that is done has entities. Annotate some entities first.")
    for label in sorted(labels):
        pipe.add_label(label)
    _update(nlp, docs)
    trained = f"trained on {len(learned)} text{'' if len(learned) == 1 else 's'}"
    message = f"New model, {trained}. There are too few texts for a comparison."
    if len(held_out) >= _LEAST:
        unseen = read(held_out)
        new, old = score(nlp), score(load_model(before))
        where = f"on {len(held_out)} held-out texts"
        if new < old:
            return False, (
                f"The model is unchanged. A model {trained} has F {new:.2f}, the current one "
                f"{old:.2f}, {where}."
            )
        message = f"New model, {trained}: F {new:.2f}, before {old:.2f}, {where}."
    with filling(Path(output)) as temporary:
        nlp.to_disk(temporary)
    return True, message


def is_held_out(name: str) -> bool:
    """RETURNS (bool): Whether a text is never used for training. This only depends on its name, so
    that no pipeline is evaluated on its training data.
    """
    return sha1(name.encode(), usedforsecurity=False).digest()[0] % _SHARE == 0


def _update(nlp: Language, docs: Sequence[Doc]) -> None:
    config = nlp.config.interpolate()
    settings = config["training"]
    batcher = _resolve(settings["batcher"])
    reader = config.get("corpora", {}).get("train") or {"@readers": "spacy.Corpus.v1"}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "done.spacy"
        DocBin(docs=docs, store_user_data=True).to_disk(path)
        corpus = _resolve({**reader, "path": str(path)})
        n_steps = _EPOCHS * sum(1 for _ in batcher(corpus(nlp)))
        _shorten(settings["optimizer"].get("learn_rate"), n_steps)
        optimizer = _resolve(settings["optimizer"])
        for _ in range(_EPOCHS):
            for batch in batcher(corpus(nlp)):
                nlp.update(
                    batch,
                    drop=settings["dropout"],
                    sgd=optimizer,
                    exclude=settings["frozen_components"],
                    annotates=settings["annotating_components"],
                )
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
    job, report = json.loads(sys.stdin.readline()), Report()
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
    sys.exit(0 if is_used else STAYS)


def _exit_with_server() -> None:
    # not sys.stdin, which is locked while a thread reads it
    os.read(0, 1)
    os._exit(1)


if __name__ == "__main__":
    main()
