"""The workflows and variables in project/README.md exist."""

import re
from pathlib import Path

from weasel.cli.run import load_project_config

ROOT = Path(__file__).parents[2]
README = (ROOT / "project" / "README.md").read_text(encoding="utf8")


def test_workflows_and_commands():
    config = load_project_config(ROOT)
    commands = {command["name"] for command in config["commands"]}
    named = set(re.findall(r"project run ([a-z][\w-]*)", README))
    assert {"all", "quality", "paper", "benchmark"} <= named
    assert named <= commands | set(config["workflows"])
    table = re.findall(r"^\| `([\w-]+)` \| ", README, flags=re.MULTILINE)
    assert sorted(table) == sorted(config["workflows"])


def test_variables():
    variables = set(load_project_config(ROOT)["vars"])
    lines = [line for line in README.splitlines() if "train-seeds" not in line]
    # variables of training configs in the options of trainings
    config = {"mixed_precision", "transformer", "VARIABLE"}
    named = set(re.findall(r"--vars\.(\w+)", "\n".join(lines)))
    assert named - config <= variables
