"""The web application: the page and its JSON API.

Requests never set a path, a model or a setting. They can only access texts that were found in the
folder, and the names of annotators are validated.
"""

from pathlib import Path
from secrets import compare_digest
from typing import Annotated, Any
from urllib.parse import unquote

from fastapi import APIRouter, Depends, FastAPI, Header, HTTPException, Request, Response
from fastapi.responses import JSONResponse
from fastapi.staticfiles import StaticFiles

from ..drawing.page import PAGE_CSS
from ..errors import GapDNERError
from ..web import LOOPBACK, WorkThread, new_app
from .proposals import Proposal
from .session import Annotation, Order, Session
from .store import ChangedError, Store

# the page can be open in many windows
_MAX_WAITING = 100


def create_app(
    session: Session, *, token: str | None = None, hosts: tuple[str, ...] = LOOPBACK
) -> FastAPI:
    """Create the web application.

    session (Session): The session.
    token (Optional[str]): Password that each request must contain.
    hosts (tuple[str, ...]): Allowed host names. See `new_app`.
    RETURNS (FastAPI): The application.
    """
    app = new_app(hosts)
    app.add_exception_handler(GapDNERError, _refuse)
    app.add_exception_handler(OSError, _refuse)
    desk = WorkThread(_MAX_WAITING)

    async def check(
        x_token: Annotated[str, Header()] = "", sec_fetch_site: Annotated[str, Header()] = ""
    ) -> None:
        if token is not None and not compare_digest(x_token.encode(), token.encode()):
            raise HTTPException(401, "The token in the address is missing or incorrect.")
        # another page in the same browser
        if sec_fetch_site in ("cross-site", "same-site"):
            raise HTTPException(403, "Requests from other pages are not allowed.")

    async def find_person(x_annotator: Annotated[str, Header()] = "") -> str:
        return unquote(x_annotator)

    async def find_store(person: Annotated[str, Depends(find_person)]) -> Store:
        return session.store(person)

    Person = Annotated[str, Depends(find_person)]
    Own = Annotated[Store, Depends(find_store)]
    api = APIRouter(prefix="/api", dependencies=[Depends(check)])

    def find(name: str) -> str:
        if name not in session.texts and name not in session.texts.list():
            raise HTTPException(404, f"Text not found: {name}.")
        return name

    @api.get("/project")
    async def project(person: Person) -> dict[str, Any]:
        """Return the labels and settings."""
        return await desk(lambda: session.project(person))

    @api.get("/texts")
    async def texts(own: Own, order: Order = "files") -> Response:
        """List all texts."""
        return JSONResponse(await desk(lambda: session.list_texts(own, order)))

    @api.get("/texts/{name:path}")
    async def text(own: Own, name: str) -> Response:
        """Return a text with its entities."""
        return JSONResponse(await desk(lambda: session.show(own.load(find(name)))))

    @api.put("/texts/{name:path}")
    async def save(own: Own, name: str, sent: Annotation) -> Response:
        """Save the entities and the status of a text."""

        def run() -> Response:
            try:
                return JSONResponse(session.save(own, find(name), sent))
            except ChangedError as error:
                current = session.show(error.current)
                return JSONResponse({"detail": str(error), "current": current}, 409)

        return await desk(run)

    @api.post("/texts/{name:path}/proposals")
    async def propose(own: Own, name: str) -> dict[str, Any]:
        """Return the proposals of the model, or the disagreements of two annotators."""
        loaded = await desk(lambda: own.load(find(name)))
        found: list[Proposal] = []
        version = 0
        if session.proposer is not None and session.adjudication is None:
            found, version = await session.proposer.propose(loaded.text)
        proposals = await desk(lambda: session.choose(loaded, found))
        return {"proposals": proposals, "model_version": version}

    @api.get("/state")
    async def state(own: Own) -> dict[str, Any]:
        """Return the progress of annotation and training."""
        return await desk(lambda: session.state(own))

    @api.post("/train", status_code=202)
    async def train(own: Own) -> dict[str, Any]:
        """Train the model on all texts that are done."""
        try:
            await desk(session.train)
        except GapDNERError as error:
            raise HTTPException(409, str(error)) from None
        return {"training": (await desk(lambda: session.state(own)))["training"]}

    @app.get("/page.css", include_in_schema=False)
    async def style() -> Response:
        return Response(PAGE_CSS, media_type="text/css")

    app.include_router(api)
    app.mount("/", StaticFiles(directory=Path(__file__).parent / "static", html=True))
    return app


async def _refuse(request: Request, error: Exception) -> Response:
    if isinstance(error, GapDNERError):
        return JSONResponse({"detail": str(error)}, 422)
    # not an error in the request; the message may contain the name of a temporary file
    name, reason = request.path_params.get("name"), getattr(error, "strerror", None)
    detail = f"{reason}: {name}.ann" if name and reason else str(error)
    return JSONResponse({"detail": detail}, 500)
