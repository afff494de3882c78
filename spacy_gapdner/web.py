"""Shared parts of the web applications: security headers, allowed hosts, limits, errors and a
worker thread."""

import asyncio
import json
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
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.types import Message as ASGIMessage

T = TypeVar("T")
# older versions of Starlette parse [::1]:5000 as "["
LOOPBACK = ("127.0.0.1", "localhost", "[::1]", "[")
_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}
_POLICY = "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"


class Message(BaseModel):
    """Base class for the body of a request. Its contents can be saved as valid JSON."""

    @model_validator(mode="before")
    @classmethod
    def check_json(cls, value: Any) -> Any:
        """Reject NaN and unpaired surrogates."""
        json.dumps(value, ensure_ascii=False, allow_nan=False, default=str).encode("utf-8")
        return value


def new_app(hosts: tuple[str, ...], max_bytes: int, advice: str) -> FastAPI:
    """Create a web application with the common headers.

    hosts (tuple[str, ...]): Allowed host names, to prevent DNS rebinding. ("*",) allows all.
    max_bytes (int): Maximum size of the body of a request. Larger bodies are not read.
    advice (str): What to do about larger bodies.
    RETURNS (FastAPI): The application.
    """
    app = FastAPI(title="spacy-gapdner", docs_url=None, redoc_url=None)
    app.add_middleware(TrustedHostMiddleware, allowed_hosts=list(hosts))
    too_large = f"The request is larger than {max_bytes} bytes. {advice}"
    app.add_middleware(_HeadersAndLimit, max_bytes=max_bytes, too_large=too_large)
    app.add_exception_handler(RequestValidationError, _refuse)
    return app


class _HeadersAndLimit:
    # not a BaseHTTPMiddleware, which runs each request in another task
    def __init__(self, app: ASGIApp, max_bytes: int, too_large: str) -> None:
        self.app, self.max_bytes, self.too_large = app, max_bytes, too_large

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        size = 0

        async def receive_limited() -> ASGIMessage:
            nonlocal size
            message = await receive()
            size += len(message.get("body", b""))
            if size > self.max_bytes:
                raise HTTPException(413, self.too_large)
            return message

        async def send_with_headers(message: ASGIMessage) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.update(_HEADERS)
                # pages contain the policy of what they may load
                is_page = headers.get("content-type", "").startswith("text/html")
                headers["Content-Security-Policy"] = (
                    _POLICY if is_page else f"default-src 'none'; {_POLICY}"
                )
            await send(message)

        await self.app(scope, receive_limited, send_with_headers)


async def _refuse(request: Request, error: Exception) -> Response:
    # FastAPI's handler repeats the input, which may not be valid JSON
    assert isinstance(error, RequestValidationError)
    detail = [{key: e[key] for key in ("type", "loc", "msg")} for e in error.errors()]
    is_json = "json" in request.headers.get("content-type", "")
    if not is_json and any("body" in problem["loc"] for problem in detail):
        return JSONResponse({"detail": "Send the header Content-Type: application/json."}, 415)
    return JSONResponse({"detail": detail}, 422)


class WorkThread:
    """Runs functions one at a time in a single thread, because PyTorch, its libraries and the
    memory allocator keep caches for each thread."""

    def __init__(self) -> None:
        # the context includes thinc's choice of CPU or GPU
        self._context = copy_context()
        self._thread = ThreadPoolExecutor(1)

    def submit(self, function: Callable[[], T]) -> Future[T]:
        """RETURNS (Future[T]): The future result of a function."""
        return self._thread.submit(self._context.copy().run, function)

    async def run(self, function: Callable[[], T]) -> T:
        """RETURNS (T): The result of a function."""
        return await asyncio.wrap_future(self.submit(function))
