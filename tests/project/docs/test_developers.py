"""The code of the developers' page runs, block by block, and prints what the page says."""

from pages import code_blocks, run_commands, train_by_heart

ANNOTATED = [("no joint or back pain", [("ADE", "joint", "pain"), ("ADE", "back pain")])]


def test_developers(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    train_by_heart(ANNOTATED, tmp_path / "training" / "model-best")
    namespace = {}
    printed = ""
    for number, (language, code) in enumerate(code_blocks("developers.md"), start=1):
        if language == "text":
            assert printed == code, f"block {number}"
        elif language == "bash":
            run_commands(code)
        elif language == "python":
            exec(compile(code, f"developers.md, block {number}", "exec"), namespace)
            printed = capsys.readouterr().out
    assert (tmp_path / "training" / "assembled" / "body").is_dir()
