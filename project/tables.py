"""Tables as text: for the screen and for Markdown."""

from typing import NamedTuple

from wasabi import msg


class Table(NamedTuple):
    """A table of texts.

    title (str): What it shows; one line.
    header (list[str]): Names of the columns.
    rows (list[list[str]]): The cells. The first column is text, the others are numbers.
    """

    title: str
    header: list[str]
    rows: list[list[str]]

    def to_markdown(self) -> str:
        """RETURNS (str): The table in Markdown, after its title."""
        lines = [self.header, ["---", *["---:"] * (len(self.header) - 1)], *self.rows]
        body = "".join(f"| {' | '.join(_escape(cell) for cell in line)} |\n" for line in lines)
        return f"**{self.title}**\n\n{body}"


def print_table(table: Table) -> None:
    """Print a table.

    table (Table): The table.
    """
    print(f"\n{table.title}")
    aligns = ["l", *["r"] * (len(table.header) - 1)]
    msg.table(table.rows, header=table.header, divider=True, aligns=aligns, max_col=60)


def _escape(cell: str) -> str:
    return cell.replace("|", "\\|")
