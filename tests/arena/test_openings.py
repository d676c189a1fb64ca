"""Tournaments and comparisons whose games begin from positions."""

from __future__ import annotations

import json

import numpy as np
import pytest

from tests.random_play import positions
from tests.toy_games import HUNT
from wotr_env import Game, Ruleset
from wotr_env.core.game import Game as AnyGame
from wotr_env.games.war_of_the_ring.codes import Decision
from wotr_env.games.war_of_the_ring.game import WAR_OF_THE_RING
from wotr_env.play.games import game_kind
from wotr_experiments.arena.compare import compare_tournament
from wotr_experiments.arena.engines import WorkerPool
from wotr_experiments.arena.openings import check_openings, read_openings, states_of
from wotr_experiments.arena.schedule import Tournament, check_repeats, game_seed, opening
from wotr_experiments.arena.store import GAMES, load_records, read_store
from wotr_experiments.arena.tournament import TournamentObserver, run_tournament
from wotr_experiments.cli import main as cli
from wotr_experiments.cli.arena import rules_of
from wotr_experiments.errors import CommandError

RULES = Ruleset.first_edition(max_turns=5)
ALONE = WorkerPool(workers=1)


def texts(count=3, seat=None):
    """Positions of action dice from different games."""
    found = []
    for seed in range(count):
        game = Game(seed=seed, ruleset=RULES)
        rng = np.random.default_rng(seed)
        while game.decision != Decision.ACTION_DIE or len(game.actions) < 40:
            game.step(int(rng.choice(game.legal())))
        found.append(game.position(game.seat if seat else None))
    return tuple(found)


def tournament(**changes):
    options = {"games": 8, "seed": 5, "positions": texts(), "batch": 4} | changes
    return Tournament(("random", "scripted"), **options)


# --- The library. ---


def test_a_seed_gives_a_whole_position_other_dice_and_changes_nothing_else():
    (text,) = texts(1)
    whole = Game.from_position(text)
    one, again, other = (Game.from_position(text, seed=seed) for seed in (1, 1, 2))
    assert one.hash() == again.hash() != other.hash() != whole.hash()
    for game in (one, other):
        state, expected = game.state.copy(), whole.state.copy()
        for name in ("key", "counter"):
            state[name] = expected[name]
        assert state.tobytes() == expected.tobytes()
        assert Game.from_position(game.position()).hash() == game.hash()
        assert all((game.observe(seat) == whole.observe(seat)).all() for seat in range(2))
    limited = Game.from_position(text, ruleset=Ruleset.first_edition(max_turns=9))
    assert limited.ruleset.max_turns == 9


@pytest.mark.parametrize("seat", [None, "own"])
def test_games_begin_from_positions_in_turn_each_pair_with_its_own_dice(tmp_path, seat):
    played = tournament(positions=texts(3, seat))
    assert played.ruleset == RULES
    run_tournament(played, tmp_path, ALONE)
    records = load_records(tmp_path / GAMES)
    begun = [Game.from_position(record.position) for record in records]
    for number, (record, game) in enumerate(zip(records, begun, strict=True)):
        record.verify()
        assert record.seed == 0 and record.ruleset == RULES
        text = opening(played, number)
        assert text == played.positions[number // 2 % 3]
        seed = game_seed(played, number)
        assert game.hash() == Game.from_position(text, seed).hash()
    assert [game.hash() for game in begun[::2]] == [game.hash() for game in begun[1::2]]
    assert len({game.hash() for game in begun}) == 4  # the first position comes again with other dice
    with read_store(tmp_path / GAMES) as store:
        assert [game.seed for game in store.games()] == [game_seed(played, number) for number in range(8)]


def test_a_tournament_from_positions_goes_on_and_knows_others(tmp_path):
    whole = run_tournament(tournament(), tmp_path / "one", ALONE)
    with pytest.raises(KeyboardInterrupt):
        run_tournament(tournament(), tmp_path / "two", ALONE, _Stops())
    assert run_tournament(tournament(), tmp_path / "two", WorkerPool(workers=2)) == whole
    for other in (tournament(positions=texts(2)), tournament(positions=())):
        with pytest.raises(CommandError, match="holds another tournament"):
            run_tournament(other, tmp_path / "one", ALONE)


class _Stops(TournamentObserver):
    def stored(self, games):
        raise KeyboardInterrupt


def test_without_positions_the_folder_is_as_before():
    assert "positions" not in tournament(positions=()).to_dict()
    assert json.loads(json.dumps(tournament().to_dict()))["positions"] == list(texts())


def test_states_are_those_of_the_seeds():
    found = states_of(WAR_OF_THE_RING, texts(2), [3, 4], Ruleset.first_edition(max_turns=7))
    assert found["max_turns"].tolist() == [7, 7]
    assert found[0]["key"].tolist() != found[1]["key"].tolist()


# --- What is refused. ---


def test_what_cannot_be_begun_from_is_refused_in_a_line():
    (good,) = texts(1)
    other = Game(seed=1, ruleset=Ruleset.second_edition()).position()
    over = next(state for state in positions("first") if state["winner"] >= 0)
    cases = [
        ((good, "nonsense"), "position 2: not a position"),
        ((good, good[:-1] + "0"), "position 2: the position is damaged"),
        (
            (good, other),
            "position 2 has other rules than the first one: max_turns, dwarf_setup, hunt_alloc_min and 2",
        ),
        ((good, Game.from_state(over).position()), "position 2: the game is over"),
    ]
    for given, words in cases:
        with pytest.raises(CommandError, match=words) as error:
            check_openings(WAR_OF_THE_RING, given)
        assert "\n" not in str(error.value)
    with pytest.raises(CommandError, match="has no text form of positions"):
        check_openings(HUNT, (good,))
    with pytest.raises(CommandError, match="use the rules of the positions"):
        tournament(ruleset=Ruleset.second_edition(max_turns=60))


def test_games_that_would_be_repeated_are_refused_or_left_out():
    """A complete position of the Duel contains all chance; that of a seat does not."""
    duels = [AnyGame(game_kind("duel"), seed) for seed in range(3)]
    whole, seen = (tuple(game.position(seat) for game in duels) for seat in (None, 0))
    with pytest.raises(
        CommandError, match="3 positions are enough for 6 games, not 8: Duel for Middle-earth has no"
    ):
        run_tournament(tournament(game="duel", positions=whole), crew=ALONE)
    for good in ({"games": 6, "positions": whole}, {"positions": seen}):
        check_repeats(tournament(game="duel", **good))
    check_repeats(tournament())
    asked = {"game": "duel", "seed": 1, "batch": 4}
    assert compare_tournament("random", "random", 40, positions=whole, **asked).games == 6
    assert compare_tournament("random", "random", 4, positions=whole, **asked).games == 4
    assert compare_tournament("random", "random", 40, positions=seen, **asked).games == 40
    again = (whole[0], whole[1], whole[0], whole[2])
    assert compare_tournament("random", "random", 40, positions=again, **asked).games == 4
    with pytest.raises(CommandError, match="2 positions are enough for 4 games"):
        check_repeats(tournament(game="duel", games=8, positions=again))
    with pytest.raises(CommandError, match="the batch must be an even number .* not 3"):
        compare_tournament("random", "random", 40, batch=3)


@pytest.mark.parametrize("text", ["", "# only words\n\n"])
def test_a_file_without_a_position(tmp_path, text):
    (tmp_path / "file").write_text(text)
    with pytest.raises(CommandError, match="contains no position"):
        read_openings(tmp_path / "file")
    (tmp_path / "file").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(CommandError, match="cannot be read as positions"):
        read_openings(tmp_path / "file")


# --- The commands. ---


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "positions.txt"
    path.write_text("# two\n" + "\n\n".join(texts(2)) + "\n")
    return path


def test_the_commands_play_from_a_file(file, tmp_path, capsys):
    out = tmp_path / "out"
    options = ["--positions", str(file), "--workers", "1", "--seed", "1"]
    played = ["tournament", "random", "scripted", "--games", "4", "--replays", "none", *options]
    assert cli.main([*played, "--out", str(out)]) == 0
    assert all(record.position for record in load_records(out / GAMES))
    question = ["--elo0", "0", "--elo1", "200", "--max-games", "8", "--json"]
    capsys.readouterr()
    assert cli.main(["compare", "scripted", "random", *options, *question]) == 0
    assert json.loads(capsys.readouterr().out)["positions"] == list(read_openings(file))
    assert cli.main(["replay", str(out / GAMES), "--text"]) == 0
    assert "Position" in capsys.readouterr().out


def test_rules_are_those_of_the_positions(file, tmp_path, capsys):
    command = ["tournament", "random", "random", "--games", "2", "--positions", str(file), "--workers", "1"]
    assert cli.main([*command, "--ruleset", "second"]) == 2
    assert "leave out --ruleset" in capsys.readouterr().err
    assert cli.main([*command, "--max-turns", "4", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["ruleset"]["max_turns"] == 4
    assert cli.main([*command, "--max-turns", "-1"]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("wotr: --max-turns: ") and "max_turns must be an integer from 0" in line
    assert cli.main([*command[:-3], str(tmp_path / "none")]) == 2


def test_a_turn_limit_of_the_command_replaces_that_of_the_rules():
    for spec, begun in (("first:max_turns=5", ()), (None, texts(1))):
        for limit, expected in ((None, 5), (0, 0), (3, 3)):
            assert rules_of(spec, limit, "war-of-the-ring", begun).max_turns == expected
