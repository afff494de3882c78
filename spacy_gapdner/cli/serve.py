"""serve: a page and a JSON API to try a trained pipeline."""

import socket
from importlib.util import find_spec
from ipaddress import ip_address
from pathlib import Path

import typer

from ..errors import GapDNERError
from . import _options as options
from ._printing import msg
from ._util import clean_errors, load_pipeline

# else a client that never ends its request keeps the server from ending
_SECONDS_TO_END = 5


def serve_cli(
    model: str = options.MODEL,
    host: str = typer.Option(
        "127.0.0.1", "--host", help="Address to listen at; 0.0.0.0 for all of the machine's"
    ),
    port: int = typer.Option(
        5000, "--port", min=0, max=65535, help="Port to listen at; 0 for any that is free"
    ),
    max_characters: int = typer.Option(
        50_000, "--max-characters", min=1, help="Refuse longer texts"
    ),
    max_tokens: int = typer.Option(
        20_000, "--max-tokens", min=1, help="Refuse texts of more tokens, which time grows with"
    ),
    spans_key: str | None = options.PIPE_KEY,
    threshold: float | None = options.THRESHOLD,
    gpu_id: int = options.GPU_ID,
    code: Path | None = options.CODE,
) -> None:
    """Try a trained pipeline in the browser.

    The page shows the entities of a text, filters and saves them. Programs send texts to
    POST /predict; /docs describes it. Ctrl-C ends it."""
    with clean_errors():
        if any(find_spec(name) is None for name in ("fastapi", "uvicorn")):
            raise GapDNERError(
                "The page needs FastAPI and uvicorn: pip install 'spacy-gapdner[serve]'."
            )
        import uvicorn

        from ..serving.app import LOOPBACK, create_app

        # before the model is loaded, which takes longer
        listener = _listen(host, port)
        address, listening_port = listener.getsockname()[:2]
        is_local = ip_address(address).is_loopback
        nlp, pipe = load_pipeline(model, spans_key=spans_key, threshold=threshold, gpu_id=gpu_id)
        app = create_app(
            nlp,
            pipe.key,
            # spaCy's name of a pipeline that was given none
            name=Path(model).name if nlp.meta.get("name") == "pipeline" else "",
            max_characters=max_characters,
            max_tokens=max_tokens,
            hosts=(*LOOPBACK, host) if is_local else ("*",),
        )
    if not is_local:
        msg.warn(f"Everybody who reaches {host} can use it: there is no password.")
    shown = f"[{host}]" if ":" in host else host
    print(f"http://{shown}:{listening_port}", flush=True)
    config = uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=_SECONDS_TO_END)
    uvicorn.Server(config).run(sockets=[listener])


def _listen(host: str, port: int) -> socket.socket:
    try:
        return socket.create_server(
            (host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET
        )
    # names that no host can have are no OSError
    except (OSError, TypeError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise GapDNERError(
            f"Cannot listen at {host}, port {port}: {reason}. Choose another --host or --port."
        ) from None
