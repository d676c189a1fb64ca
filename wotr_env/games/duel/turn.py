"""Sets up a game, plays and ends turns, and runs a game to its next decision (D1, D2)."""

from __future__ import annotations

from wotr_env.games.duel.actions import Act
from wotr_env.games.duel.components import (
    CHAINED,
    FIRST_OF_CHAPTER,
    LANDMARK_EFFECT,
    LANDMARK_REGION,
    NUM_CARDS,
    NUM_CHAPTERS,
    NUM_DEALT,
    NUM_LANDMARKS,
    NUM_RACES,
    NUM_REGIONS,
    NUM_SLOTS,
    NUM_TOKENS,
    PILE,
    SHOWN_LANDMARKS,
    SLOT_UP,
    START_COINS,
    START_UNITS,
    TOKEN_RACE,
    Effect,
    On,
    Token,
)
from wotr_env.games.duel.costs import price
from wotr_env.games.duel.effects import choose, happen, lose_coins, play_card
from wotr_env.games.duel.kernels import is_last_turn, kernel, seed_chance, shuffle
from wotr_env.games.duel.masks import ASK_OF, accessible, clear, effect_mask, settle, turn_mask
from wotr_env.games.duel.state import (
    GOING_ON,
    NUM_OPTIONS,
    SAURON,
    Ask,
    Opt,
    Place,
    Tile,
    gain,
    has_token,
    pop,
    push,
)
from wotr_env.games.duel.tokens import push_both, push_triggers, show
from wotr_env.games.duel.victory import check_victories, count_regions

_ALL_SLOTS = (1 << NUM_SLOTS) - 1


@kernel
def _begin_chapter(state, chapter):
    """Lays out the cards, and shows landmarks until three are shown (D1.3, D2.5)."""
    state.chapter = chapter
    state.left = _ALL_SLOTS
    for slot in range(NUM_DEALT):
        state.up[slot] = SLOT_UP[chapter, slot] if slot < NUM_SLOTS else 0
    shown = 0
    for tile in range(NUM_LANDMARKS):
        if state.landmark[tile] == Tile.SHOWN:
            shown += 1
    while shown < SHOWN_LANDMARKS and state.landmarks_drawn < NUM_LANDMARKS:
        state.landmark[int(state.landmark_order[int(state.landmarks_drawn)])] = Tile.SHOWN
        state.landmarks_drawn += 1
        shown += 1


@kernel
def set_up(state, options, seed):
    """Sets up a game in a blank record (D1.1, D1.2). All shuffling of the game happens in this function."""
    seed_chance(state, seed)
    for place in range(NUM_OPTIONS):
        state.options[place] = options[place]
    state.max_turns = options[Opt.MAX_TURNS]
    state.winner = GOING_ON
    state.seat = SAURON
    for chapter in range(NUM_CHAPTERS):
        for place in range(NUM_DEALT):
            state.deck[chapter, place] = FIRST_OF_CHAPTER[chapter] + place
        shuffle(state, state.deck[chapter], 0, NUM_DEALT)
    for tile in range(NUM_LANDMARKS):
        state.landmark_order[tile] = tile
    shuffle(state, state.landmark_order, 0, NUM_LANDMARKS)
    for token in range(NUM_TOKENS):
        race = TOKEN_RACE[token]
        state.pile[race, int(state.pile_size[race])] = token
        state.pile_size[race] += 1
    for race in range(NUM_RACES):
        shuffle(state, state.pile[race], 0, PILE)
    for side in range(2):
        state.coins[side] = START_COINS[side]
        for region in range(NUM_REGIONS):
            state.units[side, region] = START_UNITS[side, region]
    _begin_chapter(state, 0)


@kernel
def _take_from_layout(state, card):
    chapter = int(state.chapter)
    for slot in range(NUM_SLOTS):
        if state.deck[chapter, slot] == card:
            state.left &= ~(1 << slot)


@kernel
def _take_landmark(state, side, tile):
    """Takes a landmark: pays for it, builds its fortress, then adds its effects and the effects of tokens
    (D4.1)."""
    state.coins[side] -= price(state, side, NUM_CARDS + tile)
    state.landmark[tile] = Tile.TAKEN + side
    push_triggers(state, side, On.LANDMARK)
    push_both(state, LANDMARK_EFFECT + 2 * tile)
    state.fort[LANDMARK_REGION[tile]] = 1 + side


@kernel
def _begin_turn(state, side, action):
    """Takes a card or a landmark, or discards a card for coins (D2.1, D2.3)."""
    state.acting = 1
    if action < Act.CHAIN:
        card = action - Act.PLAY
        state.coins[side] -= price(state, side, card)
        _take_from_layout(state, card)
        play_card(state, side, card, 1)
    elif action < Act.SELL:
        card = CHAINED[action - Act.CHAIN]
        _take_from_layout(state, card)
        push_triggers(state, side, On.CHAIN)
        play_card(state, side, card, 1)
    elif action < Act.LANDMARK:
        card = action - Act.SELL
        _take_from_layout(state, card)
        state.place[card] = Place.DISCARD
        coins = 1 + int(state.chapter)
        if has_token(state, side, Token.DOUBLE_DISCARD):
            coins *= 2
        gain(state, side, coins)
    else:
        _take_landmark(state, side, action - Act.LANDMARK)


@kernel
def apply(state, action):
    """Applies a legal action; a finished game does not change."""
    if state.winner != GOING_ON:
        return
    side = int(state.seat)
    if state.acting == 0:
        _begin_turn(state, side, action)
    else:
        choose(state, side, action)
    check_victories(state)


@kernel
def _end_turn(state):
    """Ends a turn: turns cards up, ends a chapter, and sets the next player (D2.4, D2.5, D9.3, D10.2)."""
    state.turn += 1
    state.acting = 0
    state.asked = 0
    if state.left == 0:
        if state.chapter == NUM_CHAPTERS - 1:
            count_regions(state)
            return
        _begin_chapter(state, int(state.chapter) + 1)
    else:
        for slot in range(NUM_SLOTS):
            if state.up[slot] == 0 and accessible(state, slot):
                state.up[slot] = 1
    if is_last_turn(state):
        count_regions(state)
    elif state.again > 0:
        state.again -= 1
    else:
        state.seat = 1 - state.seat


@kernel
def _ask_again(state):
    """Whether the seat must be asked if it wants its further turn. A further turn after the last card is
    lost."""
    last = state.left == 0 and state.chapter == NUM_CHAPTERS - 1
    if last:
        state.again = 0
    return state.again > 0 and state.asked == 0 and state.options[Opt.DECLINE] != 0


@kernel
def _note_shown(state, kind, side, a):
    """Records the information that a decision shows to the deciding seat and to both seats (D7.4, D5.7)."""
    if kind == Effect.LOOK:
        show(state, a, 2)
    elif kind == Effect.COUNCIL:
        for race in range(NUM_RACES):
            if a >> race & 1:
                show(state, race, 1)
    elif kind == Effect.REVIVE:
        for chapter in range(int(state.chapter) + 1):
            state.looked[side, chapter] = 1


@kernel
def _first_of(mask):
    """The first legal action of a mask that has one."""
    action = 0
    while not mask[action]:
        action += 1
    return action


@kernel
def run(state, mask):
    """Runs the game to the next decision and writes its mask."""
    clear(mask)
    while state.winner == GOING_ON:
        side = int(state.seat)
        if state.acting == 0:
            state.decision = Ask.TURN
            turn_mask(state, mask)
            return
        if state.stack_size == 0:
            if _ask_again(state):
                state.asked = 1
                push(state, Effect.ASK_AGAIN, 0, 0, 0, 0)
            else:
                _end_turn(state)
            continue
        row = state.stack[int(state.stack_size) - 1]
        kind, a, b, c, d = int(row[0]), int(row[1]), int(row[2]), int(row[3]), int(row[4])
        if ASK_OF[kind] == Ask.NOTHING:
            pop(state)
            happen(kind, state, side, a, b)
            check_victories(state)
            continue
        if kind == Effect.MANEUVERS:
            settle(state, side, row)
            lose_coins(state, side, row)
            a, b = int(row[1]), int(row[2])
        choices = effect_mask(kind, state, mask, side, a, b, c, d)
        if choices == 0:
            pop(state)
            continue
        _note_shown(state, kind, side, a)
        if choices == 1:  # nobody is asked what has one answer (D9.2)
            choose(state, side, _first_of(mask))
            clear(mask)
            check_victories(state)
            continue
        state.decision = ASK_OF[kind]
        return
