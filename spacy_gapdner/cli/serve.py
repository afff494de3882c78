"""serve: run a web page and a JSON API for a trained pipeline. annotate uses the same server."""

import logging
import socket
from importlib.util import find_spec
from ipaddress import ip_address
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from ..errors import GapDNERError
from . import _options as options
from ._util import msg

if TYPE_CHECKING:
    from fastapi import FastAPI

# otherwise a client that does not finish its request would block the shutdown
_SECONDS_TO_END = 5


def serve_cli(
    model: str = options.MODEL,
    host: str = options.HOST,
    port: int = options.PORT,
    max_characters: int = typer.Option(50_000, min=1, help="Maximum characters per request"),
    max_tokens: int = typer.Option(20_000, min=1, help="Maximum tokens per request"),
    spans_key: str | None = options.PIPE_KEY,
    threshold: float | None = options.THRESHOLD,
    gpu_id: int = options.GPU_ID,
    bf16: bool = options.BF16,
    code: Path | None = options.CODE,
) -> None:
    """Try a trained pipeline in the browser.

    The page shows, filters and exports the entities of a text. Programs can send texts to
    POST /predict, which is documented at /docs. Press Ctrl-C to stop."""
    listener = listen(host, port)
    from ..apps.serving.app import create_app
    from ..apps.web import LOOPBACK
    from ..inference.loading import load_recognizer

    nlp, pipe = load_recognizer(
        model, spans_key=spans_key, threshold=threshold, gpu_id=gpu_id, bf16=bf16
    )
    # spaCy's default name
    if nlp.meta["name"] == "pipeline":
        nlp.meta["name"] = Path(model).name
    hosts = (*LOOPBACK, host) if is_local(listener) else ("*",)
    app = create_app(nlp, pipe, max_characters=max_characters, max_tokens=max_tokens, hosts=hosts)
    if not is_local(listener):
        msg.warn(f"The server has no password. Anyone who can reach {host} can use it.")
    run_app(app, listener, host)


def listen(host: str, port: int) -> socket.socket:
    """RETURNS (socket.socket): A bound socket. Call this first, to report errors immediately."""
    if any(find_spec(name) is None for name in ("fastapi", "uvicorn")):
        raise GapDNERError("FastAPI and uvicorn are missing: pip install 'spacy-gapdner[serve]'.")
    # an empty name would be all network interfaces
    if not host.strip():
        raise GapDNERError(f"Invalid --host: {host!r}. Use 127.0.0.1, or 0.0.0.0 for all.")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family)
    # a UnicodeError for invalid host names
    except (OSError, UnicodeError) as error:
        raise GapDNERError(
            f"Cannot listen on {host}, port {port}: {error}. Choose another --host or --port."
        ) from error


def is_local(listener: socket.socket) -> bool:
    """RETURNS (bool): Whether a socket accepts connections from this machine only."""
    return ip_address(listener.getsockname()[0]).is_loopback


def run_app(app: "FastAPI", listener: socket.socket, host: str, query: str = "") -> None:
    """Print the address of an application and run it until Ctrl-C."""
    import uvicorn

    class Server(uvicorn.Server):
        async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
            # otherwise tracebacks of aborted requests would be printed
            logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)
            await super().shutdown(sockets)

    shown = f"[{host}]" if ":" in host else host
    print(f"http://{shown}:{listener.getsockname()[1]}{query}", flush=True)
    config = uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=_SECONDS_TO_END)
    Server(config).run(sockets=[listener])
