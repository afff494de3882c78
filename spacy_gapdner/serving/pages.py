"""The page to try a model, and the one that says how programs ask it."""

import json
from pathlib import Path
from typing import Any

from markupsafe import Markup

from ..drawing.page import TEMPLATES, render_page, render_table

_STATIC = Path(__file__).parent / "static"
_DOCS = TEMPLATES.from_string("""\
<p class="note">{{ model }}. Ask with JSON in UTF-8; offsets count characters, and ends lie behind
the last one. <a href="openapi.json">openapi.json</a> says the same to programs.
<a href="./">Try it</a></p>
{% for path, methods in paths.items() %}{% for method, route in methods.items() %}
<h2><code>{{ method|upper }} {{ path }}</code></h2>
<p>{{ route.description }}</p>
{% for example in route.examples %}<pre>{{ example }}</pre>{% endfor %}
{% endfor %}{% endfor %}
{% for name, fields in shapes.items() %}
<h2>{{ name }}</h2>
{{ fields }}
{% endfor %}
""")
_DOCS_CSS = """
pre { white-space: pre-wrap; border: 1px solid var(--line); padding: 0.6rem; }
a { color: var(--accent); }
"""


def render_app(model: str, labels: tuple[str, ...]) -> str:
    """Make the page to try a model.

    model (str): What the model is called.
    labels (tuple[str, ...]): What it finds.
    RETURNS (str): HTML.
    """
    body, css, script = (
        (_STATIC / name).read_text(encoding="utf-8") for name in ("body.html", "app.css", "app.js")
    )
    shown = Markup(TEMPLATES.from_string(body).render(model=model, labels=", ".join(labels)))
    return render_page("Discontinuous entities", shown, css, script, "connect-src 'self'")


def render_docs(model: str, description: dict[str, Any]) -> str:
    """Make the page that documents the API.

    model (str): What the model is called.
    description (dict): The API as OpenAPI has it.
    RETURNS (str): HTML.
    """
    schemas = description["components"]["schemas"]
    paths = description["paths"]
    for path, methods in paths.items():
        for method, route in methods.items():
            route["examples"] = list(_examples(path, method, route, schemas))
    shapes = {
        name: render_table(("Field", "Type", "Meaning"), list(_fields(schema)), n_text=3)
        for name, schema in schemas.items()
        if "Error" not in name
    }
    body = _DOCS.render(model=model, paths=paths, shapes=shapes)
    return render_page("Discontinuous entities for programs", Markup(body), _DOCS_CSS)


def _examples(path: str, method: str, route: dict[str, Any], schemas: dict[str, Any]) -> Any:
    if method == "get":
        yield f"curl http://localhost:5000{path}"
        return
    shape = route["requestBody"]["content"]["application/json"]["schema"]
    for choice in shape.get("anyOf", [shape]):
        example = schemas[_name(choice)]["example"]
        url = f"http://localhost:5000{path}".replace("{format}", "csv")
        yield f"curl {url} --json '{json.dumps(example)}'"


def _fields(schema: dict[str, Any]) -> Any:
    for name, field in schema.get("properties", {}).items():
        needed = "" if name in schema.get("required", ()) else "optional"
        yield name, _type(field), field.get("description", needed)


def _type(field: dict[str, Any]) -> str:
    if "anyOf" in field:
        return " or ".join(map(_type, field["anyOf"]))
    if field.get("type") == "array":
        return f"list of {_type(field['items'])}"
    return str(field.get("type") or _name(field))


def _name(field: dict[str, Any]) -> str:
    return str(field["$ref"]).rpartition("/")[2]
