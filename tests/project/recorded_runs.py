"""Records of runs for tests of tables."""

from project.experiments.runs import Run
from project.experiments.summary import SUBSETS


def make_scores(f, disc=None, p=None, r=None):
    """The scores in tables. P and R are equal to F by default."""
    scores = {"spans_key": "gapdner", "speed": 500.0}
    for _, ending in SUBSETS:
        value = disc if ending == "_disc" else f
        scores |= {f"spans_gapdner{ending}_{measure}": value for measure in "prf"}
    return scores | {f"spans_gapdner_{m}": value for m, value in (("p", p), ("r", r)) if value}


def make_run(name="GapDNER", seed=0, f=0.5, **changes):
    model = {"bilstm": True, "tok2vec": {"grad_factor": 1.0}}
    encoder = {"factory": "transformer", "model": {"name": "some/bert"}}
    config = {
        "components": {"encoder": encoder, "gapdner": {"spans_key": "gapdner", "model": model}},
        "training": {"seed": seed, "max_epochs": 0, "max_steps": 100},
    }
    selected = {"step": 50, "epoch": 2, "score": f or 0.0, "losses": {"gapdner": 1.5}}
    scores = {"dev": make_scores(f), "test": make_scores(f)}
    data = {
        part: [{"name": f"{part}.spacy", "docs": 3, "entities": 4, "sha256": part * 8}]
        for part in ("train", "dev", "test")
    }
    fields = {"config": config, "versions": {}, "commit": None, "device": {}, "data": data}
    fields |= {"selected": selected, "evaluations": [selected], "scores": scores}
    fields["seconds"] = {"train": 60.0, "dev": 1.0, "test": 2.0}
    return Run(name=name, seed=seed, **{**fields, **changes})
