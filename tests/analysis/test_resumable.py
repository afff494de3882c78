"""A file that grows: what is kept of an earlier run, what is refused, and what stays after both."""

import json
from contextlib import suppress

import pytest

from spacy_gapdner.analysis.resumable import growing
from spacy_gapdner.analysis.texts import InputText
from spacy_gapdner.errors import GapDNERError


def line(name):
    return json.dumps({"id": name, "text": "text"}).encode() + b"\n"


TWO = line("a") + line("b")


@pytest.fixture
def output(tmp_path):
    return tmp_path / "out.jsonl"


@pytest.fixture
def part(tmp_path):
    return tmp_path / "out.jsonl.part"


def resume(path, *names):
    """Do what is missing of these documents."""
    with growing(path, resume=True) as grown:
        missing = [n for n in names if not grown.is_done(InputText("text", {"id": n}))]
        for name in missing:
            grown.stream.write(line(name))
    return missing


@pytest.mark.parametrize("which", ["output", "part"])
@pytest.mark.parametrize("last", [b"", line("c")[:-5], line("c")[:-1], b"\0" * 8])
def test_only_a_broken_last_line_is_cut(request, tmp_path, output, which, last):
    request.getfixturevalue(which).write_bytes(TWO + last)
    # two documents may have one id
    assert resume(output, *"abca") == ["c", "a"]
    assert output.read_bytes() == TWO + line("c") + line("a")
    assert list(tmp_path.iterdir()) == [output]


@pytest.mark.parametrize("which", ["output", "part"])
@pytest.mark.parametrize("bad", [b"{'id': 1}\n", b"[1]\n", b"\xe4\n"])
def test_a_bad_line_is_refused(request, tmp_path, output, which, bad):
    path = request.getfixturevalue(which)
    path.write_bytes(TWO + bad + line("c"))
    with pytest.raises(GapDNERError) as error:
        resume(output, *"abcd")
    assert str(error.value).startswith(f"{path}:3 ")
    assert list(tmp_path.iterdir()) == [path]
    assert path.read_bytes() == TWO + bad + line("c")


@pytest.mark.parametrize("error", [KeyError, KeyboardInterrupt])
@pytest.mark.parametrize("resumes", [True, False])
def test_what_stays_after_an_error_and_after_a_stop(output, part, error, resumes):
    output.write_bytes(TWO)
    with suppress(error), growing(output, resume=resumes) as grown:
        grown.stream.write(line("c"))
        raise error
    assert output.read_bytes() == TWO
    if error is KeyError and not resumes:
        assert not part.exists()
    else:
        assert part.read_bytes() == (TWO if resumes else b"") + line("c")
        # what the older output holds may be of another model
        assert resume(output, *"abcd") == (["d"] if resumes else ["a", "b", "d"])
