"""Strongholds: withdrawing, assaults and their extra rounds, sorties, how sieges end (R7.12-R7.17)."""

from __future__ import annotations

from wotr_env.games.war_of_the_ring.actions import Block
from wotr_env.games.war_of_the_ring.codes import BattleStage, Verb
from wotr_env.games.war_of_the_ring.kernels import kernel
from wotr_env.games.war_of_the_ring.options import Option
from wotr_env.games.war_of_the_ring.rules.armies import END_NATION, FIRST_NATION, can_reduce, reduce_for_party
from wotr_env.games.war_of_the_ring.rules.battle.retreat import withdraw_from_battle
from wotr_env.games.war_of_the_ring.rules.command import commander_in_battle
from wotr_env.games.war_of_the_ring.rules.movement import capture
from wotr_env.games.war_of_the_ring.rules.stack import STAGE, put


@kernel
def legal_stronghold(state, mask):
    """D23, R7.12.2: fight in the open, or withdraw into the Stronghold."""
    mask[Block.VERB + Verb.FIGHT] = True
    mask[Block.VERB + Verb.WITHDRAW] = True


@kernel
def apply_stronghold(state, action):
    """R7.12.4: ends the battle if the army withdraws."""
    if action == Block.VERB + Verb.WITHDRAW:
        withdraw_from_battle(state)


@kernel
def can_prolong(state):
    """Whether a Regular can replace an attacking Elite (R7.14.3, R7.10.4)."""
    side = int(state.battle_attacker)
    for nation in range(FIRST_NATION[side], END_NATION[side]):
        if state.party_elite[nation] > 0 and can_reduce(state, nation):
            return True
    return False


@kernel
def legal_prolong_assault(state, mask):
    """D28, R7.14.3: reduce an Elite to fight one more round, or stop."""
    side = int(state.battle_attacker)
    for nation in range(FIRST_NATION[side], END_NATION[side]):
        if state.party_elite[nation] > 0 and can_reduce(state, nation):
            mask[Block.NATION + nation] = True
    mask[Block.VERB + Verb.CEASE] = True


@kernel
def apply_prolong_assault(state, action):
    if action != Block.VERB + Verb.CEASE:
        reduce_for_party(state, int(state.battle_origin), action - Block.NATION, True)
        put(state, STAGE, BattleStage.ROUND)


@kernel
def end_assault(state):
    """Lets the besieger capture the Stronghold if the garrison is destroyed (R7.14.5, R7.17.1)."""
    _fall_if_undefended(state, int(state.battle_attacker))


@kernel
def end_sortie(state):
    """Lets the besieger capture the Stronghold if no unit is left in it after a sortie (R7.15.3, R7.15.4)."""
    _fall_if_undefended(state, 1 - int(state.battle_attacker))


@kernel
def _fall_if_undefended(state, besieger):
    """Lets the besieger capture a Stronghold without defenders; with an option, only if it has a unit left
    (RG6)."""
    region = int(state.battle_target)
    survives = state.units[region, besieger] > 0
    needs_survivor = state.options[Option.CAPTURE_NEEDS_SURVIVOR] == 1
    if state.units[region, 1 - besieger] == 0 and (survives or not needs_survivor):
        capture(state, commander_in_battle(state, besieger), region)
