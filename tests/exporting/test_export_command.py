"""``wotr export``: what it writes, what it refuses, and that it leaves nothing half-done."""

from __future__ import annotations

import csv
import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import minari
import numpy as np
import pytest

from tests.tools.fuzz_texts import played
from tests.waiting import eventually_by
from wotr_agents.registry import make_bot
from wotr_env import Game, GameRecord, Ruleset
from wotr_env.envs.gymnasium_env import WarOfTheRingEnv
from wotr_env.play.games import game_kind
from wotr_env.play.replaying import Replay
from wotr_experiments.cli import main as cli
from wotr_experiments.cli.export import SelfPlayOptions, _off_their_shares
from wotr_experiments.data import card, columns, read, sources, write
from wotr_experiments.data.columns import TABLES, Column, decisions_columns, games_columns, turns_columns
from wotr_experiments.data.sources import SelfPlay, Split
from wotr_experiments.errors import CommandError
from wotr_experiments.isolation.bots import Isolation

CODES = ("game", "pairing", "number", "format", "rules", "seed", "seat", "decision", "action", "outcome")
SHORT = ("--max-turns", "2")
PLAIN = Path(__file__).parents[2] / "docs" / "protocol" / "plain_bot.py"


@pytest.fixture
def fail(capsys):
    """Runs a command that must fail; returns its one line."""

    def fail(*arguments):
        assert cli.main(["export", *map(str, arguments)]) == 2
        (line,) = capsys.readouterr().err.splitlines()
        return line

    return fail


@pytest.fixture
def run(capsys):
    """Runs a command that must succeed; returns what it prints on stdout."""

    def run(*arguments):
        assert cli.main(["export", *map(str, arguments)]) == 0, capsys.readouterr().err
        return capsys.readouterr().out

    return run


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    """A file with the records of six games."""
    path = tmp_path_factory.mktemp("records") / "games.jsonl"
    for seed in range(6):
        GameRecord.from_game(played(seed, "first:max_turns=1", 400), ("a", "b")).append(path)
    return path


def test_the_bot_of_values_has_a_game_and_a_seed(file):
    asked = SelfPlayOptions(game="duel", seed=3)
    assert asked.play(Isolation(), judged=True) is None
    for options, judged in ((asked, False), (SelfPlayOptions(games=3), True)):
        with pytest.raises(CommandError, match="need --self-play"):
            options.play(Isolation(), judged=judged)


def test_shares_of_a_split_count_games():
    rows = {"train": {"games": 9, "decisions": 900}, "test": {"games": 1, "decisions": 400}}
    assert _off_their_shares(Split.read("0.9,0.1"), rows) == ""
    rows["train"]["games"] = 3
    assert _off_their_shares(Split.read("0.9,0.1"), rows) == "train got 75%, not 90%, test got 25%, not 10%"


def test_an_export_is_not_read_without_pyarrow(tmp_path, monkeypatch):
    monkeypatch.setattr("wotr_experiments.data.read.importlib.util.find_spec", lambda name: None)
    with pytest.raises(CommandError, match=r"to read it, install pyarrow: pip install '\.\[data\]'"):
        read.table(tmp_path, "decisions")
    with pytest.raises(CommandError, match="install pyarrow"), read._opened(tmp_path, "games", "all"):
        pass


def names_in(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def test_a_file_of_records(file, tmp_path, run):
    out = tmp_path / "out"
    assert "6 games (all 6)" in run(file, "--out", out)
    assert names_in(out) == [
        "README.md",
        "all/decisions.parquet",
        "all/games.parquet",
        "all/turns.parquet",
        "card.json",
    ]
    assert [each.to_json() for each in read.records(out)] == file.read_text().splitlines()
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_self_play_keeps_pairs_in_one_part(tmp_path, run):
    out = tmp_path / "out"
    play = ("--self-play", "random", "--against", "scripted", "--games", "40", "--seed", "4", *SHORT)
    card = json.loads(run(*play, "--split", "0.5,0.25,0.25", "--out", out, "--json"))
    assert list(card["parts"]) == ["train", "validation", "test"]
    where = {}
    for part in card["parts"]:
        games = read.table(out, "games", part).to_pandas()
        assert len(games) == 2 * card["parts"][part]["seeds"] > 0
        for row in games.itertuples():
            where.setdefault(row.seed, []).append((part, row.player_shadow))
    assert len(where) == 20
    for (part, shadow), (other_part, other_shadow) in where.values():
        assert part == other_part and {shadow, other_shadow} == {"random", "scripted"}
    assert card["origins"][0]["self_play"] == {
        "bot": "random",
        "against": "scripted",
        "games": 40,
        "seed": 4,
    }
    assert sorted(card["players"]) == ["random", "scripted"]


def test_a_bot_that_plays_itself_has_a_seed_for_each_game(tmp_path, run):
    for name in ("one", "other"):
        run("--self-play", "scripted", "--games", "5", "--seed", "9", *SHORT, "--out", tmp_path / name)
    one, other = (read.records(tmp_path / name) for name in ("one", "other"))
    assert one == other and len({record.seed for record in one}) == 5
    again = SelfPlay("scripted", None, 5, 9, Ruleset.first_edition(max_turns=2), "war-of-the-ring")
    assert [game.record for game in again.play()] == one


@pytest.mark.usefixtures("bots")
def test_an_export_is_exported_again(tmp_path, run):
    """With more columns and in other parts, and forfeits are not forgotten."""
    first, second = tmp_path / "first", tmp_path / "second"
    run("--self-play", "quitter:rate=0.01", "--games", "8", *SHORT, "--isolate", "none", "--out", first)
    card = json.loads(run(first, "--out", second, "--split", "0.5,0.5", "--masks", "--json"))
    assert card["origins"][0]["origins"][0]["self_play"]["bot"] == "quitter:rate=0.01"
    assert "of self-play" in (second / "README.md").read_text()
    before, after = (read.table(out, "games").to_pandas() for out in (first, second))
    assert (before.reason == "forfeit").any() and len(before) == len(after)
    before, after = (each.sort_values("seed").reset_index(drop=True) for each in (before, after))
    for name in set(before) - {"game"}:
        assert before[name].map(str).tolist() == after[name].map(str).tolist(), name
    wanted = {record.to_json() for record in read.records(first)}
    assert {record.to_json() for record in read.records(second)} == wanted


def test_splits_have_their_shares():
    split = Split((0.8, 0.1, 0.1))
    records = [GameRecord(Ruleset(), seed, (), (), None, "0" * 32) for seed in range(4_000)]
    counts = {name: [split.part(record) for record in records].count(name) for name in split.names}
    assert counts["train"] == pytest.approx(3_200, abs=100) and counts["test"] == pytest.approx(400, abs=60)


def test_a_part_without_games_is_said(file, tmp_path, capsys, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(Split, "part", lambda _split, _record: "train")
        assert cli.main(["export", str(file), "--split", "0.8,0.1,0.1", "--out", str(tmp_path / "out")]) == 0
    told = "wotr: train got 100%, not 80%, validation got no game, test got no game: --split assigns"
    assert told in capsys.readouterr().err
    assert cli.main(["export", str(file), "--out", str(tmp_path / "all")]) == 0
    assert "got" not in capsys.readouterr().err


def test_a_card_says_nothing_of_what_is_not_known(file, tmp_path, run, monkeypatch):
    monkeypatch.setattr("wotr_experiments.provenance._commit", lambda: None)
    assert json.loads(run(file, "--out", tmp_path / "out", "--json"))["exported"]["commit"] is None
    page = (tmp_path / "out" / "README.md").read_text()
    assert "commit" not in page and "None" not in page


def test_the_card_names_house_values(tmp_path, run):
    kind = game_kind("two-towers")
    path, out = tmp_path / "games.jsonl", tmp_path / "out"
    GameRecord.from_game(kind.game(1, kind.find_ruleset())).save(path)
    card = json.loads(run(path, "--out", out, "--json"))
    assert card["rulesets"] == ["2 players, house qualities, house paths"]
    assert "Played by: 2 players, house qualities, house paths." in (out / "README.md").read_text()


def test_the_card_says_what_is_in_it(file, tmp_path, run):
    out = tmp_path / "out"
    card = json.loads(run(file, "--out", out, "--observations", "--licence", "CC-BY-4.0", "--json"))
    assert {"format": 1, **card} == read.card(out)
    assert card["licence"] == "CC-BY-4.0" and card["games"] == 6
    versions = {"package", "commit", "python", "numpy", "numba", "pyarrow", "command", "machine"}
    assert versions <= card["exported"].keys()
    assert card["parts"]["all"]["seeds"] == 6 and card["parts"]["all"]["highest_seed"] == 5
    page = (out / "README.md").read_text()
    for words in (
        "CC-BY-4.0",
        "6 games",
        "games.jsonl",
        "wotr-env",
        "observation_places",
        "docs/observation",
    ):
        assert words in page
    for table, found in card["columns"].items():
        schema = read.table(out, table).schema
        assert [each["name"] for each in found] == schema.names
        for each, field in zip(found, schema, strict=True):
            assert field.metadata[b"meaning"].decode() == each["meaning"]
            assert field.metadata.get(b"unit", b"").decode() == each["unit"]
            assert f"| `{each['name']}` |" in page


def test_every_column_is_documented():
    from wotr_env.games.war_of_the_ring.game import WAR_OF_THE_RING as KIND

    every = (*games_columns(KIND, True), *turns_columns(), *decisions_columns(KIND, True, True, True, True))
    assert all(len(each.meaning) > 5 for each in every)
    words = {"bool", "text", columns.NAME}
    for each in every:  # numbers are counts with a unit, or ids, codes and versions
        plain = each.name in CODES or each.type in words or bool(each.item)
        assert bool(each.unit) != plain, each
    assert all(f"| `{each.name}` |" in columns.page() for each in every)  # docs/data-columns.md


@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_text_has_the_same_as_parquet(file, tmp_path, run, form):
    options = ("--observations", "--masks", "--values", "scripted")
    run(file, "--out", tmp_path / "parquet", *options)
    run(file, "--out", tmp_path / form, "--format", form, *options)
    for name in TABLES:
        wanted = read.table(tmp_path / "parquet", name).to_pylist()
        path = tmp_path / form / "all" / f"{name}.{form}"
        with path.open(newline="") as lines:
            if form == "jsonl":
                found = [json.loads(line) for line in lines]
                assert list(map(unvalued, found)) == list(map(unvalued, wanted))
                continue
            csv.field_size_limit(2**30)
            found = list(csv.DictReader(lines))
        assert len(found) == len(wanted)
        for row, other in zip(found, wanted, strict=True):
            assert unvalued(row) == {key: cell(value) for key, value in unvalued(other).items()}


def unvalued(row):
    """Without numbers that text writes in more digits than they have."""
    return {key: value for key, value in row.items() if key != "bot_values"}


def cell(value):
    if isinstance(value, list):
        return " ".join(map(str, value))
    return "" if value is None else str(int(value) if isinstance(value, bool) else value)


def test_values_are_those_of_the_bot(file, tmp_path, run):
    card = json.loads(
        run(file, "--out", tmp_path / "out", "--values", "scripted", "--tables", "decisions", "--json")
    )
    assert card["values"]["bot"] == "scripted" and list(card["columns"]) == ["games", "decisions"]
    rows = read.table(tmp_path / "out", "decisions").to_pandas()
    bot, record = make_bot("scripted", 1), read.records(tmp_path / "out")[2]
    mine = rows[rows.game == 2]
    from wotr_env.play.bots import view_of

    replay = Replay([record])
    for step, row in enumerate(mine.itertuples()):
        (wanted,) = bot.explain(view_of(replay.states, replay.masks))
        assert list(row.bot_actions) == [action for action, _ in wanted]
        assert np.allclose(row.bot_values, [value for _, value in wanted])
        replay.step(step)


class Replayer:
    """Plays the actions that are left to it."""

    def __init__(self):
        self.left = []

    def act(self, view):
        return np.array([self.left.pop(0)])


def actions_of(record, seat):
    game, found = record.begun(), []
    for action in record.actions:
        if game.seat == seat:
            found.append(action)
        game.step(action)
    return found


@pytest.mark.parametrize("limited", [0, 3])
def test_minari_episodes_are_those_of_the_environment(tmp_path, run, monkeypatch, limited):
    """The actions of both seats, played again in the environment."""
    out, limit = tmp_path / "out", ("--max-turns", limited)
    run("--self-play", "scripted", "--games", "3", "--seed", "6", *limit, "--minari", "shadow", "--out", out)
    assert "MINARI_DATASETS_PATH" not in os.environ
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(out / "minari"))
    data = minari.load_dataset("war-of-the-ring/shadow-all-v0")
    card = read.card(out)["minari"]["datasets"]["all"]
    assert card == {"id": data.id, "episodes": 3, "steps": data.total_steps}
    recovered = data.recover_environment()
    assert recovered.spec.kwargs["seat"] == "shadow" and recovered.spec.kwargs["opponent"] == "scripted"
    records = {record.seed: record for record in read.records(out)}
    told = data.storage.get_episode_metadata(range(3))
    opponent = Replayer()
    env = WarOfTheRingEnv(seat="shadow", opponent=opponent, max_turns=limited)
    for episode, about in zip(data.iterate_episodes(), told, strict=True):
        record = records[about["seed"]]
        opponent.left = actions_of(record, 0)
        assert episode.actions.tolist() == actions_of(record, 1)
        observation, info = env.reset(seed=about["seed"])
        for step, action in enumerate(episode.actions.tolist()):
            assert (episode.observations[step] == observation).all()
            assert (episode.infos["action_mask"][step] == info["action_mask"]).all()
            observation, *ends, info = env.step(action)
            found = (episode.rewards[step], episode.terminations[step], episode.truncations[step])
            assert found == tuple(ends)
        assert ends[1] or ends[2]
        assert (episode.observations[-1] == observation).all() and not episode.infos["action_mask"][-1].any()
        assert not opponent.left


def test_minari_of_other_rules_and_games_without_an_end(tmp_path, run, monkeypatch):
    """Whoever decides last, the last observation is the seat's own."""
    path = tmp_path / "games.jsonl"
    records = [
        GameRecord.from_game(played(seed, "second:players=4", most))
        for seed, most in ((1, 50), (2, 51), (3, 52), (4, 10_000), (5, 0))
    ]
    for record in records:
        record.append(path)
    run(path, "--minari", "rohan", "--out", tmp_path / "out", "--tables", "games")
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path / "out" / "minari"))
    data = minari.load_dataset("war-of-the-ring/rohan-all-v0")
    assert data.total_episodes == 4
    recovered: Any = data.recover_environment().unwrapped
    assert recovered.game.ruleset == records[0].ruleset and recovered.spec.kwargs["seat"] == "rohan"
    told = data.storage.get_episode_metadata(range(4))
    for episode, about in zip(data.iterate_episodes(), told, strict=True):
        game = records[about["seed"] - 1].replay()
        assert (episode.observations[-1] == game.observe(3)).all()
        asked = not game.over and game.seat == 3
        assert np.flatnonzero(episode.infos["action_mask"][-1]).tolist() == (game.legal() if asked else [])
        assert episode.truncations[-1] == (game.result is None)
        assert episode.rewards[-1] == (0 if game.result is None else -1 if game.result.winner else 1)
        assert not episode.rewards[:-1].any() and not episode.truncations[:-1].any()


def test_a_pipe_is_not_waited_for(tmp_path, fail):
    os.mkfifo(tmp_path / "pipe")
    assert "a pipe or a device" in fail(tmp_path / "pipe", "--out", tmp_path / "out")


def test_what_is_refused(file, tmp_path, fail):
    out = tmp_path / "out"
    broken = tmp_path / "broken.jsonl"
    broken.write_text(file.read_text().replace('"hash":"', '"hash":"0', 1).replace("0", "1", 0))
    line = json.loads(file.read_text().splitlines()[0])
    (tmp_path / "forged.jsonl").write_text(json.dumps({**line, "hash": "0" * 32}) + "\n")
    (tmp_path / "empty.jsonl").write_text("")
    (tmp_path / "folder").mkdir()
    for arguments, words in (
        ((file,), "give the folder to create"),
        (("--out", out), "give the folder of a tournament, a file of records, or --self-play BOT"),
        ((tmp_path / "none", "--out", out), "there is no such file or folder"),
        ((tmp_path / "folder", "--out", out), "it is neither a tournament nor an export"),
        ((tmp_path / "empty.jsonl", "--out", out), "there are no games to export"),
        ((tmp_path / "forged.jsonl", "--out", out), "the replay ends with hash"),
        ((broken, "--out", out), "32 hex digits"),
        ((file, "--out", tmp_path / "folder"), "exists already"),
        ((file, "--out", file), "exists already"),
        ((file, "--out", file / "x"), "games.jsonl"),
        ((file, "--out", out, "--tables", "games,moves"), "there is no table 'moves'"),
        ((file, "--out", out, "--tables", "games", "--masks"), "add columns to the table decisions"),
        (
            (file, "--out", out, "--tables", "games", "--values", "scripted"),
            "adds a column to the table decisions",
        ),
        ((file, "--out", out, "--split", "0.5,0.6"), "that sum to 1"),
        ((file, "--out", out, "--split", "nan,1"), "that sum to 1"),
        ((file, "--out", out, "--split", "much"), "not much"),
        ((file, "--out", out, "--values", f"stdio:{sys.executable} {PLAIN}"), "has no values of actions"),
        ((file, "--out", out, "--values", "nobody"), "nobody"),
        ((file, "--out", out, "--minari", "gondor"), "no game has a seat 'gondor'"),
        ((file, "--out", out, "--licence", " "), "--licence"),
        ((file, "--out", out, "--against", "random"), "need --self-play"),
        ((file, "--out", out, "--ruleset", "second"), "need --self-play"),
        ((file, "--out", out, "--games", "3"), "need --self-play"),
        ((file, "--out", out, "--game", "duel"), "need --self-play"),
        ((file, "--out", out, "--seed", "5"), "need --self-play"),
        (("--self-play", "nobody", "--out", out), "nobody"),
        (("--self-play", "random", "--games", "0", "--out", out), "at least 1"),
        (("--self-play", "random", "--against", "random", "--games", "3", "--out", out), "an even number"),
    ):
        assert words in fail(*arguments), arguments
        assert not out.exists() and not list(tmp_path.glob("*unfinished*")), arguments


@pytest.mark.usefixtures("toys")
def test_games_of_two_kinds_are_exported_apart(file, tmp_path, fail):
    from wotr_env.play.games import game_kind

    kind = game_kind("hunt-only")
    game = kind.game(1, kind.find_ruleset())
    game.step(game.legal()[0])
    toy = tmp_path / "toy.jsonl"
    GameRecord.from_game(game).save(toy)
    out = tmp_path / "out"
    assert "export them separately" in fail(file, toy, "--out", out)
    assert "has no table turns" in fail(toy, "--tables", "turns", "--out", out)
    assert "--minari supports only war-of-the-ring" in fail(toy, "--minari", "eye", "--out", out)
    assert "give --game" in fail(toy, "--values", "scripted", "--out", out)


@pytest.mark.parametrize(("module", "option"), [("pyarrow", ()), ("minari", ("--minari", "shadow"))])
def test_what_is_not_installed_is_named(file, tmp_path, fail, monkeypatch, module, option):
    there = importlib.util.find_spec

    def find(name, *rest):
        return None if name == module else there(name, *rest)

    monkeypatch.setattr("importlib.util.find_spec", find)
    assert "pip install '.[data]' in a clone of wotr-env" in fail(file, "--out", tmp_path / "out", *option)


def test_a_stopped_export_deletes_what_it_made(file, tmp_path, monkeypatch, capsys):
    def stop(*_arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr(write._Parquet, "write", stop)
    assert cli.main(["export", str(file), "--out", str(tmp_path / "out")]) == cli.INTERRUPTED
    assert "stopped" in capsys.readouterr().err and not list(tmp_path.iterdir())


def test_a_killed_export_is_clearly_unfinished(tmp_path):
    out = tmp_path / "out"
    command = [sys.executable, "-m", "wotr_experiments.cli.main", "export", "--self-play", "random"]
    with subprocess.Popen(
        [*command, "--games", "100000", "--out", str(out)], stderr=subprocess.DEVNULL
    ) as process:
        assert eventually_by(process, lambda: list(tmp_path.iterdir()), "an unfinished folder")
        process.kill()
    found = list(tmp_path.iterdir())
    assert len(found) == 1 and found[0].name.startswith("out.unfinished-") and not out.exists()
    with pytest.raises(CommandError, match="it is not an export, or the export was stopped"):
        read.records(found[0])


def test_a_folder_that_comes_meanwhile_is_not_overwritten(file, tmp_path, monkeypatch, fail):
    out = tmp_path / "out"

    def also(path):
        out.mkdir(exist_ok=True)
        (out / "mine").touch()
        yield from games_of(path)

    games_of = sources.games_of
    monkeypatch.setattr("wotr_experiments.cli.export.games_of", also)
    assert "exists already" in fail(file, "--out", out)
    assert [path.name for path in tmp_path.rglob("*")] == ["out", "mine"]


def test_damaged_files_are_refused(file, tmp_path, run):
    out = tmp_path / "out"
    run(file, "--out", out)
    with pytest.raises(CommandError, match="has no part 'train'"):
        read.records(out, "train")
    with pytest.raises(CommandError, match="has no observations"):
        next(read.observations(out))
    path = out / "all" / "games.parquet"
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2])
    with pytest.raises(CommandError, match="is damaged"):
        read.records(out)
    path.unlink()
    with pytest.raises(CommandError, match="has no table games"):
        read.records(out)
    (out / "card.json").write_text("[]")
    with pytest.raises(CommandError, match="is damaged"):
        read.card(out)


def test_changes_that_do_not_fit_are_not_written_anywhere(file, tmp_path, run):
    import pyarrow as pa
    import pyarrow.parquet

    out = tmp_path / "out"
    run(file, "--out", out, "--observations", "--masks")
    path = out / "all" / "decisions.parquet"
    table = pyarrow.parquet.read_table(path)
    masks = table["legal"]
    with pytest.raises(CommandError, match="ids of legal actions must be"):
        read.masks(masks, 100)
    forged = {
        "observation_places": [[5_145]] * len(table),
        "observation_values": [[1, 2]] * len(table),
        "step": ["first"] * len(table),
    }
    for name, values in forged.items():
        place = table.schema.get_field_index(name)
        kind = pa.string() if name == "step" else table.schema.field(name).type
        field = table.schema.field(name).with_type(kind)
        pyarrow.parquet.write_table(table.set_column(place, field, [pa.array(values, kind)]), path)
        with pytest.raises(CommandError, match="is damaged"):
            list(read.observations(out))
    pyarrow.parquet.write_table(table.replace_schema_metadata({"observation_size": "99"}), path)
    with pytest.raises(CommandError, match="of another version"):
        list(read.observations(out))


def test_what_a_decision_shows_does_not_tell_what_is_hidden(tmp_path):
    """Two games that the deciding seat cannot tell apart have the same row but for what comes of them."""
    from wotr_env import sample_world
    from wotr_experiments.data.tables import ValueBot, Wanted, tables_of

    judge = ValueBot("scripted", make_bot("scripted", 1), "war-of-the-ring", "")
    for seed in range(4):
        game = played(seed, "first", 150)
        world = Game.from_state(sample_world(game.state, game.seat, np.random.default_rng(seed)))
        rows = []
        for each in (Game.from_position(game.position()), Game.from_position(world.position())):
            each.step(each.legal()[0])
            source = sources.SourceGame(GameRecord.from_game(each, ("", "")), "", 0)
            made = tables_of([0], [source], Wanted(False, True, True, True, judge))["decisions"]
            rows.append([list(write.plain(values)) for values in made.values()])
        assert rows[0] == rows[1]


def test_columns_are_of_known_types():
    import pyarrow as pa

    schema = write.arrow_schema([Column("a", "list<int8>", "some numbers", nullable=True)], {})
    assert schema.field("a").type.value_type == pa.int8()


def test_a_card_leaves_out_a_commit_that_there_is_none_of():
    session = {"command": "wotr tournament", "package": "wotr-env 1", "commit": None}
    origin = {"name": "games", "played": [session, {**session, "commit": "abc"}]}
    told = card._origin(origin)
    assert (
        told == "games, played by `wotr tournament` with wotr-env 1; `wotr tournament` with wotr-env 1, abc"
    )
