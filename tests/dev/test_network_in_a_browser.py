"""The page docs/examples/in_a_browser: a network in a browser chooses as in Python.

The test needs Chromium and the npm package onnxruntime-web. It looks for the package in the folder of the
example, where npm installs it, and in the folders of ``NODE_PATH``.
"""

from __future__ import annotations

import functools
import http.server
import json
import os
import shutil
import threading
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="needs torch")

import torch

from tests.browsers import browser as browser
from tests.browsers import new_page
from tests.dev.test_examples import EXAMPLES, example
from wotr_agents.networks.checkpoint import load_network
from wotr_agents.networks.files import find_network
from wotr_experiments.cli.main import main

pytestmark = pytest.mark.slow

PAGE = EXAMPLES / "in_a_browser"
SCRIPT = Path("onnxruntime-web") / "dist" / "ort.wasm.min.mjs"
NEAR = 1e-4


def node_modules():
    """The folder in which npm installed onnxruntime-web; None: there is none."""
    folders = [
        PAGE / "node_modules",
        *map(Path, filter(None, os.environ.get("NODE_PATH", "").split(os.pathsep))),
    ]
    return next((folder for folder in folders if (folder / SCRIPT).is_file()), None)


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Serves files without a log."""

    def log_message(self, format, *arguments):
        pass


@pytest.fixture
def site(tmp_path):
    """The folder of the page, and its address."""
    installed = node_modules()
    if installed is None:
        pytest.skip("needs onnxruntime-web: npm install onnxruntime-web in docs/examples/in_a_browser")
    pytest.importorskip("onnxscript", reason="needs onnxscript")
    for name in ("play.html", "play.js"):
        shutil.copy(PAGE / name, tmp_path)
    (tmp_path / "node_modules").symlink_to(installed.resolve(), target_is_directory=True)
    handler = functools.partial(Quiet, directory=str(tmp_path))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield tmp_path, f"http://127.0.0.1:{server.server_port}/play.html"
        server.shutdown()
        thread.join()


def wanted(network, played):
    """The action and the chance to win of each position, by the network in Python."""
    loaded = load_network(find_network(network))
    inputs = torch.tensor([each["inputs"] for each in played["positions"]], dtype=torch.int8)
    with torch.no_grad():
        logits, end_logits = loaded.network(inputs)
    values = end_logits.double().softmax(dim=1) @ torch.tensor(played["end_values"], dtype=torch.float64)
    for position, row, value in zip(played["positions"], logits, values.tolist(), strict=True):
        legal = [int(each) for each in position["actions"]]
        action = legal[int(row[legal].argmax())]
        yield action, 0.5 + 0.5 * (value if position["team"] == 0 else -value)


@pytest.mark.parametrize("network", ["zoo/duel", "zoo/laptop"])
def test_a_network_in_a_browser_chooses_as_in_python(network, site, browser, capsys):
    folder, address = site
    assert main(["export-network", network, str(folder / "network.onnx")]) == 0
    played = example("in_a_browser/positions").main(
        [network, str(folder / "positions.json"), "--count", "30"]
    )
    assert json.loads((folder / "positions.json").read_text())["game"] == played["game"]
    page = new_page(browser)
    page.goto(address)
    page.wait_for_selector("body[data-done]", timeout=120_000)
    assert page.locator("#status").inner_text() == f"30 positions of {played['game']}"
    rows = page.locator("tbody tr")
    found = rows.evaluate_all(
        "rows => rows.map(({ dataset }) => [Number(dataset.action), Number(dataset.chance)])"
    )
    actions, chances = zip(*wanted(network, played), strict=True)
    assert tuple(action for action, _ in found) == actions
    assert [chance for _, chance in found] == pytest.approx(chances, abs=NEAR)
    words = [each["actions"][action] for each, action in zip(played["positions"], actions, strict=True)]
    assert rows.locator("td:nth-child(2)").all_inner_texts() == words
    assert len({each["team"] for each in played["positions"]}) == 2, "both teams decide"
    page.close()
