"""Provide what the web applications share: headers, allowed hosts, limits, errors, a worker
thread."""

import asyncio
import json
import logging
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from typing import Any, TypeVar

from fastapi import FastAPI, HTTPException, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel, model_validator
from starlette.datastructures import MutableHeaders
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from .. import __version__
from ..errors import GapDNERError, visible

_LOGGER = logging.getLogger(__name__)
T = TypeVar("T")
# older versions of Starlette parse [::1]:5000 as "["
LOOPBACK = ("127.0.0.1", "localhost", "[::1]", "[")
_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}
_POLICY = "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
_NO_PAGE_POLICY = f"default-src 'none'; {_POLICY}"


class RequestBody(BaseModel):
    """Base class whose contents can be saved as valid JSON."""

    @model_validator(mode="before")
    @classmethod
    def _check_json(cls, value: Any) -> Any:
        # NaN and unpaired surrogates are invalid
        json.dumps(value, ensure_ascii=False, allow_nan=False, default=str).encode("utf-8")
        return value


def new_app(hosts: tuple[str, ...], max_bytes: int, advice: str) -> FastAPI:
    """Create a web application with the common headers. Only the given host names are allowed, to
    prevent DNS rebinding. Requests with more than `max_bytes` are refused with the advice."""
    app = FastAPI(title="spacy-gapdner", version=__version__, docs_url=None, redoc_url=None)
    app.add_middleware(TrustedHostMiddleware, allowed_hosts=list(hosts))
    too_large = f"The request is larger than {max_bytes} bytes. {advice}"
    app.add_middleware(_add_headers_and_limit, max_bytes=max_bytes, too_large=too_large)
    app.add_exception_handler(RequestValidationError, _refuse_body)
    app.add_exception_handler(GapDNERError, _report_error)
    app.add_exception_handler(OSError, _report_error)
    app.add_exception_handler(ClientDisconnect, _report_abort)
    return app


# not a BaseHTTPMiddleware, which runs each request in another task
def _add_headers_and_limit(app: ASGIApp, max_bytes: int, too_large: str) -> ASGIApp:
    async def run(scope: Scope, receive: Receive, send: Send) -> None:
        size = 0

        async def receive_limited() -> Message:
            nonlocal size
            message = await receive()
            size += len(message.get("body", b""))
            if size > max_bytes:
                raise HTTPException(413, too_large)
            return message

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.update(_HEADERS)
                # pages contain the policy of what they may load
                is_page = headers.get("content-type", "").startswith("text/html")
                headers["Content-Security-Policy"] = _POLICY if is_page else _NO_PAGE_POLICY
            await send(message)

        await app(scope, receive_limited, send_with_headers)

    return run


async def _refuse_body(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    # FastAPI's handler repeats the input, which may not be valid JSON
    detail = [{key: e[key] for key in ("type", "loc", "msg")} for e in error.errors()]
    is_json = "json" in request.headers.get("content-type", "")
    if not is_json and any("body" in problem["loc"] for problem in detail):
        return JSONResponse({"detail": "Send the header Content-Type: application/json."}, 415)
    return JSONResponse({"detail": detail}, 422)


async def _report_error(request: Request, error: Exception) -> Response:
    # the message of an OSError may contain the name of a temporary file
    detail = getattr(error, "strerror", None) or str(error)
    return JSONResponse({"detail": detail}, 422 if isinstance(error, GapDNERError) else 500)


async def _report_abort(request: Request, error: Exception) -> Response:
    path = visible(request.url.path)
    _LOGGER.warning("%s %s was aborted by the client and is ignored.", request.method, path)
    # nobody receives it
    return Response(status_code=499)


class WorkThread:
    """Runs one function at a time in a single thread, because PyTorch, its libraries and the memory
    allocator keep caches for each thread."""

    def __init__(self) -> None:
        # the context includes thinc's choice of CPU or GPU
        self._context = copy_context()
        self._thread = ThreadPoolExecutor(1)

    def submit(self, function: Callable[[], T]) -> Future[T]:
        """Start a function."""
        return self._thread.submit(self._context.copy().run, function)

    async def run(self, function: Callable[[], T]) -> T:
        """Run a function, and return its result."""
        return await asyncio.wrap_future(self.submit(function))
