"""The table behind a proxy with TLS: nginx and Caddy as documented, and a proxy that keeps the path."""

from __future__ import annotations

import contextlib
import re
import shutil
import socket
import ssl
import subprocess
from pathlib import Path

import pytest

pytest.importorskip("uvicorn", reason="needs the extra web")

from starlette.testclient import TestClient

from tests.browsers import find_chromium
from tests.tools.live_table import LiveServer
from tests.waiting import eventually
from tests.web_tables import PEOPLE, SHORT
from wotr_experiments.cli import main as cli
from wotr_experiments.table.server import POLICY, Settings, make_app

PAGE = Path(__file__).parents[2] / "docs" / "table-server.md"
NAME = "games.example.org"
ROOT = "/wotr"
FRAME = """
daemon off; pid {folder}/pid; error_log {folder}/error.log;
events {{}}
http {{
  access_log off;
  client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
  {server}
}}
"""


LOCAL = """
{{
  admin off
  local_certs
  skip_install_trust
  default_bind 127.0.0.1
  http_port {http}
  https_port {https}
  storage file_system {folder}/caddy
}}
"""


def documented(language):
    """The configuration of a proxy in the documentation."""
    (text,) = re.findall(rf"```{language}\n(.*?)```", PAGE.read_text(), re.DOTALL)
    return text


def program(name):
    found = shutil.which(name) or shutil.which(f"/usr/sbin/{name}")
    if found is None:
        pytest.skip(f"needs {name}")
    return found


def certificate(folder):
    """A certificate that this machine signs itself, and its key."""
    files = folder / "own.pem", folder / "own.key"
    subject = ["-subj", f"/CN={NAME}", "-addext", f"subjectAltName=DNS:{NAME}"]
    made = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", *subject]
    out = ["-out", files[0], "-keyout", files[1]]
    subprocess.run([program("openssl"), *made, *out], check=True, capture_output=True)
    return files


def nginx(folder, listens, serves):
    """The command that starts nginx as documented, with other ports and an own certificate."""
    text = documented("nginx").replace("listen 443 ssl;", f"listen 127.0.0.1:{listens} ssl;")
    for file, known in zip(
        certificate(folder), (f"/etc/ssl/{NAME}.pem", f"/etc/ssl/{NAME}.key"), strict=True
    ):
        assert known in text
        text = text.replace(known, str(file))
    text = text.replace("127.0.0.1:8000", f"127.0.0.1:{serves}")
    (folder / "nginx.conf").write_text(FRAME.format(folder=folder, server=text))
    return [program("nginx"), "-p", folder, "-c", folder / "nginx.conf"]


def caddy(folder, listens, serves):
    """The command that starts Caddy as documented, with other ports and certificates of its own authority."""
    options = LOCAL.format(folder=folder, http=free_port(), https=listens)
    text = documented("caddy").replace("127.0.0.1:8000", f"127.0.0.1:{serves}")
    (folder / "Caddyfile").write_text(options + text)
    return [program("caddy"), "run", "--adapter", "caddyfile", "--config", folder / "Caddyfile"]


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as found:
        return found.getsockname()[1]


@contextlib.contextmanager
def running(proxy, folder, serves):
    """A proxy as documented; yields the address of its pages."""
    port = free_port()
    command = [str(each) for each in proxy(folder, port, serves)]
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    unknown = ssl.create_default_context()
    unknown.check_hostname, unknown.verify_mode = False, ssl.CERT_NONE

    def answers():
        assert process.poll() is None, f"{command[0]} does not start"
        with contextlib.suppress(OSError):
            with socket.create_connection(("127.0.0.1", port), 1) as plain:
                unknown.wrap_socket(plain, server_hostname=NAME).close()
            return True
        return False

    try:
        eventually(answers, command[0])
        yield f"https://{NAME}:{port}{ROOT}"
    finally:
        process.terminate()
        process.wait()


@pytest.mark.slow
@pytest.mark.parametrize("proxy", [nginx, caddy])
def test_a_game_behind_a_proxy_as_documented(tmp_path, proxy):
    playwright = pytest.importorskip("playwright.sync_api", reason="needs Playwright for Python")
    chromium = find_chromium()
    with LiveServer(tmp_path / "tables", root=ROOT, names=(NAME,)).running() as server:
        serves = int(server.url.rpartition(":")[2])
        with running(proxy, tmp_path, serves) as address, playwright.sync_playwright() as driver:
            here = [f"--host-resolver-rules=MAP {NAME} 127.0.0.1", "--no-sandbox"]
            started = driver.chromium.launch(executable_path=chromium, args=here)
            page, wrong, asked = started.new_page(ignore_https_errors=True), [], []
            page.on("console", lambda message: wrong.append(message.text))
            page.on("response", lambda answer: answer.status < 400 or wrong.append(answer.url))
            page.on("request", lambda request: asked.append(request.url))
            page.on("websocket", lambda opened: asked.append(opened.url))
            page.goto(f"{address}/")
            page.get_by_role("button", name="Open the table").click()
            page.locator("#act button.answer").first.wait_for()
            assert page.url.startswith(f"{address}/table/")
            before = page.evaluate("document.body.dataset.hash")
            page.locator("#act button.answer").first.click()
            page.wait_for_function("(before) => document.body.dataset.hash !== before", arg=before)
            page.get_by_role("link", name="All games and tables").click()
            mine = page.get_by_role("region", name="My games")
            mine.get_by_role("link").first.wait_for()
            assert page.url == f"{address}/"
            links = mine.get_by_role("link").evaluate_all("(links) => links.map(({ href }) => href)")
            assert links and all(link.startswith(f"{address}/table/") for link in links)
            page.get_by_role("link", name="Analysis board").click()
            page.get_by_role("button", name="Begin").click()
            page.locator("#play .answer").first.wait_for()
            page.wait_for_url(f"{address}/study#*")
            page.reload()
            page.locator("#play .answer").first.wait_for()
            page.goto(f"{address}/tournaments")
            page.get_by_role("link", name="Tables", exact=True).wait_for()
            assert wrong == []
            assert {url.partition(":")[0] for url in asked} == {"https", "wss"}
            started.close()


@pytest.fixture(scope="module")
def asks(tmp_path_factory):
    settings = Settings(tmp_path_factory.mktemp("tables"), workers=0, root=ROOT, names=(NAME,))
    with TestClient(make_app(settings), base_url=f"https://{NAME}") as made:
        yield made


@pytest.mark.parametrize("prefix", [ROOT, ""], ids=["kept", "cut off"])
def test_the_proxy_may_keep_the_path_or_cut_it_off(asks, prefix):
    assert f'<base href="{ROOT}/">' in asks.get(f"{prefix}/").text
    assert asks.get(f"{prefix}/static/main.js").status_code == 200
    opened = asks.post(f"{prefix}/api/tables", json={"ruleset": SHORT, "seats": PEOPLE})
    assert opened.status_code == 201
    table, token = opened.json()["table"], opened.json()["tokens"]["shadow"]
    with asks.websocket_connect(f"wss://{NAME}{prefix}/ws") as line:
        line.send_json({"type": "hello", "v": 1, "table": table, "token": token})
        assert line.receive_json()["seat"] == "shadow"


@pytest.mark.parametrize("prefix", [ROOT, ""], ids=["kept", "cut off"])
@pytest.mark.parametrize("path", ["/nonsense", "/nonsense/more", "/static/a/b/c", "/table/", "/apiary"])
def test_an_unknown_address_has_a_page_that_leads_to_the_start_page(asks, prefix, path):
    answer = asks.get(prefix + path)
    assert answer.status_code == 404 and answer.headers["content-type"] == "text/html; charset=utf-8"
    assert answer.headers["content-security-policy"] == POLICY
    assert f'<base href="{ROOT}/">' in answer.text and '<a href="./">' in answer.text
    (style, *_) = re.findall(r'href="(static/[^"]+\.css)"', answer.text)
    assert asks.get(f"{prefix}/{style}").headers["cache-control"].endswith("immutable")


@pytest.mark.parametrize("prefix", [ROOT, ""], ids=["kept", "cut off"])
def test_an_unknown_address_of_the_api_is_refused_in_json(asks, prefix):
    answer = asks.get(f"{prefix}/api/nonsense")
    assert (answer.status_code, answer.json()) == (404, {"error": "there is no such address"})
    answer = asks.get(f"{prefix}/api/study/open")
    assert (answer.status_code, answer.json()) == (405, {"error": "Method Not Allowed"})
    assert answer.headers["allow"] == "POST"
    answer = asks.post(f"{prefix}/study")
    assert (answer.status_code, answer.text) == (405, "Method Not Allowed\n")


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"host": "evil.example.org"}, 403),
        ({"host": "localhost:8000"}, 200),
        ({"host": f"{NAME}:8443"}, 200),
        ({"host": NAME.upper()}, 200),
        ({"origin": "https://evil.example.org"}, 403),
        ({"origin": f"https://{NAME}"}, 200),
        ({"host": f"evil.{NAME}"}, 403),
    ],
)
def test_other_names_and_other_sites_are_refused(asks, headers, status):
    assert asks.get("/api/options", headers=headers).status_code == status


def test_behind_a_proxy_no_spec_names_a_file(asks):
    seats = {"free_peoples": "person", "shadow": "net:/etc/passwd"}
    answer = asks.post("/api/tables", json={"ruleset": SHORT, "seats": seats})
    assert answer.status_code == 400 and "of the form zoo/NAME" in answer.json()["error"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--root-path", "wotr"], "--root-path is a path such as /wotr, not 'wotr'"),
        (["--root-path", '/a"b'], "--root-path is a path such as /wotr"),
        (["--root-path", "/a//b"], "--root-path is a path such as /wotr"),
        (["--allowed-host", "games.example.org:443"], "without a port, not 'games.example.org:443'"),
        (["--allowed-host", "https://games.example.org"], "--allowed-host is a name"),
    ],
)
def test_wrong_options_are_refused_in_a_line(capsys, arguments, words):
    assert cli.main(["serve", *arguments]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert words in line
