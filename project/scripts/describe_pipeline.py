"""Make a pipeline that was trained on CRAFT ready for `spacy package`: what it is, in meta.json.

spaCy makes the model card of meta.json; `craft_notes.md` is the part of it that is text.
"""

import shutil
from pathlib import Path
from typing import Any

import srsly
import typer
from spacy.cli.package import generate_readme
from thinc.api import Config
from wasabi import msg

from spacy_gapdner.config.template import NO_TRANSFORMER
from spacy_gapdner.errors import GapDNERError
from spacy_gapdner.formats.files import require_file
from spacy_gapdner.formats.outputs import check_replaceable, replacing_folder
from spacy_gapdner.scorer import SUBSETS

LICENCE = "CC BY 3.0"
CRAFT = {
    "name": "CRAFT v5: concept annotation of full-text biomedical articles",
    "url": "https://github.com/UCDenver-ccp/CRAFT",
    "license": "CC BY 3.0; articles of the PMC Open Access Subset",
    "author": "Bada et al. 2012, Concept annotation in the CRAFT corpus, BMC Bioinformatics 13:161",
}
NOTES = Path(__file__).with_name("craft_notes.md")


def main(
    pipeline: Path = typer.Argument(..., help="Directory of the trained pipeline"),
    scores_path: Path = typer.Argument(..., metavar="SCORES", help="JSON of `gapdner evaluate`"),
    output: Path = typer.Argument(..., help="Directory for the pipeline with its description"),
    name: str = typer.Option("craft_gapdner", help="Name of the package, without the language"),
    version: str = typer.Option("0.1.0", help="Version of the package"),
    encoder: str = typer.Option(NO_TRANSFORMER, help="Name of the transformer on the hub, or none"),
    ontologies: str = typer.Option("CL,GO_BP", help="CRAFT's ontologies that it was trained on"),
    where: str = typer.Option("CRAFT's development articles", help="What the scores are for"),
    author: str = typer.Option("", help="Who publishes it"),
    url: str = typer.Option("", help="Where it is published"),
) -> None:
    """Copy a pipeline, with a meta.json and a README.md that describe it."""
    try:
        for path in (pipeline / "meta.json", pipeline / "config.cfg", scores_path):
            require_file(path)
        check_replaceable(output, must_hold="meta.json")
        meta, scores = srsly.read_json(pipeline / "meta.json"), srsly.read_json(scores_path)
        config = Config().from_disk(pipeline / "config.cfg", interpolate=False)
        package = f"{meta['lang']}_{name}"
        used = None if encoder == NO_TRANSFORMER else encoder
        sources, encoder_note = _describe_encoder(used)
        meta |= {
            "name": name,
            "version": version,
            "description": f"Discontinuous and overlapping mentions of {ontologies} concepts in "
            "biomedical articles",
            "author": author,
            "url": url,
            "license": LICENCE,
            "sources": sources,
            "performance": _performance(scores),
            "notes": NOTES.read_text(encoding="utf8").format(
                package=package,
                ontologies=ontologies.replace(",", ", "),
                docs=f"{scores['docs']:,}",
                words=f"{scores['words']:,}",
                where=where,
                table=_table(scores),
                threshold=scores["threshold"],
                max_length=config["components"]["gapdner"]["max_length"],
                encoder_note=encoder_note,
            ),
        }
        if used and "vars" in config:
            # a directory is nowhere else
            config["vars"]["transformer"] = used
        with replacing_folder(output) as folder:
            shutil.copytree(pipeline, folder, dirs_exist_ok=True)
            config.to_disk(folder / "config.cfg")
            srsly.write_json(folder / "meta.json", meta)
            # spaCy makes a link of any url, an empty one too
            shown = {key: value for key, value in meta.items() if key != "url" or value}
            (folder / "README.md").write_text(generate_readme(shown), encoding="utf8")
    except (GapDNERError, OSError) as error:
        msg.fail(str(error), exits=1)
    msg.good(f"Pipeline with its description: {output}")


def _performance(scores: dict[str, Any]) -> dict[str, float]:
    prefix = f"spans_{scores['spans_key']}_"
    names = [f"{prefix}{subset}{m}" for subset in ("", "disc_", "disc_sents_") for m in "prf"]
    return {name: scores[name] for name in names if scores[name] is not None}


def _table(scores: dict[str, Any]) -> str:
    prefix, counts = f"spans_{scores['spans_key']}_", scores[f"spans_{scores['spans_key']}_counts"]
    found = []
    for subset, title in SUBSETS.items():
        start = "" if subset == "all" else f"{subset}_"
        prf = [scores[f"{prefix}{start}{measure}"] for measure in "prf"]
        found.append((title, prf, counts[f"{start}gold"]))
    for label, by_measure in (scores[f"{prefix}per_type"] or {}).items():
        prf = [by_measure[measure] for measure in "prf"]
        found.append((f"`{label}`", prf, scores["gold_per_type"].get(label, 0)))
    rows = ["| | P | R | F | gold |", "|---|---|---|---|---|"]
    for title, prf, n_gold in found:
        shown = ("-" if value is None else f"{100 * value:.1f}" for value in prf)
        rows.append(f"| {title} | {' | '.join(shown)} | {n_gold} |")
    return "\n".join(rows)


def _describe_encoder(encoder: str | None) -> tuple[list[dict[str, str]], str]:
    # the sources, and what the card says of the transformer
    if encoder is None:
        return [CRAFT], "It has no pretrained transformer."
    license = "see its model card"
    url = f"https://huggingface.co/{encoder}"
    source = {"name": encoder, "url": url, "license": license, "author": f"license: {license}"}
    note = (
        f"The transformer that it was trained from, {encoder}, has a license of its own: {license}."
    )
    return [CRAFT, source], note


if __name__ == "__main__":
    typer.run(main)
