"""The command ``wotr export-network``. It imports torch late, because torch takes seconds to load."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from wotr_agents.networks.files import find_network
from wotr_experiments.cli.options import tell_loading
from wotr_experiments.errors import CommandError
from wotr_experiments.files import write_bytes


def export_network(
    network: Annotated[
        str,
        typer.Argument(metavar="NETWORK", help="Network: a file, the folder of a training run, or zoo/NAME."),
    ],
    out: Annotated[
        Path, typer.Argument(metavar="OUT", help="File to write: NAME.onnx, or NAME.pt2 for torch.export.")
    ],
) -> None:
    """Write a network for other programs, as ONNX or in the format of torch.export.

    The input is a batch of observations (int8). The outputs are the logits of all actions, legal or not, and
    of the ends of the game. See docs/training.md.
    """
    path = find_network(network.removeprefix("net:"))
    tell_loading()
    from wotr_agents.networks.checkpoint import load_network
    from wotr_agents.networks.exported import FORMATS, input_size

    if out.suffix not in FORMATS:
        raise CommandError(f"{out} must end in {' or '.join(FORMATS)}")
    loaded = load_network(path)
    write_bytes(out, FORMATS[out.suffix](loaded))
    actions, ends = loaded.kind.actions.size, len(loaded.kind.worths)
    advice = f", of which the last {actions} are advice" if loaded.config.advice else ""
    print(
        f"wotr: {out} takes observations int8[batch, {input_size(loaded)}]{advice}, and gives logits "
        f"float32[batch, {actions}] and end_logits float32[batch, {ends}]",
        file=sys.stderr,
    )
