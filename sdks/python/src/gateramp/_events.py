"""Events, as delivered by webhooks and listed by `gate.events`."""

from __future__ import annotations

import json
import math
import re
from typing import Any, Dict, List, Mapping, Optional, Tuple

from . import types
from ._errors import WebhookSignatureError
from ._objects import ResponseInfo
from ._signatures import Secrets, verify


Event = types.AnyEvent
"""Comparing `type` narrows `data`: after `event.type == "gate_session.completed"` it is a `GateSessionCompleted` with its
`tx_refid`. Ignore types that you do not know."""


def event_from(fields: Mapping[str, Any], last_response: Optional[ResponseInfo] = None) -> Event:
    """The event with these fields, in the class of its type."""
    return types.EVENTS.get(str(fields.get("type")), types.UnknownEvent)(fields, last_response)


KEY = re.compile("[!-~]{1,255}")
"""The id of an event or of its session, or a type: a key that every store accepts."""

DEPTH_MAX = 64
"""Twice what the API accepts in a body."""

COUNT_MAX = 2**53 - 1
DIGITS_MAX = 400
"""More than any finite double has."""

# Matches also an unterminated text, so that no text is scanned twice.
TOKEN = re.compile(r'"[^"\\]*(?:\\(?:.|$)[^"\\]*)*(?:"|$)|[\[\]{}]', re.DOTALL)

# NUL and lone surrogates: databases refuse them, and the service never sends them.
UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


def event_of(
    payload: object, header: Optional[str], secret: Secrets, tolerance_seconds: float, now: Optional[float] = None
) -> Event:
    """Returns the event of a delivery after verifying its signature and age; else raises `WebhookSignatureError`."""
    body = verify(payload, header, secret, tolerance_seconds, now)
    try:
        envelope = plain_json(body.decode("utf-8"))
    except (ValueError, ArithmeticError, RecursionError):
        envelope = None
    if isinstance(envelope, dict) and is_event(envelope):
        return event_from(envelope)
    raise not_an_event()


def not_an_event() -> WebhookSignatureError:
    """The refusal of a signed body that is not an event."""
    return WebhookSignatureError(
        "parsed_body",
        "The body is signed but is not an event: a JSON object with the members and types that the API reference "
        "describes.",
    )


def is_event(envelope: Dict[str, Any]) -> bool:
    """Members may be absent, as in the bodies of tests, except for the id."""
    data = envelope.get("data")
    return (
        is_key(envelope.get("id"))
        and is_key(envelope.get("type", "absent"))
        and (envelope.get("sequence") is None or is_count(envelope["sequence"], 1))
        and is_count(envelope.get("created_at", 0), 0)
        and isinstance(envelope.get("livemode", False), bool)
        and (data is None or (isinstance(data, dict) and has_session_keys(data)))
    )


def has_session_keys(data: Dict[str, Any]) -> bool:
    ids = [data.get("session_id"), data.get("id") if data.get("object") == "gate_session" else None]
    return all(is_key(one) for one in ids if isinstance(one, str))


def is_key(value: object) -> bool:
    return isinstance(value, str) and KEY.fullmatch(value) is not None


def is_count(value: object, least: int) -> bool:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    return value == int(value) and least <= value <= COUNT_MAX


def plain_json(text: str) -> Any:
    """Parses JSON without NaN, infinite numbers, NUL, lone surrogates, repeated names or deep nesting."""
    depth = 0
    for token in TOKEN.finditer(text):
        depth += {"[": 1, "{": 1, "]": -1, "}": -1}.get(token.group(), 0)
        if depth > DEPTH_MAX:
            raise ValueError("nested too deeply")
    value = json.loads(
        text, object_pairs_hook=members, parse_int=finite_int, parse_float=finite_float, parse_constant=no_constant
    )
    if not is_storable(value):
        raise ValueError("text that databases refuse")
    return value


def members(pairs: List[Tuple[str, Any]]) -> Dict[str, Any]:
    named = dict(pairs)
    if len(named) < len(pairs):
        raise ValueError("a repeated name")
    return named


def finite_int(text: str) -> int:
    if len(text) > DIGITS_MAX:
        raise ValueError("beyond all numbers")
    value = int(text)
    float(value)  # raises OverflowError
    return value


def finite_float(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError("beyond all numbers")
    return value


def no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def is_storable(value: Any) -> bool:
    if isinstance(value, str):
        return UNSTORABLE.search(value) is None
    if isinstance(value, list):
        return all(map(is_storable, value))
    if isinstance(value, dict):
        return all(map(is_storable, value)) and all(map(is_storable, value.values()))
    return True
