import pytest
from typer.testing import CliRunner

from project.experiments.__main__ import app


@pytest.fixture
def run():
    """Runs a command of the experiments."""

    def invoke(*args):
        return CliRunner().invoke(app, [str(arg) for arg in args])

    return invoke


@pytest.fixture
def fails(run):
    """Runs a command that must end with one line on stderr and nothing on stdout."""

    def invoke(message, *args):
        result = run(*args)
        assert result.exit_code == 1, result.output
        assert result.stdout == ""
        assert len(result.stderr.splitlines()) == 1
        assert message in result.stderr

    return invoke
