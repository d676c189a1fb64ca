"""``python -m tests.golden [--write]``: prints the golden playthroughs, or writes them to their files."""

from __future__ import annotations

import argparse

from tests.golden import GOLDEN, GOLDEN_KINDS, playthrough, playthrough_of

parser = argparse.ArgumentParser(prog="python -m tests.golden", description="The golden playthroughs.")
parser.add_argument("--write", action="store_true", help="write them to their files")
write = parser.parse_args().write
texts = {path: playthrough(players) for players, path in GOLDEN.items()}
texts |= {path: playthrough_of(name) for name, path in GOLDEN_KINDS.items()}
for path, text in texts.items():
    if write:
        path.write_text(text, encoding="utf-8")
    else:
        print(text, end="")
