"""The entry points that setup.cfg declares."""

import configparser
from pathlib import Path


def read_entry_points():
    """Yields group, name, and MODULE:NAME."""
    parser = configparser.ConfigParser(delimiters=("=",))
    # names are case-sensitive
    parser.optionxform = str
    parser.read(Path(__file__).parents[1] / "setup.cfg", encoding="utf8")
    for group, lines in parser["options.entry_points"].items():
        for line in lines.strip().splitlines():
            name, target = (part.strip() for part in line.split("="))
            yield group, name, target
