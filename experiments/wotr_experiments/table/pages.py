"""The files of the page, read once and answered from memory: a page asks for some thirty at a time."""

from __future__ import annotations

import hashlib
import mimetypes
from pathlib import Path
from typing import NamedTuple

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

STATIC = Path(__file__).with_name("static")
INDEX = "index.html"


class _File(NamedTuple):
    data: bytes
    kind: str
    tag: str


def page_routes(paths: tuple[str, ...]) -> list[BaseRoute]:
    """Routes to the page, which is the same at all these paths, and to its files under ``/static/``."""
    files = {path.name: _read(path) for path in STATIC.iterdir() if path.is_file()}

    async def page(request: Request) -> Response:
        return _answer(request, files[INDEX])

    async def static(request: Request) -> Response:
        file = files.get(request.path_params["name"])
        return PlainTextResponse("not found\n", 404) if file is None else _answer(request, file)

    return [*(Route(path, page) for path in paths), Route("/static/{name}", static)]


def _read(path: Path) -> _File:
    data = path.read_bytes()
    kind = "text/javascript" if path.suffix == ".js" else mimetypes.types_map[path.suffix]
    return _File(data, kind, f'"{hashlib.blake2b(data, digest_size=12).hexdigest()}"')


def _answer(request: Request, file: _File) -> Response:
    headers = {"etag": file.tag}
    if request.headers.get("if-none-match") == file.tag:
        return Response(None, 304, headers)
    return Response(file.data, media_type=file.kind, headers=headers)
