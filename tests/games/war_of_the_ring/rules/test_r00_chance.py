"""R0.10: an outcome of chance that players see says what it was for, whose it was and what was needed."""

from __future__ import annotations

from tests.positions import Position, attack, card, play, tile
from wotr_env import Game
from wotr_env.games.war_of_the_ring.codes import Draw, Roll, Side

SHADOW, FREE_PEOPLES = Side.SHADOW, Side.FREE_PEOPLES


def draws(game: Game) -> list[tuple[int, ...]]:
    """Kind, side, value and what was needed, of each outcome of the last step."""
    state = game.state
    return [tuple(row) for row in state.draws[: state.num_draws].tolist()]


def test_R0_10_a_hunt_notes_its_dice_re_rolls_and_tile():
    position = Position().dice("character character", "army").hunt_box(1, 2).fellowship("dagorlad")
    position = position.army("dagorlad", sauron=1)
    game = play(position.game(5, 1, 2, 3, tile("tile-1-1")), "face:character", "plan:move-fellowship")
    assert draws(game) == [
        (Roll.HUNT, SHADOW, 5, 5),
        (Roll.HUNT, SHADOW, 1, 5),
        (Roll.HUNT, SHADOW, 2, 5),
        (Roll.HUNT_REROLL, SHADOW, 3, 5),
        (Roll.TILE, SHADOW, tile("tile-1-1"), 0),
    ]


def test_R0_10_a_combat_round_notes_both_sides():
    position = Position().at_war("sauron", "gondor").army("dagorlad", sauron=2, nazgul=1)
    position = position.army("north-ithilien", gondor=1).dice("", "army army")
    game = attack(position.game(2, 6, 3, 4), "army", "dagorlad", "north-ithilien")
    assert draws(game) == [
        (Roll.COMBAT, SHADOW, 2, 5),
        (Roll.COMBAT, SHADOW, 6, 5),
        (Roll.COMBAT, FREE_PEOPLES, 3, 5),
        (Roll.COMBAT_REROLL, SHADOW, 4, 5),
    ]


def test_R0_10_the_next_step_forgets_the_draws_of_the_last():
    position = Position().dice("character character", "army").hunt_box(0, 1)
    game = play(position.game(6, tile("tile-1-1")), "face:character", "plan:move-fellowship")
    assert [kind for kind, *_ in draws(game)] == [Roll.HUNT, Roll.TILE]
    play(game, "verb:take-corruption")
    assert draws(game) == []
    assert not game.state.draws.any()


def test_R0_10_the_dice_of_a_turn_are_noted_by_side_in_the_order_rolled():
    game = Game(seed=1)
    while game.decision.name != "HUNT_ALLOCATION":
        game.step(game.legal()[0])
    game.step(game.legal()[0])
    rolled = draws(game)
    assert {kind for kind, *_ in rolled} == {Roll.ACTION_DIE}
    assert [side for _, side, *_ in rolled] == [FREE_PEOPLES] * 4 + [SHADOW] * 7
    assert all(1 <= value <= 6 and needed == 0 for _, _, value, needed in rolled)
    assert Draw.NEEDED == game.state.draws.shape[1] - 1


def test_R0_10_a_card_dropped_at_random_is_noted():
    dropped = card("fp-char-10")
    position = Position().dice("character character", "army").hunt_box(0, 1).table("sh-char-15")
    position.fellowship("hollin", companions=["strider", "boromir"])
    position.hand(FREE_PEOPLES, "fp-char-09", "fp-char-10")
    game = play(position.game(6, tile("tile-3-1"), dropped), "face:character", "plan:move-fellowship")
    play(game, "verb:sacrifice-guide", "verb:random-card")
    assert draws(game) == [(Roll.CARD, FREE_PEOPLES, dropped, 0)]
