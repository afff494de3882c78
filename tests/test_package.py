"""The public functions, the entry points and packages of pipelines."""

import inspect
from importlib import import_module
from importlib.metadata import distribution

import pytest
import spacy
import spacy_transformers  # noqa: F401  # adds the registry of span getters
from python_process import run_python
from spacy import registry


@pytest.mark.parametrize(
    "name", ["", ".analysis", ".drawing", ".formats", ".inference", ".training"]
)
def test_public_names_are_documented(name):
    module = import_module(f"spacy_gapdner{name}")
    for name in module.__all__:
        value = getattr(module, name)
        if inspect.isroutine(value) or inspect.isclass(value):
            assert value.__name__ == name
            assert inspect.getdoc(value)


def test_entry_points():
    groups = set()
    for entry_point in distribution("spacy-gapdner").entry_points:
        group, name, target = entry_point.group, entry_point.name, entry_point.load()
        if group == "spacy_factories":
            # spaCy imports the module of the entry point; its decorator then registers the factory
            assert registry._entry_point_factories.get(name) is target
            assert spacy.blank("en").has_factory(name)
        else:
            kind = group.removeprefix("spacy_").removeprefix("thinc_")
            assert registry.get(kind, name) is target
        groups.add(group)
    assert groups >= {"spacy_factories", "spacy_architectures", "spacy_scorers", "spacy_cli"}


# for a new process without imports
SCRIPT = """
import sys
import spacy
from spacy.cli._util import app, setup_cli

nlp = spacy.blank("en")
sys.argv[1:] = ["gapdner", "convert", "--help"]
try:
    setup_cli()
except SystemExit:
    pass
heavy = ("pandas", "matplotlib", "fastapi", "spacy_gapdner.model")
print([name for name in heavy if name in sys.modules])
for factory in ("gapdner", "discontinuous_ner"):
    pipe = nlp.add_pipe(factory)
    print(type(pipe).__name__, pipe.name, nlp.get_pipe_meta(pipe.name).factory)
"""


def test_import_adds_the_extension():
    lines = (
        "import spacy_gapdner",
        "from spacy.tokens import Doc",
        "print(Doc.has_extension('discontinuous_ents'))",
    )
    assert run_python("-c", "\n".join(lines)) == "True\n"


@pytest.mark.slow
def test_lazy_imports():
    output = run_python("-c", SCRIPT)
    assert "convert" in output
    pipes = [f"DiscontinuousEntityRecognizer {n} {n}" for n in ("gapdner", "discontinuous_ner")]
    assert output.splitlines()[-3:] == ["[]", *pipes]
