"""serve: a web page and a JSON API for a trained pipeline."""

from pathlib import Path

import typer

from . import _options as options
from ._printing import msg
from ._server import is_local, listen, run_app


def serve_cli(
    model: str = options.MODEL,
    host: str = options.HOST,
    port: int = options.PORT,
    max_characters: int = typer.Option(50_000, min=1, help="Reject longer texts"),
    max_tokens: int = typer.Option(20_000, min=1, help="Reject texts with more tokens"),
    spans_key: str | None = options.PIPE_KEY,
    threshold: float | None = options.THRESHOLD,
    gpu_id: int = options.GPU_ID,
    bf16: bool = options.BF16,
    code: Path | None = options.CODE,
) -> None:
    """Try a trained pipeline in the browser.

    The page shows, filters and saves the entities of a text. Programs can send texts to
    POST /predict, which is documented at /docs. Press Ctrl-C to stop."""
    listener = listen(host, port)
    from ..analysis.pipes import load_recognizer
    from ..serving.app import create_app
    from ..web import LOOPBACK

    nlp, pipe = load_recognizer(
        model, spans_key=spans_key, threshold=threshold, gpu_id=gpu_id, bf16=bf16
    )
    # spaCy's default name
    if nlp.meta["name"] == "pipeline":
        nlp.meta["name"] = Path(model).name
    hosts = (*LOOPBACK, host) if is_local(listener) else ("*",)
    app = create_app(nlp, pipe, max_characters=max_characters, max_tokens=max_tokens, hosts=hosts)
    if not is_local(listener):
        msg.warn(f"Anyone who can reach {host} can use it, as there is no password.")
    run_app(app, listener, host)
