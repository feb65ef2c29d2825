"""Events, as delivered by webhooks and listed by `gate.events`."""

from __future__ import annotations

import json
from typing import Any, Optional

from . import types
from ._errors import WebhookSignatureError
from ._objects import GateObject
from ._signatures import Secrets, verify


class Event(types.Event):
    """`data` is the resource of the event, by its `type`: a `GateSessionCompleted` with its `tx_refid`, and so on. For
    types that are newer than this package it is a `GateObject`."""

    data: Any

    def __getitem__(self, name: str) -> Any:
        value = super().__getitem__(name)
        if name == "data" and isinstance(value, dict):
            return types.EVENT_DATA.get(self._fields.get("type", ""), GateObject)(value)
        return value


def event_of(
    payload: object, header: Optional[str], secret: Secrets, tolerance_seconds: float, now: Optional[float] = None
) -> Event:
    """Returns the event of a delivery after verifying its signature and age; else raises `WebhookSignatureError`."""
    body = verify(payload, header, secret, tolerance_seconds, now)
    try:
        envelope = json.loads(body.decode("utf-8"))
    except (ValueError, RecursionError):
        envelope = None
    if isinstance(envelope, dict):
        return Event(envelope)
    raise WebhookSignatureError(
        "parsed_body", "The body is signed but not a JSON object: these are not the bytes of a delivery."
    )
