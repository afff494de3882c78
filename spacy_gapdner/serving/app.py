"""The web application: texts in, entities out, as JSON and as drawings.

FastAPI was chosen for its checks of what comes in and the OpenAPI description that it derives from
them. Nothing that a request says becomes a path, a model or a setting.
"""

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from fastapi import FastAPI, HTTPException, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import FileResponse, HTMLResponse, JSONResponse
from spacy.language import Language
from starlette.middleware.trustedhost import TrustedHostMiddleware

from ..errors import GapDNERError
from ..sentences import make_doc
from .export import EXPORTS, Export, make_export
from .messages import Drawing, Prediction, Text, to_doc
from .turnstile import Busy, Gone, Turnstile

STATIC = Path(__file__).parent / "static"
T = TypeVar("T")
LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
# Bytes of a request for each character: as the two escapes of a surrogate pair it takes 12, and
# where entities stand close together, theirs take some 30
_BYTES_PER_CHARACTER = 40
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
    turnstile = Turnstile(max_waiting)

    async def in_turn(request: Request, function: Callable[[], T]) -> T:
        def in_memory_zone() -> T:
            # else the words of every text would stay in the vocab for ever
            with nlp.memory_zone():
                return function()

        # after the body, the next message is that the client has gone
        return await turnstile.run(in_memory_zone, request.receive())

    _add_guard(app, max_characters * _BYTES_PER_CHARACTER)
    _add_page(app)
    _add_errors(app)

    @app.get("/health")
    async def health() -> dict[str, Any]:
        """Whether the server is up, and what it serves."""
        return {"status": "ok", "model": nlp.meta.get("name", ""), "max_characters": max_characters}

    @app.post("/predict", response_model_exclude_unset=True)
    async def predict(request: Request, text: Text) -> Prediction:
        """Find the entities of a text."""
        from ..formats.writers import to_record

        _check(text.text, max_characters)
        record = await in_turn(
            request, lambda: to_record(nlp(make_doc(nlp, text.text)), spans_key, {})
        )
        return Prediction.model_validate(record)

    @app.post("/draw")
    async def draw(request: Request, drawing: Drawing) -> Response:
        """Draw a text with these entities, as HTML."""
        from ..drawing.render import choose_colours, render

        _check(drawing.text, max_characters)
        types = {*drawing.types, *(entity.label for entity in drawing.entities)}
        colours = choose_colours(sorted(types), {})
        with _refusing():
            html = await in_turn(
                request, lambda: render(to_doc(nlp, drawing), colors=colours, jupyter=False)
            )
        return HTMLResponse(html)

    @app.post("/export/{format}")
    async def export(request: Request, format: Export, prediction: Prediction) -> Response:
        """Give a text with these entities as a file."""
        _check(prediction.text, max_characters)
        with _refusing():
            content = await in_turn(request, lambda: make_export(to_doc(nlp, prediction), format))
        name, media_type = EXPORTS[format]
        disposition = {"Content-Disposition": f'attachment; filename="{name}"'}
        return Response(content, media_type=media_type, headers=disposition)

    return app


def _add_guard(app: FastAPI, max_bytes: int) -> None:
    @app.middleware("http")
    async def guard(
        request: Request, call_next: Callable[[Request], Awaitable[Response]]
    ) -> Response:
        length = request.headers.get("content-length", "0")
        # with both, the chunks count: they have no end that could be checked
        in_chunks = "transfer-encoding" in request.headers
        if in_chunks or (request.method == "POST" and "content-length" not in request.headers):
            response: Response = _error(411, "The request does not tell its length.")
        elif not length.isdecimal() or int(length) > max_bytes:
            response = _error(413, f"The request is too long: at most {max_bytes} bytes.")
        else:
            response = await call_next(request)
        response.headers.update(_HEADERS)
        return response


def _add_errors(app: FastAPI) -> None:
    @app.exception_handler(Busy)
    async def busy(request: Request, error: Exception) -> Response:
        return _error(503, "Busy: too many requests at once. Try again in a moment.")

    @app.exception_handler(Gone)
    async def gone(request: Request, error: Exception) -> Response:
        # sent to nobody, but a request has to end somehow
        return _error(499, "The client has gone.")

    @app.exception_handler(RecursionError)
    async def too_deep(request: Request, error: Exception) -> Response:
        return _error(422, "The request is nested too deeply.")

    @app.exception_handler(RequestValidationError)
    async def malformed(request: Request, error: RequestValidationError) -> Response:
        # not what came in: bytes that are no text cannot be sent back
        shown = ("type", "loc", "msg")
        return _error(422, [{key: part[key] for key in shown} for part in error.errors()])


def _add_page(app: FastAPI) -> None:
    @app.get("/", include_in_schema=False)
    async def page() -> Response:
        return FileResponse(STATIC / "index.html")

    @app.get("/app.js", include_in_schema=False)
    async def script() -> Response:
        return FileResponse(STATIC / "app.js", media_type="text/javascript")

    @app.get("/app.css", include_in_schema=False)
    async def style() -> Response:
        return FileResponse(STATIC / "app.css", media_type="text/css")


def _check(text: str, max_characters: int) -> None:
    if len(text) > max_characters:
        message = f"The text has {len(text)} characters, {max_characters} are allowed."
        raise HTTPException(413, message)


@contextmanager
def _refusing() -> Iterator[None]:
    # entities of a request may not fit; for the pipeline's errors no request is to blame
    try:
        yield
    except GapDNERError as error:
        raise HTTPException(422, str(error)) from None


def _error(status: int, detail: str | list[dict[str, Any]]) -> Response:
    return JSONResponse({"detail": detail}, status_code=status)
