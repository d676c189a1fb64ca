"""Networks as files for other programs: ONNX, and the format of ``torch.export``."""

from __future__ import annotations

import importlib.util
import io
import json
import logging
import warnings
from collections.abc import Callable, Mapping
from dataclasses import asdict

import torch

from wotr_agents.networks.checkpoint import LoadedNetwork
from wotr_agents.networks.scales import input_scale
from wotr_agents.networks.weight_files import made_for
from wotr_env.core.kind import GameKind
from wotr_env.play.bots import BotError
from wotr_env.play.plugins import how_to_install

INPUT = "observations"
"""``int8[batch, I]``: observations; for networks with advice, each is followed by the advice."""
OUTPUTS = ("logits", "end_logits")
"""``float32[batch, A]``: the logits of all actions, legal or not; and ``float32[batch, E]``: the logits of
the ends."""
DESCRIPTION = "wotr.json"
"""The file in an archive of ``torch.export`` that holds ``description_of``; ONNX has it as metadata."""


def input_size(loaded: LoadedNetwork) -> int:
    """I: the size of an observation, plus that of the advice if the network uses advice."""
    return len(input_scale(loaded.kind, loaded.config.advice))


def description_of(loaded: LoadedNetwork) -> dict[str, str]:
    """The description that programs need in order to use the file; values other than names and versions are
    JSON.

    Its keys: ``game``, ``rules_version``, ``layout``, ``network`` (the size), ``actions`` (names, by logit),
    ``ends`` (names, by logit), ``end_values`` (the value of each end for the first team, from -1 to 1).
    """
    kind: GameKind = loaded.kind
    return {
        **made_for(kind),
        "network": json.dumps(asdict(loaded.config)),
        "actions": json.dumps(list(kind.actions.names)),
        "ends": json.dumps([end.name for end in kind.ends]),
        "end_values": json.dumps(kind.worths[:, 0].tolist()),
    }


def _to_pt2(loaded: LoadedNetwork) -> bytes:
    program = torch.export.export(loaded.network, **_arguments(loaded))
    file = io.BytesIO()
    torch.export.save(program, file, extra_files={DESCRIPTION: json.dumps(description_of(loaded))})
    return file.getvalue()


def _to_onnx(loaded: LoadedNetwork) -> bytes:
    missing = [name for name in ("onnx", "onnxscript") if importlib.util.find_spec(name) is None]
    if missing:
        raise BotError(f"ONNX files need {' and '.join(missing)}: {how_to_install('onnx')}")
    log = logging.getLogger("torch.onnx")
    level = log.level
    log.setLevel(logging.ERROR)  # it warns that torchvision is not installed
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            program = torch.onnx.export(
                loaded.network,
                **_arguments(loaded),
                dynamo=True,
                verbose=False,
                input_names=[INPUT],
                output_names=OUTPUTS,
            )
    finally:
        log.setLevel(level)
    assert program is not None
    program.model.metadata_props.update(description_of(loaded))
    return program.model_proto.SerializeToString()


def _arguments(loaded: LoadedNetwork) -> dict:
    """The arguments of both exporters of PyTorch: example inputs, and a variable batch size."""
    example = torch.zeros(2, input_size(loaded), dtype=torch.int8)
    return {"args": (example,), "dynamic_shapes": {INPUT: {0: torch.export.Dim("batch")}}}


FORMATS: Mapping[str, Callable[[LoadedNetwork], bytes]] = {".onnx": _to_onnx, ".pt2": _to_pt2}
"""The functions that write a network, by the suffix of the file."""
