import shutil
import subprocess

import pytest

from project import environment
from project.environment import get_commit, get_device


def test_device(monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    device = get_device(-1)
    assert (device["gpu"], device["omp_num_threads"]) == (None, "3")
    assert device["cores"] >= 1


def git(folder, *arguments):
    command = ["git", "-c", "user.name=A", "-c", "user.email=a@b.c", *arguments]
    return subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_the_commit_of_a_clone(tmp_path, monkeypatch):
    monkeypatch.setattr(environment, "_HERE", tmp_path)
    git(tmp_path, "init")
    assert get_commit() is None
    git(tmp_path, "commit", "--allow-empty", "--message", "first")
    first = get_commit()
    assert f"commit {first}\n" in git(tmp_path, "log")
    git(tmp_path, "commit", "--allow-empty", "--message", "second")
    assert get_commit() != first


def test_no_commit_without_git(tmp_path, monkeypatch):
    monkeypatch.setattr(environment, "_HERE", tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    assert get_commit() is None
    monkeypatch.setenv("PATH", "")
    assert get_commit() is None
