"""Bodies and tokens of requests."""

from __future__ import annotations

from starlette.requests import Request

from wotr_experiments.table.messages import Refused


async def read_body(request: Request, most: int) -> bytes:
    """The JSON body of a request.

    Args:
        request: the request of a client.
        most: maximal size in bytes.

    Raises:
        Refused: the body is too long, or has another content type.
    """
    if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
        raise Refused("message", "the body must have the type application/json")
    body = bytearray()
    async for part in request.stream():
        body += part
        if len(body) > most:
            raise Refused("size", f"a body may have at most {most} bytes")
    return bytes(body)


def token_of(request: Request) -> str:
    """The token of a request.

    Raises:
        Refused: the request has no token.
    """
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() != "bearer":
        raise Refused("token", "give a token of the table: Authorization: Bearer TOKEN")
    return token.strip()
