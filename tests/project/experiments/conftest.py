import pytest
from typer.testing import CliRunner

from project.experiments.__main__ import app


@pytest.fixture
def run():
    """Runs a command of the experiments."""

    def invoke(*args):
        return CliRunner().invoke(app, [str(arg) for arg in args])

    return invoke
