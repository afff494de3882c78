"""Serve the annotation page and its JSON API.

Requests never set a path, a model or a setting. Requests can access only texts that were found in
the folder, and the names of annotators are validated.
"""

from functools import partial
from pathlib import Path
from secrets import compare_digest
from typing import Annotated, Any, get_args
from urllib.parse import unquote

from fastapi import APIRouter, Depends, FastAPI, Header, HTTPException, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from fastapi.staticfiles import StaticFiles
from pydantic import ValidationError

from ...drawing.page import PAGE_CSS, read_static
from ..web import LOOPBACK, WorkThread, new_app
from .equal_words import Action, EqualWords, change_equal, count_equal
from .session import Order, Session
from .store import Annotation, ChangedError, Store

# enough for 10,000 entities; while they are checked and saved, others wait
_MAX_BYTES = 1_000_000


def create_app(
    session: Session, *, token: str | None = None, hosts: tuple[str, ...] = LOOPBACK
) -> FastAPI:
    """Create the web application. `token` is a password that each request must contain."""
    app = new_app(hosts, _MAX_BYTES, "Split the text into several files.")
    # the session is not thread-safe
    run = WorkThread().run

    async def check(
        x_token: Annotated[str, Header()] = "",
        sec_fetch_site: Annotated[str, Header()] = "",
        origin: Annotated[str, Header()] = "",
        host: Annotated[str, Header()] = "",
    ) -> None:
        if token is not None and not compare_digest(x_token.encode(), token.encode()):
            raise HTTPException(401, "The token in the address is missing or incorrect.")
        # another page in the same browser; browsers omit Sec-Fetch-Site if they are old, or if the
        # address is neither HTTPS nor local
        is_elsewhere = bool(origin) and origin.partition("://")[2] != host
        if sec_fetch_site in ("cross-site", "same-site") or (not sec_fetch_site and is_elsewhere):
            raise HTTPException(403, "Requests from other pages are not allowed.")

    async def find_store(x_annotator: Annotated[str, Header()] = "") -> Store:
        return await run(lambda: session.store(unquote(x_annotator)))

    async def read(request: Request) -> Annotation:
        # FastAPI would read the body before the token is checked
        try:
            return Annotation.model_validate_json(await request.body())
        except ValidationError as error:
            raise RequestValidationError(error.errors()) from error

    Own = Annotated[Store, Depends(find_store)]
    api = APIRouter(prefix="/api", dependencies=[Depends(check)])

    def find(name: str) -> str:
        if name not in session.texts.paths and name not in session.texts.list():
            raise HTTPException(404, f"Text not found: {name}.")
        return name

    @api.get("/project")
    async def project(x_annotator: Annotated[str, Header()] = "") -> dict[str, Any]:
        return await run(lambda: session.project(unquote(x_annotator)))

    @api.get("/texts")
    async def texts(own: Own, order: Order = "files") -> Response:
        return JSONResponse(await run(lambda: session.list_texts(own, order)))

    # in a thread of its own, because it reads all texts
    @api.get("/search")
    def search(words: str) -> list[str]:
        return list(session.texts.search(words))

    # in a thread of its own, because it reads all annotation files
    @api.get("/phrases")
    def phrases(own: Own) -> dict[str, int]:
        return own.phrases()

    @api.get("/texts/{name:path}")
    async def text(own: Own, name: str) -> Response:
        return JSONResponse(await run(lambda: session.show(own.load(find(name)))))

    @api.put("/texts/{name:path}")
    async def save(own: Own, name: str, sent: Annotated[Annotation, Depends(read)]) -> Response:
        try:
            return JSONResponse(await run(lambda: session.save(own, find(name), sent)))
        except ChangedError as error:
            current = await run(lambda: session.show(own.load(name)))
            return JSONResponse({"detail": str(error), "current": current}, 409)

    @api.post("/texts/{name:path}/proposals")
    async def propose(own: Own, name: str) -> list[dict[str, Any]]:
        """Return the proposals of the model, or the disagreements of two annotators."""
        loaded = await run(lambda: own.load(find(name)))
        proposer = None if session.adjudication else session.proposer
        found = await proposer.propose(loaded.file.text) if proposer else ()
        return await run(lambda: session.choose(loaded, found))

    @api.post("/equal")
    async def count(own: Own, equal: EqualWords) -> dict[str, dict[str, int]]:
        """The numbers of entities and of texts that each action changes in the other texts."""
        found = {action: {"entities": 0, "texts": 0} for action in get_args(Action)}
        # other requests are processed between texts
        for name in await run(session.texts.list):
            numbers = await run(partial(count_equal, own, name, equal))
            for action, n in numbers.items():
                found[action]["entities"] += n
                found[action]["texts"] += n > 0
        return found

    @api.post("/equal/{action}")
    async def change(own: Own, equal: EqualWords, action: Action) -> int:
        """Change the other texts. Returns the number of entities."""
        n = 0
        for name in await run(session.texts.list):
            n += await run(partial(change_equal, own, name, equal, action))
        return n

    @api.get("/state")
    async def state(own: Own) -> dict[str, Any]:
        return await run(lambda: session.state(own))

    @api.post("/train", status_code=202)
    async def train(own: Own) -> None:
        await run(session.train)

    @api.post("/back")
    async def back(own: Own) -> None:
        if session.trainer:
            await run(session.trainer.go_back)

    @app.get("/page.css", include_in_schema=False)
    async def style() -> Response:
        return Response(PAGE_CSS, media_type="text/css")

    @app.get("/js/lines.js", include_in_schema=False)
    async def lines() -> Response:
        return Response(read_static("lines.js"), media_type="text/javascript")

    app.include_router(api)
    app.mount("/", StaticFiles(directory=Path(__file__).parent / "static", html=True))
    return app
