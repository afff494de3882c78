"""Add the commands ``python -m spacy gapdner ...``.

spaCy imports this module for each of its commands. To keep that fast, the modules of the commands
import their dependencies when a command runs. To add a command, add it to COMMANDS.
"""

from collections.abc import Callable

import typer
from spacy.cli._util import app as spacy_app

from ._util import clean_errors
from .agreement import agreement_cli
from .analyze import analyze_cli
from .annotate import annotate_cli
from .convert import convert_cli
from .debug_data import debug_data_cli
from .draw import draw_cli
from .evaluate import evaluate_cli
from .init_config import init_config_cli
from .predict import predict_cli
from .serve import serve_cli
from .stats import stats_cli
from .tune import tune_cli

app = typer.Typer(
    name="gapdner",
    help="Discontinuous named entity recognition: data, training and evaluation.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

COMMANDS: dict[str, Callable[..., None]] = {
    "init-config": init_config_cli,
    "convert": convert_cli,
    "stats": stats_cli,
    "debug-data": debug_data_cli,
    "evaluate": evaluate_cli,
    "analyze": analyze_cli,
    "agreement": agreement_cli,
    "predict": predict_cli,
    "tune": tune_cli,
    "draw": draw_cli,
    "serve": serve_cli,
    "annotate": annotate_cli,
}


@app.callback()
def prepare() -> None:
    """Make the process of every command faster."""
    from ..inference.workarounds import apply_workarounds

    apply_workarounds()


for name, command in COMMANDS.items():
    app.command(name)(clean_errors()(command))

# spaCy imports this module, but does not add the app
spacy_app.add_typer(app)
