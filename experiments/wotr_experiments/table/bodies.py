"""Bodies of requests."""

from __future__ import annotations

from starlette.requests import Request

from wotr_experiments.table.messages import Refused


async def read_body(request: Request, most: int) -> bytes:
    """The JSON that a request carries.

    Args:
        request: of a client.
        most: bytes.

    Raises:
        Refused: it is too long, or says that it is something else.
    """
    if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
        raise Refused("message", "the body must have the type application/json")
    body = bytearray()
    async for part in request.stream():
        body += part
        if len(body) > most:
            raise Refused("size", f"a body may have at most {most} bytes")
    return bytes(body)
