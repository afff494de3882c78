"""What the web applications share: headers, names of hosts, errors, and a thread to work in."""

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
# "[" is what older versions of Starlette make of [::1]:5000
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
    """What a request holds, with nothing in it that no answer and no file can hold."""

    @model_validator(mode="before")
    @classmethod
    def check_json(cls, value: Any) -> Any:
        """Refuse NaN and half of a surrogate pair."""
        json.dumps(value, ensure_ascii=False, allow_nan=False, default=str).encode("utf-8")
        return value


def new_app(hosts: tuple[str, ...], page_policy: str = _PAGE_POLICY) -> FastAPI:
    """Make a web application that has the common headers, and nothing else.

    hosts (tuple[str, ...]): Names under which it may be called; others are refused, so that no
        foreign page can reach it through a name of its own. ("*",) allows all.
    page_policy (str): What pages may load, as a Content-Security-Policy.
    RETURNS (FastAPI): The application.
    """
    app = FastAPI(title="spacy-gapdner", docs_url=None, redoc_url=None)
    app.add_middleware(TrustedHostMiddleware, allowed_hosts=list(hosts))
    app.add_middleware(_Headers, page_policy=page_policy)
    app.add_exception_handler(RequestValidationError, _refuse)
    return app


class _Headers:
    # no middleware of Starlette's kind: through these nobody sees whether the client has gone
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
    """Runs functions one after the other in one thread: torch, its libraries and the memory's
    allocator keep a store for each.

    max_waiting (int): More at once are answered with "busy" (status 503).
    """

    def __init__(self, max_waiting: int = 16) -> None:
        self.max_waiting = max_waiting
        # tells thinc whether it works on a GPU
        self._context = copy_context()
        self._thread = ThreadPoolExecutor(1, "pipeline")
        self._waiting = 0

    def submit(self, function: Callable[[], T]) -> Future[T]:
        """RETURNS (Future[T]): What a function will return when its turn has come; it may wait
        however many do.
        """
        return self._thread.submit(self._context.copy().run, function)

    @contextmanager
    def place(self) -> Iterator[None]:
        """Take one of the places for those who wait.

        RAISES (HTTPException): If there is none.
        """
        if self._waiting >= self.max_waiting:
            raise HTTPException(503, "Busy: too many requests at once. Try again in a moment.")
        self._waiting += 1
        try:
            yield
        finally:
            self._waiting -= 1

    async def __call__(self, function: Callable[[], T]) -> T:
        """Run a function when its turn comes.

        function (Callable[[], T]): The function.
        RETURNS (T): What it returns.
        RAISES (HTTPException): If too many wait.
        """
        with self.place():
            return await asyncio.wrap_future(self.submit(function))


async def _refuse(request: Request, error: Exception) -> Response:
    # FastAPI's own repeats the input, which may be what no answer can hold
    assert isinstance(error, RequestValidationError)
    detail = [{key: e[key] for key in ("type", "loc", "msg")} for e in error.errors()]
    return JSONResponse({"detail": detail}, 422)
