"""Shared parts of the web applications: security headers, allowed hosts, errors and a worker
thread."""

import asyncio
import json
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
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
_PAGE_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; connect-src 'self'; "
)
_NO_FRAMES = "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"


class Message(BaseModel):
    """Base class for the body of a request. Its contents can be saved as valid JSON."""

    @model_validator(mode="before")
    @classmethod
    def check_json(cls, value: Any) -> Any:
        """Reject NaN and unpaired surrogates."""
        json.dumps(value, ensure_ascii=False, allow_nan=False, default=str).encode("utf-8")
        return value


def new_app(hosts: tuple[str, ...], page_policy: str = _PAGE_POLICY) -> FastAPI:
    """Create a web application with the common headers.

    hosts (tuple[str, ...]): Allowed host names, to prevent DNS rebinding. ("*",) allows all.
    page_policy (str): The Content-Security-Policy of pages.
    RETURNS (FastAPI): The application.
    """
    app = FastAPI(title="spacy-gapdner", docs_url=None, redoc_url=None)
    app.add_middleware(TrustedHostMiddleware, allowed_hosts=list(hosts))
    app.add_middleware(_Headers, page_policy=page_policy)
    app.add_exception_handler(RequestValidationError, _refuse)
    return app


class _Headers:
    # not a BaseHTTPMiddleware, because it hides whether the client has disconnected
    def __init__(self, app: ASGIApp, page_policy: str) -> None:
        self.app, self.page_policy = app, page_policy

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_headers(message: ASGIMessage) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.update(_HEADERS)
                is_page = headers.get("content-type", "").startswith("text/html")
                policy = self.page_policy if is_page else "default-src 'none'; "
                headers["Content-Security-Policy"] = policy + _NO_FRAMES
            await send(message)

        await self.app(scope, receive, send_with_headers)


class WorkThread:
    """Runs functions one at a time in a single thread, because PyTorch, its libraries and the
    memory allocator keep caches for each thread.

    max_waiting (int): Maximum number of waiting requests. Others are answered with status 503.
    """

    def __init__(self, max_waiting: int = 16) -> None:
        self.max_waiting = max_waiting
        # the context includes thinc's choice of CPU or GPU
        self._context = copy_context()
        self._thread = ThreadPoolExecutor(1, "pipeline")
        self._waiting = 0

    def submit(self, function: Callable[[], T]) -> Future[T]:
        """RETURNS (Future[T]): The future result of a function. There is no limit on the number of
        waiting functions.
        """
        return self._thread.submit(self._context.copy().run, function)

    @contextmanager
    def place(self) -> Iterator[None]:
        """Reserve a place in the queue.

        RAISES (HTTPException): If the queue is full.
        """
        if self._waiting >= self.max_waiting:
            raise HTTPException(503, "Too many requests. Try again in a moment.")
        self._waiting += 1
        try:
            yield
        finally:
            self._waiting -= 1

    async def __call__(self, function: Callable[[], T]) -> T:
        """Run a function in the thread.

        function (Callable[[], T]): The function.
        RETURNS (T): Its result.
        RAISES (HTTPException): If the queue is full.
        """
        with self.place():
            return await asyncio.wrap_future(self.submit(function))


async def _refuse(request: Request, error: Exception) -> Response:
    # FastAPI's handler repeats the input, which may not be valid JSON
    assert isinstance(error, RequestValidationError)
    detail = [{key: e[key] for key in ("type", "loc", "msg")} for e in error.errors()]
    return JSONResponse({"detail": detail}, 422)
