"""The web application: texts in, entities out, as JSON and as drawings.

Nothing that a request says becomes a path, a model or a setting.
"""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar

from fastapi import FastAPI, HTTPException, Response
from fastapi.responses import HTMLResponse
from fastapi.staticfiles import StaticFiles
from spacy.language import Language

from ..drawing.colors import choose_colors
from ..drawing.render import render
from ..formats.jsonl import to_record
from ..sentences import make_doc
from ..web import LOOPBACK, Turns, new_app
from .export import FILES, Export, make_export
from .messages import Drawing, Prediction, Text, to_doc

T = TypeVar("T")


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
    hosts (tuple[str, ...]): Names under which it may be called, see `new_app`.
    RETURNS (FastAPI): The application.
    """
    app = new_app(hosts)
    in_turn = _in_zone(nlp, Turns(max_waiting))

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


def _in_zone(nlp: Language, turns: Turns) -> Callable[[Callable[[], T]], Awaitable[T]]:
    async def run(function: Callable[[], T]) -> T:
        def in_memory_zone() -> T:
            # else the words of every text would stay in the vocab for ever
            with nlp.memory_zone():
                return function()

        return await turns(in_memory_zone)

    return run
