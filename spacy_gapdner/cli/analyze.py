"""analyze: where trained pipelines go wrong, several side by side."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from ..errors import GapDNERError
from . import _options as options
from ._model import check_model, load_pipeline
from ._printing import msg
from ._reports import FILES, print_reports, write_reports
from ._util import clean_errors, read_docs

if TYPE_CHECKING:
    from ..analysis.model_report import ModelReport

# folders of spacy train, which say nothing without the folder that they are in
_TRAINED = ("model-best", "model-last")


def analyze_cli(
    model: str = typer.Argument(
        ...,
        metavar="MODEL",
        help="Folder of a trained pipeline, installed package, or .spacy file with predictions; "
        "NAME=MODEL gives it a name",
    ),
    data: Path = options.DATA,
    compare: list[str] = typer.Option(
        [], "--compare", metavar="MODEL", help="Another model; may be given several times"
    ),
    output_path: Path | None = options.output(
        "Folder for report.html, analysis.json, scores.csv and errors.csv"
    ),
    n_examples: int = options.examples("Errors of a kind and model in report.html at most"),
    spans_key: str | None = options.spans_key(
        "Prefix of the span groups with entities; the first pipe's own if not given"
    ),
    threshold: float | None = options.THRESHOLD,
    batch_size: int | None = options.BATCH_SIZE,
    gpu_id: int = options.GPU_ID,
    code: Path | None = options.CODE,
) -> None:
    """Show where trained pipelines go wrong.

    It tells scores by gap length, number of fragments and entity length, and on sentences with
    discontinuous and overlapping entities; and errors by kind."""

    def run() -> dict[str, "ModelReport"]:
        settings = {"threshold": threshold}
        models = name_models([model, *compare])
        return _report_models(models, data, spans_key, settings, batch_size, gpu_id)

    with clean_errors():
        if output_path is None:
            reports = run()
        elif output_path.is_file():
            raise GapDNERError(f"{output_path} is a file. Give the name of the folder to write.")
        else:
            from ..formats.outputs import check_output, filling

            # an input may lie in the folder, but not under the name of a page
            for name in FILES:
                for path in name_models([model, *compare]).values():
                    check_output(output_path / name, {"data": data, "model": path})
            # made before the work, to find out first whether it can be
            with filling(output_path) as folder:
                reports = run()
                write_reports(reports, data, folder, n_examples)
    print_reports(reports)
    if output_path is not None:
        from ..drawing.page import has_plots

        if not has_plots():
            msg.warn("report.html has no plots: they need pip install 'spacy-gapdner[plots]'.")
        print(output_path / "report.html")


def _report_models(
    models: Mapping[str, str],
    data: Path,
    spans_key: str | None,
    settings: Mapping[str, Any],
    batch_size: int | None,
    gpu_id: int,
) -> dict[str, "ModelReport"]:
    from spacy.vocab import Vocab

    from ..analysis.model_report import analyze, report_model
    from ..analysis.predictions import pair_examples
    from ..entities import DEFAULT_SPANS_KEY
    from ..formats.docbin import read_docbin, require_docbins

    require_docbins(data)
    predictions = {model for model in models.values() if Path(model).suffix == ".spacy"}
    for model in models.values():
        if model not in predictions:
            check_model(model)
        elif any(value is not None for value in settings.values()):
            raise GapDNERError(f"Thresholds are for pipelines: {model} is a file of predictions.")
    reports = {}
    for name, model in models.items():
        if model in predictions:
            spans_key = spans_key or DEFAULT_SPANS_KEY
            vocab = Vocab()
            docs = read_docs(data, vocab)
            examples = pair_examples(read_docbin(Path(model), vocab), docs, source=model)
            report = report_model(examples, spans_key)
        else:
            nlp, pipe = load_pipeline(model, spans_key=spans_key, gpu_id=gpu_id, **settings)
            # one key for all, so that all are compared with the same gold entities
            spans_key = spans_key or pipe.key
            docs = read_docs(data, nlp.vocab)
            report = analyze(nlp, docs, spans_key=spans_key, batch_size=batch_size)
        if not report.scores.rows()[0].gold:
            raise GapDNERError(f"{data} has no gold entities under the spans key {spans_key!r}.")
        reports[name] = report
    return reports


def name_models(models: Sequence[str]) -> dict[str, str]:
    """Give models their names.

    models (Sequence[str]): "name=model", or a model, which is called by the end of its path.
    RETURNS (dict[str, str]): Models by name.
    RAISES (GapDNERError): If two have the same name.
    """

    named: dict[str, str] = {}
    for text in models:
        name, equals, model = text.partition("=")
        if not equals or Path(text).exists():
            path = Path(text)
            model = text
            name = path.name if path.name not in _TRAINED else "/".join(path.parts[-2:])
        if name in named:
            raise GapDNERError(
                f"Two models are called {name}. Write NAME={model} to choose a name."
            )
        named[name] = model
    return named
