"""The commands ``python -m spacy gapdner ...``.

spaCy imports this module for every one of its commands, so it and the modules of the commands
import what they need when a command runs. A new command is one line at the end of this module.
"""

import typer
from spacy.cli._util import app as spacy_app

from .agreement import agreement_cli
from .analyze import analyze_cli
from .annotate import annotate_cli
from .attention import attention_cli
from .augment import augment_cli
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
    help="Discontinuous named entities: data, training and evaluation.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@app.callback()
def _gapdner() -> None:
    # a callback keeps the name of a command needed even where there is only one
    pass


app.command("init-config")(init_config_cli)
app.command("convert")(convert_cli)
app.command("stats")(stats_cli)
app.command("debug-data")(debug_data_cli)
app.command("augment")(augment_cli)
app.command("evaluate")(evaluate_cli)
app.command("analyze")(analyze_cli)
app.command("agreement")(agreement_cli)
app.command("predict")(predict_cli)
app.command("tune")(tune_cli)
app.command("attention")(attention_cli)
app.command("draw")(draw_cli)
app.command("serve")(serve_cli)
app.command("annotate")(annotate_cli)

# spaCy imports the app's module, but does not look for an app in it
spacy_app.add_typer(app)
