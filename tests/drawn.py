"""What is drawn, read from the HTML."""

from html.parser import HTMLParser


class Drawn(HTMLParser):
    """Of every sentence its words, each with the (kind, color, label) of what stands under it."""

    def __init__(self, html):
        super().__init__()
        self.sentences, self.spot = [], None
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        if attrs.get("class") == "entities":
            self.sentences.append([])
        elif attrs.get("class") == "word":
            self.sentences[-1].append(["", []])
            self.spot = "word"
        elif tag == "i" and self.spot:
            color = attrs.get("style", "").removeprefix("border-color: ")
            self.sentences[-1][-1][1].append((attrs.get("class", ""), color, ""))
            self.spot = "label"

    def handle_endtag(self, tag):
        self.spot = None if tag in ("span", "div") else self.spot

    def handle_data(self, data):
        if self.spot == "word":
            self.sentences[-1][-1][0] += data
        elif self.spot == "label":
            cells = self.sentences[-1][-1][1]
            cells[-1] = (*cells[-1][:2], data)


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
