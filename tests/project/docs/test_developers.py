"""The code of the page for developers runs, block by block, and prints the output on the page."""

from pages import run_page, train_by_heart

ANNOTATED = [("no joint or back pain", [("ADE", "joint", "pain"), ("ADE", "back pain")])]


def test_developers(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    train_by_heart(ANNOTATED, tmp_path / "training" / "model-best")
    run_page("developers.md", capsys)
    assert (tmp_path / "training" / "assembled" / "body").is_dir()
