"""Figures as actions: the block ``FIGURE`` has one for each kind of figure of each nation."""

from __future__ import annotations

from wotr_env.games.war_of_the_ring.actions import FIGURES_PER_NATION, Block
from wotr_env.games.war_of_the_ring.kernels import kernel


@kernel
def figure_action(nation, figure):
    """The action that points at a kind of figure (``Figure``) of a nation."""
    return Block.FIGURE + FIGURES_PER_NATION * nation + figure


@kernel
def nation_of_figure(action):
    """The nation of the figure that an action points at."""
    return (action - Block.FIGURE) // FIGURES_PER_NATION


@kernel
def kind_of_figure(action):
    """The kind (``Figure``) of the figure that an action points at."""
    return (action - Block.FIGURE) % FIGURES_PER_NATION
