"""The pages of the documentation, their blocks of code, and a way to run these."""

import re
from pathlib import Path

import spacy
from command_lines import run_line
from spacy.tokens import Doc, DocBin
from spacy.training import Example
from spacy.vocab import Vocab
from thinc.api import Adam
from tiny_pipeline import model_config

from spacy_gapdner import Entity, set_entities

FOLDER = Path(__file__).parents[3] / "project" / "docs"

# a fence, its language, what it holds; it may be indented, as in a list
_FENCE = re.compile(r"^( *)```(\S+)\n(.*?)^ *```", re.MULTILINE | re.DOTALL)


def read_page(name):
    return (FOLDER / name).read_text(encoding="utf8")


def code_blocks(name):
    """The (language, code) of a page's blocks, in order."""
    return [
        (language, re.sub(rf"^{indent}", "", code, flags=re.MULTILINE))
        for indent, language, code in _FENCE.findall(read_page(name))
    ]


def run_commands(code):
    """Run the commands of a block."""
    for line in code.replace("\\\n", " ").splitlines():
        if line.startswith("mkdir "):
            Path(line.split()[1]).mkdir()
        elif line.partition("#")[0].strip():
            run_line(line)


def make_docs(annotated, vocab):
    """Docs of (text, [(type, texts of the fragments)])."""
    tokenizer = spacy.blank("en").tokenizer
    for text, entities in annotated:
        tokens = tokenizer(text)
        words, spaces = [t.text for t in tokens], [bool(t.whitespace_) for t in tokens]
        doc = Doc(vocab, words=words, spaces=spaces)
        found = []
        for label, *fragments in entities:
            starts = [text.index(fragment) for fragment in fragments]
            spans = [
                doc.char_span(start, start + len(fragment))
                for start, fragment in zip(starts, fragments, strict=True)
            ]
            found.append(Entity(label, tuple((span.start, span.end) for span in spans)))
        set_entities(doc, found)
        yield doc


def write_docs(annotated, path):
    DocBin(docs=make_docs(annotated, Vocab())).to_disk(path)


def train_by_heart(annotated, path, steps=40):
    """Write a small pipeline that finds the entities of these sentences."""
    spacy.util.fix_random_seed(0)
    nlp = spacy.blank("en")
    nlp.add_pipe("gapdner_sentencizer", name="sentencizer")
    nlp.add_pipe("gapdner", config={"model": model_config()})
    examples = [Example(nlp.make_doc(d.text), d) for d in make_docs(annotated, nlp.vocab)]
    nlp.initialize(lambda: examples)
    optimizer = Adam(0.02)
    for _ in range(steps):
        nlp.update(examples, sgd=optimizer)
    path.parent.mkdir(parents=True, exist_ok=True)
    nlp.to_disk(path)
