"""What single steps are told as, event by event."""

from __future__ import annotations

from tests.battles import Battle
from tests.positions import Position, attack, card, character, play, region, tile
from wotr_env import Game
from wotr_env.games.war_of_the_ring.codes import (
    BattleKind,
    Decision,
    HuntCause,
    Location,
    Nation,
    Reason,
    Roll,
    Side,
    Winner,
)
from wotr_env.games.war_of_the_ring.events import Event
from wotr_env.games.war_of_the_ring.events import types as ev
from wotr_env.games.war_of_the_ring.events.types import CardPlace, Figures, Pool, Secrecy

FREE_PEOPLES, SHADOW = Side.FREE_PEOPLES, Side.SHADOW


def last(game: Game, seat: int | None = None) -> list[Event]:
    """The events of the last step without its decisions."""
    return [event for event in game.events(seat) if not isinstance(event, ev.Decided)]


def of_kind(game: Game, *kinds: type[Event]) -> list[Event]:
    return [event for event in game.events() if isinstance(event, kinds)]


def test_a_hunt_is_told_with_its_dice_tile_and_damage():
    position = Position().dice("character character", "army").hunt_box(1, 2).fellowship("dagorlad")
    position = position.army("dagorlad", sauron=1)
    game = play(position.game(5, 1, 2, 3, tile("tile-1-1")), "face:character", "plan:move-fellowship")
    assert last(game) == [
        ev.FellowshipMoved(1),
        ev.HuntBegan(HuntCause.MOVE),
        ev.Rolled(Roll.HUNT, SHADOW, (5, 1, 2), 5),
        ev.Rolled(Roll.HUNT_REROLL, SHADOW, (3,), 5),
        ev.TileDrawn(SHADOW, tile("tile-1-1")),
        ev.HuntDamage(0, 1),
    ]
    play(game, "verb:take-corruption")
    assert last(game)[:2] == [ev.HuntDamage(1, 0), ev.CorruptionChanged(0, 1)]


def test_a_companion_lost_by_chance():
    game = Position().fellowship("rivendell").dice("character").hunt_box(0, 1).game(6, tile("tile-3-1"), 2)
    play(game, "face:character", "plan:move-fellowship", "verb:sacrifice-random")
    boromir = character("boromir")
    events = last(game)
    assert ev.CompanionDrawn(boromir) in events
    assert ev.CharacterMoved(boromir, Location.IN_FELLOWSHIP, Location.ELIMINATED) in events


def test_a_battle_is_told_from_the_attack_to_the_advance():
    position = Position().at_war("sauron", "gondor").army("dagorlad", sauron=3, nazgul=1)
    position.army("north-ithilien", gondor=1).dice("", "army army")
    game = attack(position.game(2, 6, 3, 4, 1), "army", "dagorlad", "north-ithilien")
    first = (Figures(Nation.SAURON, 3, 0, 1),), (Figures(Nation.GONDOR, 1, 0, 0),)
    dagorlad, ithilien = region("dagorlad"), region("north-ithilien")
    began = ev.BattleBegan(SHADOW, BattleKind.FIELD, dagorlad, ithilien, *first, ((), ()))
    assert last(game) == [
        began,
        ev.BattleRound(ithilien, 1),
        ev.Rolled(Roll.COMBAT, SHADOW, (2, 6, 3), 5),
        ev.Rolled(Roll.COMBAT, FREE_PEOPLES, (4,), 5),
        ev.HitsCounted(0, 1),
        ev.Rolled(Roll.COMBAT_REROLL, SHADOW, (1,), 5),
    ]
    play(game, "figure:gondor-regular")
    assert ev.FiguresLost(ithilien, (Figures(Nation.GONDOR, 1, 0, 0),), Pool.CASUALTIES, False) in last(game)
    play(game, "verb:whole-army")
    assert ev.FiguresMoved(dagorlad, ithilien, (Figures(Nation.SAURON, 3, 0, 1),)) in last(game)
    assert of_kind(game, ev.BattleEnded) == [ev.BattleEnded(SHADOW, BattleKind.FIELD, ithilien, 1)]


def test_an_elite_is_reduced():
    position = Position().at_war("sauron", "gondor").army("dagorlad", sauron=2)
    position.army("north-ithilien", gondor_elite=1, gondor=1).dice("", "army")
    game = attack(position.game(6, 1, 1, 1), "army", "dagorlad", "north-ithilien")
    play(game, "nation:gondor")
    place = region("north-ithilien")
    reduced = ev.ElitesReduced(place, Nation.GONDOR, 1, Pool.CASUALTIES, Pool.REINFORCEMENTS)
    assert reduced in last(game)


def test_cards_of_a_battle_are_revealed_together():
    battle = Battle(
        SHADOW,
        {"gondor": 2},
        {"sauron": 3, "nazgul": 1},
        "sh-char-01",
        "fp-strat-01",
        origin="north-ithilien",
        at="osgiliath",
    )
    game = attack(battle.game(), *battle.route)
    chosen = {f"card:{name}" for name in ("sh-char-01", "fp-strat-01")}
    while game.decision == Decision.COMBAT_CARD:
        names = {game.name_of(action) for action in game.legal()} & chosen
        play(game, *(names or {"verb:decline"}))
        if names:
            (moved, *_) = of_kind(game, ev.CardMoved)
            assert (moved.origin, moved.destination) == (CardPlace.HAND, CardPlace.COMMITTED)
            assert moved.seen_by(1 - moved.seat).card is None
    revealed = [e for e in of_kind(game, ev.CardMoved) if e.origin == CardPlace.COMMITTED]
    assert all(event.secrecy == Secrecy.OPEN for event in revealed)


def test_a_card_is_drawn_and_one_discarded_face_down():
    hand = [f"fp-strat-{number:02}" for number in range(1, 7)]
    position = Position().dice("event").hand(FREE_PEOPLES, *hand)
    game = play(position.game(), "face:event", "plan:draw-card", "verb:strategy-deck")
    own, other = ([event for event in game.events(seat) if isinstance(event, ev.CardMoved)] for seat in Side)
    assert own[0].card is not None
    assert other[0] == ev.CardMoved(0, None, 1, CardPlace.DECK, CardPlace.HAND, False, Secrecy.BACK)
    play(game, "card:fp-strat-03")
    thrown = next(event for event in game.events(SHADOW) if isinstance(event, ev.CardMoved))
    assert thrown == ev.CardMoved(0, None, 1, CardPlace.HAND, CardPlace.FACE_DOWN, False, Secrecy.BACK)
    decided = game.events(SHADOW)[0]
    assert decided == ev.Decided(0, Decision.DISCARD_CARD, None, None, Secrecy.FACT)


def test_a_card_lost_by_chance_is_open():
    position = Position().dice("character character", "army").hunt_box(0, 1).table("sh-char-15")
    position.fellowship("hollin", companions=["strider", "boromir"])
    position.hand(FREE_PEOPLES, "fp-char-09", "fp-char-10")
    dropped = card("fp-char-10")
    game = play(position.game(6, tile("tile-3-1"), dropped), "face:character", "plan:move-fellowship")
    play(game, "verb:sacrifice-guide", "verb:random-card")
    moved = of_kind(game, ev.CardMoved)[0]
    assert moved == ev.CardMoved(0, dropped, 0, CardPlace.HAND, CardPlace.DISCARD, True, Secrecy.OPEN)


def test_a_choice_that_the_rules_took_is_forced():
    game = Game(2)
    forced = []
    while not forced:
        game.step(game.legal()[-1])
        forced = [event for event in of_kind(game, ev.Decided) if event.forced]
    assert game.events(forced[0].seat).count(forced[0]) == 1
    assert forced[0] not in game.events(1 - forced[0].seat)


def test_politics_recruits_and_captures():
    game = Position().politics("gondor", 1).dice("muster").game()
    play(game, "face:muster", "plan:advance-nation", "nation:gondor")
    assert ev.NationAdvanced(Nation.GONDOR, 1, 0) in last(game)
    game = Position().at_war("sauron").dice("", "muster", acting=SHADOW).control("barad-dur", SHADOW).game()
    play(game, "face:muster", "plan:recruit", "figure:sauron-nazgul")
    play(game, "region:barad-dur")
    placed = (Figures(Nation.SAURON, 0, 0, 1),)
    assert ev.FiguresRecruited(region("barad-dur"), placed, Pool.REINFORCEMENTS) in last(game)
    position = Position().at_war("sauron", "gondor").army("osgiliath", sauron=2)
    game = position.dice("", "army", acting=SHADOW).control("pelargir", FREE_PEOPLES).game()
    play(game, "face:army", "plan:move-armies", "region:osgiliath", "region:lossarnach", "verb:whole-army")
    assert ev.RegionTaken(region("lossarnach"), SHADOW, SHADOW) in last(game)


def test_steps_on_the_mordor_track():
    position = Position().fellowship(mordor_step=1, revealed=False).dice("character")
    game = play(position.game(tile("tile-2-1")), "face:character", "plan:move-fellowship")
    play(game, "verb:take-corruption")
    assert ev.MordorStep(2) in last(game)


def test_the_end_of_a_game():
    position = Position().fellowship("rivendell", corruption=11).dice("character").hunt_box(0, 1)
    game = play(position.game(6, tile("tile-2-1")), "face:character", "plan:move-fellowship")
    play(game, "verb:take-corruption")
    assert game.over
    assert last(game)[-1] == ev.GameEnded(Winner.SHADOW, Reason.CORRUPTION)


def test_a_turn_begins_with_cards():
    game = play(Position().dice("muster").game(), "face:muster", "plan:skip")
    assert ev.TurnBegan(2) in last(game)
    drawn = [event for event in game.events(SHADOW) if isinstance(event, ev.CardMoved)]
    assert [(event.seat, event.deck, event.card is None) for event in drawn] == [
        (0, 0, True),
        (0, 1, True),
        (1, 2, False),
        (1, 3, False),
    ]
