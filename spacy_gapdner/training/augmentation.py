"""Augment training data with discontinuous entities."""

import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example

from ..entities import DEFAULT_SPANS_KEY, Entity, get_entities, group_names, set_entities
from ..errors import GapDNERError, check_probability

Augmenter = Callable[[Language, Example], Iterator[Example]]
Words = tuple[str, ...]
# the replacement for an entity: its words, and the indices of the words of each entity in it
Synthetic = tuple[list[str], list[tuple[int, ...]]]

# Fraction of coordinations with three entities, and fraction of the others with a slash
_THREE = 0.2
_SLASH = 0.15
# Conjunctions by language
_CONJUNCTIONS = {
    "en": ("and", "or"),
    "de": ("und", "oder"),
    "es": ("y", "o"),
    "fr": ("et", "ou"),
    "it": ("e", "o"),
    "nl": ("en", "of"),
    "pt": ("e", "ou"),
    "hi": ("और", "या"),
}
# Languages whose compounds omit a shared last part: "Knie- und Hüftschmerzen". Minimum lengths of
# both parts, and the fraction of coordinations of compounds with such an omission
_COMPOUNDING = ("de", "nl", "da", "nb", "sv")
_SHORTEST_PART, _ELLIPSIS = 3, 0.7
# Longer parts are rarely coordinated, and longer gaps rarely repeat
_MAX_PART = 4
_MAX_GAP = 3


class CoordinationAugmenter:
    """Add synthetic copies of documents, in which a contiguous entity is replaced by two or three
    entities that share words, or by an entity with a gap.

    Registered as `spacy-gapdner.coordination_augmenter.v1`. It uses two methods:

    - Coordination: "A H" becomes "A and B H" if "B H" is another entity of the same type. "H A"
      becomes "H A and B". Some coordinations have three parts or a slash. In German and similar
      languages, a last part of compounds is omitted if it is a known word: "H Knieschmerzen"
      becomes "H Knie- und Hüftschmerzen", with the entities "H Knie-" and "H ... Hüftschmerzen".
    - Insertion: The words from the gap of another entity are inserted after the same word
      ("development of *the neural* retina").

    Words that belong to another entity of their document are not inserted, because the synthetic
    document would lack that entity.

    The inserted words come from the documents seen so far, except for conjunctions and
    punctuation. The rest of the sentence is unchanged. A synthetic document has no
    annotation except for its entities and sentence starts. Documents with other spans are not
    copied, because a pipe that learns from them would find no spans in the copy.

    share (float): Probability of adding a synthetic copy of a document.
    insertion_share (float): Probability of trying insertion first.
    conjunctions (Optional[Sequence[str]]): The words that coordinate the last two parts. Defaults
        to "and" and "or" in the language of the first document, or in English.
    spans_key (str): Prefix of the span groups.
    seed (int): The random seed.
    RAISES (GapDNERError): If a share is not a probability, or the conjunctions are not a list.
    """

    def __init__(
        self,
        share: float = 0.5,
        insertion_share: float = 0.25,
        conjunctions: Sequence[str] | None = None,
        spans_key: str = DEFAULT_SPANS_KEY,
        seed: int = 0,
    ) -> None:
        for name, value in (("share", share), ("insertion_share", insertion_share)):
            check_probability(name, value)
        # a config would convert a string to a list of its characters
        is_list = conjunctions is not None and not isinstance(conjunctions, str)
        if conjunctions is not None and not (is_list and conjunctions and all(conjunctions)):
            raise GapDNERError(f"Invalid conjunctions: {conjunctions!r}. Use a list of words.")
        self.share = share
        self.insertion_share = insertion_share
        self.conjunctions = tuple(conjunctions or ())
        self.key = spans_key
        self.random = random.Random(seed)
        # (type, whether the shared words come last, shared words) -> other parts of entities
        self._parts: dict[tuple[str, bool, Words], dict[Words, None]] = {}
        # (type, preceding word) -> words in gaps
        self._gaps: dict[tuple[str, str], dict[Words, None]] = {}
        # lowercase words of languages with compounds
        self._words: set[str] = set()

    def __call__(self, nlp: Language, example: Example) -> Iterator[Example]:
        """YIELDS (Example): The example, and possibly a synthetic one."""
        yield example
        reference = self.synthesize(example.reference)
        if reference is not None:
            words = [token.text for token in reference]
            spaces = [bool(token.whitespace_) for token in reference]
            yield Example(Doc(nlp.vocab, words=words, spaces=spaces), reference)

    def synthesize(self, doc: Doc) -> Doc | None:
        """Make a synthetic copy of a document, and remember its entities for later documents.

        doc (Doc): A Doc with gold entities.
        RETURNS (Optional[Doc]): The copy with its entities. None if no entity fits, or at random.
        """
        if not self.conjunctions:
            self.conjunctions = _CONJUNCTIONS.get(doc.lang_, _CONJUNCTIONS["en"])
        if doc.lang_ in _COMPOUNDING:
            self._words.update(token.lower_ for token in doc)
        entities = [entity.to_entity() for entity in get_entities(doc, self.key)]
        # the random choices depend on the order in which gaps are collected
        entities.sort(key=lambda entity: (entity.start, entity.end, entity.fragments))
        words = [token.text for token in doc]
        taken = Counter(index for entity in entities for index in entity.token_indices)
        self._collect(words, entities, taken)
        others = doc.spans.keys() - set(group_names(doc, self.key))
        if self.random.random() >= self.share or any(len(doc.spans[name]) for name in others):
            return None
        places = [
            entity
            for entity in entities
            if not entity.is_discontinuous
            and entity.end - entity.start > 1
            and all(taken[index] == 1 for index in entity.token_indices)
            # all words of a replacement are separated by spaces
            and all(token.whitespace_ for token in doc[entity.start : entity.end - 1])
        ]
        self.random.shuffle(places)
        ways = [self._coordinate, self._insert]
        if self.random.random() < self.insertion_share:
            ways.reverse()
        for way in ways:
            for entity in places:
                synthetic = way(words, entity)
                if synthetic is not None:
                    return _replace(doc, entities, entity, synthetic, self.key)
        return None

    def _collect(self, words: list[str], entities: list[Entity], taken: Counter[int]) -> None:
        for entity in entities:
            for start, end in entity.gaps:
                gap = tuple(words[start:end])
                if (
                    len(gap) <= _MAX_GAP
                    and _is_plain(gap, self.conjunctions)
                    and not any(taken[index] for index in range(start, end))
                ):
                    before = words[start - 1].lower()
                    self._gaps.setdefault((entity.label, before), {})[gap] = None
            if entity.is_discontinuous:
                continue
            tokens = entity.token_indices
            for part, shared, last in _cuts(_lower_first(words, tokens)):
                own = tokens[: len(part)] if last else tokens[len(shared) :]
                if (
                    len(part) <= _MAX_PART
                    and _is_plain((*part, *shared), self.conjunctions)
                    and all(taken[index] == 1 for index in own)
                ):
                    self._parts.setdefault((entity.label, last, shared), {})[part] = None

    def _coordinate(self, words: list[str], entity: Entity) -> Synthetic | None:
        own = _lower_first(words, entity.token_indices)
        cuts = list(_cuts(own))
        self.random.shuffle(cuts)
        for part, shared, last in cuts:
            known = self._parts.get((entity.label, last, shared), {})
            others = [other for other in known if other != part]
            if others and part in known:
                n_others = 2 if len(others) > 1 and self.random.random() < _THREE else 1
                parts = [part, *self.random.sample(others, n_others)]
                self.random.shuffle(parts)
                new, places = self._join(self._omit_shared_word(parts), shared, last)
                if own[0] != words[entity.start]:
                    new[0] = new[0][:1].upper() + new[0][1:]
                return new, places
        return None

    def _omit_shared_word(self, parts: list[Words]) -> list[Words]:
        # "Knieschmerzen", "Hüftschmerzen" -> "Knie-", "Hüftschmerzen"
        ends = [part[-1] for part in parts]
        longest = min(map(len, ends)) - _SHORTEST_PART
        for length in range(longest, _SHORTEST_PART - 1, -1):
            shared = {end[-length:] for end in ends}
            if len(shared) == 1 and shared.pop() in self._words:
                if self.random.random() >= _ELLIPSIS:
                    break
                cut = [(*part[:-1], f"{part[-1][:-length]}-") for part in parts[:-1]]
                return [*cut, parts[-1]]
        return parts

    def _join(self, parts: list[Words], shared: Words, last: bool) -> Synthetic:
        if len(parts) == 2 and self.random.random() < _SLASH:
            separators = [["/"]]
        else:
            conjunction = self.random.choice(self.conjunctions)
            final = [conjunction] if len(parts) == 2 else [",", conjunction]
            separators = [*([[","]] * (len(parts) - 2)), final]
        words = [] if last else list(shared)
        places = []
        for part, separator in zip(parts, [*separators, []], strict=True):
            places.append(range(len(words), len(words) + len(part)))
            words += [*part, *separator]
        first = len(words) if last else 0
        common = range(first, first + len(shared))
        words += shared if last else ()
        return words, [tuple(sorted((*place, *common))) for place in places]

    def _insert(self, words: list[str], entity: Entity) -> Synthetic | None:
        own = words[entity.start : entity.end]
        choices = [
            (cut, gap)
            for cut in range(1, len(own))
            for gap in self._gaps.get((entity.label, own[cut - 1].lower()), ())
        ]
        if not choices:
            return None
        cut, gap = self.random.choice(choices)
        written = [*own[:cut], *gap, *own[cut:]]
        return written, [(*range(cut), *range(cut + len(gap), len(written)))]


def make_oversampling_augmenter(times: int = 1, spans_key: str = DEFAULT_SPANS_KEY) -> Augmenter:
    """Create an augmenter that repeats documents with discontinuous entities. Registered as
    `spacy-gapdner.oversampling_augmenter.v1`.

    times (int): Number of additional copies of each document.
    spans_key (str): Prefix of the span groups.
    RETURNS (Callable[[Language, Example], Iterator[Example]]): The augmenter.
    """

    def oversample(nlp: Language, example: Example) -> Iterator[Example]:
        yield example
        if any(e.is_discontinuous for e in get_entities(example.reference, spans_key)):
            yield from (Example(example.predicted.copy(), example.reference) for _ in range(times))

    return oversample


def _replace(
    doc: Doc, entities: list[Entity], entity: Entity, synthetic: Synthetic, key: str
) -> Doc:
    (words, places), start, end = synthetic, entity.start, entity.end
    tokens = [(t.text, bool(t.whitespace_), t.is_sent_start) for t in doc]
    spaces = [word != "/" and following not in "/," for word, following in pairwise(words)]
    starts = [tokens[start][2], *[False] * len(spaces)]
    tokens[start:end] = zip(words, [*spaces, tokens[end - 1][1]], starts, strict=True)
    all_words, all_spaces, all_starts = map(list, zip(*tokens, strict=True))
    has_starts = doc.has_annotation("SENT_START")
    new = Doc(doc.vocab, all_words, all_spaces, sent_starts=all_starts if has_starts else None)
    # otherwise spaCy would tokenize the text again
    new.has_unknown_spaces = doc.has_unknown_spaces
    added = len(words) - (end - start)
    kept = [
        Entity.from_tokens(e.label, [i if i < start else i + added for i in e.token_indices])
        for e in entities
        if e != entity
    ]
    written = [Entity.from_tokens(entity.label, [start + i for i in place]) for place in places]
    set_entities(new, [*kept, *written], key)
    return new


def _cuts(own: Words) -> Iterator[tuple[Words, Words, bool]]:
    # part, shared words, and whether the shared words come last
    for cut in range(1, len(own)):
        yield own[:cut], own[cut:], True
        yield own[cut:], own[:cut], False


def _lower_first(words: Sequence[str], indices: Sequence[int]) -> Words:
    # undo the capitalization at the start of a text
    own = [words[i] for i in indices]
    if indices[0] == 0 and own[0][1:].islower():
        own[0] = own[0].lower()
    return tuple(own)


def _is_plain(words: Words, conjunctions: Sequence[str]) -> bool:
    # coordinations ("and/or" is one token) and brackets within a part would change the meaning
    return all(
        any(c.isalnum() for c in word)
        and not set(word.lower().split("/")).intersection(conjunctions)
        for word in words
    )
