"""annotate: serve a page for annotating entities, with optional proposals from a model."""

from contextlib import suppress
from functools import partial
from getpass import getuser
from pathlib import Path
from secrets import token_urlsafe
from typing import Literal
from urllib.parse import quote

import typer

from .. import formats
from ..errors import GapDNERError
from . import _options as options
from ._util import counted, msg
from .serve import is_local, listen, run_app


def annotate_cli(
    folder: Path = typer.Argument(
        metavar="FOLDER", help="Folder of .txt files; annotations are saved next to them"
    ),
    model: str | None = typer.Option(None, help="Trained pipeline that proposes entities"),
    labels: str | None = typer.Option(
        None,
        help="Comma-separated labels, or path to a labels.json or annotation.conf (default: the "
        "file in FOLDER)",
    ),
    order: Literal["files", "uncertain", "random"] = typer.Option(
        "files", help="Order of the texts; uncertain requires --model"
    ),
    retrain_after: int | None = typer.Option(
        None, min=1, help="Retrain the --model each time this number of texts has been completed"
    ),
    data: Path | None = typer.Option(
        None, help="Training data of the --model in any format, mixed in when it is retrained"
    ),
    annotator: str | None = typer.Option(None, help="Name of the annotator (default: user name)"),
    shared: bool = typer.Option(
        False, "--shared", help="Allow several annotators, who save in FOLDER/.annotators/NAME"
    ),
    adjudicate: tuple[Path, Path] | None = typer.Option(
        None, metavar="A B", help="Adjudicate folders A and B, and save the result in FOLDER"
    ),
    lang: str = options.lang(help="Language of the tokenizer if there is no --model"),
    host: str = options.HOST,
    port: int = options.PORT,
    token: str | None = typer.Option(
        None, help="Password (default: generated, or none if --host is the local machine)"
    ),
    spans_key: str | None = options.PIPE_KEY,
    threshold: float | None = options.THRESHOLD,
    gpu_id: int = options.GPU_ID,
    bf16: bool = options.BF16,
    code: Path | None = options.CODE,
) -> None:
    """Annotate and correct entities in the browser.

    Every change is saved immediately in brat standoff format. FOLDER/.gapdner contains the status
    of the texts, rejected entities and the retrained model. Press Ctrl-C to stop."""
    listener = listen(host, port)
    from ..apps.annotate.adjudication import Adjudication
    from ..apps.annotate.app import create_app
    from ..apps.annotate.guidelines import read_guidelines
    from ..apps.annotate.proposals import Proposer
    from ..apps.annotate.segmented_texts import Checker
    from ..apps.annotate.session import Session
    from ..apps.annotate.store import Texts
    from ..apps.annotate.training import Trainer
    from ..apps.web import LOOPBACK
    from ..components.pipelines import load_splitter
    from ..formats.outputs import check_output, locked
    from ..inference.loading import load_recognizer

    if model is None and (
        retrain_after
        or data
        or order == "uncertain"
        or threshold is not None
        or spans_key
        or bf16
        or gpu_id >= 0
    ):
        raise GapDNERError(
            "--order uncertain, --retrain-after, --data, --threshold, --spans-key, --bf16 and "
            "--gpu-id require --model."
        )
    if shared and annotator:
        raise GapDNERError("With --shared, the page asks for names. Leave out --annotator.")
    if adjudicate and shared:
        raise GapDNERError("--adjudicate and --shared cannot be combined. Leave out --shared.")
    if data is not None:
        # raises errors now and not in the first training
        formats.guess_format(data)
    place = ".annotators/NAME" if shared else ".gapdner"
    check_output(folder / place, {}, force=True, is_file=False)
    adjudication = proposer = trainer = None
    known: tuple[str, ...] = ()
    if adjudicate:
        adjudication = Adjudication(*adjudicate)
        n_lines = adjudication.prepare(folder)
        msg.info(f"{counted(len(adjudication.names), 'text')} annotated in both folders")
        if n := adjudication.n_left:
            msg.warn(f"Skipped {counted(n, 'text')} annotated in only one folder")
        if n_lines:
            lines = f"{counted(n_lines, 'line')} with attributes, notes or relations"
            msg.warn(f"Not copied: {lines}. Add them to the .ann files in {folder}")
    name = (annotator or "").strip()
    # the user of a container may have no name
    with suppress(KeyError, OSError):
        name = name or getuser()
    texts = Texts(folder)
    state = texts.folder / ".gapdner"
    taken = f"Another annotate server uses {folder}. Stop it, or open its page."
    with locked(state / "lock", taken):
        if model is None:
            checker = Checker(formats.blank_pipeline(lang))
        else:
            load = partial(
                load_recognizer, spans_key=spans_key, threshold=threshold, gpu_id=gpu_id, bf16=bf16
            )
            proposer = Proposer(model, load)
            trainer = Trainer(model, state, proposer.swap, spans_key, data, gpu_id, code)
            pipe = proposer.model.pipe
            # a separate pipeline, because the model is used in another thread
            checker, known = Checker(load_splitter(model), pipe.cfg), pipe.labels
        guidelines = read_guidelines(labels, [folder, *(adjudicate or ())], known)
        session = Session(
            texts,
            guidelines,
            checker,
            annotator=name or "annotator",
            proposer=proposer,
            trainer=trainer,
            adjudication=adjudication,
            order=order,
            retrain_after=retrain_after,
            shared=shared,
        )
        is_own = is_local(listener)
        token = token or (None if is_own else token_urlsafe(16))
        app = create_app(session, token=token, hosts=(*LOOPBACK, host) if is_own else ("*",))
        found = f"{counted(len(texts.paths), 'text')}, {counted(len(session.labels), 'label')}"
        msg.info(f"{found}; annotations are saved in {folder}")
        run_app(app, listener, host, f"/?token={quote(token)}" if token else "")
