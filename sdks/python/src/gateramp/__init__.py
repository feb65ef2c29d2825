"""Gateramp from Python: `Gate` speaks to the API, `gate.webhooks.construct_event` checks what it sends."""

from ._client import Gate
from ._errors import (
    APIConnectionError,
    APIError,
    AuthenticationError,
    ConflictError,
    GateError,
    IdempotencyError,
    InvalidRequestError,
    NotFoundError,
    PermissionError,
    RateLimitError,
    TimeoutError,
    WebhookSignatureError,
)
from ._events import Event
from ._headers import Headers
from ._objects import GateObject, ResponseInfo
from ._options import NOT_GIVEN, CallOptions
from ._pages import Page
from ._transport import HttpRequest, HttpResponse, Transport
from ._version import VERSION as __version__

__all__ = [
    "APIConnectionError",
    "APIError",
    "AuthenticationError",
    "CallOptions",
    "ConflictError",
    "Event",
    "Gate",
    "GateError",
    "GateObject",
    "Headers",
    "HttpRequest",
    "HttpResponse",
    "IdempotencyError",
    "InvalidRequestError",
    "NOT_GIVEN",
    "NotFoundError",
    "Page",
    "PermissionError",
    "RateLimitError",
    "ResponseInfo",
    "TimeoutError",
    "Transport",
    "WebhookSignatureError",
    "__version__",
]
