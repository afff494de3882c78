"""Draws sentences with discontinuous entities from the rules and words of sample_grammar.yml.

A pool of words is separated by commas; a pool of stems and endings holds every pair joined. A rule
has a way to write it out in each line, a number before it being its weight. In such a line,

    word/two_words/ is one of these, here or none
    {name}          is a word of this pool, or what this rule gives
    {name}?         is the same or nothing
    {name}+         are two to four of them in coordination
    LABEL:          makes an entity of the line, or several, one for every combination of what is
                    coordinated: "{region}+ pain" gives "back pain" and "hip pain" of "back and hip
                    pain". Entities that are parts stay entities
    (words)         are no part of that entity
"""

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, chain, pairwise, product
from pathlib import Path

import srsly

# label and ascending token indices
Mention = tuple[str, tuple[int, ...]]
Pools = dict[str, tuple[str, ...]]

FILE = Path(__file__).with_suffix(".yml")
LINE = re.compile(r"(?:(?P<weight>\d+) )?(?:(?P<label>[A-Z]+): )?(?P<items>.+)")
ITEM = re.compile(r"\([^)]*\)|\S+")
REFERENCE = re.compile(r"\{(\w+)\}([?+]?)")
CONJUNCTIONS = ["and"] * 12 + ["or"] * 5 + ["as well as", "/", "/"]
# how many phrases are coordinated
SIZES = [2] * 7 + [3, 3, 4]


@dataclass(frozen=True)
class Phrase:
    """Tokens with the entities among them.

    tokens (tuple[str, ...]): The tokens.
    entities (tuple[Mention, ...]): Label and token indices of each entity.
    """

    tokens: tuple[str, ...] = ()
    entities: tuple[Mention, ...] = ()

    def __add__(self, other: "Phrase") -> "Phrase":
        offset = len(self.tokens)
        moved = tuple((label, tuple(i + offset for i in ids)) for label, ids in other.entities)
        return Phrase(self.tokens + other.tokens, self.entities + moved)


@dataclass(frozen=True)
class Slot:
    """A place in a phrase.

    choices (tuple[Phrase, ...]): One choice, or several joined by a conjunction. Every entity takes
        one of them.
    conjunction (str): The words before the last choice.
    marked (bool): Whether the words belong to the entities.
    """

    choices: tuple[Phrase, ...]
    conjunction: str = "and"
    marked: bool = True


def plain(text: str) -> Phrase:
    """RETURNS (Phrase): The words of the text, none of them in an entity."""
    return Phrase(tuple(text.split()))


def distribute(label: str, slots: Sequence[Slot]) -> Phrase:
    """Write out slots one after the other, with one entity for every combination of choices.

    Slots "severe", "joint|back" and "pain" become "severe joint and back pain" with the entities
    "severe joint ... pain" and "severe ... back pain".

    label (str): The type of the entities; if empty there are none but those of the choices.
    slots (Sequence[Slot]): The slots in text order.
    RETURNS (Phrase): The phrase.
    """
    phrase = Phrase()
    options: list[list[range]] = []
    for slot in slots:
        option = []
        for number, choice in enumerate(slot.choices):
            if number:
                last = number == len(slot.choices) - 1
                phrase += plain(slot.conjunction if last else ",")
            option.append(range(len(phrase.tokens), len(phrase.tokens) + len(choice.tokens)))
            phrase += choice
        if slot.marked:
            options.append(option)
    if not label:
        return phrase
    new = tuple((label, tuple(chain.from_iterable(picked))) for picked in product(*options))
    return Phrase(phrase.tokens, phrase.entities + new)


class Grammar:
    """Draws phrases from one part's rules and words.

    words (Pools): Words by the name of their pool.
    rules (dict[str, str]): Lines by the name of their rule.
    rng (random.Random): The source of chance.
    """

    def __init__(self, words: Pools, rules: dict[str, str], rng: random.Random) -> None:
        self.words = words
        self.rng = rng
        self.rules = {name: _parse(text) for name, text in rules.items()}

    def sentence(self) -> Phrase:
        """RETURNS (Phrase): A sentence, its first word with a capital."""
        phrase = self.draw("sentence")
        tokens = [
            "an" if word == "a" and after[0] in "aeiou" else word
            for word, after in pairwise((*phrase.tokens, "."))
        ]
        return Phrase((tokens[0][0].upper() + tokens[0][1:], *tokens[1:]), phrase.entities)

    def draw(self, name: str) -> Phrase:
        """Draw a word of a pool, or write out a rule.

        name (str): That of the pool or rule.
        RETURNS (Phrase): The phrase.
        """
        if name in self.words:
            return plain(self.rng.choice(self.words[name]))
        lines, weights = self.rules[name]
        ((label, items),) = self.rng.choices(lines, cum_weights=weights)
        return distribute(label, [self._slot(item) for item in items])

    def _slot(self, item: str) -> Slot:
        if item.startswith("("):
            inner = [self._slot(part) for part in item[1:-1].split()]
            return Slot((distribute("", inner),), marked=False)
        match = REFERENCE.fullmatch(item)
        if match is None:
            return Slot((plain(self.rng.choice(item.split("/")).replace("_", " ")),))
        name, count = match.groups()
        if count == "?" and self.rng.random() < 0.5:
            return Slot((Phrase(),))
        if count != "+":
            return Slot((self.draw(name),))
        size = min(self.rng.choice(SIZES), len(self.words.get(name, SIZES)))
        choices: list[Phrase] = []
        while len(choices) < size:
            choice = self.draw(name)
            if choice not in choices:
                choices.append(choice)
        conjunction = self.rng.choice(CONJUNCTIONS)
        if conjunction == "/" and not all(c.tokens[0].isalpha() for c in choices):
            conjunction = "and"
        return Slot(tuple(choices), conjunction)


def load_parts() -> dict[str, tuple[Pools, dict[str, str]]]:
    """RETURNS (dict[str, tuple[Pools, dict[str, str]]]): Pools and rules of each part."""
    data = srsly.read_yaml(FILE)
    parts = {}
    for part in ("train", "dev", "test"):
        words = {name: _pool(pool) for name, pool in data[part]["words"].items()}
        parts[part] = (words, {**data["phrases"], **data[part]["rules"]})
    words, rules = parts["test"]
    return {**parts, "unseen": (words, {**rules, **data["unseen"]["rules"]})}


def common_words() -> set[str]:
    """RETURNS (set[str]): The words that all parts share."""
    return set(srsly.read_yaml(FILE)["common"].split(", "))


def _pool(pool: str | dict[str, str] | int) -> tuple[str, ...]:
    if isinstance(pool, dict):
        pairs = product(pool["stems"].split(), pool["endings"].split())
        return tuple(stem + ending for stem, ending in pairs)
    return tuple(str(pool).split(", "))


def _parse(text: str) -> tuple[list[tuple[str, list[str]]], list[int]]:
    # label and items of each line, and the sums of the weights
    matches = [LINE.fullmatch(line) for line in text.strip().splitlines()]
    lines = [(match["label"] or "", ITEM.findall(match["items"])) for match in matches if match]
    return lines, list(accumulate(int(match["weight"] or 1) for match in matches if match))


def detokenize(tokens: Sequence[str]) -> str:
    """RETURNS (str): The text of a sentence, without space before punctuation."""
    text = "".join(t if t in ",.!?" else f" {t}" for t in tokens).strip()
    return text.replace(" / ", "/")
