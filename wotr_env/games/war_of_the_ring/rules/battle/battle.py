"""The battle: its rounds and its stages (R7.9, R7.18.1, section 19.2 of the rules).

Tape order of a round: Combat roll of the attacker, of the defender, re-roll of the attacker, of the defender.
"""

from __future__ import annotations

from wotr_env.games.war_of_the_ring.actions import Block
from wotr_env.games.war_of_the_ring.codes import (
    BattleKind,
    BattleStage,
    Character,
    Decision,
    Nation,
    Side,
    Verb,
)
from wotr_env.games.war_of_the_ring.kernels import kernel
from wotr_env.games.war_of_the_ring.options import Option, SorcererDeck
from wotr_env.games.war_of_the_ring.rules.battle.advance import can_advance
from wotr_env.games.war_of_the_ring.rules.battle.attack import clear_battle
from wotr_env.games.war_of_the_ring.rules.battle.combat_cards import (
    can_play_combat_card,
    reveal_combat_cards,
    spend_combat_cards,
)
from wotr_env.games.war_of_the_ring.rules.battle.combat_windows import is_window, play_window
from wotr_env.games.war_of_the_ring.rules.battle.retreat import can_retreat, can_withdraw
from wotr_env.games.war_of_the_ring.rules.battle.siege import can_prolong, end_assault, end_sortie
from wotr_env.games.war_of_the_ring.rules.battle.strength import (
    combat_roll,
    eliminate_leaderless,
    fighting_characters,
    fighting_units,
    inflict,
    leader_reroll,
)
from wotr_env.games.war_of_the_ring.rules.cards import (
    character_deck,
    draws_available,
    legal_draw_deck,
    start_draw,
)
from wotr_env.games.war_of_the_ring.rules.command import commanders_take_over, join
from wotr_env.games.war_of_the_ring.rules.politics import attacked
from wotr_env.games.war_of_the_ring.rules.seats import acting_seat_takes_over, owner_of
from wotr_env.games.war_of_the_ring.rules.stack import STAGE, ask, ask_seat, get, pop, put
from wotr_env.games.war_of_the_ring.state import CARDS_PER_DECK, NUM_SIDES

MOST_ROUNDS = 127
"""The highest number of a round that is counted; the rules only use whether a round is the first."""


@kernel
def resume_battle(state):
    """Runs the current stage of the battle, after it has stored the next stage, which choices may change."""
    stage = get(state, STAGE)
    attacker = int(state.battle_attacker)
    defender = 1 - attacker
    commanders_take_over(state)
    if is_window(stage):
        play_window(state, stage)
        return
    put(state, STAGE, stage + 1)
    if stage == BattleStage.DECLARED:
        _declare(state, defender)
    elif stage == BattleStage.ROUND:
        _begin_round(state, defender)
    elif stage == BattleStage.ATTACKER_CARD:
        _ask_for_card(state, attacker)
    elif stage == BattleStage.DEFENDER_CARD:
        _ask_for_card(state, defender)
    elif stage == BattleStage.REVEALED_CARDS:
        reveal_combat_cards(state)
        if _sorcerer_may_draw(state):
            ask_seat(state, owner_of(state, Side.SHADOW, Nation.SAURON), Decision.SORCERER)
    elif stage == BattleStage.ROLLS:
        combat_roll(state, attacker)
        combat_roll(state, defender)
    elif stage == BattleStage.REROLLS:
        leader_reroll(state, attacker)
        leader_reroll(state, defender)
    elif stage == BattleStage.ATTACKER_CASUALTIES:
        inflict(state, attacker, int(state.hits[defender]))
    elif stage == BattleStage.DEFENDER_CASUALTIES:
        inflict(state, defender, int(state.hits[attacker]))
    elif stage == BattleStage.LOSSES:
        spend_combat_cards(state)
        _count_losses(state)
    elif stage == BattleStage.END_OF_ROUND:
        _end_round(state, attacker)
    elif stage == BattleStage.DEFENDER_CHOICE:
        put(state, STAGE, BattleStage.ROUND)
        if can_retreat(state, defender, int(state.battle_target)):
            ask(state, defender, Decision.RETREAT)
    elif stage == BattleStage.AFTERMATH:
        _aftermath(state, attacker)
    else:
        clear_battle(state)
        acting_seat_takes_over(state)
        pop(state)


@kernel
def _declare(state, defender):
    """Executes the effects of a declared attack: activates nations, joins armies of partners, and lets
    Gandalf the White ride (R7.8.7, R13.6, R14.8)."""
    attacked(state, defender, int(state.battle_target))
    join(state, defender, int(state.battle_target))
    if fighting_characters(state, Side.FREE_PEOPLES) >> Character.GANDALF_WHITE & 1:
        ask(state, Side.FREE_PEOPLES, Decision.WHITE_RIDER)


@kernel
def _ask_for_card(state, side):
    """Asks a side whether it commits a Combat card; the attacker is asked before the defender (R7.9.2)."""
    if can_play_combat_card(state, side):
        ask(state, side, Decision.COMBAT_CARD)


@kernel
def _begin_round(state, defender):
    """Begins a round; an army in the region of its own Stronghold may withdraw into it (R7.9.1, R7.12.2).

    Also R7.12.1, R7.12.3.
    """
    state.battle_round = min(MOST_ROUNDS, int(state.battle_round) + 1)
    state.hits[:] = 0
    state.misses[:] = 0
    if can_withdraw(state, defender):
        ask(state, defender, Decision.STRONGHOLD)


@kernel
def _sorcerer_may_draw(state):
    """Whether it is round 1, the Witch-king fights, and the Shadow used a Combat card (R14.11, RG24)."""
    return (
        state.battle_round == 1
        and state.combat_card[Side.SHADOW] >= 0
        and fighting_characters(state, Side.SHADOW) >> Character.WITCH_KING & 1 == 1
        and draws_available(state, Side.SHADOW)
    )


@kernel
def apply_white_rider(state, action):
    """D29: Gandalf the White forfeits his Leadership to cancel all Nazgul Leadership (R14.8)."""
    state.battle_white_rider = 1 if action == Block.VERB + Verb.ACCEPT else 0


@kernel
def legal_sorcerer(state, mask):
    """D31: no card, or a card of a deck; with an option, only of the same type as the used card (R14.11)."""
    mask[Block.VERB + Verb.DECLINE] = True
    legal_draw_deck(state, mask)
    if state.options[Option.SORCERER_DECK] == SorcererDeck.SAME:
        character_card = state.combat_card[Side.SHADOW] // CARDS_PER_DECK == character_deck(Side.SHADOW)
        mask[Block.VERB + (Verb.STRATEGY_DECK if character_card else Verb.CHARACTER_DECK)] = False


@kernel
def apply_sorcerer(state, action):
    """D31: draws the card for the Witch-king (R14.11)."""
    if action != Block.VERB + Verb.DECLINE:
        start_draw(state, int(state.seat), action)


@kernel
def _count_losses(state):
    """Eliminates figures without units, and ends the battle if an army is destroyed (R7.10.6, R7.10.7)."""
    for side in range(NUM_SIDES):
        if fighting_units(state, side) == 0:
            eliminate_leaderless(state, side)
            put(state, STAGE, BattleStage.AFTERMATH)


@kernel
def _end_round(state, attacker):
    """Asks the attacker to cease or continue; in an assault, to reduce an Elite or stop (R7.14.3, R7.18.1).

    Also R7.14.4, RU30. A card may fix the number of rounds of an assault, or forbid to cease.
    """
    if state.battle_kind != BattleKind.ASSAULT:
        if state.battle_no_cease == 0:
            ask(state, attacker, Decision.CEASE)
        return
    if state.battle_fixed_rounds > 1:
        state.battle_fixed_rounds -= 1
        put(state, STAGE, BattleStage.ROUND)
        return
    put(state, STAGE, BattleStage.AFTERMATH)
    if can_prolong(state):
        ask(state, attacker, Decision.PROLONG_ASSAULT)


@kernel
def legal_cease(state, mask):
    """D26, R7.18.1."""
    mask[Block.VERB + Verb.CEASE] = True
    mask[Block.VERB + Verb.CONTINUE] = True


@kernel
def apply_cease(state, action):
    """R7.18.2: an attacker who ceases stays in the region."""
    if action == Block.VERB + Verb.CEASE:
        put(state, STAGE, BattleStage.AFTERMATH)


@kernel
def _aftermath(state, attacker):
    """Resolves the end of a battle: a capture, the end of a siege, or an advance (R7.14.5, R7.15.3-4,
    R7.18.5-7, R7.18.7)."""
    if state.battle_kind == BattleKind.ASSAULT:
        end_assault(state)
    elif state.battle_kind == BattleKind.SORTIE:
        end_sortie(state)
    elif can_advance(state, attacker):
        ask(state, attacker, Decision.ADVANCE_FIGURES)
