"""The page of annotate and the drawings have the same rule for writing directions."""

import json
import subprocess
import unicodedata
from pathlib import Path
from random import Random

from javascript import NODE, needs_node

import spacy_gapdner
from spacy_gapdner.drawing.bars import _directions

MODULE = Path(spacy_gapdner.__file__).parent / "apps/annotate/static/js/directions.js"
SCRIPT = """
import {directionsOf} from MODULE;
let read = "";
for await (const part of process.stdin) read += part;
console.log(JSON.stringify(JSON.parse(read).map((words) => directionsOf(words, "ltr").words)));
"""


@needs_node
def test_same_directions_in_python_and_javascript():
    # modifier letters, which are never alone in a word, have a direction only in JavaScript
    letters = [
        chr(code)
        for code in range(0x20000)
        if unicodedata.category(chr(code)) in ("Ll", "Lu", "Lo")
        and unicodedata.bidirectional(chr(code)) in ("L", "R", "AL")
    ]
    rng = Random(0)
    words = [*letters, *"aאب", "5", "٣", "(", ".", "\u200f", "x5", "5א", " ", "mg/dL"]
    sentences = [[letter] for letter in letters]
    common = words[len(letters) :]
    sentences += [rng.choices(common, k=rng.randint(1, 8)) for _ in range(2000)]
    script = SCRIPT.replace("MODULE", json.dumps(MODULE.as_uri()))
    found = subprocess.run(
        [NODE, "--input-type=module", "--eval", script],
        input=json.dumps(sentences),
        capture_output=True,
        text=True,
        check=True,
    )
    for sentence, directions in zip(sentences, json.loads(found.stdout), strict=True):
        assert directions == _directions(sentence), sentence
