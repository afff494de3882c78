"""Draw the pictures of the documentation as text, for readers of the Markdown files."""

from collections.abc import Sequence

import spacy
from spacy.tokens import Doc

from project.docs import pictures
from spacy_gapdner import Entity, render, set_entities


def draw_entities() -> str:
    """RETURNS (str): The entities of a sentence."""
    return _render(pictures.SENTENCE, pictures.ENTITIES)


def draw_grid() -> str:
    """RETURNS (str): A label grid and its entities."""
    texts, entities = pictures.make_grid()
    return f"{_table(pictures.SHORT, texts)}\n{_render(pictures.SHORT, entities)}"


def draw_scores() -> str:
    """RETURNS (str): The probabilities of cells, and the decoded entities with their scores."""
    texts, entities = pictures.make_scores()
    return f"{_table(pictures.SHORT, texts)}\n{_render(pictures.SHORT, entities)}"


def draw_windows() -> str:
    """RETURNS (str): The windows of a sentence, and the entities that fit into a window."""
    segments, lost = pictures.split_windows()
    windows = [Entity(f"window {n}", (edges,)) for n, edges in enumerate(segments, start=1)]
    entities = [
        Entity("in no window" if entity in lost else "in a window", entity.fragments)
        for entity in pictures.LONG_ENTITIES
    ]
    _, _, below = _render(pictures.LONG, entities).partition("\n")
    return f"{_render(pictures.LONG, windows)}\n{below}"


def _render(sentence: str, entities: Sequence[Entity]) -> str:
    doc = Doc(spacy.blank("en").vocab, words=sentence.split())
    set_entities(doc, entities)
    return render(doc, style="text", width=100) or ""


def _table(sentence: str, texts: dict[tuple[int, int], tuple[str, str]]) -> str:
    words = sentence.split()
    rows = [["", *words]]
    for i, word in enumerate(words):
        cells = (texts.get((i, j), ("", "·")) for j in range(len(words)))
        rows.append([word, *(f"[{t}]" if "weakest" in kind else t for kind, t in cells)])
    return "".join("".join(f"{cell:<13}" for cell in row).rstrip() + "\n" for row in rows)


TEXTS = {
    "entities": draw_entities,
    "grid": draw_grid,
    "scores": draw_scores,
    "windows": draw_windows,
}
