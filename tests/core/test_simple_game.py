"""Games in plain Python keep the contract of a game, and say what does not fit in their declarations."""

from __future__ import annotations

import numpy as np
import pytest

from tests.simple_games import HighDraw, KuhnPoker, TicTacToe
from wotr_agents import make_bot
from wotr_env.core.codes import GOING_ON
from wotr_env.core.declared import StateField
from wotr_env.core.descriptions import Form
from wotr_env.core.results import PlainResult
from wotr_env.core.seats import PUBLIC
from wotr_env.core.shapes import Box, Words
from wotr_env.play import plugins
from wotr_env.play.bots import view_of
from wotr_env.play.game_checks import check_game
from wotr_env.play.games import game_plugins
from wotr_env.play.record import GameRecord
from wotr_experiments.table.viewer_messages import drawn_board, is_drawn, sight
from wotr_experiments.table.viewers import Eyes

GAMES = {game.name: game for game in (TicTacToe, KuhnPoker, HighDraw)}
KINDS = {name: game().kind() for name, game in GAMES.items()}


@pytest.fixture(params=KINDS)
def kind(request):
    return KINDS[request.param]


@pytest.mark.parametrize("ruleset", ["standard", "standard:max_turns=2"])
def test_they_are_games(kind, ruleset):
    found = check_game(kind, ruleset, games=12)
    assert found.ended == 12 and (found.hidden > 0) == (kind.name != "tic-tac-toe")


def played(kind, *actions, seed=1, ruleset=""):
    game = kind.game(seed, kind.find_ruleset(ruleset))
    for action in actions:
        game.step(action)
    return game


def test_a_line_of_tic_tac_toe_wins():
    kind = KINDS["tic-tac-toe"]
    game = played(kind, "mark:a1", "mark:a2", "mark:b1", "mark:b2")
    assert game.result is None and kind.words.decision(game.state) == "Crosses is to choose"
    game.step("mark:c1")
    assert game.result.to_dict() == {"winner": 0, "reason": "line_of_crosses"} and not game.legal()
    assert kind.words.decision(game.state) == "Crosses won: line of crosses"
    full = played(
        kind, *(f"mark:{each}" for each in ["a1", "b1", "c1", "a2", "b2", "c2", "b3", "a3", "c3"]), seed=2
    )
    assert full.result.reason in kind.result.ends


def test_a_turn_limit_ends_a_game_that_nobody_wins():
    kind = KINDS["tic-tac-toe"]
    game = played(kind, "mark:a1", "mark:a2", ruleset="standard:max_turns=2")
    assert game.result.to_dict() == {"winner": kind.draw, "reason": "turn_limit"}
    assert kind.words.decision(game.state) == "nobody won: turn limit"
    assert kind.turn_limit(kind.limited(kind.find_ruleset(), 7)) == 7
    won = ["mark:a1", "mark:a2", "mark:b1", "mark:b2", "mark:c1"]
    assert played(kind, *won, ruleset="standard:max_turns=5").result.winner == 0


def test_a_seat_sees_its_own_card_alone():
    kind = KINDS["kuhn-poker"]
    game = kind.game(3, kind.find_ruleset())
    states = np.array([game.state] * 2, dtype=kind.state)
    seen = kind.layout.named(kind.kernels.observe(states, np.arange(2)))
    assert seen["card"].reshape(-1).tolist() == states[0]["card"].tolist()
    assert seen["decision"].tolist() == [[1, 0], [0, 0]] and seen["own_seat"].tolist() == [[1, 0], [0, 1]]
    assert [field.visible_to for field in kind.layout.fields if field.name == "card"] == ["owner"]
    assert "deck" not in KINDS["high-draw"].layout.named(np.zeros((1, KINDS["high-draw"].layout.size)))


def test_worlds_deal_what_a_seat_does_not_know():
    kind = KINDS["kuhn-poker"]
    states = np.array([kind.game(3, kind.find_ruleset()).state] * 2000, dtype=kind.state)
    own = states["card"][0, 0]
    kind.kernels.sample_worlds(states, np.zeros(2000, dtype=np.int64), np.arange(2000))
    assert (states["card"][:, 0] == own).all()
    assert np.bincount(states["card"][:, 1], minlength=4)[own] == 0
    assert abs((states["card"][:, 1] == states["card"][:, 1].max()).mean() - 0.5) < 0.05


def test_who_shares_a_win_is_told():
    kind = KINDS["high-draw"]
    states, masks = np.zeros(300, dtype=kind.state), np.zeros((300, 2), dtype=bool)
    kind.kernels.start(states, masks, np.arange(300), kind.find_ruleset())
    for _ in range(3):
        kind.kernels.step(states, masks, np.zeros(300, dtype=np.int64))
    won = kind.winning_seats(states, kind.find_ruleset())
    best = states["best"] == states["best"].max(axis=1, keepdims=True)
    assert (states["winner"] != GOING_ON).all()
    assert (won == np.where(best.all(axis=1)[:, None], False, best)).all()
    alone = best.sum(axis=1) == 1
    assert alone.any() and not alone.all()
    assert (states["winner"] == np.where(alone, best.argmax(axis=1), kind.draw)).all()


def test_records_of_a_registered_game_replay(kind, monkeypatch):
    class EntryPoint:
        name, dist = kind.name, None

        def load(self):
            return kind

    monkeypatch.setattr(plugins.importlib.metadata, "entry_points", lambda group: [EntryPoint()])
    game_plugins.cache_clear()
    try:
        check_game(kind)
        bot, game = make_bot("random", 1, kind.name), kind.game(5, kind.find_ruleset())
        while game.result is None:
            states, masks = np.array([game.state], dtype=kind.state), np.zeros((1, kind.actions.size), bool)
            masks[0, game.legal()] = True
            game.step(int(bot.act(view_of(states, masks, kind))[0]))
        assert GameRecord.from_json(GameRecord.from_game(game).to_json()).verify().result
    finally:
        monkeypatch.undo()
        game_plugins.cache_clear()


WRONG = [
    ({"fields": (StateField("board", None, None, "marks", (9,)),)}, "field board has no range"),
    ({"fields": (StateField("board", 0, 200, "marks", (9,)),)}, "its values must be -128 to 127"),
    ({"hidden": {"bored": "nobody"}}, "'bored' must be a field"),
    ({"hidden": {"board": "me"}}, "'owner' or 'nobody'"),
    ({"hidden": {"board": "owner"}}, "its first axis must be the players"),
    ({"hidden": {"board": "nobody"}}, "it needs imagine"),
    ({"ends": {"won": (1,)}}, "each end needs one value for each player"),
]


@pytest.mark.parametrize(("attributes", "told"), WRONG, ids=[told for _, told in WRONG])
def test_what_does_not_fit_is_told(attributes, told):
    with pytest.raises(ValueError, match=told):
        type("Wrong", (TicTacToe,), attributes)().kind()


@pytest.mark.parametrize(
    "options", [{"speed": 1}, {"max_turns": -1}, {"max_turns": True}, {"max_turns": 20_000}]
)
def test_wrong_options_are_refused(kind, options):
    with pytest.raises(ValueError, match="max_turns"):
        kind.ruleset.from_dict(options)


@pytest.mark.parametrize(
    "values", [{}, 7, {"winner": 0, "reason": "weather"}, {"winner": "x", "reason": "full"}]
)
def test_wrong_results_are_refused(kind, values):
    assert issubclass(kind.result, PlainResult)
    with pytest.raises(ValueError, match="no result of"):
        kind.result.from_dict(values)


def test_a_drawing_shows_each_viewer_the_numbers_of_the_fields():
    kind = KINDS["kuhn-poker"]
    assert kind.drawing is not None
    state = kind.new_states([5], kind.find_ruleset())[0][0]
    mine, other = (str(card) for card in state["card"].tolist())

    def told(viewer, **form):
        return [
            shape.text for shape in kind.drawing(state, viewer, **form).shapes if isinstance(shape, Words)
        ]

    labels = ["First, card: jack, queen or king", "Second, card: jack, queen or king", "bet: has bet"]
    seen = {None: [mine, other], 0: [mine, "?"], 1: ["?", other], PUBLIC: ["?", "?"]}
    for viewer, cards in seen.items():
        assert told(viewer) == [
            "First decides",
            labels[0],
            cards[0],
            labels[1],
            cards[1],
            labels[2],
            "0",
            "0",
        ]
    assert told(1, form=Form.UPRIGHT) == told(1)
    assert kind.drawing(state, 1).title.startswith("First decides. First, card: jack, queen or king ?;")


@pytest.mark.parametrize("form", Form)
def test_a_drawing_has_one_size_and_its_numbers_lie_within(form):
    kind = KINDS["high-draw"]
    assert kind.drawing is not None
    sizes = set()
    for state in kind.new_states(np.arange(3), kind.find_ruleset())[0]:
        for viewer in (None, PUBLIC, 0):
            drawing = kind.drawing(state, viewer, form=form)
            sizes.add((drawing.width, drawing.height))
            boxes = [shape for shape in drawing.shapes if isinstance(shape, Box)]
            assert all(0 <= box.x and box.x + box.width <= drawing.width for box in boxes)
            assert max(box.y + box.height for box in boxes) <= drawing.height
    assert len(sizes) == 1


def test_a_simple_game_can_be_opened_at_the_web_table():
    kind = KINDS["tic-tac-toe"]
    rules = kind.find_ruleset()
    state = kind.new_states([1], rules)[0][0]
    assert is_drawn(kind)
    shown = sight(kind, rules, state, Eyes(0))
    board = drawn_board(kind, rules)
    assert shown["drawing"] and set(board["sizes"]) == set(Form)
    assert board["positions"] is (kind.positions is not None)
