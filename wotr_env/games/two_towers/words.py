"""The Two Towers in English: positions, decisions, actions."""

from __future__ import annotations

import numpy as np

from wotr_env.core.spelling import counted
from wotr_env.games.two_towers.actions import ACTION_NAMES, BLOCKS
from wotr_env.games.two_towers.components import COLOURS, KIND_NAMES, LOCATIONS, QUALITIES
from wotr_env.games.two_towers.facts import card_tip, location_tip
from wotr_env.games.two_towers.ruleset import SEATS, TwoTowersRuleset
from wotr_env.games.two_towers.state import GOING_ON, NONE, NUM_REASONS, Ask, Phase, Reason, valid_cards

_TITLES = [seat.title for seat in SEATS]
_ASKED = {
    Ask.DRAW: "draws a card, or puts one into the display for two",
    Ask.FIRST: "takes the first of two cards, or two of the pile",
    Ask.SECOND: "takes the second card",
    Ask.LAY: "lays cards",
}


def kind_title(kind: int) -> str:
    """``red strength``, ``Gandalf``."""
    name = KIND_NAMES[kind]
    return "Gandalf" if name == "gandalf" else name.replace("-", " ")


def listed(counts: np.ndarray) -> str:
    """``2 red strength, Gandalf``."""
    cards = [
        f"{f'{count} ' if count > 1 else ''}{kind_title(kind)}" for kind, count in enumerate(counts) if count
    ]
    return ", ".join(cards) or "nothing"


def hand(state: np.record, seat: int) -> str:
    """The cards in the hand of a seat, which only this seat may read."""
    return listed(state["hand"][seat])


def action(state: np.record, chosen: int) -> str:
    """Describes an action of the pending decision."""
    block = next(name for name, ids in BLOCKS.items() if chosen in ids)
    place = chosen - BLOCKS[block].start
    if block == "end":
        return "lay no more cards" if state["phase"] == Phase.LAY else "draw nothing"
    if ACTION_NAMES[chosen] == "take:hidden":
        return "take two cards of the pile" if state["decision"] == Ask.FIRST else "take a card of the pile"
    name = kind_title(place)
    if block == "take":
        return f"take {name} from the display"
    if block == "swap":
        return f"put {name} into the display for two cards"
    headed = " with Gandalf at the head of a new row" if block == "begin" else ""
    quality = int(state["quality"][state["seat"], place // len(QUALITIES)])
    replaced = quality not in (NONE, place % len(QUALITIES))
    given_up = f", giving up the row of {QUALITIES[quality]}" if replaced else ""
    return f"lay {name}{headed}{given_up}"


def decision(state: np.record) -> str:
    """One sentence: the deciding seat and its decision, or how the game ended."""
    if state["winner"] == GOING_ON:
        return f"{_TITLES[state['seat']]} {_ASKED[Ask(int(state['decision']))]}"
    return f"{_TITLES[state['winner']]} has won {_ahead(state)}"


def _ahead(state: np.record) -> str:
    """The criterion by which the winner is ahead, with the values of the compared players (TT7.1-TT7.4)."""
    winner, reason = int(state["winner"]), Reason((int(state["reason"]) - 1) % NUM_REASONS)
    others = [seat for seat in range(int(state["players"])) if seat != winner]
    most, cards = int(state["points"][winner]), int(state["shown"][winner])
    where = "Minas Tirith" if state["token"][-1].max() == 0 else "the location scored last"
    if reason == Reason.POINTS:
        return f"by points, {most} to {_falling(state['points'][others])}"
    level = [seat for seat in others if state["points"][seat] == most]
    if reason == Reason.CARDS:
        fewer = _falling(state["shown"][level])
        return f"by the cards at {where}, {cards} to {fewer}, with {counted(most, 'point')} each"
    alike = " and ".join(_TITLES[seat] for seat in level if state["shown"][seat] == cards)
    held = f"{counted(most, 'point')} and {counted(cards, 'card')} there"
    return f"by laying first at {where}, with {held}, as {alike}"


def _falling(numbers: np.ndarray) -> str:
    """``5, 3 and 2``."""
    *first, last = map(str, sorted(numbers.tolist(), reverse=True))
    return f"{', '.join(first)} and {last}" if first else last


def _symbols(state: np.record, location: int) -> str:
    return ", ".join(QUALITIES[quality] for quality in state["symbols"][location] if quality != NONE)


def _location(state: np.record, location: int) -> str:
    """``Fangorn (strength, wisdom; 3 spaces; tokens 5, 3)``."""
    tokens = ", ".join(str(token) for token in state["token"][location] if token)
    asked = f"{_symbols(state, location)}; {counted(state['path'][location], 'space')}"
    return f"{LOCATIONS[location]} ({asked}; tokens {tokens})"


def place(state: np.record) -> str:
    """``at Rohan``, ``on space 2 of 4 to Rohan``."""
    location = int(state["stage"])
    if state["phase"] == Phase.LAY:
        return f"at {LOCATIONS[location]}"
    return f"on space {int(state['space']) + 1} of {state['path'][location]} to {LOCATIONS[location]}"


def parts(state: np.record) -> dict[str, str]:
    """The texts about cards and locations that a player can look up, by name. A text has a title, and further
    words after a line break."""
    told = {kind_title(kind): card_tip(name, 1) for kind, name in enumerate(KIND_NAMES)}
    for location, name in enumerate(LOCATIONS):
        asked = [QUALITIES[quality] for quality in state["symbols"][location] if quality != NONE]
        tokens = [int(token) for token in state["token"][location] if token]
        told[name] = location_tip(name, int(state["path"][location]), asked, tokens)
    return told


def unprinted(state: np.record) -> str:
    """Values of locations and paths that may differ from the printed ones (TT1.2, TT1.3); may be empty."""
    return TwoTowersRuleset.of(state).unprinted


def rows(state: np.record, seat: int) -> str:
    """The rows of a player: ``red: 2 strength and Gandalf`` for each."""
    said = []
    for colour, name in enumerate(COLOURS):
        quality = int(state["quality"][seat, colour])
        if quality != NONE:
            headed = " and Gandalf" if state["gandalf"][seat, colour] else ""
            said.append(f"{name}: {state['row'][seat, colour]} {QUALITIES[quality]}{headed}")
    return "; ".join(said) or "no rows"


def position(state: np.record) -> str:
    """The position from the view of the deciding seat."""
    location = int(state["stage"])
    lines = [f"Turn {int(state['turn']) + 1}, {place(state)}; {_TITLES[state['starter']]} has the ring"]
    to_come = range(location + (state["winner"] != GOING_ON), len(LOCATIONS))
    if to_come:
        values = unprinted(state)
        named = f" ({values})" if values else ""
        lines.append(f"To come{named}: {'; '.join(_location(state, each) for each in to_come)}")
    lines.append(
        f"Open: {listed(state['display'])}; pile {state['pile'].sum()}, put aside {state['discard'].sum()}"
    )
    if state["renewed"].any():
        drawn = counted(state["drew"].sum(), "hidden card")
        lines.append(f"The pile was renewed with {listed(state['renewed'])}; since then: {drawn} drawn")
    for seat in range(int(state["players"])):
        own = state["winner"] == GOING_ON and seat == state["seat"]
        hand = f"hand {state['hand'][seat].sum()}"
        if own:
            hand += f" ({listed(state['hand'][seat])})"
        elif state["known"][seat].any():
            hand += f" (seen: {listed(state['known'][seat])})"
        valid = valid_cards(state, seat, location)
        lines.append(
            f"{_TITLES[seat]}: {counted(state['points'][seat], 'point')}; {rows(state, seat)}; "
            f"valid {valid}; {hand}"
        )
    return "\n".join(lines)
