"""What the process of a training does: a pipeline learns from the texts that are done.

It gets its job as a line of JSON on standard input, and ends when that is closed, so that it never
outlives the server.
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
from thinc.api import fix_random_seed, require_gpu

from ..analysis.evaluation import evaluate
from ..analysis.pipes import find_pipe
from ..entities import get_entities
from ..errors import GapDNERError
from ..formats.brat import read_document
from ..formats.docs import to_docs
from ..formats.outputs import replacing_folder
from ..formats.report import Report
from ..loading import load_model, load_splitter
from ..scorer import DISC_F_WEIGHT, F_WEIGHT

# the exit code of a training whose pipeline is not used
STAYS = 3
_EPOCHS = 10
# one text in so many is held out
_SHARE = 5
# with fewer held-out texts a comparison says nothing
_LEAST = 4


def learn(
    model: str,
    stems: Sequence[Sequence[str]],
    output: str,
    spans_key: str | None,
    before: str,
    report: Report,
) -> tuple[bool, str]:
    """Train a pipeline further, with the optimizer, the batches and the augmentation of its own
    config, and save it unless it does worse than another on the texts that are held out.

    model (str): Folder or name of the pipeline.
    stems (Sequence[tuple[str, str]]): The texts: their ids, and their files without ending.
    output (str): Folder of the new pipeline, which is written whole or not at all.
    spans_key (Optional[str]): The pipe's `spans_key`, to choose one of several pipes.
    before (str): The other pipeline.
    report (Report): Takes what of the annotation could not be used.
    RETURNS (tuple[bool, str]): Whether the new pipeline was saved, and what to tell of it.
    RAISES (GapDNERError): If the texts hold no entity, or training fails.
    """
    fix_random_seed(0)
    nlp, splitter = load_model(model), load_splitter(model)
    pipe = find_pipe(nlp, spans_key)

    def read(part: Sequence[Sequence[str]]) -> list[Doc]:
        records = (read_document(Path(stem), name, report) for name, stem in part)
        return list(to_docs(records, splitter, report, n_sents=1, spans_key=pipe.key))

    held_out = [stem for stem in stems if is_held_out(stem[0])]
    # the first texts of all may be among them
    learned = [stem for stem in stems if stem not in held_out] or stems
    docs = read(learned)
    labels = {entity.label_ for doc in docs for entity in get_entities(doc, pipe.key)}
    if not labels:
        raise GapDNERError("There is nothing to learn: no text that is done has an entity.")
    for label in sorted(labels):
        pipe.add_label(label)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "done.spacy"
        DocBin(docs=docs, store_user_data=True).to_disk(path)
        _update(nlp, path)
    said = f"trained on {len(learned)} text{'' if len(learned) == 1 else 's'}"
    if len(held_out) < _LEAST:
        message = f"A new model is in, {said}. Too few are done to compare it with the one before."
    else:
        unseen = read(held_out)
        new, old = (_score(p, unseen, pipe.key) for p in (nlp, load_model(before)))
        where = f"on {len(held_out)} held-out texts"
        if new < old:
            message = f"The model stays: one {said} has F {new:.2f}, it has {old:.2f}, {where}."
            return False, message
        message = f"A new model is in, {said}: F {new:.2f}, was {old:.2f}, {where}."
    with replacing_folder(Path(output)) as temporary:
        nlp.to_disk(temporary)
    return True, message


def is_held_out(name: str) -> bool:
    """RETURNS (bool): Whether a text is one of those that no training learns from: always the same
    ones, so that no pipeline is measured on what it has seen.
    """
    return sha1(name.encode(), usedforsecurity=False).digest()[0] % _SHARE == 0


def _score(nlp: Language, docs: Sequence[Doc], key: str) -> float:
    # by the measure of training
    scores = evaluate(nlp, docs, spans_key=key)
    f, disc_f = (scores[f"spans_{key}_{name}"] or 0.0 for name in ("f", "disc_f"))
    return float(F_WEIGHT * f + DISC_F_WEIGHT * disc_f)


def _update(nlp: Language, path: Path) -> None:
    config = nlp.config.interpolate()
    settings = config["training"]
    reader = config.get("corpora", {}).get("train") or {"@readers": "spacy.Corpus.v1"}
    corpus = _resolve({**reader, "path": str(path)})
    batcher = _resolve(settings["batcher"])
    n_steps = _EPOCHS * sum(1 for _ in batcher(corpus(nlp)))
    optimizer = _resolve(_scaled(settings["optimizer"], n_steps))
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


def _scaled(optimizer: dict[str, Any], n_steps: int) -> dict[str, Any]:
    # a schedule that was made for a long training
    rate = optimizer.get("learn_rate")
    if not isinstance(rate, dict) or "total_steps" not in rate:
        return optimizer
    warmup = n_steps * rate.get("warmup_steps", 0) // max(rate["total_steps"], 1)
    scaled = {**rate, "total_steps": n_steps}
    if "warmup_steps" in rate:
        scaled["warmup_steps"] = warmup
    return {**optimizer, "learn_rate": scaled}


def _resolve(block: dict[str, Any]) -> Any:
    return registry.resolve({"block": block})["block"]


def _end_with_server() -> None:
    sys.stdin.read()
    os._exit(1)


def main() -> None:
    """Do the job that standard input names."""
    job, report = json.loads(sys.stdin.readline()), Report()
    gpu_id, code = job.pop("gpu_id"), job.pop("code")
    threading.Thread(target=_end_with_server, daemon=True).start()
    try:
        if gpu_id >= 0:
            require_gpu(gpu_id)
        if code:
            import_file("python_code", code)
        is_used, message = learn(**job, report=report)
        # for the log, of which the server reads the last line
        print(json.dumps(report.to_dict(), ensure_ascii=False, indent=2))
        print(message)
    # whatever goes wrong is told on the page, in a line
    except Exception as error:
        kind = "" if isinstance(error, GapDNERError) else f"{type(error).__name__}: "
        print(f"{kind}{error}", file=sys.stderr, flush=True)
        os._exit(1)
    sys.stdout.flush()
    # the thread that waits for the server would be in the way
    os._exit(0 if is_used else STAYS)


if __name__ == "__main__":
    main()
