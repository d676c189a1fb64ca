"""Words for states, decisions and actions, as the seat that decides may see them (section 18)."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from wotr_env.actions import ACTION_NAMES, Block
from wotr_env.codes import (
    BattleKind,
    CardZone,
    Character,
    Decision,
    Face,
    Figure,
    Frame,
    HuntCause,
    Location,
    Nation,
    Phase,
    Plan,
    Reason,
    Side,
    TileZone,
    Verb,
    Winner,
)
from wotr_env.components import (
    CARD_NAMES,
    CHARACTER_NAMES,
    CHARACTER_SIDE,
    COMBAT_NAMES,
    NATION_NAMES,
    NATION_SIDE,
    NUM_CARDS,
    NUM_REGIONS,
    REGION_NAMES,
    REGION_SIDE,
    SETTLEMENT_INDEX,
    SETTLEMENT_REGIONS,
    TILE_NAMES,
)
from wotr_env.rules import victory
from wotr_env.ruleset import Option
from wotr_env.state import CARDS_PER_DECK, MAX_DEPTH, NUM_CHARACTERS, NUM_LEADER_NATIONS

SIDE_NAMES = ("Free Peoples", "Shadow")
FACE_NAMES = ("Character", "Army", "Muster", "Army/Muster", "Event", "Will of the West", "Eye")
DECK_NAMES = ("Character", "Strategy", "Character", "Strategy")
FIGURE_NAMES = ("Regular", "Elite", "Leader")

# The rule as plain Python: compiling it for these words alone would take longer than all of them.
_points = getattr(victory.victory_points, "py_func", victory.victory_points)

_PHASES = {
    Phase.DRAW: "phase 1: cards",
    Phase.FELLOWSHIP: "phase 2: Fellowship",
    Phase.HUNT_ALLOCATION: "phase 3: Hunt allocation",
    Phase.ACTION_ROLL: "phase 4: action roll",
    Phase.ACTION: "phase 5: actions",
    Phase.VICTORY: "phase 6: victory check",
}

_REASONS = {
    Reason.NONE: "no reason",
    Reason.CORRUPTION: "the Ring-bearers are corrupted",
    Reason.RING_DESTROYED: "the Ring is destroyed",
    Reason.SHADOW_MILITARY: "the Shadow has conquered the Free Peoples",
    Reason.FREE_PEOPLES_MILITARY: "the Free Peoples have conquered the Shadow",
    Reason.TURN_LIMIT: "the turn limit is reached",
}

_WINNERS = {
    Winner.FREE_PEOPLES: "the Free Peoples win",
    Winner.SHADOW: "the Shadow wins",
    Winner.DRAW: "a draw",
}

_BATTLES = {
    BattleKind.FIELD: "attacks from {origin} the army in {target}",
    BattleKind.ASSAULT: "assaults the garrison of {target}",
    BattleKind.SORTIE: "sorties from {target} against the besiegers",
}

_HUNTS = {
    HuntCause.MOVE: "for a move of the Fellowship",
    HuntCause.MORDOR_MOVE: "for a move on the Mordor Track",
    HuntCause.STRONGHOLD: "for a Shadow Stronghold on the way",
    HuntCause.CARD_ROLL: "by a card, with a roll",
    HuntCause.CARD_TILE: "by a card, without a roll",
}

_QUESTIONS = {
    Decision.NONE: "nothing is to be decided",
    Decision.DISCARD_CARD: "which card to discard face down: {hand} in hand, the limit is {hand_limit}",
    Decision.DECLARE_FELLOWSHIP: "whether to declare the Fellowship, at most {progress} from {fellowship}",
    Decision.CHOOSE_GUIDE: "which Companion of the highest Level guides the Fellowship",
    Decision.HUNT_ALLOCATION: "how many of the {pool} action dice to put into the Hunt Box",
    Decision.ACTION_DIE: "which action die to use",
    Decision.RING_DIE: "which action die to change with an Elven Ring",
    Decision.RING_FACE: "to which result to turn the {face} die with an Elven Ring",
    Decision.ACTION_PLAN: "what to do with the {face} die",
    Decision.DRAW_DECK: "from which deck to draw a card",
    Decision.EVENT_CARD: "which event card to play with the {face} die",
    Decision.ADVANCE_NATION: "which nation to advance on the political track",
    Decision.RECRUIT_FIGURE: "which figure to recruit",
    Decision.RECRUIT_REGION: "where to place {recruit}",
    Decision.BRING_CHARACTER: "which character to bring into play",
    Decision.CHARACTER_REGION: "where {characters} comes into play",
    Decision.ARMY_ORIGIN: "which army to move",
    Decision.ARMY_DESTINATION: "where to move from {move_origin}",
    Decision.MOVE_FIGURES: "which figures move from {move_origin} to {move_destination}; picked: {chosen}",
    Decision.ATTACK_ORIGIN: "which army attacks",
    Decision.ATTACK_TARGET: "whom the army of {origin} attacks",
    Decision.ATTACK_FIGURES: "which figures of {origin} attack {target}; picked: {chosen}",
    Decision.COMPANION_GROUP: "which Companions move together; picked: {characters}",
    Decision.COMPANION_DESTINATION: "where {characters} go: {steps} at most",
    Decision.MINION_TO_MOVE: "which Nazgul or Minion to move",
    Decision.MINION_DESTINATION: "where {minion} moves",
    Decision.SEPARATE_GROUP: "which Companions leave the Fellowship; picked: {characters}",
    Decision.SEPARATE_DESTINATION: "where {characters} go from {fellowship}: {steps} at most",
    Decision.COMBAT_CARD: "whether to play a combat card in round {round} of the battle for {target}",
    Decision.STRONGHOLD: "whether to fight in the open or to withdraw into the Stronghold of {target}",
    Decision.ADVANCE_FIGURES: "which attackers advance from {origin} to {target}, if any; picked: {chosen}",
    Decision.CASUALTY: "which casualty to take in {army_region}: {hits} to go",
    Decision.CEASE: "whether to cease the attack on {target} after round {round}",
    Decision.RETREAT: "whether to stay in {target} or to retreat, and where",
    Decision.PROLONG_ASSAULT: "whether to reduce an Elite for another round of the assault on {target}",
    Decision.WHITE_RIDER: "whether Gandalf the White gives up his Leadership to silence all Nazgul",
    Decision.SORCERER: "whether the Witch-king draws a card, and from which deck",
    Decision.TRIM_ARMY: "which unit to remove from {army_region}: the limit is {army_limit}",
    Decision.HUNT_REACTION: "whether to lower the Hunt damage of {damage}",
    Decision.HUNT_DAMAGE: "who bears the Hunt damage of {damage}",
    Decision.TAKE_THEM_ALIVE: "whether {hobbit} is taken alive, as if separated",
    Decision.REVEAL_REGION: "where the Fellowship is revealed: {progress} from {fellowship} at most",
    Decision.ENTER_MORDOR: "whether the Fellowship at {fellowship} enters Mordor",
}

_VERBS = {
    Verb.DONE: "done",
    Verb.DECLINE: "no",
    Verb.ACCEPT: "yes",
    Verb.PASS: "pass",
    Verb.USE_RING: "use an Elven Ring",
    Verb.WHOLE_ARMY: "the whole army",
    Verb.CEASE: "cease the attack",
    Verb.CONTINUE: "continue the attack",
    Verb.STAY: "stay",
    Verb.FIGHT: "fight in the open",
    Verb.WITHDRAW: "withdraw into the Stronghold",
    Verb.TAKE_CORRUPTION: "take the damage as Corruption",
    Verb.SACRIFICE_GUIDE: "sacrifice the Guide",
    Verb.SACRIFICE_RANDOM: "sacrifice a random Companion",
    Verb.GUIDE_ABILITY: "use the Guide's ability",
    Verb.BOTH_HOBBITS: "both Hobbits",
    Verb.CHARACTER_DECK: "draw from the Character deck",
    Verb.STRATEGY_DECK: "draw from the Strategy deck",
}

_PLANS = {
    Plan.SKIP: "discard the die without effect",
    Plan.MOVE_FELLOWSHIP: "move the Fellowship",
    Plan.HIDE_FELLOWSHIP: "hide the Fellowship",
    Plan.SEPARATE_COMPANIONS: "separate Companions from the Fellowship",
    Plan.MOVE_COMPANIONS: "move Companions",
    Plan.MOVE_MINIONS: "move Nazgul and Minions",
    Plan.MOVE_ARMIES: "move armies",
    Plan.ATTACK: "attack with an army",
    Plan.ADVANCE_NATION: "advance a nation",
    Plan.RECRUIT: "recruit",
    Plan.BRING_CHARACTER: "bring a character into play",
    Plan.VOICE_REGULARS: "recruit Regulars by the Voice of Saruman",
    Plan.VOICE_ELITES: "raise Elites by the Voice of Saruman",
    Plan.COMPANION_ADVANCE: "advance a nation by a Companion",
    Plan.DRAW_CARD: "draw a card",
    Plan.PLAY_CARD: "play an event card",
}

# What pointing at an object means, by decision; other decisions only name the object.
_POINTING = {
    Decision.DISCARD_CARD: "discard {}",
    Decision.DECLARE_FELLOWSHIP: "declare the Fellowship in {}",
    Decision.CHOOSE_GUIDE: "{} guides the Fellowship",
    Decision.HUNT_ALLOCATION: "put {} into the Hunt Box",
    Decision.ACTION_DIE: "use the {} die",
    Decision.RING_DIE: "change the {} die",
    Decision.RING_FACE: "turn it to {}",
    Decision.EVENT_CARD: "play {}",
    Decision.ADVANCE_NATION: "advance {}",
    Decision.RECRUIT_FIGURE: "recruit {}",
    Decision.RECRUIT_REGION: "place it in {}",
    Decision.BRING_CHARACTER: "bring {} into play",
    Decision.CHARACTER_REGION: "enter in {}",
    Decision.ARMY_ORIGIN: "move the army of {}",
    Decision.ARMY_DESTINATION: "move to {}",
    Decision.MOVE_FIGURES: "take {} along",
    Decision.ATTACK_ORIGIN: "attack with the army of {}",
    Decision.ATTACK_TARGET: "attack {}",
    Decision.ATTACK_FIGURES: "attack with {}",
    Decision.COMPANION_GROUP: "take {} along",
    Decision.COMPANION_DESTINATION: "move to {}",
    Decision.MINION_TO_MOVE: "move {}",
    Decision.MINION_DESTINATION: "move to {}",
    Decision.SEPARATE_GROUP: "separate {}",
    Decision.SEPARATE_DESTINATION: "go to {}",
    Decision.COMBAT_CARD: "play {}",
    Decision.ADVANCE_FIGURES: "advance with {}",
    Decision.RETREAT: "retreat to {}",
    Decision.TRIM_ARMY: "remove {}",
    Decision.REVEAL_REGION: "reveal the Fellowship in {}",
}


def victory_points(state: np.record) -> tuple[int, int]:
    """Points of enemy Settlements controlled by the Free Peoples and by the Shadow (R12.3, R12.4)."""
    return int(_points(state, Side.FREE_PEOPLES)), int(_points(state, Side.SHADOW))


def describe(state: np.record) -> str:
    """The position in some lines of text: all that is public, and the hand of the seat that decides.

    Args:
        state: one record of dtype ``STATE``.
    """
    return "\n".join(
        [
            f"Turn {int(state['turn'])}, {_PHASES.get(int(state['phase']), 'before phase 1')}",
            decision_text(state),
            *_business(state),
            "",
            *_fellowship(state),
            *_dice(state),
            *_hunt_pool(state),
            *_politics(state),
            *_control(state),
            "",
            "Armies and characters",
            *_board(state),
            *_characters_elsewhere(state),
            "",
            *_cards(state),
        ]
    )


def decision_text(state: np.record) -> str:
    """One sentence: who must decide what, or how the game ended."""
    winner = int(state["winner"])
    if winner != Winner.NONE:
        return f"The game is over: {_WINNERS[winner]}, {_REASONS[int(state['reason'])]}."
    decision = int(state["decision"])
    if decision == Decision.NONE:
        return f"{_QUESTIONS[decision].capitalize()}."
    return f"{_side_of_seat(state)} to decide {_QUESTIONS[decision].format(**_context(state))}."


def say(state: np.record, action: int) -> str:
    """An action of the pending decision in words, such as ``attack Osgiliath``.

    Args:
        state: one record of dtype ``STATE``.
        action: an action id, 0 <= action < NUM_ACTIONS.
    """
    decision = int(state["decision"])
    if action < Block.PLAN:
        words = _VERBS.get(action)
        return words or ACTION_NAMES[action]
    if action < Block.FACE:
        words = _PLANS.get(action - Block.PLAN)
        return words or ACTION_NAMES[action]
    if decision == Decision.ATTACK_TARGET and action == Block.REGION + int(state["battle_origin"]):
        besieger = int(state["control"][SETTLEMENT_INDEX[action - Block.REGION]]) != int(state["seat"])
        return f"assault the garrison of {_pointed(action)}" if besieger else "sortie against the besiegers"
    if decision == Decision.COMBAT_CARD and Block.CARD <= action < Block.CHARACTER:
        card = action - Block.CARD
        return f"play {CARD_NAMES[card]} for its combat effect {COMBAT_NAMES[card]}"
    if decision in (Decision.CASUALTY, Decision.PROLONG_ASSAULT):
        if Block.NATION <= action < Block.FIGURE:
            return f"reduce an Elite of {_nation(action - Block.NATION)}"
        return f"remove {_pointed(action)}"
    return _POINTING.get(decision, "{}").format(_pointed(action))


def _pointed(action: int) -> str:
    """The object an action points at."""
    if action >= Block.COUNT:
        return _count(action - Block.COUNT, "die", "dice")
    if action >= Block.FIGURE:
        return _figure(action - Block.FIGURE)
    if action >= Block.NATION:
        return NATION_NAMES[action - Block.NATION]
    if action >= Block.CHARACTER:
        return CHARACTER_NAMES[action - Block.CHARACTER]
    if action >= Block.CARD:
        return CARD_NAMES[action - Block.CARD]
    if action >= Block.REGION:
        return REGION_NAMES[action - Block.REGION]
    return FACE_NAMES[action - Block.FACE]


def _context(state: np.record) -> dict[str, object]:
    """What the sentences of ``_QUESTIONS`` may mention."""
    seat = int(state["seat"])
    kind, _, a, b, c, d = _top_frame(state)
    moving = kind == Frame.MOVE_ARMIES
    army = kind in (Frame.CASUALTIES, Frame.TRIM)
    recruiting = kind == Frame.RECRUIT and c in range(len(Nation) * len(Figure))
    return {
        "hand": _count(int((state["card_zone"] == CardZone.HAND + seat).sum()), "card"),
        "hand_limit": int(state["options"][Option.HAND_LIMIT]),
        "progress": _count(int(state["progress"]), "region"),
        "fellowship": _region(state["fellowship_region"]),
        "pool": int(state["pool"][seat]),
        "face": _face(state["action_face"]),
        "recruit": _figure(c) if recruiting else "the figure",
        "characters": _set_of_characters(int(state["chosen_characters"])) or "nobody",
        "chosen": _party(state, "chosen") or "nothing",
        "steps": _count(b, "region") if kind == Frame.MOVE_COMPANIONS else "some regions",
        "minion": _minion(b) if kind == Frame.MOVE_MINIONS else "the Nazgul or Minion",
        "hobbit": CHARACTER_NAMES[a] if kind == Frame.TAKE_THEM_ALIVE else "the Hobbit",
        "move_origin": _region(c) if moving else "its region",
        "move_destination": _region(d) if moving else "the next region",
        "army_region": _region(b) if army else "the army",
        "army_limit": _count(c, "unit") if kind == Frame.TRIM else "exceeded",
        "hits": _count(c, "hit") if kind == Frame.CASUALTIES else _count(0, "hit"),
        "origin": _region(state["battle_origin"]),
        "target": _region(state["battle_target"]),
        "round": int(state["battle_round"]),
        "damage": int(state["hunt_damage"]),
    }


def _business(state: np.record) -> Iterable[str]:
    """The action, battle and Hunt under way."""
    if int(state["winner"]) != Winner.NONE:
        return
    frames = _frame_kinds(state)
    plan = int(state["action_plan"])
    if plan != Plan.SKIP:
        side = SIDE_NAMES[int(state["acting"])]
        yield f"Action of the {side} with the {_face(state['action_face'])} die: {_PLANS[plan]}"
    if Frame.BATTLE in frames:
        yield from _battle(state)
    if Frame.HUNT in frames:
        yield from _hunt(state)


def _battle(state: np.record) -> Iterable[str]:
    attacker = int(state["battle_attacker"])
    words = _BATTLES[int(state["battle_kind"])].format(
        origin=_region(state["battle_origin"]), target=_region(state["battle_target"])
    )
    yield f"Battle: the {SIDE_NAMES[attacker]} {words}; round {int(state['battle_round'])}"
    yield f"  attacking: {_party(state, 'party') or 'nobody left'}"
    for side in Side:
        card = int(state["combat_card"][side])
        if 0 <= card < NUM_CARDS and int(state["card_zone"][card]) == CardZone.IN_PLAY:
            yield f"  combat card of the {SIDE_NAMES[side]}: {COMBAT_NAMES[card]} ({CARD_NAMES[card]})"
    hits, misses = state["hits"], state["misses"]
    for side in Side:
        if hits[side] or misses[side]:
            missed = _count(misses[side], "miss", "misses")
            yield f"  {SIDE_NAMES[side]}: {_count(hits[side], 'hit')}, {missed}"


def _hunt(state: np.record) -> Iterable[str]:
    drawn = int(state["hunt_tile"])
    tile = f"tile {TILE_NAMES[drawn]}" if 0 <= drawn < len(TILE_NAMES) else "no tile yet"
    successes = _count(state["hunt_successes"], "success", "successes")
    yield f"Hunt {_HUNTS[int(state['hunt_cause'])]}: {successes}, {tile}, damage {int(state['hunt_damage'])}"


def _fellowship(state: np.record) -> Iterable[str]:
    step = int(state["mordor_step"])
    place = f"on step {step} of the Mordor Track" if step else f"in {_region(state['fellowship_region'])}"
    progress = "" if step else f", progress {int(state['progress'])}"
    status = "revealed" if state["revealed"] else "hidden"
    yield f"Fellowship {place}{progress}, {status}; Corruption {int(state['corruption'])} of 12"
    guide = int(state["guide"])
    members = _characters_where(state, Location.IN_FELLOWSHIP)
    company = "; ".join(CHARACTER_NAMES[member] for member in members if member != guide)
    yield f"  Guide {CHARACTER_NAMES[guide]}; with {company or 'the Ring-bearers alone'}"


def _dice(state: np.record) -> Iterable[str]:
    for side in Side:
        dice = state["dice"][side]
        faces = [f"{int(dice[face])} {FACE_NAMES[face]}" for face in Face if dice[face]]
        rings = _count(state["rings"][side], "Elven Ring")
        used, pool = int(state["dice_used"][side]), int(state["pool"][side])
        yield f"{SIDE_NAMES[side]} dice: {', '.join(faces) or 'none'} ({used} used, pool {pool}); {rings}"
    boxes = [f"{int(state['hunt_box'][side])} {SIDE_NAMES[side]}" for side in Side]
    yield f"Hunt Box: {', '.join(boxes)}"


def _hunt_pool(state: np.record) -> Iterable[str]:
    zones = np.asarray(state["tile_zone"])
    yield f"Hunt Pool: {_count((zones == TileZone.POOL).sum(), 'tile')}"
    for zone in (TileZone.DRAWN, TileZone.WAITING, TileZone.REMOVED):
        tiles = [TILE_NAMES[tile] for tile in np.flatnonzero(zones == zone)]
        if tiles:
            yield f"  {zone.name.lower()}: {', '.join(tiles)}"


def _politics(state: np.record) -> Iterable[str]:
    for side in Side:
        words = []
        for nation in np.flatnonzero(NATION_SIDE == side):
            steps = int(state["steps_to_war"][nation])
            track = f"{_count(steps, 'step')} from war" if steps else "at war"
            words.append(f"{NATION_NAMES[nation]} {track}{'' if state['active'][nation] else ', passive'}")
        yield f"{SIDE_NAMES[side]} nations: {'; '.join(words)}"


def _control(state: np.record) -> Iterable[str]:
    free_peoples, shadow = victory_points(state)
    yield f"Victory points: Free Peoples {free_peoples} of 4, Shadow {shadow} of 10"
    for side in Side:
        taken = [
            REGION_NAMES[region]
            for index, region in enumerate(SETTLEMENT_REGIONS)
            if state["control"][index] == side and REGION_SIDE[region] != side
        ]
        if taken:
            yield f"  taken by the {SIDE_NAMES[side]}: {', '.join(taken)}"


def _board(state: np.record) -> Iterable[str]:
    for region in range(NUM_REGIONS):
        forces = [_force(state, region, side) for side in Side]
        if not any(forces):
            continue
        siege = _besieged(state, region)
        keeper = int(state["control"][SETTLEMENT_INDEX[region]]) if siege else -1
        words = []
        for side in Side:
            if forces[side]:
                role = "" if not siege else " garrison" if side == keeper else " besiegers"
                words.append(f"{SIDE_NAMES[side]}{role}: {forces[side]}")
        yield f"  {REGION_NAMES[region]}{' (besieged)' if siege else ''} - {' | '.join(words)}"


def _force(state: np.record, region: int, side: int) -> str:
    """The figures of one side in a region."""
    figures = (state["regular"][region], state["elite"][region], state["leader"][region])
    characters = [who for who in _characters_where(state, region) if CHARACTER_SIDE[who] == side]
    return _figures(figures, characters, np.flatnonzero(NATION_SIDE == side))


def _party(state: np.record, name: str) -> str:
    """The figures of ``chosen_*`` or ``party_*``."""
    figures = tuple(state[f"{name}_{kind}"] for kind in ("regular", "elite", "leader"))
    members = [who for who in range(NUM_CHARACTERS) if int(state[f"{name}_characters"]) >> who & 1]
    return _figures(figures, members, Nation)


def _figures(figures: tuple[np.ndarray, ...], characters: list[int], nations: Iterable[int]) -> str:
    words = []
    for nation in nations:
        counts = [
            _count(figures[kind][nation], _kind(nation, kind), "Nazgul" if _is_nazgul(nation, kind) else None)
            for kind in Figure
            if (kind < Figure.LEADER or nation < NUM_LEADER_NATIONS) and figures[kind][nation]
        ]
        if counts:
            words.append(f"{_nation(nation)} {', '.join(counts)}")
    words += [CHARACTER_NAMES[character] for character in characters]
    return "; ".join(words)


def _characters_elsewhere(state: np.record) -> Iterable[str]:
    for place, words in ((Location.ASIDE, "Not in play"), (Location.ELIMINATED, "Eliminated")):
        names = [CHARACTER_NAMES[character] for character in _characters_where(state, place)]
        if names:
            yield f"{words}: {'; '.join(names)}"


def _cards(state: np.record) -> Iterable[str]:
    """The hand of the seat that decides; of everything else that is hidden only the numbers."""
    zones = np.asarray(state["card_zone"])
    seat = int(state["seat"])
    over = int(state["winner"]) != Winner.NONE
    for side in Side:
        decks = [f"{DECK_NAMES[deck]} {int(state['deck_size'][deck])}" for deck in (2 * side, 2 * side + 1)]
        hand = np.flatnonzero(zones == CardZone.HAND + side)
        face_down = int((zones == CardZone.FACE_DOWN + side).sum())
        decks_and_hand = f"{len(hand)} in hand, decks {', '.join(decks)}"
        yield f"{SIDE_NAMES[side]} cards: {decks_and_hand}, {face_down} discarded face down"
        if side == seat and not over and len(hand):
            yield f"  hand: {', '.join(CARD_NAMES[card] for card in hand)}"
        committed = np.flatnonzero(zones == CardZone.COMMITTED + side)
        if len(committed):
            names = ", ".join(CARD_NAMES[card] for card in committed)
            yield f"  combat card committed: {names if side == seat else 'face down'}"
        owner = np.arange(NUM_CARDS) // (2 * CARDS_PER_DECK)
        for zone, words in ((CardZone.TABLE, "on the table"), (CardZone.DISCARD, "discards")):
            cards = np.flatnonzero((zones == zone) & (owner == side))
            if len(cards):
                yield f"  {words}: {', '.join(CARD_NAMES[card] for card in cards)}"


def _top_frame(state: np.record) -> list[int]:
    depth = int(state["depth"])
    return [int(number) for number in state["stack"][depth - 1]] if 0 < depth <= MAX_DEPTH else [-1] * 6


def _frame_kinds(state: np.record) -> set[int]:
    return {int(frame[0]) for frame in state["stack"][: int(state["depth"])]}


def _besieged(state: np.record, region: int) -> bool:
    return 0 <= region < NUM_REGIONS and bool(state["units"][region].all()) and SETTLEMENT_INDEX[region] >= 0


def _characters_where(state: np.record, place: int) -> list[int]:
    return np.flatnonzero(np.asarray(state["location"]) == place).tolist()


def _set_of_characters(characters: int) -> str:
    return " and ".join(CHARACTER_NAMES[character] for character in Character if characters >> character & 1)


def _side_of_seat(state: np.record) -> str:
    return SIDE_NAMES[int(state["seat"])]


def _region(number: object) -> str:
    return REGION_NAMES[int(number)] if 0 <= int(number) < NUM_REGIONS else "nowhere"


def _minion(who: int) -> str:
    """Who moves in a frame ``MOVE_MINIONS``: a Nazgul of a region, or a character."""
    return f"a Nazgul of {_region(who)}" if who < NUM_REGIONS else CHARACTER_NAMES[who - NUM_REGIONS]


def _face(number: object) -> str:
    return FACE_NAMES[int(number)] if 0 <= int(number) < len(FACE_NAMES) else "chosen"


def _nation(number: int) -> str:
    """The short name of a nation."""
    return Nation(number).name.title()


def _is_nazgul(nation: int, kind: int) -> bool:
    return (nation, kind) == (Nation.SAURON, Figure.LEADER)


def _kind(nation: int, kind: int) -> str:
    return "Nazgul" if _is_nazgul(nation, kind) else FIGURE_NAMES[kind]


def _figure(code: int) -> str:
    """A figure by its place in the block ``FIGURE``."""
    nation, kind = divmod(code, len(Figure))
    if _is_nazgul(nation, kind):
        return "a Nazgul"
    return f"{'an' if kind == Figure.ELITE else 'a'} {FIGURE_NAMES[kind]} of {_nation(nation)}"


def _count(number: object, one: str, many: str | None = None) -> str:
    return f"{int(number)} {one if int(number) == 1 else many or one + 's'}"
