import shutil
import subprocess

import pytest

from project import environment
from project.environment import get_commit, get_device


def test_device(monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    device = get_device(-1)
    assert (device["gpu"], device["omp_num_threads"]) == (None, "3")


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_the_commit_of_a_clone(tmp_path, monkeypatch):
    monkeypatch.setattr(environment, "_HERE", tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    assert get_commit() is None
    git = ["git", "-c", "user.name=A", "-c", "user.email=a@b.c"]
    for command in (["init"], ["commit", "--allow-empty", "--message", "first"]):
        subprocess.run([*git, *command], cwd=tmp_path, check=True, capture_output=True)
    log = subprocess.run([*git, "log"], cwd=tmp_path, capture_output=True, text=True).stdout
    assert f"commit {get_commit()}\n" in log
