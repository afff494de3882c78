"""What is drawn, read from the HTML."""

import re
from html.parser import HTMLParser


class Drawn(HTMLParser):
    """Of every sentence its words, each with the (kind, color, label) of what stands under it.
    Words with nothing under them end at spaces."""

    def __init__(self, html):
        super().__init__()
        self.sentences, self.in_word, self.is_open = [], False, False
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        if attrs.get("class") == "entities":
            self.sentences.append([])
            self.is_open = True
        elif attrs.get("class") == "word":
            self.in_word = True
        elif tag == "i" and self.in_word:
            color = attrs.get("style", "").removeprefix("border-color: ")
            cell = (attrs.get("class", ""), color, attrs.get("data-label", ""))
            self.sentences[-1][-1][1].append(cell)

    def handle_endtag(self, tag):
        self.in_word = self.in_word and tag == "i"
        self.is_open = self.is_open and tag != "div"

    def handle_data(self, data):
        if self.is_open:
            words = [data] if self.in_word else re.findall(r"\S+\s*", data)
            self.sentences[-1] += [[word, []] for word in words]


def rows(sentence):
    """The rows of a sentence, a character a word: = a fragment, . a gap, blank neither."""
    marks = {"fragment": "=", "gap": ".", "": " "}
    kinds = [[kind.split(" ")[0] for kind, _, _ in cells] for _, cells in sentence]
    n_rows = max(map(len, kinds), default=0)
    return [
        "".join(marks[cells[row]] if row < len(cells) else " " for cells in kinds)
        for row in range(n_rows)
    ]


def labels(sentence):
    """The labels in the order of the words, each with its word."""
    return [(word.strip(), label) for word, cells in sentence for _, _, label in cells if label]
