"""What goes wrong, by class."""

from __future__ import annotations

import json
from typing import Any, ClassVar, Dict, List, Mapping, Optional, Sequence, Type

from ._retries import retry_after_seconds


class GateError(Exception):
    """Every error of this package. Branch on the class, on `code` or on `status`, never on a message.

    `type` says the class in a word, the same one in every language; `code` is finer: the server's own
    (`session_not_open`), or the type where it named none. `status`, `request_id` and `raw_body` are of the answer, None
    where there was none. `messages` has one entry for each field that failed, `fields` says which they are (`field`,
    `code`, `message`).
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
    """401: no key, or one that is malformed, unknown, revoked or expired."""

    type = "authentication_error"


class PermissionError(GateError):
    """403: the key is good and may not do this: wrong mode or host, wrong kind of key, a missing entitlement, an
    unlisted origin."""

    type = "permission_error"


class InvalidRequestError(GateError):
    """400, 402, 413, 415, 422 and the rest of the 4xx: the request will not be served as it is."""

    type = "invalid_request"


class NotFoundError(GateError):
    """404: there is no such thing, or it is another partner's or the other mode's."""

    type = "not_found"


class IdempotencyError(GateError):
    """409, and 422 `idempotency_key_mismatch`: the request collides with another one or with the present state. Itself it
    is a key that was used with another body (`idempotency_key_mismatch`) or whose first request is still running
    (`operation_in_progress`); state conflicts are `ConflictError`."""

    type = "idempotency_error"


class ConflictError(IdempotencyError):
    """409: the object's state does not allow the operation (`session_not_open`, `quota_exhausted`, …). Catch it before
    `IdempotencyError`."""

    type = "conflict"


class RateLimitError(GateError):
    """429, after the retries, or at once where the server asks for more than a minute. `retry_after_seconds` is what it
    asks for, None where it does not say."""

    type = "rate_limit"
    retry_after_seconds: Optional[float] = None


class APIError(GateError):
    """5xx, after the retries, and answers that the API cannot have sent. A write may have happened; its key makes a repeat
    safe."""

    type = "api_error"


class APIConnectionError(GateError):
    """No whole answer came: refused, reset, cut off, or no JSON. A write may have happened; its key makes a repeat
    safe."""

    type = "connection_error"


class TimeoutError(APIConnectionError):
    """An attempt took longer than `timeout_seconds`, all told."""

    type = "timeout"


class WebhookSignatureError(GateError):
    """What came to the webhook address is not a fresh delivery signed with the secret. `reason` says which check
    failed, the message what to do about it."""

    type = "invalid_request"

    def __init__(self, reason: str, hint: str) -> None:
        super().__init__(f"{reason}: {hint}", messages=[hint])
        self.reason = reason
        self.hint = hint


_BY_STATUS: Mapping[int, Type[GateError]] = {
    401: AuthenticationError,
    403: PermissionError,
    404: NotFoundError,
    408: APIError,  # this one and 425 are about the moment, not about the request
    409: ConflictError,
    425: APIError,
    429: RateLimitError,
}
_KEY_CODES = frozenset({"operation_in_progress", "idempotency_key_mismatch"})


def error_of(status: int, headers: Mapping[str, str], body: bytes, now: float) -> GateError:
    """The error that an answer is. Both forms of the envelope are read, and so is an answer that has none."""
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
