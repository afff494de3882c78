"""A small synthetic corpus in brat format."""

SYMPTOMS = ["joint", "back", "chest", "neck"]
DRUGS = ["aspirin", "ibuprofen", "naproxen"]


def write_reports(folder):
    """Write `train/` with twelve texts and `dev/` with four, each with its annotation."""
    pairs = [(a, b) for a in SYMPTOMS for b in SYMPTOMS if a != b]
    for number in range(16):
        first, second = pairs[number % len(pairs)]
        drug = DRUGS[number % len(DRUGS)]
        part = folder / ("train" if number < 12 else "dev")
        part.mkdir(parents=True, exist_ok=True)
        text = f"She had {first} and {second} pain after taking {drug}."
        spans = [
            ("ADE", [first, "pain"]),
            ("ADE", [f"{second} pain"]),
            ("DRUG", [drug]),
        ]
        lines = []
        for i, (label, fragments) in enumerate(spans, start=1):
            starts = [text.index(fragment) for fragment in fragments]
            ends = [start + len(part) for start, part in zip(starts, fragments, strict=True)]
            offsets = ";".join(f"{s} {e}" for s, e in zip(starts, ends, strict=True))
            lines.append(f"T{i}\t{label} {offsets}\t{' '.join(fragments)}\n")
        (part / f"{number + 1:03d}.txt").write_text(text, encoding="utf8")
        (part / f"{number + 1:03d}.ann").write_text("".join(lines), encoding="utf8")
