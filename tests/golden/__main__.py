"""``python -m tests.golden [--write]``: prints the golden playthroughs, or writes them to their files."""

from __future__ import annotations

import argparse

from tests.golden import GOLDEN, written

parser = argparse.ArgumentParser(prog="python -m tests.golden", description="The golden playthroughs.")
parser.add_argument("--write", action="store_true", help="write them to their files")
write = parser.parse_args().write
for name, path in GOLDEN.items():
    if write:
        path.write_text(written(name), encoding="utf-8")
    else:
        print(written(name), end="")
