"""
# War of the Ring

This environment plays War of the Ring, first edition (2004), for two players, one for the Free Peoples and
one for the Shadow. With three players, two agents share the Shadow. With four, two agents share
each side.

| Import             | `import wotr_env; wotr_env.env()`            |
|--------------------|----------------------------------------------|
| Creation           | `make("aec", "war_of_the_ring/wotr-v0")`     |
| Actions            | Discrete                                     |
| Parallel API       | Yes, by `turn_based_aec_to_parallel`         |
| Manual Control     | No                                           |
| Agents             | `agents= ['free_peoples_0', 'shadow_0']`     |
| of three           | `free_peoples_0`, `sauron_0`, `isengard_0`   |
| of four            | `gondor_0`, `sauron_0`, `isengard_0`,        |
|                    | `rohan_0`                                    |
| Number of Agents   | 2, 3 or 4                                    |
| Action Shape       | ()                                           |
| Action Values      | Discrete(322)                                |
| Observation Shape  | (OBSERVATION_SIZE,), `wotr_env.games.war_of_the_ring.observation`  |
| Observation Values | [-128, 127], int8                            |

A turn has many decisions: which die to use and how, which figures move where, how many casualties of which
kind. Each decision is one step. The agents do not alternate strictly: `agent_selection` is the agent that
decides next, often the same one again. Forced decisions are skipped. A game of random agents takes about
3,600 steps.

### Arguments

``` python
wotr_env.env(
    ruleset=Ruleset.first_edition(),
    max_turns=None,
    rewards="win",
    individual_bonus=0.0,
    viewer=None,
    render_mode=None,
    shaping=None,
)
```

`ruleset`: the edition and options: a `wotr_env.Ruleset`, its `to_dict`, or a spec such as
`"second:null_events=false"`; `Ruleset(players=4)` and `":players=4"` make four agents.

`max_turns`: turn limit (0: none); by default that of the ruleset.

`rewards`: `"win"`, or `"none"` if all rewards are 0.

`individual_bonus`: added to the reward of an agent that wins within a side of two agents, see Rewards.

`viewer`: the agent whose hand of cards `render()` shows; by default the deciding agent, and all hands at the
end.

`render_mode`: `"ansi"` (a string), `"rgb_array"` or `"human"` (prints the text after every step).

`shaping`: a `wotr_env.envs.shaping.Shaping`: potential-based shaping of the rewards, which does not change
the optimal policies; by default none.

### Observation Space

The observation is a dictionary with two elements: `'observation'`, a vector of int8 with everything that the
agent may know, and `'action_mask'`, described in the next section. The parts of the vector are listed by
`wotr_env.games.war_of_the_ring.observation.layout_table()`;
`wotr_env.games.war_of_the_ring.observation.as_dict()` and `entities()` give named views of it. It does not
contain the hands of other agents (including a partner's) or the order of the decks.

#### Legal Actions Mask

The `action_mask` element has the legal actions of the deciding agent: a vector of 0 and 1 (int8), one for
each action. It is all zeros for the other agents. An illegal action ends the game with a reward of -1 for the
agent that took it, and of 0 for the others. With `raw_env`, an illegal action raises `wotr_env.IllegalAction`
instead, and the game continues.

### Action Space

An action names an object of the game. Its meaning depends on the decision, which the observation shows.
`wotr_env.games.war_of_the_ring.actions.ACTION_NAMES` has the name of each action, such as
`region:minas-tirith`.

| Action ID | Meaning                                                              |
|:---------:|----------------------------------------------------------------------|
| 0 - 31    | a verb: pass, done, decline, accept, cease and so on                 |
| 32 - 55   | a plan: the use of an action die                                     |
| 56 - 62   | a face: the result of an action die                                  |
| 63 - 167  | one of the 105 regions                                               |
| 168 - 263 | one of the 96 event cards                                            |
| 264 - 276 | one of the 13 characters                                             |
| 277 - 284 | one of the 8 nations                                                 |
| 285 - 308 | a figure: nation * 3 + kind (Regular, Elite, Leader or Nazgul)       |
| 309 - 321 | a number from 0 to 12                                                |

### Rewards

| Winner | Loser | Turn limit |
| :----: | :---: | :--------: |
| +1     | -1    | 0          |

All rewards before the end are 0, apart from `shaping`, which an agent gets when it decides next. Partners win
and lose together. If a side of two agents wins, the two agents are compared by the Cities and Strongholds
that they took and lost. The better agent, or both if they are equal, also gets `individual_bonus`.

A victory sets `terminations`; the turn limit sets `truncations`. At the end, the info of all agents has
`winner` (a side or `draw`), `reason` and `turn`; with more than two agents also `winning_seats`, the names
(such as `isengard`) of the seats that win within their side.

### Seeds

`reset(seed=s)` starts the game of `wotr_env.Game(seed=s)`. Without a seed, `reset` draws one from a random
generator. The last explicit seed initialised this generator. Options of `reset` are ignored.

### Version History

* v0: Initial version release
"""

from __future__ import annotations

from typing import TypedDict, Unpack

from pettingzoo import AECEnv

from wotr_env.envs.kind_game import RenderMode, RulesetLike, check_arguments
from wotr_env.envs.kind_pettingzoo import KindAEC, Rewards
from wotr_env.envs.shaping import Shaping
from wotr_env.envs.wrapping import wrapped

_GAME = "war-of-the-ring"


class EnvArguments(TypedDict, total=False):
    """The arguments of ``env`` and ``raw_env``, described above."""

    ruleset: RulesetLike | None
    max_turns: int | None
    rewards: Rewards
    individual_bonus: float
    viewer: str | None
    render_mode: RenderMode | None
    shaping: Shaping | None


class WarOfTheRingAEC(KindAEC):
    """The environment without wrappers, ``raw_env``; the arguments are described above.

    Copies (``copy.deepcopy``, ``pickle``) continue from the same position with the same future.

    Attributes:
        game: the game being played.

    Raises:
        TypeError: the shaping is not a ``Shaping``.
        ValueError: another argument has an unknown value, or the ruleset is unknown.
    """

    metadata = {**KindAEC.metadata, "name": "wotr_v0"}  # noqa: RUF012 (PettingZoo's protocol)

    def __init__(
        self,
        ruleset: RulesetLike | None = None,
        max_turns: int | None = None,
        rewards: Rewards = "win",
        individual_bonus: float = 0.0,
        viewer: str | None = None,
        render_mode: RenderMode | None = None,
        shaping: Shaping | None = None,
    ) -> None:
        super().__init__(
            _GAME,
            self.metadata["name"],
            ruleset,
            render_mode,
            shaping,
            max_turns,
            rewards,
            individual_bonus,
            viewer,
        )


def raw_env(**arguments: Unpack[EnvArguments]) -> WarOfTheRingAEC:
    """The environment without wrappers: an illegal action raises ``IllegalAction``.

    Raises:
        TypeError: an argument is unknown, or as ``WarOfTheRingAEC``.
        ValueError: an argument has an unknown value.
    """
    check_arguments(arguments, EnvArguments)
    return WarOfTheRingAEC(**arguments)


def env(**arguments: Unpack[EnvArguments]) -> AECEnv:
    """The environment with the wrappers of PettingZoo's classic games: an illegal action loses the game."""
    return wrapped(raw_env(**arguments))
