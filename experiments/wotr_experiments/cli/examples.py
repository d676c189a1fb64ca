"""Examples at the end of the help of each command."""

from __future__ import annotations

from collections.abc import Mapping

EXAMPLES: Mapping[str, tuple[str, ...]] = {
    "demo": ("wotr demo",),
    "warmup": ("wotr warmup", "wotr warmup --game duel"),
    "play": (
        "wotr play --as free-peoples --against scripted",
        "wotr play --game duel --as sauron --against mcts:time=1",
    ),
    "serve": ("wotr serve", "wotr serve --port 9000 --tournament runs/tournament"),
    "bots": ("wotr bots", "wotr bots --json"),
    "check-bot": (
        "wotr check-bot mcts:sims=20 --games 2 --decisions 20",
        'wotr check-bot --protocol "stdio:python3 my_bot.py"',
    ),
    "serve-bot": ("wotr serve-bot scripted",),
    "mcp": ("wotr mcp --against scripted",),
    "tournament": (
        "wotr tournament scripted queller random --games 200 --out runs/three",
        "wotr tournament mcts scripted random --gauntlet --games 20",
    ),
    "compare": (
        "wotr compare scripted queller --elo0 0 --elo1 10",
        "wotr compare net:runs/first scripted --max-games 1000",
    ),
    "book": ("wotr book open.txt --positions 200",),
    "text-tournament": ('wotr text-tournament "text:python3 my_player.py" random --games 4',),
    "train": (
        "wotr train runs/first --advice --opponent scripted --decisions 3e6",
        "wotr train runs/first --resume",
    ),
    "exploit": ("wotr exploit scripted --at 3e6",),
    "export-network": ("wotr export-network zoo/wide wide.onnx", "wotr export-network runs/first first.pt2"),
    "replay": (
        "wotr replay published --at 300",
        "wotr replay runs/three --record 2 --html game.html",
    ),
    "position": ("wotr position --set turn=4 --eyes shadow",),
    "analyse": ("wotr analyse runs/three --record 3 --html analysis.html",),
    "export": (
        "wotr export runs/three --out data",
        "wotr export runs/three --format csv --split 0.8,0.2 --out data",
    ),
    "study": ("wotr study scripted --games 200",),
    "rules": ("wotr rules siege", "wotr rules R7.4.1", "wotr rules --cards", "wotr rules --options"),
    "bench": ("wotr bench --only decisions",),
}
"""The examples by command."""
