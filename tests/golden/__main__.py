"""``python -m tests.golden [--write]``: prints the golden playthrough, or writes it to its file."""

from __future__ import annotations

import argparse

from tests.golden import GOLDEN, playthrough

parser = argparse.ArgumentParser(prog="python -m tests.golden", description="The golden playthrough.")
parser.add_argument("--write", action="store_true", help=f"write it to {GOLDEN.name}")
if parser.parse_args().write:
    GOLDEN.write_text(playthrough(), encoding="utf-8")
else:
    print(playthrough(), end="")
