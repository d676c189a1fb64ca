"""The positions that pictures in docs/ show, and ``map.png``, which the documentation's command draws."""

from __future__ import annotations

import functools
from collections.abc import Callable

import numpy as np
from PIL import Image

from wotr_agents import make_bot
from wotr_env import Game
from wotr_env.games.war_of_the_ring.codes import Decision
from wotr_env.play.bots import view_of

SEED, TURN = 6, 5
FREE_PEOPLES, SHADOW = range(2)


def _play(ends: Callable[[Game], bool]) -> Game:
    """A game of ``scripted`` against itself, until it is as wanted."""
    game, bots = Game(SEED), [make_bot("scripted", seed=each) for each in range(2)]
    while not ends(game):
        view = view_of(np.array([game.state]), game.mask()[None])
        game.step(int(bots[game.seat].act(view)[0]))
    return game


@functools.cache
def position(seat: int) -> Game:
    """The game at a seat's first choice of an action die in ``TURN``."""
    wanted = (TURN, seat, Decision.ACTION_DIE)
    return _play(lambda game: (game.state["turn"], game.seat, game.decision) == wanted)


@functools.cache
def whole_game() -> Game:
    """The game at its end."""
    return _play(lambda game: game.result is not None)


def draw_map() -> Image.Image:
    """The map as the Shadow sees it, in few colours."""
    return in_few_colours(Image.fromarray(position(SHADOW).render(SHADOW).image))


def in_few_colours(image: Image.Image) -> Image.Image:
    """A picture with a palette, a fourth of its size as a file.

    The method keeps colours of small things, such as the counters of a nation, which others blend.
    """
    return image.quantize(256, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
