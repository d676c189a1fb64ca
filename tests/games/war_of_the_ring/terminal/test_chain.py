"""Answers chained in one line of ``wotr play``, and questions that are not asked."""

from __future__ import annotations

import random
import re

import numpy as np
import pytest

from tests.terminals import Person, answering, new_game, typing
from wotr_env import Game, Ruleset, sample_world
from wotr_env.games.war_of_the_ring.actions import ACTION_IDS, Block
from wotr_env.games.war_of_the_ring.codes import Decision, Verb
from wotr_experiments.games.war_of_the_ring.terminal.answers import forced_answers, idle_answer, question
from wotr_experiments.games.war_of_the_ring.terminal.chain import Chain
from wotr_experiments.games.war_of_the_ring.terminal.presenter import WarPresenter
from wotr_experiments.terminal.choices import LineError

FREE_PEOPLES, SHADOW = 0, 1


def shadow_to_act(**options):
    """The Shadow is to choose its first die, and has one of Army."""
    for seed in range(100):
        game, generator = Game(seed, Ruleset.first_edition(**options)), random.Random(seed)
        while game.decision != Decision.ACTION_DIE or game.seat != SHADOW:
            low = ACTION_IDS["count:0"]
            game.step(low if low in game.legal() else generator.choice(game.legal()))
        if int(game.state["turn"]) == 1 and ACTION_IDS["face:army"] in game.legal():
            return game
    raise AssertionError("no game begins so")


def read(game, line):
    """Plays a line on a copy, as a table does; the copy."""
    game, chain = game.clone(), Chain(line)
    while chain.pending and (answer := chain.next(question(game.state, game.legal()))) is not None:
        forced = forced_answers(game.trace(answer.action))
        game.step(answer.action)
        chain.follow(forced)
    return game


def names(before, after):
    """What has been played since."""
    return [after.name_of(action) for action in after.actions[len(before.actions) :]]


def played(game, line):
    return names(game, read(game, line))


TO_GAP = ["face:army", "plan:move-armies", "region:orthanc"]  # there is no other way from there


@pytest.mark.parametrize(
    ("figures", "picked"),
    [
        ("all", ["verb:whole-army"]),
        ("3r 1e", ["figure:isengard-regular"] * 3 + ["figure:isengard-elite", "verb:done"]),
        ("e 2r", ["figure:isengard-elite"] + ["figure:isengard-regular"] * 2 + ["verb:done"]),
        ("2r:ise", ["figure:isengard-regular"] * 2 + ["verb:done"]),
        ("R done", ["figure:isengard-regular", "verb:done"]),
        ("reg elite done", ["figure:isengard-regular", "figure:isengard-elite", "verb:done"]),
    ],
)
def test_an_army_is_moved_by_one_line(figures, picked):
    assert played(shadow_to_act(), f"army move armies orth gap {figures}") == TO_GAP + picked


def test_the_example_of_the_help_is_an_answer():
    (example,) = re.findall(r"several questions: (.*?);", WarPresenter.how_to_answer)
    picked = ["figure:isengard-regular"] * 3 + ["figure:isengard-elite", "verb:done"]
    assert played(shadow_to_act(), example) == TO_GAP + picked


def test_words_go_on_after_figures():
    second = ["region:dol-guldur", "region:southern-mirkwood", "verb:whole-army"]
    picked = ["figure:isengard-regular", "verb:done"]
    assert played(shadow_to_act(), "army move arm orth gap r dol gul sou mir all") == TO_GAP + picked + second
    assert played(shadow_to_act(), "army move arm, orth, gap, r, none") == [*TO_GAP, *picked, "verb:done"]


def test_numbers_are_those_of_the_lists():
    game = shadow_to_act()
    after = game
    line = []
    for name in TO_GAP[:3]:
        asked = question(after.state, after.legal())
        line.append(next(each.label for each in asked.answers if after.name_of(each.action) == name))
        after = read(after, line[-1])
    assert played(game, " ".join(line)) == TO_GAP


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("army move arm orht gap all", "'orht' is not an answer to: Which army to move?"),
        ("army move arm mor 2r", "'mor' can mean: move the army of Mor"),
        ("army move arm orth gap 9r", "'9r': 5 of these figures are not available"),
        ("army move arm orth gap 3r:gon", "'3r:gon' is not an answer to: Which figures move"),
        ("army move arm 999", "'999' is not an answer to: Which army to move?"),
        ("army, move arm, orth, gap all, balrog", "'balrog' is not an answer to: Which army to move?"),
    ],
)
def test_where_a_line_stops(line, said):
    with pytest.raises(LineError, match=re.escape(said)):
        read(shadow_to_act(), line)


def at_the_table(lines, tmp_path, game):
    saved = new_game(SHADOW, "random", game=game, hint_bot="random")
    person = Person(typing(lines))
    person.sit_down(saved, tmp_path / "game.json")
    with pytest.raises(EOFError):
        person.screen.run()
    return person


def test_a_line_at_the_table_is_taken_back_as_a_whole(tmp_path):
    game = shadow_to_act()
    person = at_the_table(["army move arm orth gap 2r", "undo"], tmp_path, game.clone())
    assert person.screen.match.game.hash() == game.hash()
    assert len(person.prompts) == 3  # none within the line, and where the input ends
    assert "Taken back." in person.text


def test_a_line_may_have_a_word_for_a_choice_of_one(tmp_path):
    game = shadow_to_act(ask_single=True)
    person = at_the_table(["army move arm orth gap 2r"], tmp_path, game.clone())
    played = [*TO_GAP, "region:gap-of-rohan", "figure:isengard-regular", "figure:isengard-regular"]
    assert names(game, person.screen.match.game)[: len(played)] == played
    assert "no other choice: move to Gap of Rohan" in person.text and "The line stops" not in person.text


def test_the_next_question_is_shown_after_a_line(tmp_path):
    person = at_the_table(["army move arm", "orth 2r"], tmp_path, shadow_to_act())
    asked = "Which army to move?"
    assert person.text.count(asked) == 2 and person.text.rstrip().rpartition(asked)[2].count("done") == 1


def test_figures_are_asked_by_counts_and_armies_with_their_strength(tmp_path):
    person = at_the_table(["army move arm", "orth", "2r"], tmp_path, shadow_to_act())
    text = " ".join(person.text.split())
    assert "Orthanc 4r 1e" in text and "Dol Guldur 5r 1e 1n" in text
    assert "Which figures move from Orthanc to Gap of Rohan? 4r 1e which? such as 3r 1e, or all" in text
    assert "picked: nothing" not in text
    other = at_the_table(["army move dol"], tmp_path, shadow_to_act())
    assert "Southern Mirkwood" in other.text


def test_a_wrong_word_at_the_table(tmp_path):
    """What comes before it is played, nothing after it; the question is asked that it did not answer."""
    game = shadow_to_act()
    person = at_the_table(["army move arm ohrt gpa 2r"], tmp_path, game.clone())
    assert "The line stops: 'ohrt' is not an answer to: Which army to move?" in person.text
    assert "undo takes back what comes before it" in person.text
    assert names(game, person.screen.match.game) == TO_GAP[:2]
    again = at_the_table(["army move arm ohrt", "undo"], tmp_path, game.clone())
    assert again.screen.match.game.hash() == game.hash()
    nothing = at_the_table(["army xyzzy"], tmp_path, game.clone())
    assert names(game, nothing.screen.match.game) == TO_GAP[:1]


def test_a_line_stops_where_something_new_is_seen(tmp_path):
    """After the last army has moved the other side is asked, so no word can be for what comes then."""
    game = shadow_to_act()
    person = at_the_table(["army move arm orth gap all none pass army"], tmp_path, game.clone())
    assert "The line stops before 'pass army': first see what came of it." in person.text
    assert names(game, person.screen.match.game)[:5] == [*TO_GAP, "verb:whole-army", "verb:done"]


def test_lines_of_commands_are_still_commands(tmp_path):
    game = shadow_to_act()
    person = at_the_table(["region min tir", "map gondor", "xyz 3", "/army move"], tmp_path, game.clone())
    assert "2 victory points" in person.text
    assert person.text.count("is neither an answer nor a command") == 2
    assert not names(game, person.screen.match.game)


def questions(max_turns, seeds):
    for seed in seeds:
        game, generator = Game(seed, Ruleset.first_edition(max_turns=max_turns)), random.Random(seed)
        while not game.over:
            yield game
            game.step(generator.choice(game.legal()))


def test_what_is_not_asked_does_not_matter():
    """Every answer leads to the same position, so in each world that the seat may be in."""
    idle = asked = 0
    for game in questions(6, range(12)):
        if game.decision != Decision.DECLARE_FELLOWSHIP:
            continue
        worlds = [
            game,
            *(
                Game.from_state(sample_world(game.state, game.seat, np.random.default_rng(seed)))
                for seed in range(3)
            ),
        ]
        answers = {idle_answer(world) for world in worlds}
        assert len(answers) == 1
        if answers == {None}:
            asked += 1
            continue
        idle += 1
        assert answers == {Block.VERB + Verb.DECLINE}
        assert int(game.state["progress"]) == 0
    assert idle > 3 and asked > 3


def test_a_choice_of_one_is_not_asked(tmp_path):
    rules = Ruleset.first_edition(max_turns=2, ask_single=True)
    saved = new_game(SHADOW, "random", seed=4, ruleset=rules, hint_bot="random")

    def several(person, _generator):
        assert len(person.screen.question.answers) > 1
        return None

    person = Person(answering(1, several))
    person.sit_down(saved, tmp_path / "game.json").run()
    assert "no other choice: " in person.text
