"""The web application: texts in, entities out, as JSON and as drawings.

FastAPI was chosen for its checks of what comes in and the OpenAPI description that it derives from
them. Nothing that a request says becomes a path, a model or a setting.
"""

import threading
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from fastapi import FastAPI, HTTPException, Request, Response
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import FileResponse, HTMLResponse, JSONResponse
from pydantic import BaseModel, Field
from spacy.language import Language
from spacy.tokens import Doc
from starlette.middleware.trustedhost import TrustedHostMiddleware

from ..entities import Entity, set_entities
from .export import EXPORTS, Export, make_export

STATIC = Path(__file__).parent / "static"
T = TypeVar("T")
LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
# Bytes that a character of JSON may take, as \\uXXXX twice
_BYTES_PER_CHARACTER = 12
_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self' "
    "'unsafe-inline'; connect-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}


class Text(BaseModel):
    """A text to be read."""

    text: str


class Fragment(BaseModel):
    """A stretch of an entity, in characters of the text, half-open."""

    start: int = Field(ge=0)
    end: int = Field(ge=0)
    text: str = ""


class FoundEntity(BaseModel):
    """An entity as `/predict` gives it."""

    label: str = Field(min_length=1)
    text: str = ""
    start: int = 0
    end: int = 0
    fragments: list[Fragment] = Field(min_length=1)
    score: float | None = Field(None, ge=0, le=1)
    discontinuous: bool = False
    id: str = ""
    kb_id: str = ""
    kb_name: str = ""
    attributes: dict[str, Any] = {}


class Prediction(BaseModel):
    """A text with entities."""

    text: str
    entities: list[FoundEntity]


class Drawing(Prediction):
    """A text with entities to be drawn; `types` share out the colours beside those drawn."""

    types: list[str] = []


class Busy(Exception):
    """More requests wait than the server lets wait."""


class Turnstile:
    """Lets one request after the other through to the pipeline, and a few wait.

    max_waiting (int): Requests that may wait or run at once.
    """

    def __init__(self, max_waiting: int) -> None:
        self._places = threading.BoundedSemaphore(max_waiting)
        self._lock = threading.Lock()

    def run(self, function: Callable[[], T]) -> T:
        """Call a function when it is its turn.

        function (Callable[[], T]): What to call.
        RETURNS (T): What it returns.
        RAISES (Busy): If too many wait.
        """
        if not self._places.acquire(blocking=False):
            raise Busy
        try:
            with self._lock:
                return function()
        finally:
            self._places.release()


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
    turnstile = Turnstile(max_waiting)

    async def in_turn(function: Callable[[], T]) -> T:
        def in_memory_zone() -> T:
            # else the words of every text would stay in the vocab for ever
            with nlp.memory_zone():
                return function()

        return await run_in_threadpool(turnstile.run, in_memory_zone)

    @app.middleware("http")
    async def guard(
        request: Request, call_next: Callable[[Request], Awaitable[Response]]
    ) -> Response:
        length = request.headers.get("content-length", "0")
        limit = max_characters * _BYTES_PER_CHARACTER
        if request.method == "POST" and "content-length" not in request.headers:
            response: Response = _error(411, "The request does not tell its length.")
        elif not length.isdecimal() or int(length) > limit:
            response = _error(413, f"The request is too long: at most {limit} bytes.")
        else:
            response = await call_next(request)
        response.headers.update(_HEADERS)
        return response

    @app.exception_handler(Busy)
    async def busy(request: Request, error: Exception) -> Response:
        return _error(503, "Busy: too many requests at once. Try again in a moment.")

    def check(text: str) -> str:
        if len(text) > max_characters:
            message = f"The text has {len(text)} characters, {max_characters} are allowed."
            raise HTTPException(413, message)
        try:
            text.encode("utf-8")
        except UnicodeEncodeError:
            raise HTTPException(422, "The text holds half of a surrogate pair.") from None
        return text

    @app.get("/", include_in_schema=False)
    async def page() -> Response:
        return FileResponse(STATIC / "index.html")

    @app.get("/app.js", include_in_schema=False)
    async def script() -> Response:
        return FileResponse(STATIC / "app.js", media_type="text/javascript")

    @app.get("/app.css", include_in_schema=False)
    async def style() -> Response:
        return FileResponse(STATIC / "app.css", media_type="text/css")

    @app.get("/health")
    async def health() -> dict[str, Any]:
        """Whether the server is up, and what it serves."""
        return {"status": "ok", "model": nlp.meta.get("name", ""), "max_characters": max_characters}

    @app.post("/predict", response_model_exclude_unset=True)
    async def predict(text: Text) -> Prediction:
        """Find the entities of a text."""
        from ..formats.writers import to_record

        checked = check(text.text)
        record = await in_turn(lambda: to_record(nlp(checked), spans_key, {}))
        return Prediction.model_validate(record)

    @app.post("/draw")
    async def draw(drawing: Drawing) -> Response:
        """Draw a text with these entities, as HTML."""
        from ..drawing.render import choose_colours, render

        text, entities = check(drawing.text), drawing.entities
        colours = choose_colours(sorted({*drawing.types, *(e.label for e in entities)}), {})
        return HTMLResponse(
            await in_turn(
                lambda: render(_annotated(nlp, text, entities), colors=colours, jupyter=False)
            )
        )

    @app.post("/export/{format}")
    async def export(format: Export, prediction: Prediction) -> Response:
        """Give a text with these entities as a file."""
        text, entities = check(prediction.text), prediction.entities
        content = await in_turn(lambda: make_export(_annotated(nlp, text, entities), format))
        name, media_type = EXPORTS[format]
        disposition = {"Content-Disposition": f'attachment; filename="{name}"'}
        return Response(content, media_type=media_type, headers=disposition)

    return app


def _annotated(nlp: Language, text: str, entities: list[FoundEntity]) -> Doc:
    from ..formats.jsonl import parse_attrs

    doc = nlp.make_doc(text)
    for name, pipe in nlp.pipeline:
        # sentences part the drawing; the model has been asked before
        if name.endswith("sentencizer"):
            doc = pipe(doc)
    found = []
    for entity in entities:
        tokens: list[int] = []
        for fragment in entity.fragments:
            span = None
            if fragment.start < fragment.end <= len(text):
                span = doc.char_span(fragment.start, fragment.end, alignment_mode="expand")
            if span is None:
                message = f"There are no characters {fragment.start} to {fragment.end}."
                raise HTTPException(422, message)
            tokens.extend(range(span.start, span.end))
        attrs = parse_attrs(entity.model_dump())
        if attrs is None:
            raise HTTPException(422, f"The attributes of {entity.label} cannot be saved.")
        found.append(replace(Entity.from_tokens(entity.label, tokens, entity.score), attrs=attrs))
    set_entities(doc, found)
    return doc


def _error(status: int, message: str) -> Response:
    return JSONResponse({"detail": message}, status_code=status)
