"""The battle view of ``wotr play``."""

from __future__ import annotations

import io

import numpy as np
import pytest
from rich.console import Console

from tests.battles import Battle
from tests.positions import play
from tests.terminals import Person, new_game, typing
from wotr_env import Game, sample_world
from wotr_env.games.war_of_the_ring.codes import Decision, Side
from wotr_env.games.war_of_the_ring.picture import picture
from wotr_experiments.games.war_of_the_ring.terminal.battle import battle, followed

FOUGHT_AT = (Decision.COMBAT_CARD, Decision.CASUALTY, Decision.CEASE, Decision.RETREAT)


def text_of(shown, fought=(), decision=Decision.COMBAT_CARD):
    view = battle(shown, fought, decision)
    console = Console(width=100, file=io.StringIO())
    console.print("" if view is None else view)
    return " ".join(console.file.getvalue().split())


def ithilien():
    return Battle(
        Side.SHADOW,
        {"gondor": 2, "gondor_elite": 1, "gondor_leader": 1},
        {"sauron": 4, "sauron_elite": 1, "nazgul": 1},
        "sh-char-01",
        "fp-strat-01",
        origin="north-ithilien",
        at="osgiliath",
    )


def test_an_attack_is_shown_before_it_begins():
    game = ithilien().game()
    play(game, "face:army", "plan:attack", "region:north-ithilien", "region:osgiliath")
    text = text_of(picture(game.state, Side.SHADOW), decision=Decision.ATTACK_FIGURES)
    assert "North Ithilien against Osgiliath, with the whole army" in text
    assert "Shadow attacks Free Peoples defend 4r 1e 1n 2r 1e 1l" in text
    assert "5 dice, 1 again, hits by 6 or more 3 dice, 1 again, hits by 5 or more" in text
    assert "fought to the end without Combat cards, the chance that the Shadow wins is " in text
    play(game, "figure:sauron-regular")
    picked = text_of(picture(game.state, Side.SHADOW), decision=Decision.ATTACK_FIGURES)
    assert "with those picked" in picked and "1 die, hits by 6 or more" in picked


def test_an_assault_is_shown_with_the_chance_of_this_action_and_of_the_siege():
    fp, sh = {"gondor": 2, "gondor_leader": 1}, {"sauron": 8, "nazgul": 1}
    siege = Battle(Side.SHADOW, fp, sh, origin="minas-tirith", at="minas-tirith")
    siege.control("minas-tirith", Side.FREE_PEOPLES)
    game = siege.game()
    play(game, "face:army", "plan:attack", "region:minas-tirith", "region:minas-tirith")
    text = text_of(picture(game.state, Side.SHADOW), decision=Decision.ATTACK_FIGURES)
    assert "the chance that the Shadow destroys the garrison is 26% in this action, and " in text
    assert " if the siege continues with further actions." in text


def test_a_battle_is_shown_with_forces_cards_dice_and_losses():
    game = ithilien().game(6, 2, 1, 4, 5, 1, 1, 1)
    play(game, "face:army", "plan:attack", "region:north-ithilien", "region:osgiliath")
    fought, views = (), []
    while game.decision in (*FOUGHT_AT, Decision.ATTACK_FIGURES):
        views.append(text_of(picture(game.state, game.seat), fought, game.decision))
        names = {game.name_of(each): each for each in game.legal()}
        action = names.get("verb:whole-army", names.get("card:fp-strat-01", game.legal()[-1]))
        fought = followed(fought, game.trace(action).events(game.seat))
        game.step(action)
    assert any("The Shadow attacks Osgiliath from North Ithilien, round 1" in view for view in views)
    last = views[-1]
    assert ("(6+)" in last and "(5+)" in last and "hits 0 hits" in last) or "1 hit" in last
    assert any("Daylight (The Last Battle)" in view for view in views)
    assert any("lost" in view for view in views)
    # Casualties are still to be taken: the odds would be those of armies as they are no longer.
    casualties = [view for view in views if "hits by" not in view]
    assert casualties and all("wins in" not in view for view in casualties)


def test_every_question_of_a_battle_shows_it(tmp_path):
    shown, lines = 0, iter(["army", "attack", "4r 1e n", *["1"] * 8])

    def choose(person, _prompt):
        nonlocal shown
        text, state = person.new_text(), person.screen.match.game.state
        if picture(state, Side.SHADOW)["battle"] is not None:
            assert "The Shadow attacks Osgiliath from North Ithilien, round " in text
            shown += 1
        for line in lines:
            return line
        raise EOFError

    game = Game.from_state(ithilien().game().state)
    saved = new_game(Side.SHADOW, "scripted", game=game, hint_bot="random")
    with pytest.raises(EOFError):
        Person(choose).sit_down(saved, tmp_path / "game.json").run()
    assert shown > 1  # which casualty, and whether to cease


def test_there_may_be_no_battle(tmp_path):
    saved = new_game(Side.SHADOW, "random", seed=2, hint_bot="random")
    person = Person(typing(["battle"]))
    with pytest.raises(EOFError):
        person.sit_down(saved, tmp_path / "game.json").run()
    assert "there is no battle now" in person.text


def test_the_view_of_a_battle_is_the_same_in_every_world_that_the_seat_holds_possible():
    compared = 0
    for seed in range(2):
        game, rng = Game(seed), np.random.default_rng(seed)
        fought = dict.fromkeys(range(2), ())
        while not game.over and len(game.actions) < 900:
            state, seat = game.state, game.seat
            shown = picture(state, seat)
            if shown["battle"] is not None:
                other = picture(sample_world(state, seat, rng), seat)
                decision = game.decision
                assert text_of(shown, fought[seat], decision) == text_of(other, fought[seat], decision)
                compared += 1
            action = int(rng.choice(game.legal()))
            trace = game.trace(action)
            fought = {seat: followed(known, trace.events(seat)) for seat, known in fought.items()}
            game.step(action)
    assert compared > 5
