"""The web application: finds entities in texts and returns them as JSON or HTML.

Requests never set a path, a model or a setting.
"""

from pathlib import Path
from typing import Any

from fastapi import FastAPI, HTTPException, Request, Response
from fastapi.responses import HTMLResponse
from markupsafe import Markup
from spacy.language import Language

from ..drawing.colors import choose_colors
from ..drawing.page import LINES_JS, TEMPLATES, render_page
from ..drawing.render import render
from ..pipe.long_texts import find_recognizer
from ..web import LOOPBACK, new_app
from .export import FILES, Export, make_export
from .jobs import JobThread, in_one_step, predict_texts
from .messages import Drawing, Prediction, Text, Texts, to_doc

_STATIC = Path(__file__).parent / "static"


def create_app(
    nlp: Language,
    spans_key: str,
    *,
    name: str = "",
    max_characters: int = 50_000,
    max_tokens: int = 20_000,
    max_waiting: int = 16,
    hosts: tuple[str, ...] = LOOPBACK,
) -> FastAPI:
    """Create the web application for a pipeline.

    nlp (Language): The pipeline.
    spans_key (str): Prefix of the span groups with entities.
    name (str): Name of the model. Defaults to the name in its meta data.
    max_characters (int): Maximum total number of characters in a request.
    max_tokens (int): Maximum total number of tokens in a request.
    max_waiting (int): Maximum number of waiting requests. Others are answered with status 503.
    hosts (tuple[str, ...]): Allowed host names. See `new_app`.
    RETURNS (FastAPI): The application.
    """
    # each page contains its own policy
    app = new_app(hosts, page_policy="")
    turns = JobThread(nlp, max_waiting)
    pipe = find_recognizer(nlp, spans_key)
    labels = pipe.labels if pipe else ()
    name, version = name or nlp.meta.get("name", ""), nlp.meta.get("version", "")

    def check(*texts: str) -> None:
        n_characters = sum(map(len, texts))
        if n_characters > max_characters:
            detail = f"Too many characters: {n_characters}. The maximum is {max_characters}."
            raise HTTPException(413, detail)

    @app.get("/", include_in_schema=False)
    async def page() -> Response:
        shown = _fill("body.html", model=f"{name} {version}", labels=", ".join(labels))
        css, script = _read("app.css"), LINES_JS + _read("app.js")
        return HTMLResponse(
            render_page("Discontinuous entities", shown, css, script, "connect-src 'self'")
        )

    @app.get("/docs", include_in_schema=False)
    async def docs(request: Request) -> Response:
        shown = _fill("docs.html", model=f"{name} {version}", address=str(request.base_url))
        title = "Discontinuous entities: API"
        return HTMLResponse(render_page(title, shown, _read("app.css")))

    @app.get("/health")
    async def health() -> dict[str, Any]:
        """Return the status, the model and the limits of the server."""
        model = {"model": name, "version": version, "labels": labels}
        limits = {"max_characters": max_characters, "max_tokens": max_tokens}
        return {"status": "ok", **model, **limits}

    @app.post("/predict", response_model_exclude_unset=True)
    async def predict(asked: Text | Texts, request: Request) -> Prediction | list[Prediction]:
        """Find the entities in one or more texts."""
        texts = [asked.text] if isinstance(asked, Text) else asked.texts
        check(*texts)
        records = await turns.run(request, predict_texts(nlp, spans_key, texts, max_tokens))
        found = [Prediction.model_validate(record) for record in records]
        return found[0] if isinstance(asked, Text) else found

    @app.post("/draw")
    async def draw(drawing: Drawing, request: Request) -> Response:
        """Render a text with entities as HTML."""
        check(drawing.text)
        colors = choose_colors([*drawing.types, *(entity.label for entity in drawing.entities)])

        def drawn() -> str:
            return render(to_doc(nlp, drawing), colors=colors, jupyter=False) or ""

        return HTMLResponse(await turns.run(request, in_one_step(drawn)))

    @app.post("/export/{format}")
    async def export(format: Export, prediction: Prediction, request: Request) -> Response:
        """Export a text with entities as JSONL, CSV, or brat (in a zip file)."""
        check(prediction.text)
        job = in_one_step(lambda: make_export(to_doc(nlp, prediction), format))
        content = await turns.run(request, job)
        name, media_type = FILES[format]
        disposition = {"Content-Disposition": f'attachment; filename="{name}"'}
        return Response(content, media_type=media_type, headers=disposition)

    return app


def _read(name: str) -> str:
    return (_STATIC / name).read_text(encoding="utf-8")


def _fill(name: str, **values: str) -> Markup:
    return Markup(TEMPLATES.from_string(_read(name)).render(**values))
