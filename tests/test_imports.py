"""The walls between the modules, read off their syntax trees."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

import spacy_gapdner.cli

ROOT = Path(spacy_gapdner.__file__).parent
SOURCES = {path.relative_to(ROOT).as_posix(): path.read_text() for path in ROOT.rglob("*.py")}
# A module imports only from its own package and from what stands in a line above. What stands in
# one line knows nothing of each other.
ORDER = [
    ["errors"],
    ["entity_data", "entity"],
    ["doc_entity"],
    ["entities", "sentences"],
    ["alignment", "segments", "losses", "decoding", "calibration", "augmentation", "adapters"],
    ["tagging"],
    ["model", "scorer", "selection", "gold"],
    ["prediction"],
    ["pipe", "formats"],
    ["factory", "training_log"],
    ["analysis"],
    ["drawing", "conversion", "spark", "starting"],
    ["serving"],
    ["cli"],
]
RANK = {name: rank for rank, names in enumerate(ORDER) for name in names}
# the network is found through the registry, training data needs no network
FORBIDDEN = {
    "formats": {"model", "scorer"},
    "analysis": {"model"},
    **{name: {"model", "scorer"} for name in ("pipe", "prediction", "gold")},
    "scorer": {"segments", "losses", "tagging", "decoding"},
}
# attentions are recorded in the network
ALLOWED = {"analysis/attention.py": {"model"}}
# What the package itself imports.
ENTITIES = ("doc_entity", "entities", "entity", "entity_data")
# Modules named by strings, imported when they are used: what stands below is named here alone.
NAMED = {"doc_entity.py": {"drawing"}, "formats/registry.py": {"drawing"}}


def part(path):
    """The part of the package that a file belongs to."""
    return path.split("/")[0].removesuffix(".py")


def imported_modules(path, source):
    """All absolute names of modules that a file imports, wherever it does so."""
    package = ["spacy_gapdner", *path.split("/")[:-1]]
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            names = [*base, *([node.module] if node.module else [])]
            if node.module is None or node.module == "spacy_gapdner":
                yield from (".".join([*names, alias.name]) for alias in node.names)
            else:
                yield ".".join(names)


def named_modules(path, source):
    """Names of our modules in strings: relative, as `import_module` takes them, or MODULE:NAME."""
    package = ["spacy_gapdner", *path.split("/")[:-1]]
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            match = re.fullmatch(r"(\.+)(\w[\w.]*)(:\w+)?", node.value)
            if match:
                yield [*package[: len(package) - len(match[1]) + 1], *match[2].split(".")]


def named_out_of_order(path, source):
    """The parts of the package that a file must not name in strings, but does."""
    names = {name[1] for name in named_modules(path, source) if len(name) > 1} & set(RANK)
    allowed = {part(path), *NAMED.get(path, ())}
    return {name for name in names - allowed if RANK[name] >= RANK[part(path)]}


def out_of_order(path, names):
    """The parts of the package that a file must not import, but does."""
    own = part(path)
    if path == "__init__.py":
        return set()
    assert own in RANK, f"{path} needs a place in ORDER."
    parts = {name[1] for name in names if name[0] == "spacy_gapdner" and len(name) > 1}
    forbidden = FORBIDDEN.get(own, set()) - ALLOWED.get(path, set())
    parts -= {own, "__version__"}
    return {name for name in parts if RANK[name] >= RANK[own] or name in forbidden}


def touched_spans(source):
    """Where a file reaches into `doc.spans`: any `.spans` but the fragments of an entity.

    Those are only iterated over, counted, or picked by a number, and their owner is called entity.
    """
    tree = ast.parse(source)
    lines = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr == "spans":
            owner = node.value.id if isinstance(node.value, ast.Name) else ""
            is_entity = owner in ("e", "self") or owner.endswith("entity")
            if not is_entity or not isinstance(node.ctx, ast.Load):
                lines.append(node.lineno)
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Attribute):
            index = node.slice.operand if isinstance(node.slice, ast.UnaryOp) else node.slice
            by_number = isinstance(index, ast.Slice) or (
                isinstance(index, ast.Constant) and isinstance(index.value, int)
            )
            if node.value.attr == "spans" and not by_number:
                lines.append(node.lineno)
        if isinstance(node, ast.Name) and node.id in ("SpanGroup", "SpanGroups"):
            lines.append(node.lineno)
    return lines


def violations(path, source):
    """The walls that a file breaks: what it imports, or reaches into, but must not."""
    names = [name.split(".") for name in imported_modules(path, source)]
    libraries = {name[0] for name in names}
    found = out_of_order(path, names)
    if path != "__init__.py":
        found |= named_out_of_order(path, source)
    if part(path) != "model":
        found |= libraries & {"torch"}
    # the laboratory is not shipped
    found |= libraries & {"project"}
    # an entity writes its label to its own group
    if path not in ("entities.py", "doc_entity.py") and touched_spans(source):
        found.add("doc.spans")
    return found


@pytest.mark.parametrize("path", sorted(SOURCES))
def test_modules_keep_to_the_walls(path):
    assert violations(path, SOURCES[path]) == set()


@pytest.mark.parametrize(
    ("path", "source", "expected"),
    [
        ("decoding.py", "from .entities import Entity", set()),
        ("entities.py", "from . import tagging", {"tagging"}),
        ("pipe.py", "def f():\n    from .model.network import X", {"model"}),
        ("formats/brat.py", "from .. import pipe", {"pipe"}),
        ("formats/brat.py", "from ..entities import E\nfrom . import docs", set()),
        ("formats/brat.py", "import spacy_gapdner.analysis.x", {"analysis"}),
        ("scorer.py", "if x:\n    import torch.nn as nn", {"torch"}),
        ("scorer.py", "from spacy_gapdner import decoding", {"decoding"}),
        ("analysis/x.py", "from torch import nn\nfrom ..scorer import s", {"torch"}),
        ("analysis/x.py", "from ..model.network import X", {"model"}),
        ("analysis/attention.py", "from ..model.network import X", set()),
        ("model/x.py", "import torch", set()),
        ("segments.py", "from .losses import CrossEntropy", {"losses"}),
        ("pipe.py", "import project.tables", {"project"}),
        ("pipe.py", "def f():\n    from project.experiments.runs import Run", {"project"}),
        ("formats/docs.py", "from . import project", set()),
        ("pipe.py", "import_module('.drawing.render', __package__)", {"drawing"}),
        ("doc_entity.py", "import_module('.drawing.render', __package__)", set()),
        ("formats/registry.py", "'..drawing.page:write', '.brat:read'", set()),
        ("formats/docs.py", "'..drawing.page:write', '.brat:read'", {"drawing"}),
        ("entities.py", "doc.spans[name]", set()),
        ("pipe.py", "doc.spans[name]", {"doc.spans"}),
        ("pipe.py", "doc.spans['sc'] = []", {"doc.spans"}),
        ("pipe.py", "del example.reference.spans[key]", {"doc.spans"}),
        ("pipe.py", "list(doc.spans)", {"doc.spans"}),
        ("pipe.py", "reference.spans[0]", {"doc.spans"}),
        ("pipe.py", "docs[0].spans.get('x')", {"doc.spans"}),
        ("pipe.py", "entity.spans[key]", {"doc.spans"}),
        ("pipe.py", "from spacy.tokens import SpanGroup\nSpanGroup(doc)", {"doc.spans"}),
        ("pipe.py", "entity.spans[0], entity.spans[-1], [*entity.spans]", set()),
    ],
)
def test_the_walls_would_fall(path, source, expected):
    assert violations(path, source) == expected


def test_the_package_itself_needs_entities_only():
    ours, libraries = newly_imported("import spacy_gapdner", "spacy.training, spacy.util")
    assert (ours, libraries) == ({"", *ENTITIES, "errors"}, set())


def test_torch_is_imported_with_the_model_only():
    # thinc imports torch wherever it is installed, but does without; so must all but the model
    script = """
import sys
sys.modules["torch"] = None
import spacy_gapdner, spacy_gapdner.cli, spacy_gapdner.pipe, spacy_gapdner.scorer
import spacy_gapdner.formats, spacy_gapdner.analysis.statistics
print("spacy_gapdner.model" in sys.modules)
import spacy_gapdner.model.network
"""
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert result.stdout == "False\n"
    assert "import of torch halted" in result.stderr


def newly_imported(statement, before):
    """What a statement imports in a fresh process: modules of ours, and libraries that we use."""
    script = f"""
import sys
import {before}
before = set(sys.modules)
{statement}
print(*set(sys.modules) - before)
"""
    result = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    names = result.stdout.split()
    ours = {name.partition(".")[2] for name in names if name.split(".")[0] == "spacy_gapdner"}
    used = {name for path, source in SOURCES.items() for name in imported_modules(path, source)}
    libraries = {name.split(".")[0] for name in used} - sys.stdlib_module_names
    return ours, {name.split(".")[0] for name in names} & libraries - {"spacy", "spacy_gapdner"}


def test_commands_of_spacy_import_no_more_of_ours_than_options():
    # spaCy imports our commands for every one of its own
    ours, libraries = newly_imported("spacy.registry.cli.get_all()", "spacy.cli")
    commands = {
        command.callback.__module__ for command in spacy_gapdner.cli.app.registered_commands
    }
    commands = {name.removeprefix("spacy_gapdner.") for name in commands}
    shared = {f"cli.{path.stem}" for path in (ROOT / "cli").glob("_*.py")}
    assert commands < ours <= {"", *ENTITIES, "errors", "cli", *commands, *shared}
    assert libraries == set()


def test_pipelines_import_no_more_of_ours_than_the_pipe():
    # spaCy imports the modules of all factories for every pipeline
    plugins = "spacy, spacy_transformers.pipeline_component"
    ours, libraries = newly_imported("spacy.blank('en')", plugins)
    assert {name.split(".")[0] for name in ours} == {
        *("", "adapters", "alignment", "calibration", "decoding", *ENTITIES),
        *("errors", "factory", "gold", "losses", "pipe", "prediction"),
        *("segments", "selection", "sentences", "tagging", "training_log"),
    }
    assert libraries == set()


def test_an_import_too_many_would_be_found():
    ours, libraries = newly_imported("import spacy_gapdner.formats.knowtator", "spacy")
    assert {"formats", "formats.knowtator"} <= ours
    assert libraries == {"defusedxml"}
