"""Find entities in texts, and return them as JSON or HTML, in a web application.

Requests never set a path, a model or a setting.
"""

import shutil
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, Literal, TypeVar

from fastapi import FastAPI, HTTPException, Request, Response
from fastapi.responses import HTMLResponse
from markupsafe import Markup
from spacy.language import Language
from spacy.tokens import Doc

from ...drawing.colors import choose_colors
from ...drawing.page import LINES_JS, TEMPLATES, read_static, render_page
from ...drawing.render import render
from ...formats import DOC_NAME, write
from ...formats.jsonl import to_record
from ...inference.long_texts import LongTextPipeline
from ...pipe import DiscontinuousEntityRecognizer
from ..web import LOOPBACK, WorkThread, new_app
from .messages import FoundEntity, Fragment, Prediction, Problem, Texts, describe_fields, to_doc

T = TypeVar("T")
Export = Literal["jsonl", "csv", "brat"]
FILES = {
    "jsonl": ("entities.jsonl", "application/jsonl"),
    "csv": ("entities.csv", "text/csv"),
    "brat": ("entities.zip", "application/zip"),
}
# refused requests, for the documentation
ERRORS: dict[int | str, dict[str, Any]] = {
    413: {"model": Problem, "description": "The text or the request is too long."},
    415: {"model": Problem, "description": "The content type is not application/json."},
    422: {"model": Problem, "description": "The body is invalid, or an entity cannot be used."},
}
_read = partial(read_static, folder=Path(__file__).parent / "static")


def create_app(
    nlp: Language,
    pipe: DiscontinuousEntityRecognizer,
    *,
    max_characters: int = 50_000,
    max_tokens: int = 20_000,
    hosts: tuple[str, ...] = LOOPBACK,
) -> FastAPI:
    """Create the web application for a pipeline. The limits are totals of a request."""
    # JSON can have 12 bytes per character, and entities
    max_bytes = 1_000_000 + 100 * max_characters
    app = new_app(hosts, max_bytes, "Send less text, or increase --max-characters.")
    thread, pipeline = WorkThread(), LongTextPipeline(nlp, pipe)
    model = {"model": nlp.meta["name"], "version": nlp.meta["version"], "labels": pipe.labels}
    heading = f"{nlp.meta['name']} {nlp.meta['version']}"

    def check(n: int, limit: int, unit: str) -> None:
        if n > limit:
            raise HTTPException(413, f"Too many {unit}: {n}. The limit is {limit} (--max-{unit}).")

    async def convert(prediction: Prediction, function: Callable[[Doc], T]) -> T:
        check(len(prediction.text), max_characters, "characters")

        def run() -> T:
            with nlp.memory_zone():
                return function(to_doc(nlp, prediction))

        return await thread.run(run)

    @app.get("/", include_in_schema=False)
    async def page() -> Response:
        labels, example = ", ".join(pipe.labels), nlp.meta.get("example", "")
        shown = _fill("body.html", model=heading, labels=labels, example=example)
        css, script = _read("app.css"), LINES_JS + _read("app.js")
        html = render_page("Discontinuous entities", shown, css, script, "connect-src 'self'")
        return HTMLResponse(html)

    @app.get("/docs", include_in_schema=False)
    async def docs(request: Request) -> Response:
        schema = {t.__name__: describe_fields(t) for t in (Prediction, FoundEntity, Fragment)}
        limits = {"max_characters": max_characters}
        values = {"model": heading, "address": str(request.base_url), "errors": ERRORS, **limits}
        shown = _fill("docs.html", schema=schema, **values)
        return HTMLResponse(render_page("Discontinuous entities: API", shown, _read("app.css")))

    @app.get("/health")
    async def health() -> dict[str, Any]:
        """Return the status, the model and the limits of the server."""
        limits = {"max_characters": max_characters, "max_tokens": max_tokens}
        return {"status": "ok", **model, **limits}

    @app.post("/predict", response_model_exclude_unset=True, responses=ERRORS)
    async def predict(asked: Texts, request: Request) -> Prediction | list[Prediction]:
        """Find the entities in one or more texts."""

        async def run(step: Callable[[], T]) -> T:
            if await request.is_disconnected():
                raise HTTPException(499, "The client has disconnected.")
            return await thread.run(step)

        texts = asked.texts or [] if asked.text is None else [asked.text]
        check(sum(map(len, texts)), max_characters, "characters")
        split = [await run(partial(pipeline.split, text)) for text in texts]
        check(sum(pieces[-1].place.end for pieces in split), max_tokens, "tokens")
        to_json = partial(to_record, key=pipe.key)
        found = [
            Prediction.model_validate(await pipeline.predict(text, pieces, run, to_json))
            for text, pieces in zip(texts, split, strict=True)
        ]
        return found if asked.text is None else found[0]

    @app.post("/draw", responses=ERRORS)
    async def draw(prediction: Prediction) -> Response:
        """Render a text with entities as HTML."""
        # the color of a type does not depend on the other entities
        colors = choose_colors([*pipe.labels, *(entity.label for entity in prediction.entities)])
        rendered = await convert(prediction, partial(render, colors=colors, jupyter=False))
        return HTMLResponse(rendered)

    @app.post("/export/{format}", responses=ERRORS)
    async def export(format: Export, prediction: Prediction) -> Response:
        """Export a text with entities as JSONL, CSV, or brat (in a zip file)."""
        content = await convert(prediction, partial(_export, format=format))
        name, media_type = FILES[format]
        disposition = {"Content-Disposition": f'attachment; filename="{name}"'}
        return Response(content, media_type=media_type, headers=disposition)

    return app


def _fill(name: str, **values: Any) -> Markup:
    return Markup(TEMPLATES.from_string(_read(name)).render(**values))


def _export(doc: Doc, format: Export) -> bytes:
    # brat's files are in a zip file
    if format == "brat":
        doc.user_data[DOC_NAME] = "text"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "entities"
        write([doc], path, format)
        if path.is_dir():
            path = Path(shutil.make_archive(str(path), "zip", path))
        return path.read_bytes()
