"""The error classes."""

from __future__ import annotations

import json
from typing import Any, ClassVar, Dict, List, Mapping, Optional, Sequence, Type

from ._retries import retry_after_seconds


class GateError(Exception):
    """The base class of all errors of this package. Branch on the class, on `code` or on `status`, never on a message.

    `type` identifies the class, with the same value in every language; `code` is the server's more specific error code
    (`session_not_open`), or the type if the response has none. `status`, `request_id` and `raw_body` are those of the
    response, None without one. `messages` has one entry for each field that failed validation; `fields` describes these
    fields (`field`, `code`, `message`).
    """

    type: ClassVar[str] = "gate_error"

    def __init__(
        self,
        message: str,
        *,
        code: Optional[str] = None,
        status: Optional[int] = None,
        request_id: Optional[str] = None,
        raw_body: Optional[str] = None,
        messages: Sequence[str] = (),
        fields: Sequence[Mapping[str, str]] = (),
        doc_url: Optional[str] = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.code: str = code or self.type
        self.status = status
        self.request_id = request_id
        self.raw_body = raw_body
        self.messages: List[str] = list(messages)
        self.fields: List[Mapping[str, str]] = list(fields)
        self.doc_url = doc_url


class AuthenticationError(GateError):
    """401: the key is missing, malformed, unknown, revoked or expired."""

    type = "authentication_error"


class PermissionError(GateError):
    """403: the key is valid but not allowed to do this: wrong mode or host, wrong type of key, missing entitlement, or
    an origin that is not allowed."""

    type = "permission_error"


class InvalidRequestError(GateError):
    """400, 402, 413, 415, 422 and all other 4xx: the request is invalid."""

    type = "invalid_request"


class NotFoundError(GateError):
    """404: the object does not exist, or belongs to another partner or mode."""

    type = "invalid_request"


class IdempotencyError(GateError):
    """409, and 422 `idempotency_key_mismatch`: the request conflicts with another request or with the current state.
    This class itself means a key that was used with another body (`idempotency_key_mismatch`) or whose first request is
    still running (`operation_in_progress`); state conflicts are `ConflictError`."""

    type = "idempotency_error"


class ConflictError(IdempotencyError):
    """409: the object's state does not allow the operation (`session_not_open`, `quota_exhausted`, …). Catch it before
    `IdempotencyError`."""

    type = "idempotency_error"


class RateLimitError(GateError):
    """429, after all retries, or at once if the server asks for a wait of more than a minute. `retry_after_seconds` is
    that wait, None if the server names none."""

    type = "rate_limit"
    retry_after_seconds: Optional[float] = None


class APIError(GateError):
    """5xx, after all retries, and responses that cannot come from the API. A write may have been executed; its key
    makes a repeat safe."""

    type = "api_error"


class APIConnectionError(GateError):
    """No complete response: refused, reset, truncated, or not JSON. A write may have been executed; its key makes a
    repeat safe."""

    type = "connection_error"


class TimeoutError(APIConnectionError):
    """An attempt took longer than `timeout_seconds` in total."""

    type = "timeout"


class WebhookSignatureError(GateError):
    """The request is not a recent delivery signed with the secret. `reason` says which check failed, the message how to
    fix it."""

    type = "invalid_request"

    def __init__(self, reason: str, hint: str) -> None:
        super().__init__(f"{reason}: {hint}", messages=[hint])
        self.reason = reason
        self.hint = hint


_BY_STATUS: Mapping[int, Type[GateError]] = {
    401: AuthenticationError,
    403: PermissionError,
    404: NotFoundError,
    408: APIError,  # 408 and 425 are temporary rather than caused by the request
    409: ConflictError,
    425: APIError,
    429: RateLimitError,
}
_KEY_CODES = frozenset({"operation_in_progress", "idempotency_key_mismatch"})


def error_of(status: int, headers: Mapping[str, str], body: bytes, now: float) -> GateError:
    """Maps a response to its error. Reads both forms of the envelope, and responses without one."""
    raw_body = body.decode("utf-8", "replace")
    envelope = _envelope(raw_body)
    code = _text(envelope.get("code"))
    message = envelope.get("message")
    messages = [text for text in (message if isinstance(message, list) else [message]) if isinstance(text, str)]
    fields = envelope.get("errors")
    error = _class_of(status, code)(
        "; ".join(messages) or f"The server answered {status} without an error message.",
        code=code,
        status=status,
        request_id=headers.get("X-Request-Id") or _text(envelope.get("request_id")) or _text(envelope.get("requestId")),
        raw_body=raw_body,
        messages=messages,
        fields=[field for field in fields if isinstance(field, dict)] if isinstance(fields, list) else [],
        doc_url=_text(envelope.get("doc_url")),
    )
    if isinstance(error, RateLimitError):
        error.retry_after_seconds = retry_after_seconds(headers, now)
    return error


def _class_of(status: int, code: Optional[str]) -> Type[GateError]:
    if code in _KEY_CODES:
        return IdempotencyError
    return _BY_STATUS.get(status, InvalidRequestError if 400 <= status < 500 else APIError)


def _envelope(raw_body: str) -> Dict[str, Any]:
    try:
        body = json.loads(raw_body)
    except (ValueError, RecursionError):
        return {}
    return body if isinstance(body, dict) else {}


def _text(value: Any) -> Optional[str]:
    return value if isinstance(value, str) and value != "" else None
