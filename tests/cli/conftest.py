import pytest
import spacy
import torch
from spacy.tokens import Doc, DocBin
from spacy.training import Example
from spacy.vocab import Vocab
from thinc.api import Adam, fix_random_seed
from typer.testing import CliRunner

from spacy_gapdner import Entity, set_entities
from spacy_gapdner.cli import app

# (sentence, its entities)
ANNOTATED = [
    ("Severe joint and shoulder pain today .", [("ADR", (0, 2), (4, 5)), ("ADR", (0, 1), (3, 5))]),
    ("He took aspirin twice .", [("Drug", (2, 3))]),
    ("Severe pain after aspirin .", [("ADR", (0, 2)), ("Drug", (3, 4))]),
    ("No complaints so far .", []),
]
CONFIG = {
    "model": {
        "hidden_width": 32,
        "boundary_width": 16,
        "grid_width": 16,
        "attention_width": 8,
        "word_dropout": 0.0,
        "boundary_dropout": 0.0,
        "grid_dropout": 0.0,
        # Frag and Gap labels, which other labels do not show
        "tagging": {
            "@misc": "spacy-gapdner.MultilabelTagging.v1",
            "per_type": False,
            "loss": {"@losses": "spacy-gapdner.ZLPR.v1"},
        },
        "tok2vec": {
            "@architectures": "spacy.HashEmbedCNN.v2",
            "width": 16,
            "depth": 1,
            "embed_size": 300,
            "window_size": 1,
            "maxout_pieces": 2,
            "subword_features": False,
            "pretrained_vectors": None,
        },
    }
}


def gold_docs(vocab, annotated=ANNOTATED, key="gapdner"):
    docs = []
    for text, entities in annotated:
        words = text.split(" ")
        doc = Doc(vocab, words=words, spaces=[True] * (len(words) - 1) + [False])
        set_entities(doc, [Entity(label, fragments) for label, *fragments in entities], key)
        docs.append(doc)
    return docs


def train_tiny(n_updates=30):
    """A pipeline that has learned the sentences above by heart."""
    fix_random_seed(0)
    nlp = spacy.blank("en")
    nlp.add_pipe("gapdner_sentencizer", name="sentencizer")
    nlp.add_pipe("gapdner", config=CONFIG)
    examples = [Example(nlp.make_doc(doc.text), doc) for doc in gold_docs(nlp.vocab)]
    nlp.initialize(lambda: examples)
    optimizer = Adam(0.02)
    for _ in range(n_updates):
        nlp.update(examples, sgd=optimizer)
    return nlp


@pytest.fixture(scope="session", autouse=True)
def one_thread():
    # for so small a model more threads only wait for each other
    n_threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(n_threads)


@pytest.fixture(scope="session")
def tiny_config():
    return CONFIG


@pytest.fixture(scope="session")
def tiny(one_thread):
    return train_tiny()


@pytest.fixture(scope="session")
def model(tiny, tmp_path_factory):
    path = tmp_path_factory.mktemp("models") / "tiny"
    tiny.to_disk(path)
    return path


@pytest.fixture
def write_docs(tmp_path):
    """Writes sentences with entities to a .spacy file and returns its path."""

    def write(name="gold.spacy", annotated=ANNOTATED, key="gapdner"):
        DocBin(docs=gold_docs(Vocab(), annotated, key)).to_disk(tmp_path / name)
        return tmp_path / name

    return write


@pytest.fixture
def run():
    """Runs a gapdner command."""

    def invoke(*args, **kwargs):
        return CliRunner().invoke(app, [str(arg) for arg in args], **kwargs)

    return invoke


@pytest.fixture
def fails(run):
    """Runs a command that must end with one line on stderr and nothing on stdout."""

    def invoke(message, *args, **kwargs):
        result = run(*args, **kwargs)
        assert result.exit_code == 1, result.output
        assert result.stdout == ""
        assert len(result.stderr.splitlines()) == 1
        assert message in result.stderr

    return invoke
