"""What goes wrong, by class. Branch on the class, `code` and `api_code`; a message is for people and may change."""

from __future__ import annotations

import json
from typing import Any, ClassVar, Dict, List, Mapping, Optional, Type

from ._headers import Headers
from ._retries import retry_after_seconds


class GateError(Exception):
    """Every error of this package. `code` says its class in a word; `api_code` is the server's own, finer code (None
    without one).

    `status`, `request_id` and `raw_body` are of the answer, None where there was none. `messages` has one entry for
    each failed field, `errors` the fields themselves (`field`, `code`, `message`).
    """

    code: ClassVar[str] = "gate_error"

    def __init__(
        self,
        message: str,
        *,
        status: Optional[int] = None,
        api_code: Optional[str] = None,
        request_id: Optional[str] = None,
        raw_body: Optional[bytes] = None,
        headers: Optional[Mapping[str, str]] = None,
        messages: Optional[List[str]] = None,
        errors: Optional[List[Dict[str, Any]]] = None,
        doc_url: Optional[str] = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.status = status
        self.api_code = api_code
        self.request_id = request_id
        self.raw_body = raw_body
        self.headers: Mapping[str, str] = headers if headers is not None else Headers()
        self.messages = messages if messages is not None else [message]
        self.errors = errors if errors is not None else []
        self.doc_url = doc_url


class AuthenticationError(GateError):
    """401: no key, or one that is malformed, unknown, revoked or expired."""

    code = "authentication_error"


class PermissionError(GateError):
    """403: the key is good and may not do this: wrong mode or host, wrong kind of key, a missing entitlement, an
    unlisted origin."""

    code = "permission_error"


class InvalidRequestError(GateError):
    """400, 402, 413, 415, 422 and the rest of the 4xx: the request will not be served as it is."""

    code = "invalid_request"


class NotFoundError(GateError):
    """404: there is no such thing, or it is another partner's or the other mode's."""

    code = "not_found"


class ConflictError(GateError):
    """409: the state of the thing does not allow it (`session_not_open`, `quota_exhausted`, …)."""

    code = "conflict"


class IdempotencyError(GateError):
    """An idempotency key was used again: with another body (`idempotency_key_mismatch`), or while the first use was
    still under way (`operation_in_progress`)."""

    code = "idempotency_error"


class RateLimitError(GateError):
    """429, after the retries. `retry_after_seconds` is what the server asks for, None if it does not say."""

    code = "rate_limit"

    def __init__(self, message: str, **facts: Any) -> None:
        super().__init__(message, **facts)
        self.retry_after_seconds: Optional[float] = retry_after_seconds(self.headers)


class APIError(GateError):
    """5xx, or an answer that is not the API's: it is unknown whether a write took place. The same idempotency key
    tells."""

    code = "api_error"


class APIConnectionError(GateError):
    """No whole answer came: refused, reset, cut off. The same idempotency key tells whether a write took place."""

    code = "connection_error"


class TimeoutError(APIConnectionError):
    """An attempt took longer than `timeout_seconds`, all told."""

    code = "timeout"


class WebhookSignatureError(GateError):
    """What came to the webhook address is not a fresh delivery signed with the secret. `reason` says which check
    failed, the message what to do about it."""

    code = "invalid_request"

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason


_BY_STATUS: Mapping[int, Type[GateError]] = {
    401: AuthenticationError,
    403: PermissionError,
    404: NotFoundError,
    409: ConflictError,
    429: RateLimitError,
}
_IDEMPOTENCY_CODES = frozenset({"operation_in_progress", "idempotency_key_mismatch"})


def error_of(status: int, headers: Headers, raw_body: bytes) -> GateError:
    """The error that an answer is. Both renderings of the envelope are read, and so is an answer that has none."""
    envelope = _envelope(raw_body)
    api_code = _text(envelope.get("code"))
    messages = _messages(envelope.get("message"), status)
    return _class_of(status, api_code)(
        "; ".join(messages),
        status=status,
        api_code=api_code,
        request_id=_text(envelope.get("request_id")) or _text(envelope.get("requestId")) or headers.get("X-Request-Id"),
        raw_body=raw_body,
        headers=headers,
        messages=messages,
        errors=[item for item in _list(envelope.get("errors")) if isinstance(item, dict)],
        doc_url=_text(envelope.get("doc_url")),
    )


def _class_of(status: int, api_code: Optional[str]) -> Type[GateError]:
    if api_code in _IDEMPOTENCY_CODES:
        return IdempotencyError
    if 400 <= status < 500:
        return _BY_STATUS.get(status, InvalidRequestError)
    return APIError


def _envelope(raw_body: bytes) -> Dict[str, Any]:
    try:
        body = json.loads(raw_body)
    except ValueError:
        return {}
    return body if isinstance(body, dict) else {}


def _messages(message: Any, status: int) -> List[str]:
    told = [item for item in (message if isinstance(message, list) else [message]) if isinstance(item, str)]
    return told or [f"The server answered {status} and did not say why."]


def _text(value: Any) -> Optional[str]:
    return value if isinstance(value, str) else None


def _list(value: Any) -> List[Any]:
    return value if isinstance(value, list) else []
