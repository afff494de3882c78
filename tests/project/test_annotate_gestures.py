"""The measurement of gestures in the browser."""

import shutil

import pytest

pytest.importorskip("fastapi", reason="FastAPI (extra serve) is not installed")
pytest.importorskip("selenium", reason="selenium is not installed")

from annotate_gestures import main

TEXT = "Plain pain.\nHe had severe joint, shoulder and back pain since Naproxen.\n"
ANN = """\
T1\tADE 19 31;51 55\tsevere joint pain
T2\tADE 19 25;33 41;51 55\tsevere shoulder pain
T3\tADE 19 25;46 55\tsevere back pain
T4\tDRUG 62 70\tNaproxen
"""


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("chromedriver"), reason="chromedriver is not installed")
def test_gestures(tmp_path, capsys):
    (tmp_path / "one.txt").write_text(TEXT)
    (tmp_path / "one.ann").write_text(ANN)
    main(tmp_path, 1, 0)
    # three drags, split and accept; Naproxen and its type. In brat: 6 + 10 + 6 + 3
    expected = "4 entities, 1 of 1 sentences equal: 7 gestures, 25 in brat"
    assert expected in capsys.readouterr().out
