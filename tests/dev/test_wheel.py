"""The wheel: it holds every file of the packages, and works beside packages of common names."""

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = (
    ROOT / "wotr_env",
    ROOT / "agents" / "wotr_agents",
    ROOT / "benchmarks" / "wotr_benchmarks",
    ROOT / "experiments" / "wotr_experiments",
)
FOREIGN = ("agents", "benchmarks", "experiments")
"""Import names that projects of others use."""
PLAY = """
import pathlib, sys

import agents, benchmarks, experiments
import gymnasium
import wotr_agents, wotr_benchmarks, wotr_env, wotr_experiments

folder = pathlib.Path(sys.argv[1])
for ours in (wotr_agents, wotr_benchmarks, wotr_env, wotr_experiments):
    assert pathlib.Path(ours.__file__).is_relative_to(folder), ours
assert agents.OWNER == benchmarks.OWNER == experiments.OWNER == "somebody else"

env = gymnasium.make("WarOfTheRing-v0", opponent="random")
_, info = env.reset(seed=1)
_, reward, _, _, _ = env.step(int(info["action_mask"].argmax()))
print(reward)
"""
END = "the end of a command"
RULES = f"""
import sys
from wotr_experiments.cli.main import main

for options in (["--json"], ["--json", "--cards"], ["--check"]):
    if code := main(["rules", *options]):
        sys.exit(code)
    print({END!r})
"""
"""What ``wotr rules`` prints with each of these options, in one process."""


def run(*command: object, cwd: Path, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, *map(str, command)],
        cwd=cwd,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    """The wheel as a file."""
    folder = tmp_path_factory.mktemp("wheels")
    run("-m", "hatchling", "build", "-t", "wheel", "-d", folder, cwd=ROOT)
    (file,) = folder.glob("*.whl")
    return file


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory) -> Path:
    """A folder with the wheel installed, beside packages of others."""
    folder = tmp_path_factory.mktemp("installed")
    run("-m", "pip", "install", "-q", "--no-index", "--no-deps", "--target", folder, wheel, cwd=folder)
    for name in FOREIGN:
        (folder / name).mkdir()
        (folder / name / "__init__.py").write_text('OWNER = "somebody else"\n')
    return folder


@pytest.mark.slow
def test_the_wheel_holds_every_file_of_the_packages(installed):
    for package in PACKAGES:
        files = [path.relative_to(package.parent) for path in package.rglob("*") if path.is_file()]
        expected = {path for path in files if "__pycache__" not in path.parts}
        found = {path.relative_to(installed) for path in (installed / package.name).rglob("*")}
        assert expected <= found
        assert (installed / package.name / "py.typed").is_file()


@pytest.mark.slow
def test_the_wheel_holds_the_packages_only(wheel):
    """It has no folder ``tests``; the tests that ``wotr rules`` reads are in ``wotr_experiments``."""
    names = [Path(name) for name in zipfile.ZipFile(wheel).namelist()]
    folders = {name.parts[0] for name in names if not name.parts[0].endswith(".dist-info")}
    assert folders == {package.name for package in PACKAGES}


@pytest.mark.slow
def test_wotr_rules_knows_the_tests_in_an_installed_copy(installed):
    """And does not look into a folder of tests beside it, which another package may have left."""
    (installed / "tests" / "rules").mkdir(parents=True)
    (installed / "tests" / "rules" / "test_other.py").write_text("def test_R2_5_other(): ...")
    here = {"PYTHONPATH": str(installed), "NUMBA_DISABLE_JIT": "1"}
    shown = [json.loads(lines) for lines in run("-c", RULES, cwd=installed, **here).split(END)[:2]]
    for rows, number in zip(shown, (553, 96), strict=True):
        assert len(rows) == number
        assert not any(row["missing"] for row in rows)
        assert "test_other" not in json.dumps(rows)
    assert all(row["text"] for row in shown[0])


@pytest.mark.slow
def test_the_wheel_plays_beside_foreign_packages_of_common_names(installed):
    said = run("-c", PLAY, installed, cwd=installed, PYTHONPATH=str(installed), NUMBA_DISABLE_JIT="1")
    assert float(said) == 0
