"""Shared functions of serve and annotate: listening on a port and running the server."""

import logging
import socket
from importlib.util import find_spec
from ipaddress import ip_address
from typing import TYPE_CHECKING

from ..errors import GapDNERError

if TYPE_CHECKING:
    from fastapi import FastAPI

# otherwise a client that does not finish its request would block the shutdown
_SECONDS_TO_END = 5


def listen(host: str, port: int) -> socket.socket:
    """RETURNS (socket.socket): A bound socket; a GapDNERError if the port is not available, or
    FastAPI or uvicorn is not installed. Call this first, so that errors are reported immediately.
    """
    if any(find_spec(name) is None for name in ("fastapi", "uvicorn")):
        raise GapDNERError(
            "FastAPI and uvicorn are required. Install them with "
            "pip install 'spacy-gapdner[serve]'."
        )
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family)
    # a UnicodeError for invalid host names
    except (OSError, UnicodeError) as error:
        raise GapDNERError(
            f"Cannot listen on {host}, port {port}: {error}. Choose another --host or --port."
        ) from None


def is_local(listener: socket.socket) -> bool:
    """RETURNS (bool): Whether a socket only accepts connections from this machine."""
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
