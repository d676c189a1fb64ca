"""The Duel in English: positions, decisions, actions."""

from __future__ import annotations

import numpy as np

from wotr_env.core.spelling import counted
from wotr_env.games.duel.actions import ACTION_NAMES, BLOCKS, Act
from wotr_env.games.duel.batches import KERNELS
from wotr_env.games.duel.components import (
    CARD_IDS,
    CHOICE_CARDS,
    DATA,
    LANDMARK_NAMES,
    MOVES,
    NUM_CARDS,
    NUM_LANDMARKS,
    NUM_SLOTS,
    RACES,
    REGION_NAMES,
    REGIONS,
    SKILL_NAMES,
    SKILLS,
    SLOT_COVER,
    TOKEN_IDS,
    TOKEN_TITLES,
    UNITS,
    Effect,
    Token,
)
from wotr_env.games.duel.encoding import At
from wotr_env.games.duel.ruleset import SEATS
from wotr_env.games.duel.state import DRAW, GOING_ON, STATE, Ask, Place, Reason, Tile

_TITLES = [seat.title for seat in SEATS]
_ASKED = {
    Ask.TURN: "takes a card or a landmark",
    Ask.BANNER: "chooses the region of the units",
    Ask.UNITS: "places a unit",
    Ask.MANEUVERS: "makes a maneuver",
    Ask.RAZE: "may remove an enemy fortress",
    Ask.TOKEN: "chooses an alliance token",
    Ask.PILE: "chooses a pile of tokens",
    Ask.STRIP: "discards a grey card of the opponent",
    Ask.REVIVE: "plays a card from the discard",
    Ask.AGAIN: "may take another turn",
}


def _skills(written: str) -> str:
    """``ruse, ruse``; for a card with a choice, ``knowledge or leadership``."""
    names = [SKILL_NAMES[SKILLS.index(letter)] for letter in written if letter in SKILLS]
    return (" or " if "/" in written else ", ").join(names)


def _skills_of(state: np.record, side: int) -> str:
    """All skills of a side: first the total of its fixed skills, then each choice, as ``2 ruse, courage or
    ruse``."""
    sums = zip(SKILL_NAMES, state["skills"][side], strict=True)
    choices = [card for card in CHOICE_CARDS if state["place"][card] == Place.PLAYED + side]
    written = [DATA["cards"][card]["skills"] for card in choices]
    return ", ".join([*(f"{count} {name}" for name, count in sums if count), *map(_skills, written)])


def _chains(state: np.record, side: int) -> str:
    """The chain symbols of a side."""
    cards = zip(DATA["cards"], state["place"], strict=True)
    return ", ".join(
        card["gives"] for card, where in cards if "gives" in card and where == Place.PLAYED + side
    )


def _region(name: str) -> str:
    return REGION_NAMES[REGIONS.index(name)]


def board() -> str:
    """One line for each region: the landmark in it, and its neighbours."""
    names = dict(zip(REGIONS, REGION_NAMES, strict=True))
    landmarks = {each["region"]: each["name"] for each in DATA["landmarks"]}
    lines = []
    for region, name in names.items():
        pairs = [pair for pair in DATA["connections"] if region in pair]
        others = ", ".join(names[other] for pair in pairs for other in pair if other != region)
        lines.append(f"{name}: landmark {landmarks[region]}; next to {others}")
    return "\n".join(lines)


def token_text(token: int) -> str:
    """``"turn for yellow"``, in quotes."""
    return f'"{TOKEN_TITLES[token]}"'


def card_text(card: int) -> str:
    """``blue c2-13 (2 steps)``."""
    data = DATA["cards"][card]
    name = f"{data['color']} {CARD_IDS[card]}"
    if "skills" in data:
        return f"{name} ({_skills(data['skills'])})"
    if "race" in data:
        return f"{name} ({data['race']})"
    if "units" in data:
        return f"{name} ({counted(data['units'], 'unit')}: {' or '.join(map(_region, data['regions']))})"
    if "maneuvers" in data:
        removed, coins, moved = data["maneuvers"]
        parts = ((removed, "removal"), (coins, "coin"), (moved, "move"))
        return f"{name} ({', '.join(counted(*part) for part in parts if part[0])})"
    noun = "coin" if "coins" in data else "step"
    return f"{name} ({counted(data[f'{noun}s'], noun)})"


def prices(state: np.record) -> np.ndarray:
    """The number of coins that each side would pay for each card that lies face up, and for each landmark
    that is shown: ``int[2, I]``.

    The first axis is the side; the second axis is the cards and then the landmarks. -1: not for sale.
    """
    seen = KERNELS.observe(np.array([state], dtype=STATE), np.zeros(1, dtype=np.int64))[0]
    cards = seen[At.PRICE : At.PRICE + 2 * NUM_CARDS].reshape(2, -1)
    tiles = seen[At.LANDMARK_PRICE : At.LANDMARK_PRICE + 2 * NUM_LANDMARKS].reshape(2, -1)
    return np.concatenate([cards, tiles], axis=1).astype(int) - 1


def _cost(state: np.record, item: int) -> str:
    """The cost of a card or a landmark (after the cards) for the seat whose turn it is: `` for 2 coins``."""
    coins = int(prices(state)[state["seat"], item])
    return f" for {counted(coins, 'coin')}" if coins > 0 else ""


def _sale(state: np.record) -> int:
    """The number of coins that the seat whose turn it is gets for discarding a card (D2.3)."""
    double = state["token"][TOKEN_IDS.index("double-discard")] == 1 + state["seat"]
    return (1 + int(state["chapter"])) * (2 if double else 1)


def _units(state: np.record) -> int:
    """The number of units that the pending decision places together (D5.4)."""
    kind, number = state["stack"][max(0, int(state["stack_size"]) - 1)][:2]
    left = UNITS - int(state["units"][state["seat"]].sum())
    return min(int(number), left) if kind == Effect.BANNER else 1


def action(state: np.record, chosen: int) -> str:
    """Describes an action of the pending decision."""
    block = next(name for name, ids in BLOCKS.items() if chosen in ids)
    member = ACTION_NAMES[chosen].partition(":")[2]
    if block == "play":
        return f"play {card_text(chosen - Act.PLAY)}{_cost(state, chosen - Act.PLAY)}"
    if block == "landmark":
        tile = chosen - Act.LANDMARK
        return f"take {LANDMARK_NAMES[tile]}{_cost(state, NUM_CARDS + tile)}"
    if block == "move":
        start, end = MOVES[chosen - Act.MOVE]
        return f"move a unit from {REGION_NAMES[start]} to {REGION_NAMES[end]}"
    if block == "token":
        return f"take the token {token_text(chosen - Act.TOKEN)}"
    if member in REGIONS:
        member = _region(member)
    if member in CARD_IDS:
        member = card_text(CARD_IDS.index(member))
    said = {
        "chain": f"play {member} free by its chain",
        "sell": f"discard {member} for {counted(_sale(state), 'coin')}",
        "revive": f"play {member} from the discard",
        "place": f"{counted(_units(state), 'unit')} to {member}",
        "remove": f"remove an enemy unit from {member}",
        "raze": f"remove the enemy fortress from {member}",
        "drain": "the opponent loses a coin",
        "pile": f"look at the tokens of the {member}",
        "strip": f"the opponent discards {member}",
        "again": "take another turn",
        "pass": "decline",
    }
    return said[block]


_ENDED = {
    Reason.RING_DESTROYED: "the Ring is destroyed, {} steps to {}",
    Reason.RING_SEIZED: "the Ring is seized, {} steps to {}",
    Reason.FELLOWSHIP_SUPPORT: "six races give their support, {} to {}",
    Reason.SAURON_SUPPORT: "six races give their support, {} to {}",
    Reason.FELLOWSHIP_CONQUEST: "it is in all seven regions, {} to {}",
    Reason.SAURON_CONQUEST: "it is in all seven regions, {} to {}",
    Reason.FELLOWSHIP_REGIONS: "it is in more regions at the end, {} to {}",
    Reason.SAURON_REGIONS: "it is in more regions at the end, {} to {}",
}


def decision(state: np.record) -> str:
    """One sentence: the deciding seat and its decision, or how the game ended."""
    if state["winner"] == GOING_ON:
        return f"{_TITLES[state['seat']]} {_ASKED[Ask(int(state['decision']))]}"
    reason = Reason(int(state["reason"]))
    if state["winner"] == DRAW:
        return f"The victory is shared: both are in {counted(_reached(state, reason)[0], 'region')}"
    winner = int(state["winner"])
    own, other = (_reached(state, reason)[side] for side in (winner, 1 - winner))
    return f"{_TITLES[winner]} has won: {_ENDED[reason].format(own, other)}"


def _reached(state: np.record, reason: Reason) -> list[int]:
    """Both sides' counts for the reason that ended the game: steps, races including the Eagles, or regions
    (D8)."""
    if reason in (Reason.RING_DESTROYED, Reason.RING_SEIZED):
        return state["ring"].tolist()
    if reason in (Reason.FELLOWSHIP_SUPPORT, Reason.SAURON_SUPPORT):
        eagles = [int(state["token"][Token.EAGLE] == 1 + side) for side in range(2)]
        return ((state["races"] > 0).sum(axis=1) + eagles).tolist()
    forts = [state["fort"] == 1 + side for side in range(2)]
    return ((state["units"] > 0) | forts).sum(axis=1).tolist()


def _costs(title: str, coins: int) -> str:
    return f"{title} {counted(int(coins), 'coin')}"


def _layout(state: np.record) -> list[str]:
    """The cards on the table: the cards that may be taken, the cards that this uncovers, and the covered
    cards."""
    chapter, left = int(state["chapter"]), int(state["left"])
    lying = [slot for slot in range(NUM_SLOTS) if left >> slot & 1]
    covers = {slot: int(SLOT_COVER[chapter, slot]) & left for slot in lying}
    names = {slot: card_text(int(state["deck"][chapter, slot])) for slot in lying if state["up"][slot]}

    def taken(slot: int) -> str:
        freed = [other for other in lying if covers[other] == 1 << slot]
        parts = [f"frees {names[other]}" for other in freed if other in names]
        turned = len(freed) - len(parts)
        return ", ".join([names[slot], *parts, *([f"turns up {turned}"] if turned else [])])

    free = [taken(slot) for slot in names if not covers[slot]]
    covered = [names[slot] for slot in names if covers[slot]]
    return [
        f"Cards to take: {'; '.join(free) or 'none'}",
        f"Covered: {'; '.join(covered) or 'none face up'}; face down: {len(lying) - len(names)}",
    ]


def position(state: np.record) -> str:
    """The position from the view of the deciding seat. It differs from public information only in the
    discard."""
    lines = [f"Chapter {int(state['chapter']) + 1}, turn {int(state['turn']) + 1}", *_layout(state)]
    for_sides = prices(state)[:, NUM_CARDS:]
    tiles = [
        f"{LANDMARK_NAMES[tile]} ({', '.join(map(_costs, _TITLES, for_sides[:, tile]))})"
        for tile in np.flatnonzero(state["landmark"] == Tile.SHOWN)
    ]
    lines.append(f"Landmarks: {'; '.join(tiles) or 'none'}")
    for side, title in enumerate(_TITLES):
        races = ", ".join(name for name, count in zip(RACES, state["races"][side], strict=True) if count)
        tokens = ", ".join(
            token_text(token) for token, owner in enumerate(state["token"]) if owner == 1 + side
        )
        where = [
            f"{name} {units}{' and a fortress' if fort == 1 + side else ''}"
            for name, units, fort in zip(REGION_NAMES, state["units"][side], state["fort"], strict=True)
            if units or fort == 1 + side
        ]
        lines.append(
            f"{title}: {counted(int(state['coins'][side]), 'coin')}, ring {state['ring'][side]}; "
            f"skills: {_skills_of(state, side) or 'none'}; chains: {_chains(state, side) or 'none'}; "
            f"races: {races or 'none'}; tokens: {tokens or 'none'}; "
            f"on the map: {', '.join(where) or 'nothing'}"
        )
    return "\n".join(lines)
