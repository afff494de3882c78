"""Make tables for the terminal and for Markdown."""

from typing import NamedTuple

from wasabi import msg


class Table(NamedTuple):
    """A table of strings. The first column contains text, the others numbers."""

    title: str
    header: list[str]
    rows: list[list[str]]

    def to_markdown(self) -> str:
        lines = [self.header, ["---", *["---:"] * (len(self.header) - 1)], *self.rows]
        escaped = ([cell.replace("|", "\\|") for cell in line] for line in lines)
        body = "".join(f"| {' | '.join(line)} |\n" for line in escaped)
        return f"**{self.title}**\n\n{body}"

    def print(self) -> None:
        print(f"\n{self.title}")
        aligns = ["l", *["r"] * (len(self.header) - 1)]
        msg.table(self.rows, header=self.header, divider=True, aligns=aligns, max_col=60)
