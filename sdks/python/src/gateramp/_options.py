"""What every call takes beside its own parameters."""

from __future__ import annotations

from typing import Any, Dict, Mapping, TypedDict


class CallOptions(TypedDict, total=False):
    """`idempotency_key`: one for one logical operation; made for you where you give none, and kept over retries.
    `extra_body`: fields of the body that this version has no parameter for. `headers`: sent as well.
    `timeout_seconds`: for one attempt, all told. `max_retries`: attempts after the first."""

    idempotency_key: str
    extra_body: Mapping[str, Any]
    headers: Mapping[str, str]
    timeout_seconds: float
    max_retries: int


def checked(options: CallOptions, method: str) -> CallOptions:
    """A misspelled parameter would otherwise be ignored without a word."""
    for name in options:
        if name not in CallOptions.__annotations__:
            raise TypeError(
                f"{method} got an unexpected keyword argument {name!r}; unknown fields of a body go into extra_body"
            )
    return options


class NotGiven:
    """Stands for a parameter that was left out, where None says something: it clears the field."""

    def __repr__(self) -> str:
        return "NOT_GIVEN"


NOT_GIVEN = NotGiven()


def given(**fields: Any) -> Dict[str, Any]:
    """The body or query of those parameters that were given. None is not sent."""
    return {name: value for name, value in fields.items() if value is not None}
