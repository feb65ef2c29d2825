"""Reads raw request bodies from `http.server` and WSGI, and writes the responses."""

from __future__ import annotations

import re
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler
from typing import Any, Callable, Dict, List, Optional, Tuple, Union

from ._errors import WebhookSignatureError
from ._webhook_answers import WebhookAnswer, refusal

BODY_BYTES_MAX = 256 * 1024
"""Far above any event: metadata, its largest part, is limited to 16 KiB."""

TOO_LARGE = refusal(413, "body_too_large", "The body exceeds the size limit of events.")

CUT_OFF = refusal(400, "body_cut_off", "The request body is incomplete.")

Take = Callable[[bytes, Optional[str], Optional[str], Optional[str]], WebhookAnswer]
Headers = List[Tuple[str, str]]


def from_http_server(request: BaseHTTPRequestHandler, take: Take) -> None:
    length = length_or_refusal(request.command, request.headers.get("content-length"))
    if isinstance(length, WebhookAnswer):
        # The rest of the body is not read, so the connection cannot be reused.
        write(request, length, [("Connection", "close")])
        return
    body = request.rfile.read(length)
    if len(body) < length:
        write(request, CUT_OFF, [("Connection", "close")])
        return
    headers = request.headers
    signature, traceparent, tracestate = (headers.get(name) for name in ("gate-signature", "traceparent", "tracestate"))
    write(request, take(body, signature, traceparent, tracestate), [])


def write(request: BaseHTTPRequestHandler, answer: WebhookAnswer, headers: Headers) -> None:
    request.send_response(answer.status)
    for name, value in [*headers_of(answer), *headers]:
        request.send_header(name, value)
    request.end_headers()
    request.wfile.write(answer.body)


def from_wsgi(
    environ: Dict[str, Any], start_response: Callable[[str, Headers], object], take: Take
) -> List[bytes]:
    length = length_or_refusal(environ["REQUEST_METHOD"], environ.get("CONTENT_LENGTH"))
    if isinstance(length, WebhookAnswer):
        answer = length
    else:
        body = whole(environ["wsgi.input"], length)
        is_cut = len(body) < length
        signature, traceparent = environ.get("HTTP_GATE_SIGNATURE"), environ.get("HTTP_TRACEPARENT")
        answer = CUT_OFF if is_cut else take(body, signature, traceparent, environ.get("HTTP_TRACESTATE"))
    start_response(f"{answer.status} {HTTPStatus(answer.status).phrase}", headers_of(answer))
    return [answer.body]


def whole(stream: Any, length: int) -> bytes:
    body = b""
    while len(body) < length:
        piece = stream.read(length - len(body))
        if not piece:
            break
        body += piece
    if length > 0 and body == b"":
        # Already read, for example by request.form: the raw bytes are lost.
        raise WebhookSignatureError("parsed_body", "The request body was already read before this receiver.")
    return body


def length_or_refusal(method: str, said: Optional[str]) -> Union[int, WebhookAnswer]:
    """The number of bytes to read. Neither `http.server` nor WSGI decodes chunked bodies, so a length is required."""
    if method != "POST":
        return refusal(405, "method_not_allowed", "Use POST to send a delivery.")
    if said is None or not re.fullmatch("[0-9]{1,18}", said):
        return refusal(411, "length_required", "A Content-Length header is required.")
    if int(said) > BODY_BYTES_MAX:
        return TOO_LARGE
    return int(said)


def headers_of(answer: WebhookAnswer) -> Headers:
    allow = [("Allow", "POST")] if answer.status == 405 else []
    return [("Content-Type", "application/json"), ("Content-Length", str(len(answer.body))), *allow]
