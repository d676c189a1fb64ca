"""The same game under invented names, and prompts without the list of legal actions."""

from __future__ import annotations

import random
import re

import pytest

from tests.simple_games import KuhnPoker
from tests.text_players import names_in_prompt
from wotr_env.games.war_of_the_ring import components
from wotr_env.play.games import game_kind, game_kinds
from wotr_experiments.errors import CommandError
from wotr_experiments.language.naming import Naming, Renaming
from wotr_experiments.language.text_env import MOST_KEPT, Failure, TextEnv
from wotr_experiments.language.text_tournament import TextTournament

WAR, DUEL = game_kind("war-of-the-ring"), game_kind("duel")
PLAYED = [
    ("war-of-the-ring", "first:max_turns=2"),
    ("war-of-the-ring", "second:max_turns=2"),
    ("war-of-the-ring", "second:max_turns=1,players=4"),
    ("war-of-the-ring", "first:max_turns=1,players=3"),
    ("duel", "open"),
    ("two-towers", "two"),
    ("two-towers", "three"),
    ("two-towers", "four"),
    ("two-towers", "drawn"),
    ("two-towers", "five"),
]
ORDINARY = {"Attack", "Battle", "Eye", "New", "No", "The", "War"}
"""Words of names of regions, characters and cards that rules use too."""


def play(kind, spec, renamed, seed=1, most=100_000, **options):
    """The prompts of a random game in which every answer is legal, and the game."""
    ruleset = kind.read_ruleset(spec)
    env = TextEnv(ruleset, whole=True, kind=kind, renamed=renamed, **options)
    env.reset(len(ruleset.seats), seed=seed)
    dice, prompts = random.Random(seed), []
    while not env.done and len(prompts) < most:
        prompts.append(env.get_observation()[1])
        action = dice.choice(env._game.game.legal())
        _, info = env.step(f"Hm. [{env.naming.names[action]}]")
        assert not info["failure"] and env._game.game.actions[len(prompts) - 1] == action
    record = env.record(dict.fromkeys(range(len(ruleset.seats)), "a player"))
    env.close()
    return prompts, record


@pytest.mark.parametrize(("name", "spec"), PLAYED)
def test_no_name_of_the_game_is_left_in_any_prompt(name, spec):
    kind = game_kind(name)
    renaming = Renaming(kind, 7)
    prompts, record = play(kind, spec, 7, board=True)
    for prompt in prompts:
        left = renaming._pattern.search(prompt)
        assert left is None, prompt[left.start() - 60 : left.end() + 60]
    assert record.verify() and record.actions


def test_no_word_of_a_name_is_left_but_ordinary_ones():
    """The names as the data have them, not as the game declares them."""
    cards = (*components.CARD_NAMES, *components.COMBAT_NAMES)
    names = (*components.REGION_NAMES, *components.CHARACTER_NAMES, *cards)
    words = {word for name in names for word in re.findall(r"[A-Z][^\W\d_]+", name)} - ORDINARY
    assert len(words) > 300
    for spec in ("first:max_turns=2", "second:max_turns=2"):
        for prompt in play(WAR, spec, 3, seed=4, board=True)[0]:
            assert not words & set(re.findall(r"[^\W\d_]+", prompt))


@pytest.mark.parametrize("name", [*game_kinds()])
def test_names_are_a_bijection_and_lead_back(name):
    kind = game_kind(name)
    naming = Renaming(kind, 5)
    assert len(set(naming.names)) == kind.actions.size
    assert [naming.find(each) for each in naming.names] == [*range(kind.actions.size)]
    assert naming.names == Renaming(kind, 5).names != Renaming(kind, 6).names
    titles = [title for titles in kind.proper_names.titles.values() for title in titles]
    for title in titles:
        told = naming.text(f"from {title} on")
        assert naming.text(told) == told != f"from {title} on"
        assert naming.text(naming.original(told)) == told
    assert len({naming.text(title) for title in titles}) == len(set(titles))
    assert len(set(naming._invented.values())) == len(naming._invented)


def test_all_that_a_region_or_a_character_is_called_is_the_same_name():
    naming = Renaming(WAR, 1)
    town = naming.text("Minas Tirith")
    assert naming.text("in Minas Tirith's") == f"in {town}'s"
    assert naming.names[WAR.actions.ids["region:minas-tirith"]] == f"region:{town.lower()}"
    wizard = naming.text("Gandalf")
    assert naming.text("Gandalf the Grey").startswith(f"{wizard} the ")
    assert naming.names[WAR.actions.ids["character:gandalf-grey"]].startswith(f"character:{wizard.lower()}-")
    assert naming.text("Nazgûl") == naming.text("Nazgul")
    elves = [naming.text(word) for word in ("Elf", "Elves", "Elven")]
    assert len(set(elves)) == 3 and all(word.startswith(elves[0]) for word in elves)


def test_the_names_of_the_game_are_no_answers():
    env = TextEnv(kind=DUEL, renamed=1, legal_actions=False)
    env.reset(2, seed=1)
    while "place:" not in {name[:6] for name in legal_names(env)}:
        env.step(f"[{env.naming.names[env._game.game.legal()[0]]}]")
    own = legal_names(env)[0]
    _, info = env.step(f"Known to me as [{own}].")
    assert info["failure"] == "illegal" and info["message"] == f"there is no action {own!r}"
    assert not env.step(f"[{env.naming.names[DUEL.actions.ids[own]]}]")[1]["failure"]
    env.close()


def legal_names(env):
    return [DUEL.actions.names[each] for each in env._game.game.legal()]


@pytest.mark.parametrize("renamed", [None, 2])
def test_without_the_list_prompts_have_the_names_of_all_actions(renamed):
    prompts, record = play(WAR, "first:max_turns=1", renamed, legal_actions=False)
    naming = Naming(WAR) if renamed is None else Renaming(WAR, renamed)
    assert record.verify()
    for prompt in prompts:
        assert names_in_prompt(prompt) == [] and "Legal actions:" not in prompt
    told = {}
    for line in prompts[0].splitlines():
        if found := re.fullmatch(r"  ([a-z]+): (.*)", line):
            members = re.sub(r" \([^()]*\)", "", found[2]).split(", ")
            told |= {f"{found[1]}:{member}": line for member in members}
    assert {name for name in naming.names if not name.startswith("unused:")} <= told.keys()
    assert ("fp-char-01 (Elven Cloaks)" in prompts[0]) == (renamed is None)


def test_without_the_list_a_refusal_does_not_tell_what_is_legal():
    env = TextEnv(legal_actions=False)
    env.reset(2, seed=1)
    whole = env.get_observation()[1]
    for answer in ("[verb:fight]", "[fly:mordor]", "no idea"):
        _, info = env.step(answer)
        assert info["failure"] == "illegal" and "legal:" not in info["message"]
        if not env.done:
            prompt = env.get_observation()[1]
            assert "The last answer was refused: " in prompt and "legal:" not in prompt
            assert len(prompt) < len(whole) / 5  # the names of all actions are told once
    assert env.done and env.counts[0].illegal == 3
    env.close()


def test_answers_are_kept_as_they_were_written():
    env = TextEnv(allowance=5)
    env.reset(2, seed=1)
    first = names_in_prompt(env.get_observation()[1])[0]
    env.step("no idea\nat all")
    env.step(f"So be it: [{first}]" + "!" * MOST_KEPT)
    env.step(None)
    env.fail(Failure.LATE, "There was no answer.")
    kept = [(each.decision, each.seat, each.text[:15], each.failure) for each in env.answers]
    assert kept == [
        (0, 0, "no idea\nat all", "illegal"),
        (0, 0, "So be it: [verb", ""),
        (1, 0, "", "illegal"),
        (1, 0, "", "late"),
    ]
    assert max(len(each.text) for each in env.answers) == MOST_KEPT
    env.reset(2, seed=1)
    assert env.answers == []
    env.close()


@pytest.mark.parametrize("renamed", [None, 3])
def test_the_map_is_told_with_how_to_answer(renamed):
    env = TextEnv(board=True, renamed=renamed)
    env.reset(2, seed=1)
    prompt = env.get_observation()[1]
    head, _, rest = prompt.partition("The map:\n")
    told = rest.partition("\n\n")[0].splitlines()
    line = "  Minas Tirith: Gondor, Stronghold, 2 points; next to "
    assert "in square brackets" in head and len(told) == components.NUM_REGIONS
    assert sum(each.startswith(env.naming.text(line)) for each in told) == 1
    assert (told == sorted(told)) or renamed is None
    env.step(f"[{names_in_prompt(prompt)[0]}]")
    assert "The map:" not in env.get_observation()[1]
    env.close()
    assert "The map:" not in play(game_kind("two-towers"), "two", renamed, most=1, board=True)[0][0]
    prompt = play(DUEL, "open", None, most=1, board=True)[0][0]
    assert "\n  Gondor: landmark Minas Tirith; next to Enedwaith, Rohan, Mordor\n" in prompt


def test_a_game_that_does_not_tell_its_names_cannot_be_renamed():
    kuhn = KuhnPoker().kind()
    with pytest.raises(ValueError, match="Kuhn poker cannot be renamed"):
        TextEnv(kind=kuhn, renamed=1)
    assert Naming(kuhn).grammar() == "  say: pass, bet"
    with pytest.raises(CommandError, match="-1"):
        TextTournament(("random", "random"), 2, renamed=-1)
