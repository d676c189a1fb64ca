"""The command line: what it prints, its JSON, and one line for every error."""

from __future__ import annotations

import dataclasses
import errno
import importlib.metadata
import json
import os
import subprocess
import sys

import pytest
import typer
from typer.testing import CliRunner

from wotr_agents.networks.files import FIXED_NAMES, ZOO
from wotr_env import Ruleset
from wotr_env.games.war_of_the_ring.engine import kernel
from wotr_env.play.games import game_kind
from wotr_experiments.arena.engines import WorkerPool
from wotr_experiments.arena.schedule import Tournament
from wotr_experiments.arena.store import load_records
from wotr_experiments.arena.tournament import run_tournament
from wotr_experiments.cli import main as cli
from wotr_experiments.cli import rules, warmup
from wotr_experiments.cli.study import RuleVariantOptions
from wotr_experiments.errors import CommandError
from wotr_experiments.training.config import short_training

SHORT = ["--max-turns", "3"]


@pytest.fixture
def run():
    """Runs a command that must succeed; returns what it prints on stdout."""
    kernel.ensure_compiled()

    def run(*arguments):
        result = CliRunner().invoke(cli.app, list(arguments), catch_exceptions=False)
        assert result.exit_code == 0, result.output
        return result.stdout

    return run


@pytest.fixture
def fail(capsys):
    """Runs a command that must fail as the console command would; returns its one line."""

    def fail(*arguments):
        assert cli.main(list(arguments)) == 2
        lines = capsys.readouterr().err.splitlines()
        errors = [line for line in lines if line.startswith("wotr: ")]
        assert len(errors) == 1, lines
        return errors[0]

    return fail


@pytest.fixture(scope="module")
def records(tmp_path_factory):
    """A file with the records of four short games, as JSON Lines."""
    out = tmp_path_factory.mktemp("records")
    played = Tournament(("random", "random"), 4, 1, Ruleset.first_edition(max_turns=3))
    run_tournament(played, out, WorkerPool("threads", 1))
    for record in load_records(out / "games.sqlite"):
        record.append(out / "games.jsonl")
    return out / "games.jsonl"


def test_tournament_prints_tables(run):
    shown = run("tournament", "random", "random", "--games", "20", "--seed", "1", *SHORT)
    for words in ("20 games, seed 1, first edition, at most 3 turns", "random (2)", "turn limit", "all"):
        assert words in shown


def test_tournament_as_json_is_its_summary(run, tmp_path):
    arguments = [
        "tournament",
        "random",
        "random",
        "--games",
        "4",
        *SHORT,
        "--out",
        str(tmp_path / "out"),
        "--json",
    ]
    shown = json.loads(run(*arguments))
    assert shown == json.loads((tmp_path / "out" / "summary.json").read_text())
    assert shown["all"]["games"] == 4
    assert json.loads(run(*arguments)) == shown


def test_compare_answers_and_goes_on(run, tmp_path):
    arguments = ["compare", "random", "random", "--elo1", "100", "--max-games", "40", "--batch", "4", *SHORT]
    arguments += ["--out", str(tmp_path / "out"), "--workers", "1"]
    shown = run(*arguments)
    for words in ("random is not stronger than random (2)", "bounds -2.94 and 2.94", "ratings in Elo"):
        assert words in shown
    summary = json.loads(run(*arguments, "--json"))
    assert summary["sprt"]["decision"] == "not stronger"
    assert "not stronger" in (tmp_path / "out" / "report.html").read_text()


def test_numbers_without_what_they_count_are_refused(fail):
    assert (
        fail("tournament", "random", "random", "--luck-samples", "4")
        == "wotr: --luck-samples needs --luck NETWORK"
    )
    for command in ("tournament", "compare"):
        assert (
            fail(command, "random", "random", "--replays", "all") == "wotr: --replays all needs --out FOLDER"
        )
    with pytest.raises(CommandError, match="--option-games needs --options or --option NAME"):
        RuleVariantOptions(option_games=3).wanted()


def test_replay_reads_the_games_of_a_tournament(run, records):
    lines = run("replay", str(records), "--record", "3", "--json")
    assert run("replay", str(records.parent / "games.sqlite"), "--record", "3", "--json") == lines


def test_tournament_by_the_second_edition(run):
    shown = run("tournament", "random", "random", "--games", "2", *SHORT, "--ruleset", "second")
    assert "second edition, at most 3 turns" in shown


def test_tournament_by_single_options(run):
    ruleset = ["--ruleset", "first:mordor_idle=move_or_hide,null_events=false"]
    shown = json.loads(run("tournament", "random", "random", "--games", "2", *SHORT, *ruleset, "--json"))
    assert shown["ruleset"] == {"max_turns": 3, "mordor_idle": "move_or_hide", "null_events": False}


@pytest.mark.slow
def test_demo_leaves_records(run, tmp_path, monkeypatch):
    def shorter(decisions, seed):
        whole = short_training(decisions, seed)
        ppo = dataclasses.replace(whole.ppo, games=16, steps=16, minibatch_size=64)
        network = dataclasses.replace(whole.network, width=16, hidden=8)
        return dataclasses.replace(whole, ppo=ppo, network=network, evaluate_games=2)

    def short(players, games, seed):
        return Tournament(players, games, seed, Ruleset.first_edition(max_turns=1))

    monkeypatch.setattr("wotr_experiments.arena.evaluation.LONGEST", 2)
    monkeypatch.setattr("wotr_experiments.cli.demo.WorkerPool", lambda: WorkerPool(workers=1))
    monkeypatch.setattr("wotr_experiments.cli.demo.Tournament", short)
    monkeypatch.setattr("wotr_experiments.cli.demo.short_training", shorter)
    monkeypatch.setattr("wotr_experiments.cli.demo._SEARCH", "mcts:sims=2,depth=1")
    monkeypatch.setattr("wotr_experiments.cli.demo.warmup", lambda: None)
    shown = run("demo", "--decisions", "256", "--games", "2", "--out", str(tmp_path / "demo"))
    assert "mcts" in shown and "zoo/laptop" in shown and "training" in shown
    files = {each.name for each in (tmp_path / "demo").iterdir()}
    assert files >= {"games.sqlite", "report.html", "games", "training"}
    assert (tmp_path / "demo" / "training" / "best.safetensors").is_file()


def test_bots_lists_the_random_bot(run):
    assert "random" in run("bots")
    shown = json.loads(run("bots", "--json"))
    summary = "plays a random legal action"
    assert {"bot": "random", "summary": summary, "games": None, "parameters": []} in shown


def test_bots_lists_the_networks_of_the_zoo(run):
    """All of them, with the game and the ruleset that they are for; none of another game."""
    listed = {
        cells[1].strip(): cells[2].strip()
        for cells in (line.split("│") for line in run("bots").splitlines())
        if len(cells) == 6 and cells[1].strip().startswith("zoo/")
    }
    assert set(listed) == {f"zoo/{file.stem}" for file in ZOO.glob("*.safetensors")} | set(FIXED_NAMES)
    assert listed["zoo/wide"] == "War of the Ring, first"
    assert listed["zoo/second"] == "War of the Ring, second"
    assert "zoo/wide" not in run("bots", "--game", "duel")


def test_bots_is_no_wider_than_a_page_when_it_is_piped(run):
    assert max(map(len, run("bots").splitlines())) <= 100


def test_bots_tells_ranges_and_fits_narrow_screens(run, monkeypatch):
    assert "whole number, from 1 to 2" in run("bots")
    monkeypatch.setenv("COLUMNS", "80")
    narrow = run("bots")
    assert max(map(len, narrow.splitlines())) <= 80
    row = next(place for place, line in enumerate(narrow.splitlines()) if "│ level" in line)
    assert "whole number, from 1 to 2; by default 2" in narrow.splitlines()[row]
    assert "1: from what" in narrow or len(narrow.splitlines()[row + 1].split("│")[3]) > 45


def test_replay_shows_the_whole_game(run, records):
    shown = run("replay", str(records))
    assert shown.startswith("random (Free Peoples) against random (Shadow), seed ")
    assert "Turn 1" in shown
    assert "Turn 3" in shown


def test_replay_as_json_has_every_decision(run, records):
    line = json.loads(records.read_text().splitlines()[2])
    shown = json.loads(run("replay", str(records), "--record", "3", "--json"))
    assert shown["seed"] == line["seed"]
    assert shown["hash"] == line["hash"]
    assert [each["number"] for each in shown["decisions"]] == list(range(1, len(line["actions"]) + 1))
    assert shown["decisions"][0]["turn"] == 1


def test_replay_shows_one_position(run, records):
    whole = json.loads(run("replay", str(records), "--json"))
    shown = json.loads(run("replay", str(records), "--at", "10", "--json"))
    assert shown["at"] == 10
    assert shown["played"] == whole["decisions"][10]["action"]
    assert shown["asked"] == whole["decisions"][10]["asked"]
    assert shown["played"] in shown["legal"]
    text = run("replay", str(records), "--at", "10")
    assert "after 10 decisions" in text
    words = dict(zip(shown["legal"], shown["words"], strict=True))
    assert f"played: {shown['played']}, {words[shown['played']]}\n" in text
    assert shown["asked"] in text
    assert all(f"  {name} " in text and f"  {told}\n" in text for name, told in words.items())
    end = json.loads(run("replay", str(records), "--at", str(len(whole["decisions"])), "--json"))
    assert (end["legal"], end["played"], end["seat"]) == ([], None, None)


def test_rules_shows_the_coverage_table(run):
    assert "R7.4.2" in run("rules", "R7.4")
    rows = json.loads(run("rules", "--json"))
    assert len(rows) == 477 + 76  # of War of the Ring, of the smaller games
    assert rows[0]["id"] == "R2.1"
    assert any(row["functions"] for row in rows)


def test_rules_of_some_words(run, fail):
    rows = json.loads(run("rules", "R7.4", "recruit", "--json"))
    assert 0 < len(rows) < 20
    assert all("R7.4" in row["id"] and "recruit" in row["title"].lower() for row in rows)
    (card,) = json.loads(run("rules", "--cards", "elven", "cloaks", "--json"))
    assert card["id"] == "fp-char-01"
    assert fail("rules", "balrogs", "at", "tea") == (
        "wotr: no rule has balrogs and at and tea in its id, title or text"
    )
    assert "leave out the words" in fail("rules", "siege", "--options")


def test_rules_shows_the_cards(run):
    rows = json.loads(run("rules", "--cards", "--json"))
    assert len(rows) == 96
    assert rows[0]["title"] == "Elven Cloaks"


def test_rules_shows_the_options_of_a_ruleset(run):
    assert "capture_needs_survivor" in run("rules", "--options")
    (idle,) = [row for row in json.loads(run("rules", "--options", "--json")) if row["name"] == "mordor_idle"]
    assert (idle["first"], idle["second"]) == ("move", "move_or_hide")
    assert idle["meanings"]["move_or_hide"] == "an attempt to move, or hiding"


@pytest.mark.parametrize(
    ("words", "function", "test"),
    [
        ("D5.3", "duel.ring_track.advance", "test_D5_3_blue"),
        ("TT2.4", "two_towers.masks.open_cards", "test_TT2_4"),
    ],
)
def test_rules_of_other_games_are_found(run, words, function, test):
    (row,) = json.loads(run("rules", words, "--json"))
    assert row["id"] == words and function in row["functions"] and not row["missing"]
    assert any(test in each for each in row["tests"])


def test_rules_check_lists_what_is_missing(fail, monkeypatch):
    monkeypatch.setattr(rules, "rule_titles", lambda: {"R99.9.9": "no such rule"})
    monkeypatch.setattr(rules, "rule_titles_of_games", dict)
    assert fail("rules", "--check") == (
        "wotr: 1 of 1 ids lack a function or a test: R99.9.9 (function and test)"
    )


def test_warmup_compiles_once(run, capsys, monkeypatch):
    run("warmup")
    monkeypatch.setattr(warmup, "everything_is_compiled", lambda: True)
    assert cli.main(["warmup"]) == 0
    assert "compiled already" in capsys.readouterr().err
    monkeypatch.setattr(warmup, "everything_is_compiled", lambda: False)
    monkeypatch.setattr(warmup, "ensure_everything", lambda progress: progress(1, 2) or 12.3)
    assert cli.main(["warmup"]) == 0
    assert "compiled in 12 s" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("game", "title"), [("duel", "Duel for Middle-earth"), ("two-towers", "The Two Towers")]
)
def test_warmup_compiles_another_game(capsys, game, title):
    assert cli.main(["warmup", "--game", game]) == 0
    assert f"the rules and the bots of {title}" in capsys.readouterr().err
    assert game_kind(game).compiled.kernels.is_compiled()
    assert cli.main(["warmup", "--game", "chess"]) == 2
    assert "unknown game 'chess'" in capsys.readouterr().err


@pytest.mark.parametrize("command", [[], ["export"], ["train"], ["play"]], ids=" ".join)
def test_flags_are_shown_without_a_value(capsys, command):
    assert cli.main([*command, "--help"]) == 0
    shown = capsys.readouterr().out
    assert "--help" in shown and "bool" not in shown


def test_help_of_options_is_no_fragment():
    """It names what the value is before it says more of it, or says what to do."""
    commands = typer.main.get_command(cli.app).commands
    helps = {
        each.help for command in commands.values() for each in command.params if getattr(each, "help", "")
    }
    assert len(helps) > 100
    fragments = {"Of", "That", "In", "With", "By", "For", "From", "At", "Whom"}
    assert not {each for each in helps if each.split()[0] in fragments}


def test_help_needs_no_arguments(capsys):
    assert cli.main([]) == 0
    shown = capsys.readouterr().out
    for command in ("demo", "tournament", "bots", "bench", "replay", "warmup", "rules", "train", "exploit"):
        assert command in shown


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["tournament", "random"], "two bots or more, not 1"),
        (["tournament", "random", "rando"], "unknown bot 'rando'; known: random, "),
        (["tournament", "random", "random:x=1"], "unknown parameter 'x'"),
        (["tournament", "random", "random", "--games", "7"], "even number from 2"),
        (["tournament", "random", "random", "--games", "many"], "--games "),
        (["tournament", "random", "random", "--seed", "-1"], "--seed "),
        (["tournament", "random", "random", "--seed", str(2**63)], "--seed "),
        (["tournament", "random", "random", "--batch", "3"], "batch must be an even number from 2"),
        (["tournament", "random", "random", "--engine", "steam"], "--engine "),
        (["tournament", "random", "random", "--workers", "-1"], "--workers "),
        (["tournament", "random", "random", "--time-limit", "-1"], "--time-limit must be a number of sec"),
        (["compare", "random"], "BOT"),
        (["compare", "random", "random", "--elo0", "5", "--elo1", "5"], "elo0 must be less than elo1"),
        (["compare", "random", "random", "--alpha", "0.6"], "alpha and beta must be between 0 and 0.5"),
        (["tournament", "random", "random", "--max-turns", "-1"], "max_turns must be an integer from 0"),
        (["tournament", "random", "random", "--ruleset", "third"], "has no ruleset 'third'; it has first, s"),
        (["check-bot", "random", "--ruleset", "second:mordor=move"], "has no option 'mordor' of a ruleset"),
        (["check-bot", "random", "--ruleset", "first:mordor_idl=move"], "; did you mean mordor_idle?"),
        (["check-bot", "random", "--ruleset", "first:hand_limt=5"], "; did you mean hand_limit?"),
        (["train", "nowhere", "--foresee", "corupton"], "; did you mean corruption?"),
        (["train", "nowhere", "--ruleset", "first:hand_limit=x"], "hand_limit must be an integer from 1 to"),
        (
            ["play", "--as", "shadow", "--against", "random", "--ruleset", ":mordor_idle=fly"],
            "mordor_idle must be one of move, move_or_hide, not 'fly'",
        ),
        (["tournament"], "BOT"),
        (["bench", "--only", "luck"], "unknown benchmark 'luck'; known: decisions"),
        (["replay", "nowhere.jsonl"], "nowhere.jsonl: No such file or directory"),
        (["rules", "--chapter"], "there is no option --chapter"),
        (["dance"], "there is no command dance"),
    ],
)
def test_errors_are_one_line(fail, arguments, message):
    assert message in fail(*arguments)


def test_broken_files_are_one_line(fail, tmp_path, records):
    broken = tmp_path / "broken.jsonl"
    for text, message in (("", "contains no game"), ("{", "line 1"), ("\x00\xff", "damaged")):
        broken.write_bytes(text.encode("latin-1"))
        assert message in fail("replay", str(broken))
    record = json.loads(records.read_text().splitlines()[0])
    record["hash"] = "0" * 32
    broken.write_text(json.dumps(record))
    assert "the replay ends with hash" in fail("replay", str(broken))
    assert "there is no game 5" in fail("replay", str(records), "--record", "5")
    assert "there is no position 9999999" in fail("replay", str(records), "--at", "9999999")
    broken.write_text("[]")
    assert "not the output of wotr bench --json" in fail("bench", "--against", str(broken))


def test_the_folder_of_another_tournament_is_refused(fail, records):
    out = str(records.parent)
    assert "holds another tournament" in fail("tournament", "random", "random", "--out", out)
    assert "holds another tournament (its kind" in fail("compare", "random", "random", "--out", out)
    assert "holds a tournament" in fail("train", out, "--decisions", "1")


def test_the_folder_of_a_training_run_is_refused(fail, tmp_path):
    (tmp_path / "config.json").write_text("{}")
    assert "holds a training run" in fail("tournament", "random", "random", "--out", str(tmp_path))
    assert [path.name for path in tmp_path.iterdir()] == ["config.json"]
    assert "config.json is a file; give a folder" in fail("train", str(tmp_path / "config.json"))


def test_a_full_disk_is_one_line(fail, tmp_path, monkeypatch):
    def full(*_arguments):
        raise OSError(errno.ENOSPC, "No space left on device", "summary.json")

    monkeypatch.setattr("os.replace", full)
    message = fail("tournament", "random", "random", "--games", "2", *SHORT, "--out", str(tmp_path / "out"))
    assert message == "wotr: summary.json: No space left on device"


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_an_output_that_cannot_be_written_is_one_line():
    with open("/dev/full", "w") as full:
        command = [sys.executable, "-m", "wotr_experiments.cli.main", "bots", "--json"]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 2
    assert done.stderr == "wotr: No space left on device\n"


def test_a_tournament_interrupted_before_its_first_game_has_begun_nothing(capsys, tmp_path, monkeypatch):
    def interrupted(*_arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr("wotr_experiments.arena.live_runs.run_tournament", interrupted)
    assert cli.main(["tournament", "random", "random", "--out", str(tmp_path)]) == cli.INTERRUPTED
    said = capsys.readouterr().err
    assert "no game has been played" in said and "is unchanged" in said
    assert said.endswith("wotr: stopped\n")


def test_the_version_and_what_needs_torch(capsys, monkeypatch, tmp_path):
    assert cli.main(["--version"]) == 0
    assert capsys.readouterr().out.split() == ["wotr-env", importlib.metadata.version("wotr-env")]
    monkeypatch.setitem(sys.modules, "torch", None)
    for module in [name for name in sys.modules if name.startswith("wotr_experiments.training.watch")]:
        monkeypatch.delitem(sys.modules, module)
    assert cli.main(["train", str(tmp_path / "run")]) == 2
    assert (
        capsys.readouterr().err
        == "wotr: this command needs torch: pip install '.[learn]' in a clone of wotr-env\n"
    )
    assert not (tmp_path / "run").exists()
