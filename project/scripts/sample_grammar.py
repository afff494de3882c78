"""A small grammar of made-up patient sentences with discontinuous entities."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise, product

from sample_lexicon import Lexicon

ADVERSE_EVENT = "ADE"
DRUG = "DRUG"
DOSES = ("5", "10", "15", "20", "25", "40", "50", "80", "100", "200")
MAX_GAP = 8

# label and ascending token indices
Mention = tuple[str, tuple[int, ...]]


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

    def enclose(self, label: str) -> "Phrase":
        """RETURNS (Phrase): The same with one more entity that covers all tokens."""
        return Phrase(self.tokens, (*self.entities, (label, tuple(range(len(self.tokens))))))


@dataclass(frozen=True)
class Slot:
    """A place in a coordinated phrase.

    choices (tuple[str, ...]): One choice, or several joined by a conjunction. Every entity takes
        one of them.
    conjunction (str): The words before the last choice.
    marked (bool): Whether the words belong to the entities.
    """

    choices: tuple[str, ...]
    conjunction: str = "and"
    marked: bool = True


def plain(text: str) -> Phrase:
    """RETURNS (Phrase): The words of the text, none of them in an entity."""
    return Phrase(tuple(text.split()))


def distribute(label: str, *slots: Slot) -> Phrase:
    """Write out slots one after the other, with one entity for every combination of choices.

    Slots "severe", "joint|back" and "pain" become "severe joint and back pain" with the entities
    "severe joint ... pain" and "severe ... back pain".

    label (str): The type of the entities.
    *slots (Slot): The slots in text order.
    RETURNS (Phrase): The phrase.
    """
    tokens: list[str] = []
    options: list[list[list[int]]] = []
    for slot in slots:
        option = []
        for number, choice in enumerate(slot.choices):
            if number:
                last = number == len(slot.choices) - 1
                tokens.extend(slot.conjunction.split() if last else [","])
            words = choice.split()
            option.append(list(range(len(tokens), len(tokens) + len(words))))
            tokens.extend(words)
        if slot.marked:
            options.append(option)
    entities = tuple((label, tuple(chain.from_iterable(picked))) for picked in product(*options))
    return Phrase(tuple(tokens), entities)


class Grammar:
    """Draws sentences from a lexicon.

    lexicon (Lexicon): Words and frames.
    rng (random.Random): The source of chance.
    other_share (float): Share of the sentences without an adverse event.
    """

    def __init__(self, lexicon: Lexicon, rng: random.Random, other_share: float = 0.2) -> None:
        self.lexicon = lexicon
        self.rng = rng
        self.other_share = other_share
        self._fill: dict[str, Callable[[], Phrase]] = {
            "{ade}": self.event,
            "{state}": self.state,
            "{drug}": self.drug,
            "{person}": lambda: plain(rng.choice(lexicon.people)),
            "{place}": lambda: plain(rng.choice(lexicon.places)),
            "{goods}": self.goods,
        }

    def sentence(self) -> Phrase:
        """RETURNS (Phrase): A sentence, its first word with a capital."""
        is_other = self.rng.random() < self.other_share
        frame = self.rng.choice(
            self.lexicon.other_frames if is_other else self.lexicon.event_frames
        )
        phrase = Phrase()
        for word in frame.split():
            phrase += self._fill[word]() if word in self._fill else plain(self._vary(word))
        first = phrase.tokens[0]
        return Phrase((first[0].upper() + first[1:], *phrase.tokens[1:]), phrase.entities)

    def event(self) -> Phrase:
        """RETURNS (Phrase): Adverse events as a noun phrase."""
        rules = {
            self.single_event: 64,
            self.located_symptoms: 12,
            self.shared_symptom: 5,
            self.shared_degree: 5,
            self.shared_part: 6,
            self.listed_events: 15,
            self.one_sided: 2,
            self.spreading: 7,
            self.drug_event: 6,
        }
        return self.rng.choices(list(rules), list(rules.values()))[0]()

    def single_event(self) -> Phrase:
        """RETURNS (Phrase): "severe back pain", "nausea", "gastritis"."""
        lexicon = self.lexicon
        name = self.rng.choice([lexicon.events, lexicon.illnesses, None])
        if name is None:
            rest = [self._some(lexicon.regions), self._some(lexicon.symptoms)]
        else:
            rest = [self._some(name)]
        return distribute(ADVERSE_EVENT, *self._degree(0.5), *rest)

    def located_symptoms(self) -> Phrase:
        """RETURNS (Phrase): "severe pain and stiffness in my knees and ankles"."""
        n_symptoms, n_parts = self.rng.choice(
            [(1, 1)] * 6 + [(1, 2), (1, 2), (1, 3), (2, 1), (2, 2), (3, 2), (3, 2)]
        )
        return distribute(
            ADVERSE_EVENT,
            *self._degree(1 if n_symptoms == 3 else 0.4),
            self._some(self.lexicon.symptoms, n_symptoms),
            Slot(("in my",)),
            self._some(self.lexicon.parts, n_parts),
        )

    def shared_symptom(self) -> Phrase:
        """RETURNS (Phrase): "severe joint , shoulder and upper body pain"."""
        n_regions, n_symptoms = self.rng.choice([(2, 1)] * 5 + [(3, 1), (3, 1), (2, 2)])
        return distribute(
            ADVERSE_EVENT,
            *self._degree(0.5),
            self._some(self.lexicon.regions, n_regions),
            self._some(self.lexicon.symptoms, n_symptoms),
        )

    def shared_degree(self) -> Phrase:
        """RETURNS (Phrase): "severe nausea and dizziness", both of them severe."""
        names = self.rng.choice([self.lexicon.events, self.lexicon.illnesses])
        return distribute(ADVERSE_EVENT, *self._degree(1), self._some(names, 2))

    def shared_part(self) -> Phrase:
        """RETURNS (Phrase): "numb and tingling fingers"."""
        n_qualities, n_parts = self.rng.choice(
            [(1, 1), (1, 1), (1, 2), (1, 2), (2, 1), (2, 1), (2, 2), (3, 1)]
        )
        return distribute(
            ADVERSE_EVENT,
            self._some(self.lexicon.qualities, n_qualities),
            self._some(self.lexicon.parts, n_parts),
        )

    def listed_events(self) -> Phrase:
        """RETURNS (Phrase): "nausea , insomnia and gastritis"."""
        names = self.lexicon.events + self.lexicon.illnesses
        return distribute(ADVERSE_EVENT, self._some(names, self.rng.choice([2, 3, 4])))

    def one_sided(self) -> Phrase:
        """RETURNS (Phrase): "pain in my left and right knee"."""
        pair = self.rng.choice([("left", "right"), ("right", "left")])
        return distribute(
            ADVERSE_EVENT,
            self._some(self.lexicon.symptoms),
            Slot(("in my",)),
            Slot(pair, self.rng.choice(["and", "or"])),
            self._some(self.lexicon.parts),
        )

    def spreading(self) -> Phrase:
        """RETURNS (Phrase): "back pain radiating to my legs" around "back pain"."""
        inner = distribute(
            ADVERSE_EVENT, self._some(self.lexicon.regions), self._some(self.lexicon.symptoms)
        )
        link, part = self.rng.choice(self.lexicon.spreads), self.rng.choice(self.lexicon.parts)
        return (inner + plain(f"{link} my {part}")).enclose(ADVERSE_EVENT)

    def drug_event(self) -> Phrase:
        """RETURNS (Phrase): "Velorix nausea" around "Velorix"."""
        name = distribute(DRUG, self._some(self.lexicon.drugs))
        event = self.rng.choice(self.lexicon.events + self.lexicon.illnesses)
        return (name + plain(event)).enclose(ADVERSE_EVENT)

    def state(self) -> Phrase:
        """RETURNS (Phrase): "legs slowly went numb", with no gap longer than MAX_GAP."""
        rng, lexicon = self.rng, self.lexicon
        while True:
            n_parts, n_states = rng.choice([(1, 1)] * 10 + [(2, 1), (1, 2)])
            filler = self._vary(rng.choice(lexicon.fillers)) if rng.random() < 0.4 else ""
            verb = "were" if rng.random() < 0.3 else rng.choice(lexicon.changes)
            adverb = rng.choice(["", "", "so", "very", "too"])
            phrase = distribute(
                ADVERSE_EVENT,
                self._some(lexicon.parts, n_parts),
                Slot((f"{filler} {verb} {adverb}",), marked=False),
                self._some(lexicon.states, n_states),
            )
            if max(max(gap_lengths(mention)) for mention in phrase.entities) <= MAX_GAP:
                return phrase

    def drug(self) -> Phrase:
        """RETURNS (Phrase): "Velorix", "Velorix 20 and 40 mg", "Velorix and Zanadol tablets"."""
        kind = self.rng.random()
        if kind < 0.74:
            return distribute(DRUG, self._some(self.lexicon.drugs))
        if kind < 0.87:
            n_doses = self.rng.choice([1, 1, 1, 1, 2, 3])
            doses = sorted(self.rng.sample(DOSES, n_doses), key=int)
            conjunction = self.rng.choice(["and", "or", "and then"])
            return distribute(
                DRUG,
                self._some(self.lexicon.drugs),
                Slot(tuple(doses), conjunction),
                Slot((self.rng.choice(["mg", "mg", "ml"]),)),
            )
        n_names = self.rng.choice([1, 1, 2])
        return distribute(
            DRUG, self._some(self.lexicon.drugs, n_names), self._some(self.lexicon.forms)
        )

    def goods(self) -> Phrase:
        """RETURNS (Phrase): "wool , cotton and leather scarf", which is no entity."""
        materials = self._some(self.lexicon.materials, self.rng.choice([1, 2, 3]))
        return Phrase(distribute("", materials, self._some(self.lexicon.objects)).tokens)

    def _some(self, words: Sequence[str], n: int = 1) -> Slot:
        conjunctions = ["and"] * 6 + ["or"] + (["as well as"] if n == 2 else ["and"])
        return Slot(tuple(self.rng.sample(words, n)), self.rng.choice(conjunctions))

    def _vary(self, text: str) -> str:
        # "first/second day" is "first day" or "second day"
        return " ".join(self.rng.choice(word.split("/")) for word in text.split())

    def _degree(self, share: float) -> list[Slot]:
        return [self._some(self.lexicon.degrees)] if self.rng.random() < share else []


def gap_lengths(mention: Mention) -> list[int]:
    """RETURNS (list[int]): The lengths of an entity's gaps, in tokens."""
    return [right - left - 1 for left, right in pairwise(mention[1]) if right > left + 1]


def detokenize(tokens: Sequence[str]) -> str:
    """RETURNS (str): The text of a sentence, without space before punctuation."""
    return "".join(t if t in ",.!?" else f" {t}" for t in tokens).strip()
