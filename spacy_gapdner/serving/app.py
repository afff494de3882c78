"""The web application: texts in, entities out, as JSON and as drawings.

Nothing that a request says becomes a path, a model or a setting.
"""

import asyncio
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from fastapi import FastAPI, HTTPException, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse
from fastapi.staticfiles import StaticFiles
from spacy.language import Language
from starlette.middleware.trustedhost import TrustedHostMiddleware

from ..drawing.colors import choose_colors
from ..drawing.page import PAGE_CSS
from ..drawing.render import render
from ..formats.jsonl import to_record
from ..sentences import make_doc
from .export import FILES, Export, make_export
from .messages import Drawing, Prediction, Text, to_doc

T = TypeVar("T")
LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self' "
    "'unsafe-inline'; connect-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}


def create_app(
    nlp: Language,
    spans_key: str,
    *,
    max_characters: int = 50_000,
    max_waiting: int = 16,
    hosts: tuple[str, ...] = LOOPBACK,
) -> FastAPI:
    """Make the web application of a pipeline.

    nlp (Language): The pipeline.
    spans_key (str): Prefix of the span groups with entities.
    max_characters (int): Longer texts are refused.
    max_waiting (int): More requests at once are answered with "busy" (status 503).
    hosts (tuple[str, ...]): Names under which it may be called; others are refused, so that no
        foreign page can reach it through a name of its own. ("*",) allows all.
    RETURNS (FastAPI): The application.
    """
    app = FastAPI(title="spacy-gapdner", docs_url=None, redoc_url=None)
    app.add_middleware(TrustedHostMiddleware, allowed_hosts=list(hosts))
    _add_style(app)
    app.add_exception_handler(RequestValidationError, _refuse)
    in_turn = _in_turn(nlp, max_waiting)

    def check(message: Text) -> None:
        if len(message.text) > max_characters:
            detail = f"The text has {len(message.text)} characters, {max_characters} are allowed."
            raise HTTPException(413, detail)

    @app.get("/health")
    async def health() -> dict[str, Any]:
        """Whether the server is up, and what it serves."""
        return {"status": "ok", "model": nlp.meta.get("name", ""), "max_characters": max_characters}

    @app.post("/predict", response_model_exclude_unset=True)
    async def predict(text: Text) -> Prediction:
        """Find the entities of a text."""
        check(text)
        found = await in_turn(lambda: to_record(nlp(make_doc(nlp, text.text)), spans_key, {}))
        return Prediction.model_validate(found)

    @app.post("/draw")
    async def draw(drawing: Drawing) -> Response:
        """Draw a text with these entities, as HTML."""
        check(drawing)
        colors = choose_colors([*drawing.types, *(entity.label for entity in drawing.entities)])
        return HTMLResponse(
            await in_turn(lambda: render(to_doc(nlp, drawing), colors=colors, jupyter=False))
        )

    @app.post("/export/{format}")
    async def export(format: Export, prediction: Prediction) -> Response:
        """Give a text with these entities as a file."""
        check(prediction)
        content = await in_turn(lambda: make_export(to_doc(nlp, prediction), format))
        name, media_type = FILES[format]
        disposition = {"Content-Disposition": f'attachment; filename="{name}"'}
        return Response(content, media_type=media_type, headers=disposition)

    app.mount("/", StaticFiles(directory=Path(__file__).parent / "static", html=True))
    return app


async def _refuse(request: Request, error: Exception) -> Response:
    # FastAPI's own repeats the input, which may be what no answer can hold
    assert isinstance(error, RequestValidationError)
    detail = [{key: e[key] for key in ("type", "loc", "msg")} for e in error.errors()]
    return JSONResponse({"detail": detail}, 422)


def _in_turn(nlp: Language, max_waiting: int) -> Callable[[Callable[[], T]], Awaitable[T]]:
    # all run in one thread: torch, its libraries and the memory's allocator keep a store for each
    thread = ThreadPoolExecutor(1, "pipeline")
    waiting = 0

    async def run(function: Callable[[], T]) -> T:
        nonlocal waiting
        if waiting >= max_waiting:
            raise HTTPException(503, "Busy: too many requests at once. Try again in a moment.")

        def in_memory_zone() -> T:
            # else the words of every text would stay in the vocab for ever
            with nlp.memory_zone():
                return function()

        waiting += 1
        try:
            # the context tells thinc whether it works on a GPU
            run_here = partial(copy_context().run, in_memory_zone)
            return await asyncio.get_running_loop().run_in_executor(thread, run_here)
        finally:
            waiting -= 1

    return run


def _add_style(app: FastAPI) -> None:
    @app.middleware("http")
    async def add_headers(
        request: Request, call_next: Callable[[Request], Awaitable[Response]]
    ) -> Response:
        response = await call_next(request)
        response.headers.update(_HEADERS)
        return response

    @app.get("/page.css", include_in_schema=False)
    async def style() -> Response:
        return Response(PAGE_CSS, media_type="text/css")
