"""What a receiver remembers of the events that it has handled."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass
from typing import Optional, Protocol, TypeVar

KEPT_MAX = 10_000


@dataclass(frozen=True)
class ReceivedEvent:
    """What is remembered of an event: its id, and its place among the events of its session (both None where it is
    about none)."""

    id: str
    session_id: Optional[str]
    sequence: Optional[int]


@dataclass(frozen=True)
class Found:
    """What is known of an event. `last_sequence` is the greatest that was saved of its session, None where there is
    none."""

    is_handled: bool
    last_sequence: Optional[int]


class ReceivedEvents(Protocol):
    """What was handled, so that it is handled once. Put it into your own database, in the transaction of the handler if
    you can.

    - After `save` has returned, `find` says `is_handled` of that id. Keep it for a day at least: retries and replays
      come for that long.
    - `last_sequence` is the greatest that was saved of the session, whatever order they were saved in.
    - Both may be called from several threads. Either may raise: the delivery is then answered 500, and comes again.
    """

    def find(self, event: ReceivedEvent) -> Found: ...

    def save(self, event: ReceivedEvent) -> object: ...


class MemoryEvents:
    """For one process, until it ends: the newest ten thousand events, and as many sessions."""

    def __init__(self, kept_max: int = KEPT_MAX) -> None:
        self._kept_max = kept_max
        self._lock = threading.Lock()
        self._handled: OrderedDict[str, bool] = OrderedDict()
        self._sequences: OrderedDict[str, int] = OrderedDict()

    def find(self, event: ReceivedEvent) -> Found:
        with self._lock:
            last = None if event.session_id is None else self._sequences.get(event.session_id)
            return Found(event.id in self._handled, last)

    def save(self, event: ReceivedEvent) -> None:
        with self._lock:
            self._keep(self._handled, event.id, True)
            if event.session_id is not None and event.sequence is not None:
                last = max(event.sequence, self._sequences.get(event.session_id, 0))
                self._keep(self._sequences, event.session_id, last)

    def _keep(self, kept: OrderedDict[str, Value], key: str, value: Value) -> None:
        """The newest last, the oldest forgotten."""
        kept[key] = value
        kept.move_to_end(key)
        while len(kept) > self._kept_max:
            kept.popitem(last=False)


Value = TypeVar("Value")
