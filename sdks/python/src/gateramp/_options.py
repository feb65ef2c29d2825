"""Options of every call."""

from __future__ import annotations

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
    return {
        name: value for name, value in parameters.items() if value is not None and name not in ("self", "options")
    }
