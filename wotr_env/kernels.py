"""The kernels of the rules: what ``@kernel`` and ``@entry_point`` mean in this package."""

from __future__ import annotations

from pathlib import Path

from wotr_env.compiler.kernels import KernelSet

RULES = KernelSet(
    Path(__file__).parent,
    (
        "actions.py",
        "cards/*.py",
        "codes.py",
        "compiler/**/*.py",
        "components.py",
        "data/*",
        "engine/*.py",
        "errors.py",
        "kernels.py",
        "kind.py",
        "options.py",
        "rules/**/*.py",
        "ruleset.py",
        "state.py",
    ),
    modules=("wotr_env.engine.kernel", "wotr_env.engine.checks"),
)
"""The rules of the game."""

kernel = RULES.kernel
entry_point = RULES.entry_point
is_compiled = RULES.is_compiled
