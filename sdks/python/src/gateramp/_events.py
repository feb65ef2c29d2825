"""Events: what webhooks deliver and `gate.events` lists."""

from __future__ import annotations

from typing import Any

from . import types
from ._objects import GateObject


class Event(types.Event):
    """`data` is the resource that the event is about, by its `type`: a `GateSessionCompleted` with its `tx_refid`, and
    so on. Of a type that is newer than this package it is a `GateObject`."""

    data: Any

    def __getitem__(self, name: str) -> Any:
        value = super().__getitem__(name)
        if name == "data" and isinstance(value, dict):
            return types.EVENT_DATA.get(self._fields.get("type", ""), GateObject)(value)
        return value
