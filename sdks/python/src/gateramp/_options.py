"""Options of every call."""

from __future__ import annotations

from datetime import datetime, timezone
from enum import Enum
from typing import Any, Dict, Mapping, TypedDict

from ._errors import InvalidRequestError


TIMEOUT_MAX_SECONDS = 2_147_483
"""The maximum timeout of a socket: 31 bits of milliseconds."""


class CallOptions(TypedDict, total=False):
    """`idempotency_key`: the key of the operation, the same for all its retries; generated if not given. `extra_body`:
    body fields for which this version has no parameter. `headers`: additional headers. `timeout_seconds`: the limit of
    a whole attempt. `max_retries`: attempts after the first."""

    idempotency_key: str
    extra_body: Mapping[str, Any]
    headers: Mapping[str, str]
    timeout_seconds: float
    max_retries: int


def checked(options: CallOptions, method: str) -> CallOptions:
    """Refuses unknown options; a misspelled parameter would otherwise be ignored silently."""
    for name in options:
        if name not in CallOptions.__annotations__:
            raise TypeError(
                f"{method} got an unexpected keyword argument {name!r}; pass unknown body fields in extra_body"
            )
    return options


def check_bounds(max_retries: object, timeout_seconds: object) -> None:
    """Refuses invalid limits before anything is sent."""
    if not isinstance(max_retries, int) or max_retries < 0:
        raise InvalidRequestError(
            f"max_retries must be a whole number, 0 for none; got {max_retries!r}.", code="invalid_configuration"
        )
    if not isinstance(timeout_seconds, (int, float)) or not 0 < timeout_seconds <= TIMEOUT_MAX_SECONDS:
        raise InvalidRequestError(
            f"timeout_seconds must be a number above 0, {TIMEOUT_MAX_SECONDS} at most; got {timeout_seconds!r}.",
            code="invalid_configuration",
        )


class NotGiven:
    """The default of parameters for which None has a meaning: it clears the field."""

    def __repr__(self) -> str:
        return "NOT_GIVEN"


NOT_GIVEN = NotGiven()


def given(parameters: Mapping[str, Any]) -> Dict[str, Any]:
    """The body or query with the given parameters; None is not sent. Methods pass their `locals()`, before any other
    statement."""
    return encoded(
        {name: value for name, value in parameters.items() if value is not None and name not in ("self", "options")}
    )


def encoded(values: Mapping[str, Any]) -> Dict[str, Any]:
    """The body or query as it is sent: enums by their values, datetimes in UTC. Refuses a naive datetime."""
    try:
        return {name: wire_value(name, value) for name, value in values.items()}
    except RecursionError as cause:
        raise InvalidRequestError("The parameters are nested too deeply.", code="invalid_body") from cause


def wire_value(name: str, value: Any) -> Any:
    if isinstance(value, Enum):
        return wire_value(name, value.value)
    if isinstance(value, datetime):
        return utc(name, value)
    if isinstance(value, Mapping):
        return {key: wire_value(f"{name}.{key}", one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [wire_value(name, one) for one in value]
    return value


def utc(name: str, value: datetime) -> str:
    if value.utcoffset() is None:
        raise InvalidRequestError(
            f"{name} is a datetime without a time zone. Give it one, such as datetime.now(timezone.utc).",
            code="naive_datetime",
        )
    return value.astimezone(timezone.utc).replace(tzinfo=None).isoformat() + "Z"
