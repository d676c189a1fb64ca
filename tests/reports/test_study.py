"""The study of play: its figures against other ways of counting, its games, its pages."""

from __future__ import annotations

import dataclasses
import json
import re
import shutil
from collections import Counter

import numpy as np
import pytest

from tests.reports.test_report import Page
from wotr_env import Game
from wotr_env.games.war_of_the_ring.codes import (
    BattleKind,
    Character,
    Face,
    HuntCause,
    Nation,
    Plan,
    Reason,
    Region,
    Side,
    Winner,
)
from wotr_env.games.war_of_the_ring.components import CARD_IDS, CARD_NAMES, REGION_NAMES
from wotr_env.games.war_of_the_ring.events import events_of
from wotr_env.games.war_of_the_ring.ruleset import Ruleset
from wotr_experiments.arena.engines import WorkerPool
from wotr_experiments.arena.statistics import wilson
from wotr_experiments.arena.store import load_records
from wotr_experiments.arena.tournament import TournamentObserver
from wotr_experiments.cli.main import main
from wotr_experiments.data.sources import SourceGame
from wotr_experiments.data.tables import Wanted, tables_of
from wotr_experiments.errors import CommandError
from wotr_experiments.games.war_of_the_ring.reports.study.parts import parts_of
from wotr_experiments.games.war_of_the_ring.reports.study.writing import alone
from wotr_experiments.games.war_of_the_ring.study import sides as study_sides
from wotr_experiments.games.war_of_the_ring.study.counts import game_statistics
from wotr_experiments.games.war_of_the_ring.study.event_history import (
    CompanionDeparture,
    EventHistory,
    Hunt,
    Stop,
    Turn,
    event_histories,
)
from wotr_experiments.games.war_of_the_ring.study.measures import happened, mean, ratio
from wotr_experiments.games.war_of_the_ring.study.options import EDITION, option_row, variants
from wotr_experiments.games.war_of_the_ring.study.sides import (
    FixedSidesTournament,
    play_sides,
    read_event_histories,
)
from wotr_experiments.isolation.bots import Isolation

GAMES = 3
HERE = Isolation("none")
ALONE = WorkerPool("processes", 1, HERE)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Some games of scripted against itself."""
    out = tmp_path_factory.mktemp("study")
    play_sides(
        FixedSidesTournament(("scripted", "scripted"), GAMES, 6, batch=2), out, ALONE, TournamentObserver()
    )
    return out


@pytest.fixture(scope="module")
def records(folder):
    return load_records(folder / "games.sqlite")


@pytest.fixture(scope="module")
def courses(records):
    return event_histories(records)


@pytest.fixture(scope="module")
def events(records):
    """By game the events of its steps as dictionaries, from the public game, one step at a time."""
    found = []
    for record in records:
        game, told = Game(seed=record.seed, ruleset=record.ruleset), []
        for action in record.actions:
            turn = int(game.state["turn"])
            for event in events_of(game.state, action):
                turn = event.turn if event.to_dict()["kind"] == "turn_began" else turn
                told.append((turn, event.to_dict()))
            game.step(action)
        found.append(told)
    return found


def of_kind(told, kind):
    return [(turn, event) for turn, event in told if event["kind"] == kind]


def test_courses_agree_with_the_export(records, courses):
    """Another count of the same games: turns by the data sets, ends by the outcomes."""
    tables = tables_of(
        range(GAMES),
        [SourceGame(record, "test", number) for number, record in enumerate(records)],
        Wanted(turns=True),
    )
    turns, games = tables["turns"], tables["games"]
    for number, course in enumerate(courses):
        rows = np.flatnonzero(turns["game"] == number)
        assert [turn.number for turn in course.turns] == turns["turn"][rows].tolist()
        for name, own in (
            ("corruption", [turn.corruption for turn in course.turns]),
            ("points_shadow", [turn.points[1] for turn in course.turns]),
            ("points_free_peoples", [turn.points[0] for turn in course.turns]),
            ("mordor_step", [turn.mordor_step for turn in course.turns]),
            ("companions", [turn.companions for turn in course.turns]),
            ("revealed", [turn.revealed for turn in course.turns]),
        ):
            assert turns[name][rows].tolist() == own, name
        rolled = [turn for turn in course.turns if turn.rolled is not None]
        known = turns["hunt_allocated"].valid[rows]
        assert known.sum() == len(rolled)
        assert turns["hunt_allocated"].values[rows][known].tolist() == [turn.allocated for turn in rolled]
        for side, who in enumerate(("free_peoples", "shadow")):
            column = turns[f"rolled_{who}_muster"]
            own = [turn.rolled[side, Face.MUSTER] for turn in rolled]
            assert column.values[rows][known].tolist() == own
        assert (course.entered_mordor or 0) == games["mordor_turn"][number]
        captured = [place for row in rows for place in turns["captured"][row]]
        assert {REGION_NAMES[region] for region in course.captures} <= {
            REGION_NAMES[Region[place.upper().replace("-", "_")]] for place in captured
        }


def test_courses_agree_with_the_events(courses, events):
    for course, told in zip(courses, events, strict=True):
        plans = Counter(
            event["action"].removeprefix("plan:").replace("-", "_")
            for _, event in of_kind(told, "decided")
            if event["decision"] == "action_plan"
        )
        assert Counter(plan.name.lower() for turn in course.turns for *_, plan in turn.uses) == plans
        assert len(course.hunts) == len(of_kind(told, "hunt_began"))
        assert len(course.battles) == len(of_kind(told, "battle_began"))
        at_war = {
            event["nation"]: turn
            for turn, event in reversed(of_kind(told, "nation_advanced"))
            if event["steps_to_war"] == 0
        }
        assert {nation.name.lower(): turn for nation, turn in course.at_war.items()} == at_war
        played = {
            event["action"].removeprefix("card:")
            for _, event in of_kind(told, "decided")
            if event["decision"] == "event_card" and event["action"].startswith("card:")
        }
        assert {CARD_IDS[card] for card in course.played} == played
        assert set(course.played) <= set(course.drawn)
        seen = [event for _, event in of_kind(told, "fellowship_seen") if event["revealed"]]
        on_track = sum(stop.declared for stop in course.stops)
        assert len(course.stops) - on_track <= len(seen)
        tiles = sum(hunt.tile >= 0 for hunt in course.hunts)
        assert 0 < tiles <= len(of_kind(told, "tile_drawn"))
        end = of_kind(told, "game_ended")[-1][1]
        assert (course.winner.name.lower(), course.reason.name.lower()) == (end["winner"], end["reason"])


def test_what_was_walked_is_progress(courses, records):
    """Steps add up to where the Fellowship is, for a game in which nothing has set it back."""
    for course, record in zip(courses, records, strict=True):
        game, walked, before = Game(seed=record.seed, ruleset=record.ruleset), 0, (0, 0)
        for action in record.actions:
            game.step(action)
            now = int(game.state["progress"]), int(game.state["mordor_step"])
            walked += max(0, now[0] - before[0]) + max(0, now[1] - before[1])
            before = now
        total = sum(turn.walked for turn in course.turns)
        assert walked <= total <= walked + len(course.stops), "in one step it may move and be shown"


def little(**fields):
    """A course by hand."""
    turns = fields.pop("turns", [Turn(1), Turn(2)])
    return EventHistory(decisions=10, turns=turns, **fields)


@pytest.fixture
def two():
    faces = np.zeros((2, 7), dtype=np.int64)
    faces[Side.SHADOW, Face.EYE], faces[Side.SHADOW, Face.ARMY] = 2, 4
    faces[Side.FREE_PEOPLES, Face.CHARACTER] = 4
    first = little(
        winner=Winner.SHADOW,
        reason=Reason.SHADOW_MILITARY,
        turns=[
            Turn(
                1, allocated=0, rolled=faces, uses=[(Side.SHADOW, Face.ARMY, Plan.ATTACK)] * 3, corruption=1
            ),
            Turn(2, allocated=2, rolled=faces, passes=[Side.SHADOW], corruption=4, points=(0, 10)),
        ],
        hunts=[
            Hunt(1, HuntCause.MOVE, dice=2, successes=1, tile=0, reveals=True),
            Hunt(2, HuntCause.MOVE, 2),
        ],
        stops=[Stop(1, Region.MORIA, False), Stop(2, Region.LORIEN, True)],
        leavings=[
            CompanionDeparture(1, Character.GIMLI, False),
            CompanionDeparture(2, Character.LEGOLAS, True),
        ],
        at_war={Nation.ISENGARD: 1},
        captures={Region.DALE: 1, Region.PELARGIR: 2},
        battles=[(1, Side.SHADOW, BattleKind.FIELD), (2, Side.SHADOW, BattleKind.FIELD)],
        drawn={0: 1, 50: 1},
        played={50: 2},
    )
    second = little(
        winner=Winner.FREE_PEOPLES,
        reason=Reason.RING_DESTROYED,
        turns=[Turn(1, allocated=1, rolled=faces, walked=3)],
        entered_mordor=1,
        companions_at_gate=2,
        corruption_at_gate=3,
        captures={Region.PELARGIR: 1},
        drawn={50: 1},
    )
    second.turns[0].mordor_step = 6
    return json.loads(json.dumps(game_statistics([first, second])))


def test_figures_by_hand(two):
    assert two["ends"]["winners"]["shadow"]["count"] == 1
    assert two["ends"]["reasons"]["ring_destroyed"]["turn"]["mean"] == 1
    assert two["ends"]["lengths"]["all"]["mean"] == 1.5
    first, second = two["turns"]
    assert (first["games"], second["games"]) == (2, 1)
    assert first["allocated"]["mean"] == 0.5 and first["box"]["mean"] == 2.5
    assert first["allocated"]["numbers"]["0"]["share"] == 0.5
    assert second["allocated"]["numbers"] == {"2": {**second["allocated"]["numbers"]["2"], "share": 1.0}}
    assert second["corruption"] == {"games": 1, "mean": 4.0, "error_95": None}
    assert first["reveals"]["count"] == 1 and first["hunts"]["mean"] == 0.5
    uses = two["dice"]["shadow"]["uses"]
    assert uses["attack"]["all"]["count"] == 3
    assert uses["attack"]["all"]["total"] == 3 + 3 * 2 + 3, "plans, Eyes, and dice put into the Hunt Box"
    assert uses["hunt_box"]["1 to 2"]["count"] == 3 and uses["eye"]["all"]["count"] == 6
    assert two["dice"]["shadow"]["faces"]["eye"]["share"] == pytest.approx(1 / 3)
    assert two["dice"]["shadow"]["passes"]["mean"] == 0.5
    assert two["hunt"]["rolls"][2]["share"] == 0.5 and two["hunt"]["reveals"]["mean"] == 0.5
    fellowship = two["fellowship"]
    assert fellowship["entered"]["count"] == 1 and fellowship["won_if_entered"]["share"] == 1
    assert fellowship["last_step"]["6"]["share"] == 1 and fellowship["corruption_at_gate"]["mean"] == 3
    assert [each["path"] for each in fellowship["paths"]["most"]] == [
        ["Rivendell", "Mordor"],
        ["Rivendell", "Moria", "Lorien"],
    ]
    lost = {each["character"]: each["lost"]["count"] for each in two["companions"]}
    assert lost == {"Gimli": 1, "Legolas": 0}
    fallen = {each["region"]: each for each in two["captures"]["regions"] if each["count"]}
    assert fallen["Pelargir"]["turn"]["mean"] == 1.5 and fallen["Pelargir"]["first"]["count"] == 1
    assert fallen["Dale"]["share"] == 0.5 and two["captures"]["of_shadow"]["mean"] == 1.5
    card = next(each for each in two["cards"] if each["card"] == CARD_NAMES[50])
    assert card["side"] == "shadow" and card["played"]["share"] == 0.5
    assert card["won_if_played"]["share"] == 1 and card["won_if_kept"]["share"] == 0
    assert two["rush"]["lasted"]["count"] == 0 and two["rush"]["fallen"] == {
        "1": {**two["rush"]["fallen"]["1"], "count": 1},
        "2": {**two["rush"]["fallen"]["2"], "count": 1},
    }
    isengard = next(each for each in two["nations"] if each["nation"] == "Isengard")
    assert isengard["at_war"]["count"] == 1


def test_the_rush_counts_the_first_turns():
    def game(dice, winner):
        return little(winner=winner, turns=[Turn(n, allocated=each) for n, each in enumerate(dice, start=1)])

    games = [
        game([0] * 6, Winner.SHADOW),
        game([0, 0, 1, 1, 0, 3], Winner.FREE_PEOPLES),
        game([9], Winner.SHADOW),
    ]
    rush = game_statistics(games)["rush"]
    assert rush["lasted"]["count"] == 2 and rush["none_by_choice"]["share"] == 0.5
    assert rush["by_choice"]["counts"] == {"0": 1, "2": 1}
    assert [each["count"] for each in rush["won_by_choice"]] == [0, 1, 0, 0]


def test_measures():
    assert mean([]) == {"games": 0, "mean": None, "error_95": None}
    assert mean([1, 3])["error_95"] == pytest.approx(1.96, abs=0.001)
    assert happened([2, None, 4])["turn"]["mean"] == 3 and happened([2, None, 4])["count"] == 2
    same = ratio([1, 2], [2, 4])
    assert same["share"] == 0.5 and same["interval_95"] == pytest.approx([0.5, 0.5])
    assert ratio([0, 0], [5, 5])["interval_95"] == list(wilson(0, 2)), "two games, not ten dice"
    assert ratio([], [])["share"] is None
    rng = np.random.default_rng(1)
    dice = rng.integers(5, 15, size=400)
    parts = rng.binomial(dice, 0.3)
    low, high = ratio(parts.tolist(), dice.tolist())["interval_95"]
    assert (low, high) == pytest.approx(wilson(int(parts.sum()), int(dice.sum())), abs=0.005)


# --- Games. ---


def test_each_bot_keeps_its_side_and_each_game_has_its_seed(tmp_path):
    rules = Ruleset.first_edition(max_turns=2)
    games = play_sides(
        FixedSidesTournament(("random", "scripted"), 6, 1, rules), tmp_path, ALONE, TournamentObserver()
    )
    assert {game.players for game in games} == {(0, 1)}
    assert len({game.seed for game in games}) == 6
    assert all(record.players == ("random", "scripted") for record in load_records(tmp_path / "games.sqlite"))


@pytest.mark.slow
def test_workers_and_stops_change_nothing(folder, records, courses, tmp_path, monkeypatch):
    sides = FixedSidesTournament(("scripted", "scripted"), GAMES, 6, batch=2)

    class Stop(TournamentObserver):
        def stored(self, games):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        play_sides(sides, tmp_path, ALONE, Stop())
    kept = load_records(tmp_path / "games.sqlite")
    assert len(kept) == 2
    play_sides(sides, tmp_path, WorkerPool("processes", 2, HERE), TournamentObserver())
    assert load_records(tmp_path / "games.sqlite") == records
    monkeypatch.setattr(study_sides, "_TOGETHER", 2)
    again = read_event_histories(tmp_path, GAMES, 2)
    assert json.dumps(game_statistics(again)) == json.dumps(game_statistics(courses))
    assert json.dumps(game_statistics(read_event_histories(folder, GAMES, 1))) == json.dumps(
        game_statistics(courses)
    )


def test_a_bot_that_forfeits_is_none_to_study(bots, tmp_path):
    with pytest.raises(CommandError, match="bot quitter:rate=1 forfeits: illegal action"):
        play_sides(
            FixedSidesTournament(("quitter:rate=1", "random"), 2, 1), tmp_path, ALONE, TournamentObserver()
        )


# --- Options. ---


def test_variants_change_one_option_each():
    base = Ruleset.first_edition(max_turns=9)
    found = variants(base)
    assert {variant.ruleset.max_turns for variant in found} == {9}
    for variant in found:
        if variant.option == EDITION:
            assert variant.ruleset == Ruleset.second_edition(max_turns=9)
            continue
        assert variant.ruleset == dataclasses.replace(
            base, **{variant.option: getattr(variant.ruleset, variant.option)}
        )
        assert variant.ruleset != base
    assert not {"players", "max_turns", "ask_single", "hand_limit"} & {variant.option for variant in found}
    assert len({variant.name for variant in found}) == len(found) > 30
    assert {variant.value for variant in variants(base, ["mordor_mandatory_declare"])} == {
        "reachable",
        "never",
    }
    with pytest.raises(CommandError, match="no disputed option 'players'"):
        variants(base, ["players"])


def test_rows_of_options_compare_games_of_one_seed(tmp_path):
    rules = Ruleset.first_edition(max_turns=4)
    sides = FixedSidesTournament(("scripted", "scripted"), 6, 1, rules)
    base = play_sides(sides, tmp_path / "base", ALONE, TournamentObserver())
    silent, loud = variants(rules, ["combat_card_back_visible"])[0], variants(rules, ["hunt_alloc_min"])[0]
    played = play_sides(
        dataclasses.replace(sides, ruleset=loud.ruleset), tmp_path / "loud", ALONE, TournamentObserver()
    )
    row = option_row(silent, base, base)
    low, high = wilson(0, len(base))
    assert row["difference"] == {"mean": 0.0, "interval_95": [-high, high]} and row["otherwise"]["count"] == 0
    row = option_row(loud, base, played)
    assert row["otherwise"]["count"] > 0 and row["value"] == "one_after_move" and row["base_value"] == "zero"
    won = [dataclasses.replace(game, winner=0) for game in base]
    lost = [dataclasses.replace(game, winner=1) for game in base]
    assert option_row(loud, lost, won)["difference"]["mean"] == 1.0
    low, high = option_row(loud, lost, [*won[:3], *lost[3:]])["difference"]["interval_95"]
    assert (low + high) / 2 == pytest.approx(0.5) and high - low == pytest.approx(
        2 * 1.96 * 0.5477 / 6**0.5, abs=0.01
    )


# --- The command and its pages. ---

ARGUMENTS = [
    "study",
    "scripted",
    "--games",
    "2",
    "--seed",
    "2",
    "--option",
    "dwarf_setup",
    "--workers",
    "1",
    "--isolate",
    "none",
]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """The folder that the command makes, and its page."""
    out = tmp_path_factory.mktemp("made")
    page = out / "docs" / "page.md"
    page.parent.mkdir()
    assert main([*ARGUMENTS, "--out", str(out / "run"), "--page", str(page)]) == 0
    return out


def test_the_command_writes_figures_and_pages(made):
    study = json.loads((made / "run" / "figures.json").read_text(encoding="utf-8"))
    assert study["games"] == 2 and len(study["options"]) == 1
    assert study["command"] == "wotr study scripted --games 2 --seed 2 --option dwarf_setup"
    text = (made / "run" / "report.html").read_text(encoding="utf-8")
    page = Page(text)
    words = " ".join(page.texts)
    for part in parts_of(study):
        assert part.title in words and f'id="{part.name}"' in text
    assert "NaN" not in text and "None" not in words and "Provenance" in words
    written = (made / "docs" / "page.md").read_text(encoding="utf-8")
    assert written == (made / "run" / "study.md").read_text(encoding="utf-8").replace("](study/", "](page/")
    pictures = re.findall(r"!\[[^]]+\]\((page/[-\w]+\.svg)\)", written)
    assert len(pictures) == len(set(pictures)) > 8
    for picture in pictures:
        svg = (made / "docs" / picture).read_text(encoding="utf-8")
        Page(svg)
        assert "<style>" in svg and "var(--paper)" in svg
    assert str(made) not in text + written


def test_the_command_tells_where_it_is(made, tmp_path, capsys):
    out = shutil.copytree(made / "run", tmp_path / "run")
    arguments = ["study", "scripted", "--games", "2", "--seed", "2", "--workers", "1", "--isolate", "none"]
    assert main([*arguments, "--out", str(out)]) == 0
    told = capsys.readouterr().out
    assert told.startswith(f"{out}: 2 games, the Free Peoples win ") and told.count("\n") == 1
    assert main([*arguments, "--out", str(out), "--json"]) == 0
    study = json.loads(capsys.readouterr().out)
    assert study == json.loads((out / "figures.json").read_text()) and study["options"] == []


def test_the_same_seed_writes_the_same(made, tmp_path):
    assert main([*ARGUMENTS, "--out", str(tmp_path)]) == 0
    for name in ("figures.json", "study.md"):
        assert (tmp_path / name).read_bytes() == (made / "run" / name).read_bytes()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nobody"], "unknown bot 'nobody'"),
        (["random", "--game", "no-game"], "no-game"),
        (["random", "--games", "0"], "--games must be at least 1, not 0"),
        (["random", "--option", "players"], "no disputed option 'players'"),
        (["random", "--page", "somewhere/page.txt"], "--page names a file such as docs/study.md"),
    ],
)
def test_the_command_refuses(arguments, message, tmp_path, capsys):
    assert main(["study", *arguments, "--out", str(tmp_path / "out")]) == 2
    error = capsys.readouterr().err
    assert message in error and error.count("\n") == 1


def test_another_game_is_refused(toys, tmp_path, capsys):
    assert main(["study", "random", "--game", "hunt-only", "--out", str(tmp_path / "out")]) == 2
    assert "wotr study supports only war-of-the-ring, not hunt-only" in capsys.readouterr().err


def test_a_folder_of_other_games_is_left_alone(folder, capsys):
    before = (folder / "games.sqlite").read_bytes()
    assert main(["study", "random", "--games", str(GAMES), "--out", str(folder)]) == 2
    assert "holds another study" in capsys.readouterr().err
    assert (folder / "games.sqlite").read_bytes() == before


def test_plots_stand_alone():
    svg = alone(
        '<svg viewBox="0 0 370 200" width="370" height="200" role="img"><text x="1" y="2">a</text></svg>'
    )
    Page(svg)
    assert 'viewBox="-8 -8 386 216" width="386" height="216"' in svg
