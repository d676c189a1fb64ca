"""The files of pages, read once and served from memory: a page requests about thirty.

A page lists all its modules in its head, so that browsers load them in parallel.
"""

from __future__ import annotations

import hashlib
import mimetypes
import re
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

STATIC = Path(__file__).with_name("static")
INDEX = "index.html"
MAIN = "main.js"
_BASE = b'<base href="/">'
_IMPORT = re.compile(r'^import .* from "\./(\w+\.js)";$', re.MULTILINE)


class _File(NamedTuple):
    data: bytes
    kind: str
    tag: str


def page_routes(paths: Mapping[str, str], root: str = "") -> list[BaseRoute]:
    """Routes to pages, and to their files under ``/static/``.

    Args:
        paths: by path of a page, the module that ``main.js`` loads.
        root: the path of the server at its proxy, such as ``/wotr``. All addresses in pages are below it.
    """
    files = {path.name: _read(path) for path in STATIC.iterdir() if path.is_file()}

    async def static(request: Request) -> Response:
        file = files.get(request.path_params["name"])
        return PlainTextResponse("not found\n", 404) if file is None else _answer(request, file)

    pages = [Route(path, _page(files, entry, root)) for path, entry in paths.items()]
    return [*pages, Route("/static/{name}", static)]


def _page(files: Mapping[str, _File], entry: str, root: str) -> Callable[[Request], Awaitable[Response]]:
    links = [f'<link rel="modulepreload" href="static/{name}">\n' for name in _modules(files, entry)]
    index = files[INDEX].data.replace(b"</head>", "".join(links).encode() + b"</head>")
    index = index.replace(_BASE, f'<base href="{root}/">'.encode())
    file = _file(index, files[INDEX].kind)

    async def page(request: Request) -> Response:
        return _answer(request, file)

    return page


def _modules(files: Mapping[str, _File], entry: str) -> list[str]:
    """A module with all that it imports."""
    found, left = set(), [entry, MAIN]
    while left:
        name = left.pop()
        if name not in found:
            found.add(name)
            left += _IMPORT.findall(files[name].data.decode())
    return sorted(found)


def _read(path: Path) -> _File:
    data = path.read_bytes()
    kind = "text/javascript" if path.suffix == ".js" else mimetypes.types_map[path.suffix]
    return _file(data, kind)


def _file(data: bytes, kind: str) -> _File:
    return _File(data, kind, f'"{hashlib.blake2b(data, digest_size=12).hexdigest()}"')


def _answer(request: Request, file: _File) -> Response:
    headers = {"etag": file.tag}
    if request.headers.get("if-none-match") == file.tag:
        return Response(None, 304, headers)
    return Response(file.data, media_type=file.kind, headers=headers)
