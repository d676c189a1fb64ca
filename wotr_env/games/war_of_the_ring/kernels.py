"""The kernel set of the rules, with the decorators ``@kernel`` and ``@entry_point``."""

from __future__ import annotations

from pathlib import Path

from wotr_env.compiler.kernels import KernelSet

RULES = KernelSet(
    Path(__file__).parents[2],
    (
        "compiler/**/*.py",
        "core/chance.py",
        "core/declared.py",
        "core/errors.py",
        "core/codes.py",
        "core/observation_layout.py",
        *(
            f"games/war_of_the_ring/{pattern}"
            for pattern in (
                "actions.py",
                "cards/*.py",
                "codes.py",
                "components.py",
                "data/*",
                "engine/*.py",
                "kernels.py",
                "options.py",
                "rules/**/*.py",
                "ruleset.py",
                "state.py",
            )
        ),
    ),
    modules=("wotr_env.games.war_of_the_ring.engine.kernel", "wotr_env.games.war_of_the_ring.engine.checks"),
    name="War of the Ring",
)
"""The kernel set of the rules."""

kernel = RULES.kernel
entry_point = RULES.entry_point
