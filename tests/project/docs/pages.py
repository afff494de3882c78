"""Reads the pages of the documentation, and runs their code blocks."""

import re
from functools import partial
from pathlib import Path

import spacy
from command_lines import run_line
from spacy.tokens import Doc, DocBin
from spacy.vocab import Vocab
from tiny_pipeline import learn_by_heart

from spacy_gapdner import Entity, set_entities

FOLDER = Path(__file__).parents[3] / "project" / "docs"

# a fence, its language and contents; it can be indented, as in a list
_FENCE = re.compile(r"^( *)```(\S+)\n(.*?)^ *```", re.MULTILINE | re.DOTALL)


def read_page(name):
    return (FOLDER / name).read_text(encoding="utf8")


def code_blocks(name):
    """The (language, code) of the blocks of a page, in order."""
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


def run_page(name, capsys, change=lambda code: code):
    """Run the code blocks of a page. The block after Python code is its output."""
    namespace, printed = {"__name__": "__main__"}, None
    for number, (language, code) in enumerate(code_blocks(name), start=1):
        place = f"{name}, block {number}"
        if language == "text":
            # pages only quote a part of the output of commands
            assert printed in (None, code), place
            printed = None
        assert not printed, f"{place}: the page lacks the output of the code before"
        if language == "bash":
            run_commands(change(code))
            capsys.readouterr()
            printed = None
        elif language == "python":
            exec(compile(code, place, "exec"), namespace)
            lines = capsys.readouterr().out.splitlines()
            printed = "".join(f"{line.rstrip()}\n" for line in lines)


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


def train_by_heart(annotated, path):
    """Write a small pipeline that has memorized the entities of these sentences."""
    path.parent.mkdir(parents=True, exist_ok=True)
    learn_by_heart(partial(make_docs, annotated), steps=40).to_disk(path)
