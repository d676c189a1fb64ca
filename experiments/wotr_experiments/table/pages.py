"""The files of pages, read once and served from memory: a page requests about thirty.

A page lists all its modules in its head, so that browsers load them in parallel. The addresses of files
contain a hash of all files, ``/static/HASH/NAME``, so browsers cache them without further requests.
"""

from __future__ import annotations

import functools
import gzip
import hashlib
import mimetypes
import posixpath
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import BaseRoute, Route

from wotr_experiments import games

STATIC = Path(__file__).with_name("static")
_OF_GAMES = "*/page"
"""The folders of games with the files of their own tables; such a file has the name ``GAME/NAME``."""
INDEX = "index.html"
MISSING = "missing.html"
"""The page at unknown addresses."""
MAIN = "main.js"
_BASE = b'<base href="/">'
_IMPORT = re.compile(r'^import .* from "(\.\.?/[\w/]+\.js)";$', re.MULTILINE)
_VERSION = re.compile(r"[0-9a-f]{16}")

_KEPT = "public, max-age=31536000, immutable"
"""``Cache-Control`` of files that never change at their address: a year, the longest time for which browsers
cache anything."""
_COMMENT = re.compile(rb"^[ \t]*//.*\n", re.MULTILINE)
"""A line of a script that is a comment."""


class _File(NamedTuple):
    data: bytes
    kind: str
    tag: str
    """A weak ``ETag``, also used for the compressed contents."""
    packed: bytes
    """The contents, compressed by gzip."""


Which = Callable[[Request], Awaitable[str]]
"""The module of the page of a request."""


def page_routes(paths: Mapping[str, Sequence[str]], which: Which, root: str = "") -> list[BaseRoute]:
    """Routes to pages, and to their files under ``/static/``.

    Args:
        paths: the modules that ``main.js`` may load, by path of the page.
        which: chooses one of several modules.
        root: the path of the server at its proxy, such as ``/wotr``. All addresses in pages are below it.
    """
    files, version = _static()

    async def static(request: Request) -> Response:
        path = request.path_params["path"]
        first, _, rest = path.partition("/")
        file = files.get(rest if _VERSION.fullmatch(first) else path)
        if file is None:
            return missing_page(root)
        return _answer(request, file, _KEPT if first == version else "no-cache")

    pages = [Route(path, _page(files, entries, which, version, root)) for path, entries in paths.items()]
    return [*pages, Route("/static/{path:path}", static)]


def missing_page(root: str = "") -> Response:
    """The answer for people at an unknown address; ``root`` as for ``page_routes``."""
    files, version = _static()
    return HTMLResponse(_placed(files[MISSING].data, version, root), 404)


@functools.cache
def _static() -> tuple[dict[str, _File], str]:
    """The files by name, and a hash of all of them."""
    files = {path.relative_to(STATIC).as_posix(): _read(path) for path in STATIC.rglob("*") if path.is_file()}
    for folder in Path(games.__path__[0]).glob(_OF_GAMES):
        files |= {
            f"{folder.parent.name}/{path.name}": _read(path) for path in folder.iterdir() if path.is_file()
        }
    tags = "".join(files[name].tag for name in sorted(files))
    return files, hashlib.blake2b(tags.encode(), digest_size=8).hexdigest()


def _page(
    files: Mapping[str, _File], entries: Sequence[str], which: Which, version: str, root: str
) -> Callable[[Request], Awaitable[Response]]:
    made = {entry: _index(files, entry, version, root) for entry in entries}

    async def page(request: Request) -> Response:
        return _answer(request, made[entries[0] if len(entries) == 1 else await which(request)], "no-cache")

    return page


def _index(files: Mapping[str, _File], entry: str, version: str, root: str) -> _File:
    """The page, with a link to each file that a module needs."""
    links = [f'<link rel="modulepreload" href="static/{name}">\n' for name in _modules(files, entry)]
    index = files[INDEX].data.replace(b"</head>", "".join(links).encode() + b"</head>")
    return _file(_placed(index, version, root), files[INDEX].kind)


def _placed(page: bytes, version: str, root: str) -> bytes:
    """A page with the addresses of this server."""
    page = page.replace(b"static/", f"static/{version}/".encode())
    return page.replace(_BASE, f'<base href="{root}/">'.encode())


def _modules(files: Mapping[str, _File], entry: str) -> list[str]:
    """A module with all modules that it imports."""
    found, left = set(), [entry, MAIN]
    while left:
        name = left.pop()
        if name not in found:
            found.add(name)
            imported = _IMPORT.findall(files[name].data.decode())
            left += [posixpath.normpath(posixpath.join(posixpath.dirname(name), each)) for each in imported]
    return sorted(found)


def _read(path: Path) -> _File:
    data = path.read_bytes()
    if path.suffix == ".js":
        return _file(_COMMENT.sub(b"", data), "text/javascript")
    return _file(data, mimetypes.types_map[path.suffix])


def _file(data: bytes, kind: str) -> _File:
    tag = f'W/"{hashlib.blake2b(data, digest_size=12).hexdigest()}"'
    return _File(data, kind, tag, gzip.compress(data, mtime=0))


def _answer(request: Request, file: _File, cache: str) -> Response:
    headers = {"etag": file.tag, "cache-control": cache, "vary": "Accept-Encoding"}
    if request.headers.get("if-none-match") == file.tag:
        return Response(None, 304, headers)
    if "gzip" in request.headers.get("accept-encoding", ""):
        return Response(file.packed, media_type=file.kind, headers=headers | {"content-encoding": "gzip"})
    return Response(file.data, media_type=file.kind, headers=headers)
