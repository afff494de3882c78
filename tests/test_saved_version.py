import re
import warnings

import pytest
import spacy
import srsly
from tiny_pipeline import make_nlp

from spacy_gapdner import GapDNERError, __version__
from spacy_gapdner.cli._model import load_pipeline
from spacy_gapdner.saved_version import tell_newer

MAJOR, MINOR = map(int, __version__.split(".", 2)[:2])
NEWER = f"{MAJOR}.{MINOR + 1}.0"


@pytest.fixture
def saved(tmp_path):
    make_nlp().to_disk(tmp_path)
    return tmp_path


def change_cfg(saved, **changes):
    path = saved / "gapdner" / "cfg"
    srsly.write_json(path, {**srsly.read_json(path), **changes})


def test_the_version_is_saved(saved):
    assert srsly.read_json(saved / "gapdner" / "cfg")["version"] == __version__


@pytest.mark.parametrize(
    "version",
    [None, 7, "", "new", __version__, f"{MAJOR}.{MINOR}.99", "0.0.1", f"{__version__}.dev1"],
)
def test_other_versions_say_nothing(version):
    assert tell_newer({"version": version}) == ""


@pytest.mark.parametrize("version", [NEWER, f"{MAJOR + 1}.0", f"{NEWER}.dev2", "100.0.0rc1"])
def test_newer_versions(version):
    assert version in tell_newer({"version": version})


def test_a_pipeline_of_a_newer_version_warns(saved):
    change_cfg(saved, version=NEWER)
    message = re.escape(
        "'gapdner' may find other entities. It was saved by spacy-gapdner "
        f"{NEWER}, which is newer than this one ({__version__}): upgrade with pip"
    )
    with pytest.warns(UserWarning, match=message):
        nlp = spacy.load(saved)
    # saved again, it is of this version
    nlp.to_disk(saved)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        spacy.load(saved)


def test_what_a_newer_version_saved_and_this_one_cannot_load(saved):
    change_cfg(saved, version=NEWER, calibration={"new": 1})
    with pytest.raises(GapDNERError, match=rf"Cannot load the pipe 'gapdner'.*{NEWER}") as error:
        spacy.load(saved)
    assert error.value.__cause__ is not None
    change_cfg(saved, version=__version__)
    with pytest.raises(KeyError):
        spacy.load(saved)


def test_bytes_of_a_newer_version(saved):
    nlp = spacy.load(saved)
    pipe = nlp.get_pipe("gapdner")
    data = srsly.msgpack_loads(pipe.to_bytes())
    cfg = srsly.json_loads(data["cfg"])
    data["cfg"] = srsly.json_dumps({**cfg, "version": NEWER})
    with pytest.warns(UserWarning, match=NEWER):
        pipe.from_bytes(srsly.msgpack_dumps(data))


def test_commands_name_the_version_where_the_config_cannot_be_read(saved):
    config = (saved / "config.cfg").read_text()
    (saved / "config.cfg").write_text(config.replace("GapDNER.v1", "GapDNER.v99"))
    with pytest.raises(GapDNERError) as error:
        load_pipeline(saved)
    assert "newer" not in str(error.value)
    change_cfg(saved, version=NEWER)
    with pytest.raises(GapDNERError, match=rf"GapDNER\.v99(.|\n)*{NEWER}.*upgrade with pip"):
        load_pipeline(saved)
