"""What serve and annotate share: an address to listen at, and the loop that answers."""

import logging
import socket
from importlib.util import find_spec
from ipaddress import ip_address
from typing import TYPE_CHECKING

from ..errors import GapDNERError

if TYPE_CHECKING:
    from fastapi import FastAPI

# else a client that never ends its request keeps the server from ending
_SECONDS_TO_END = 5


def listen(host: str, port: int) -> socket.socket:
    """Take a port, before a model is loaded, which takes longer.

    host (str): Address to listen at.
    port (int): The port; 0 for any that is free.
    RETURNS (socket.socket): The socket.
    RAISES (GapDNERError): If it cannot be had, or FastAPI or uvicorn is not installed.
    """
    if any(find_spec(name) is None for name in ("fastapi", "uvicorn")):
        raise GapDNERError(
            "The page needs FastAPI and uvicorn: pip install 'spacy-gapdner[serve]'."
        )
    try:
        return socket.create_server(
            (host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET
        )
    # names that no host can have are no OSError
    except (OSError, TypeError, UnicodeError) as error:
        # without the address, which Python repeats
        reason = str(getattr(error, "strerror", None) or error).split(" (while")[0]
        raise GapDNERError(
            f"Cannot listen at {host}, port {port}: {reason}. Choose another --host or --port."
        ) from None


def is_local(listener: socket.socket) -> bool:
    """RETURNS (bool): Whether the own machine alone can reach a socket."""
    return ip_address(listener.getsockname()[0]).is_loopback


def run_app(app: "FastAPI", listener: socket.socket, host: str, query: str = "") -> None:
    """Print the address of an application and answer until Ctrl-C.

    app (FastAPI): The application.
    listener (socket.socket): Where to listen.
    host (str): What the user calls it.
    query (str): What follows the address.
    """
    import uvicorn

    class Server(uvicorn.Server):
        async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
            # of requests that are cut off, it would print tracebacks
            logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)
            await super().shutdown(sockets)

    shown = f"[{host}]" if ":" in host else host
    print(f"http://{shown}:{listener.getsockname()[1]}{query}", flush=True)
    config = uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=_SECONDS_TO_END)
    Server(config).run(sockets=[listener])
