"""Measures beliefs about the other side's hand: log-loss compared with uniform hands.

``python -m wotr_experiments.games.war_of_the_ring.reports.belief [BELIEF]... [--bot SPEC]... [--games N]
[--seed S] [--played DIR]... [--out FILE]`` writes ``docs/belief.md``. The games are new games of bots against
themselves. The page is about the first belief; others are compared with it. A folder of ``wotr tournament A
B`` given as ``--played`` adds the results of two bots.
"""

from __future__ import annotations

import dataclasses
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import tqdm

from wotr_agents.belief.hands import effective_shares, log_likelihoods
from wotr_agents.belief.model import Belief, find_belief, load_belief
from wotr_agents.games.war_of_the_ring.hands import DECKS_OF_A_SIDE
from wotr_env.core.values import read_text
from wotr_env.games.war_of_the_ring.codes import Side
from wotr_env.games.war_of_the_ring.components import CARD_NAMES, NUM_CARDS
from wotr_env.games.war_of_the_ring.state import CARDS_PER_DECK
from wotr_experiments.arena.tournament import SUMMARY
from wotr_experiments.errors import CommandError
from wotr_experiments.games.war_of_the_ring.belief.fit import CARDS_ALONE
from wotr_experiments.games.war_of_the_ring.belief.positions import Seen
from wotr_experiments.games.war_of_the_ring.belief.shards import Watched
from wotr_experiments.reports.pages import command_text, markdown_table, report_parser, write_page

COMMAND = "python -m wotr_experiments.games.war_of_the_ring.reports.belief"
PAGE = Path(__file__).parents[5] / "docs" / "belief.md"
BELIEFS = ("zoo/wide", "zoo/mixed")
BOTS = ("net:zoo/wide", "net:zoo/longer", "scripted", "net:zoo/laptop", "queller")
"""Specs of the bots. No belief of the zoo was trained on games of the last two."""
GAMES = 1000
EVERY = 32
SEED = 20_261_126
BANDS = ((1, 2), (3, 4), (5, 6), (7, 8), (9, 1000))
"""First and last turns of the rows of the table."""
RESAMPLES = 1000
_TOLD = 5
"""Number of listed cards of each side."""
_FEW = 30
"""Rows with fewer games than this are not shown."""
_SIDES = ("Free Peoples", "Shadow")

_PAGE = """# Belief about hidden cards

Some bots sample *worlds*: states that their seat cannot distinguish from the true state. Usually every
possible hand of the other side has the same probability. But players keep some cards longer than
others, so some hands are more likely. A *belief* is a model that predicts the cards in the other side's
hand. `mcts`, `search` and `playouts` can use a belief:

```bash
wotr tournament mcts:sims=100,belief=zoo/wide mcts:sims=100 --games 48
# train a belief for belief=runs/mine
python -m wotr_experiments.games.war_of_the_ring.belief runs/mine --bot queller --bot scripted
```

A belief has a file of its own: the belief `zoo/wide` is not the network `net:zoo/wide`. The package has two
beliefs. `zoo/wide` was learned from games of `net:zoo/wide` and `scripted`, `zoo/mixed` from games of
`net:zoo/longer` and `scripted`.

## The model

A small network (a sparse first layer and one more layer) reads an observation and computes *odds*, one
number for each card of the other side. The number of cards of each deck in the other side's hand is
public. The probability of a possible hand of this size is proportional to the product of the odds of
its cards. This distribution is called conditional Bernoulli. It is computed exactly, with elementary
symmetric polynomials. Training maximises the likelihood of the hands that were really held. The
observation is the only input. So the network does not know the history of the game or any information
that the seat does not see.

- To sample a world with a belief, the program first samples a world as for any bot (`BotView.worlds`).
  Then it exchanges cards of the hand with other cards that the seat does not know. The hands have exactly
  the distribution of the belief, without weights or resampling.
- The belief is not used for other hidden information: the order of decks, cards discarded face down,
  and future random events. These are sampled uniformly.
- The belief is not used for a Combat card that lies face down. This card is sampled from the cards that
  could have been played. The belief is used for the rest of the hand. Decisions taken while a Combat
  card of the other side lies face down are not used in training, and the tables below do not count
  them.
- In games of three or four players, a belief has no effect.
- The sampled worlds depend only on the observation and the seed. Tests permute hidden information and check
  that worlds and answers stay the same (`tests/agents/test_belief.py`,
  `tests/games/war_of_the_ring/engine/test_worlds.py`).

## How well it predicts

These tables are written by `{command}`, from {games:,} new games of each bot against itself (seed {seed},
which was not used in training). The tables use one of every {every} decisions, from the view of the deciding
seat. The belief is `{belief}`, {facts}.

| column | meaning |
|---|---|
| held | mean number of cards that the other side holds |
| even | log-loss if all possible hands are equally likely, in nats per position |
| cards alone | log-loss if each card has fixed odds, fitted to the training games |
| belief | log-loss of the belief |
| gain | *even* minus *belief*, with a 95% interval (bootstrap of {resamples:,} over games) |
| of even | *gain* as a share of *even* |
| gain a card held | *gain* divided by the number of cards held |
| samples left | share of the effective sample size if uniform worlds were weighted with the belief |

{sides}

The next table shows games of `{trained}` by deck and by turn, with the observations of both sides
together:

{parts}

## Cards that stay in the hand

This section shows which cards stay in the hand longer, or leave it sooner, than others. A position
counts only if the other side does not know where the card is. *Held* is the share of these positions in
which the card is in the hand. *Evenly* is the share that would result if every possible hand had the
same probability. The table shows the cards with the largest differences, in games of `{trained}`:

{cards}
{others}{played}"""

_OTHERS = """
## Beliefs from other games

The table shows the gain over uniform hands in the same games, with the observations of both sides together.
If the gain is below 0, uniform hands predict better.

{table}
"""

_PLAYED = """
## Effect on games

These games were played with `wotr tournament A B --games N --seed S --out DIR`, in pairs with the same
seed and exchanged sides. Brackets contain 95% Wilson intervals. If an interval contains 50%, the games show
no difference between the two bots.

{table}
"""


@dataclasses.dataclass(frozen=True)
class Costs:
    """The log-loss of hands in N positions, for each of the other side's decks."""

    even: np.ndarray
    """``float64[N, 2]``: log-loss if all hands are equally likely, in nats."""
    alone: np.ndarray
    """``float64[N, 2]``: log-loss with constant odds of cards, in nats."""
    belief: np.ndarray
    """``float64[N, 2]``: log-loss with the belief, in nats."""
    held: np.ndarray
    """``int64[N, 2]``: the number of cards held."""
    left: np.ndarray
    """``float64[N]``: the effective share of uniformly sampled worlds after weighting them with the
    belief."""


def costs_of(belief: Belief, seen: Seen) -> Costs:
    """Computes the log-loss of hands with a belief, and with the two baselines."""
    theirs = (1 - seen.seats)[:, None] * DECKS_OF_A_SIDE * CARDS_PER_DECK
    cards = theirs + np.arange(DECKS_OF_A_SIDE * CARDS_PER_DECK)
    alone = np.array(belief.facts.get(CARDS_ALONE, np.zeros(NUM_CARDS)), dtype=np.float64)
    said = np.take_along_axis(belief.log_odds(seen.observations), cards, axis=1)
    sizes = seen.held.sum(axis=1)

    def odds_of(log_odds: np.ndarray) -> np.ndarray:
        return np.where(seen.hidden, np.exp(log_odds.reshape(-1, CARDS_PER_DECK)), 0.0)

    even, by_card, by_belief = (odds_of(each) for each in (np.zeros(cards.shape), alone[cards], said))
    left = effective_shares(by_belief, sizes).reshape(-1, DECKS_OF_A_SIDE).prod(axis=1)
    costs = [
        -log_likelihoods(odds, seen.held).reshape(-1, DECKS_OF_A_SIDE) for odds in (even, by_card, by_belief)
    ]
    return Costs(costs[0], costs[1], costs[2], sizes.reshape(-1, DECKS_OF_A_SIDE), left)


def ratio(over: np.ndarray, under: np.ndarray, games: np.ndarray) -> tuple[float, float, float]:
    """The ratio of two sums over positions and its 95% interval, by a bootstrap over games.

    Args:
        over: ``float64[N]``.
        under: ``float64[N]``, with a sum above 0.
        games: ``int64[N]``: the game of each position.
    """
    _, place = np.unique(games, return_inverse=True)
    count = int(place.max()) + 1
    sums = np.stack([np.bincount(place, each, minlength=count) for each in (over, under)], axis=1)
    generator = np.random.default_rng(0)
    times = generator.multinomial(count, np.full(count, 1 / count), size=RESAMPLES)
    drawn = times @ sums
    low, high = np.quantile(drawn[:, 0] / np.maximum(drawn[:, 1], 1e-12), (0.025, 0.975))
    return float(sums[:, 0].sum() / sums[:, 1].sum()), float(low), float(high)


def _row(title: list[str], seen: Seen, costs: Costs, rows: np.ndarray, decks: slice) -> list[str] | None:
    """The figures of some positions (``bool[N]``) and decks; None if there are too few."""
    games = seen.games[rows]
    if len(np.unique(games)) < _FEW:
        return None
    even, alone, belief, held = (
        getattr(costs, name)[rows][:, decks].sum(axis=1) for name in ("even", "alone", "belief", "held")
    )
    if not held.sum():
        return None
    gain, low, high = ratio(even - belief, np.ones(even.size), games)
    by_card = ratio(even - belief, held.astype(np.float64), games)
    whole = decks == slice(None)
    return [
        *title,
        f"{even.size:,}",
        f"{held.mean():.1f}",
        f"{even.mean():.3f}",
        f"{alone.mean():.3f}",
        f"{belief.mean():.3f}",
        f"{gain:.3f} ({low:.3f} to {high:.3f})",
        f"{gain / even.mean():.1%}",
        "{:.3f} ({:.3f} to {:.3f})".format(*by_card),
        f"{costs.left[rows].mean():.0%}" if whole else "",
    ]


_FIGURES = [
    "positions",
    "held",
    "even",
    "cards alone",
    "belief",
    "gain",
    "of even",
    "gain a card held",
    "samples left",
]


def table_by_side(found: dict[str, tuple[Seen, Costs]]) -> str:
    """A table with rows for each bot and each observing side."""
    rows = []
    for bot, (seen, costs) in found.items():
        for side, title in zip(Side, _SIDES, strict=True):
            rows.append(_row([f"`{bot}`", title], seen, costs, seen.seats == side, slice(None)))
    return markdown_table(["games of", "who looks", *_FIGURES], [row for row in rows if row])


def table_by_part(seen: Seen, costs: Costs) -> str:
    """A table with rows by deck and by turn."""
    every = np.ones(len(seen), dtype=np.bool_)
    rows = [
        _row([f"{name} cards"], seen, costs, every, slice(deck, deck + 1))
        for deck, name in enumerate(("Character", "Strategy"))
    ]
    for first, last in BANDS:
        title = f"turns {first} to {last}" if (first, last) != BANDS[-1] else f"turn {first} and on"
        rows.append(_row([title], seen, costs, (seen.turns >= first) & (seen.turns <= last), slice(None)))
    return markdown_table(["what", *_FIGURES], [row for row in rows if row])


def table_of_cards(seen: Seen) -> str:
    """The cards of each side that are held much more or less often than with equal odds."""
    rows = []
    hidden, held = (each.reshape(len(seen), -1) for each in (seen.hidden, seen.held))
    share = seen.held.sum(axis=1) / np.maximum(1, seen.hidden.sum(axis=1))
    even = np.where(seen.hidden, share[:, None], 0.0).reshape(len(seen), -1)
    for side, title in zip(Side, _SIDES, strict=True):
        mine = seen.seats == 1 - side
        unknown = np.maximum(1, hidden[mine].sum(axis=0))
        often, evenly = held[mine].sum(axis=0) / unknown, even[mine].sum(axis=0) / unknown
        first = int(side) * DECKS_OF_A_SIDE * CARDS_PER_DECK
        for card in np.argsort(-np.abs(often - evenly), kind="stable")[:_TOLD].tolist():
            rows.append([title, CARD_NAMES[first + card], f"{often[card]:.0%}", f"{evenly[card]:.0%}"])
    return markdown_table(["of the", "card", "held", "evenly"], rows)


def table_of_games(folders: list[Path]) -> str:
    """The results of tournaments of two bots.

    Raises:
        CommandError: a folder has no summary of such a tournament.
        OSError: a summary cannot be read.
    """
    rows = []
    for folder in folders:
        try:
            summary: Any = json.loads(read_text(folder / SUMMARY))
            (one, other), result, seed = summary["bots"], summary["results"][0], summary["seed"]
            shares = [result[key] for key in ("wins", "wins_as_free_peoples", "wins_as_shadow")]
            cells = [
                "{:.1%} ({:.1%} to {:.1%} of {})".format(each["share"], *each["interval_95"], each["games"])
                for each in shares
            ]
        except (KeyError, TypeError, ValueError, IndexError):
            raise CommandError(f"{folder / SUMMARY} is not the summary of a tournament of two bots") from None
        rows.append([f"`{one}`", f"`{other}`", *cells, str(seed)])
    return markdown_table(["bot", "against", "won", "as Free Peoples", "as Shadow", "seed"], rows)


def table_of_beliefs(beliefs: list[Belief], found: dict[str, tuple[Seen, Costs]]) -> str:
    """The gain of each belief in the games of each bot."""
    rows = []
    for belief in beliefs:
        cells = []
        for seen, costs in found.values():
            of = costs if belief is beliefs[0] else costs_of(belief, seen)
            gain = (of.even - of.belief).sum(axis=1)
            cells.append("{:.3f} ({:.3f} to {:.3f})".format(*ratio(gain, np.ones(gain.size), seen.games)))
        rows.append([_words(belief.facts), *cells])
    return markdown_table(["a belief", *(f"gain, `{bot}`" for bot in found)], rows)


def report(
    names: list[str],
    bots: list[str],
    games: int,
    every: int,
    seed: int,
    played: list[Path],
    command: str = COMMAND,
) -> str:
    """The page in Markdown; see ``main``.

    Raises:
        BotError: a belief cannot be read, or there is no such bot.
        CommandError: the seed was used for the training of a belief, or a folder contains no tournament.
    """
    beliefs = [load_belief(find_belief(name)) for name in names]
    for name, belief in zip(names, beliefs, strict=True):
        if belief.facts.get("seed") == seed:
            raise CommandError(f"{name} was learned from games of --seed {seed}; take another")
    belief, facts = beliefs[0], beliefs[0].facts
    specs = tuple(bots)
    watched = Watched(specs, games, every, seed, str(facts.get("ruleset", "")))
    games_table = _PLAYED.format(table=table_of_games(played)) if played else ""
    found: dict[str, tuple[Seen, Costs]] = {}
    with tqdm.tqdm(total=games * len(specs), desc="games", unit="game", leave=False) as bar:
        for place, bot in enumerate(specs):
            seen = watched.all_of(place, bar.update)
            found[bot] = seen, costs_of(belief, seen)
    trained = next((bot for bot in specs if bot in facts.get("bots", ())), specs[0])
    return _PAGE.format(
        command=command,
        games=games,
        seed=seed,
        every=every,
        belief=names[0],
        facts=_words(facts),
        resamples=RESAMPLES,
        sides=table_by_side(found),
        trained=trained,
        parts=table_by_part(*found[trained]),
        cards=table_of_cards(found[trained][0]),
        others=_OTHERS.format(table=table_of_beliefs(beliefs, found)) if len(beliefs) > 1 else "",
        played=games_table,
    )


def _words(facts: Any) -> str:
    """Describes the training of a belief."""
    bots = " and ".join(f"`{bot}`" for bot in facts.get("bots", ()))
    return (
        f"learned from {facts.get('games', 0):,} games each of {bots} against itself "
        f"({facts.get('positions', 0):,} positions, seed {facts.get('seed')})"
    )


def main(arguments: list[str] | None = None) -> int:
    """The command line; returns the exit code."""
    parser = report_parser(COMMAND, __doc__, PAGE, seed=SEED)
    parser.add_argument(
        "beliefs", nargs="*", metavar="BELIEF", help="belief: a file, the folder of a run, or zoo/NAME"
    )
    parser.add_argument(
        "--bot", action="append", metavar="SPEC", help="spec of a bot whose games are used; repeatable"
    )
    parser.add_argument("--games", type=int, default=GAMES, help="games of each bot")
    parser.add_argument("--every", type=int, default=EVERY, help="decisions between two positions of a game")
    parser.add_argument("--played", action="append", type=Path, default=[], metavar="DIR")
    options = parser.parse_args(arguments)
    return write_page(
        options.out,
        lambda: report(
            options.beliefs or list(BELIEFS),
            options.bot or list(BOTS),
            options.games,
            options.every,
            options.seed,
            options.played,
            command_text(COMMAND, arguments),
        ),
    )


if __name__ == "__main__":
    sys.exit(main())
