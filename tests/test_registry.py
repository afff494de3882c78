import subprocess
import sys
from importlib import import_module

import pytest
import spacy
import spacy_transformers  # noqa: F401  # adds the registry of span getters
from entry_points import read_entry_points
from spacy import registry


def test_entry_points_resolve():
    groups = set()
    for group, name, target in read_entry_points():
        module, attribute = target.split(":")
        expected = getattr(import_module(module), attribute)
        if group == "spacy_factories":
            # spaCy imports the module of the entry point; its decorator then registers the factory
            assert registry._entry_point_factories.get(name) is expected
            assert spacy.blank("en").has_factory(name)
        else:
            kind = group.removeprefix("spacy_").removeprefix("thinc_")
            assert registry.get(kind, name) is expected
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


@pytest.mark.slow
def test_lazy_imports():
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "convert" in done.stdout
    assert done.stdout.splitlines()[-3:] == [
        "[]",
        "DiscontinuousEntityRecognizer gapdner gapdner",
        "DiscontinuousEntityRecognizer discontinuous_ner discontinuous_ner",
    ]
