"""The records of handled events and of events in progress."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from dataclasses import dataclass
from typing import Any, AsyncContextManager, Callable, ContextManager, Literal, Optional, Protocol, Tuple, TypeVar

KEPT_MAX = 10_000


@dataclass(frozen=True)
class ReceivedEvent:
    """The identity of a received event: its id, and its position among the events of its session (`session_id` and
    `sequence` are None for an event without a session)."""

    id: str
    session_id: Optional[str]
    sequence: Optional[int]


@dataclass(frozen=True)
class Claim:
    """The result of a claim. `last_sequence` is the greatest completed sequence of the event's session, or None."""

    status: Literal["claimed", "handled", "in_progress"]
    last_sequence: Optional[int] = None


class ReceivedEvents(Protocol):
    """Handled events and events in progress, shared by all receiving processes. Each method is atomic and thread-safe.

    - `claim` succeeds for one process at a time. A claim with an expired lease may be taken over, so that the event
      of a crashed process is not lost. Measure leases by the store's own clock.
    - `complete` permanently marks the event as handled if this token still holds the claim, and returns whether it
      did. Keep the mark for at least a day: retries and replays arrive for that long.
    - `release` releases the claim after a failure, so that the next delivery can be handled at once. It has no effect
      with another token.
    - Each may raise: the response is then 500, and the event is delivered again.

    A handler that exceeds its lease may run concurrently with another one. If an effect must happen exactly once, use
    `TransactionalEvents`.
    """

    def claim(self, event: ReceivedEvent, token: str, lease_seconds: float) -> Claim: ...

    def complete(self, event: ReceivedEvent, token: str) -> bool: ...

    def release(self, event: ReceivedEvent, token: str) -> object: ...


@dataclass(frozen=True)
class Recorded:
    """The result of `record`: whether the event was new, and the greatest sequence recorded for its session before."""

    is_new: bool
    last_sequence: Optional[int] = None


class TransactionalEvents(Protocol):
    """The record of handled events in the handler's own database: the record and the handler's writes are committed
    together or not at all, so each event takes effect exactly once, even if a process crashes.

    - `with transaction() as connection` commits at its end, and rolls back if it raises.
    - `record` inserts the event into a table with a unique id. It must wait for a concurrent transaction that has
      inserted the same id, as an insert into a unique index of a database does.
    """

    def transaction(self) -> ContextManager[Any]: ...

    def record(self, event: ReceivedEvent, transaction: Any) -> Recorded: ...


class MemoryEvents:
    """Keeps the newest ten thousand events, and as many sessions and claims, in memory, for a single process."""

    def __init__(self, kept_max: int = KEPT_MAX, now: Callable[[], float] = time.monotonic) -> None:
        self._kept_max = kept_max
        self._now = now
        self._lock = threading.Lock()
        self._handled: OrderedDict[str, bool] = OrderedDict()
        self._sequences: OrderedDict[str, int] = OrderedDict()
        self._claims: OrderedDict[str, Tuple[str, float]] = OrderedDict()

    def claim(self, event: ReceivedEvent, token: str, lease_seconds: float) -> Claim:
        with self._lock:
            if event.id in self._handled:
                return Claim("handled")
            now = self._now()
            _, ends_at = self._claims.get(event.id, ("", now))
            if now < ends_at:
                return Claim("in_progress")
            self._claims.pop(event.id, None)
            if not self._has_room(now):
                return Claim("in_progress")
            self._claims[event.id] = (token, now + lease_seconds)
            return Claim("claimed", None if event.session_id is None else self._sequences.get(event.session_id))

    def complete(self, event: ReceivedEvent, token: str) -> bool:
        with self._lock:
            if not self._holds(event, token):
                return False
            del self._claims[event.id]
            self._keep(self._handled, event.id, True)
            if event.session_id is not None and event.sequence is not None:
                last = max(event.sequence, self._sequences.get(event.session_id, 0))
                self._keep(self._sequences, event.session_id, last)
            return True

    def release(self, event: ReceivedEvent, token: str) -> None:
        with self._lock:
            if self._holds(event, token):
                del self._claims[event.id]

    def _has_room(self, now: float) -> bool:
        """At the limit, forgets the oldest claim that has ended."""
        if len(self._claims) < self._kept_max:
            return True
        for id, (_, ends_at) in self._claims.items():
            if ends_at <= now:
                del self._claims[id]
                return True
        return False

    def _holds(self, event: ReceivedEvent, token: str) -> bool:
        return event.id in self._claims and self._claims[event.id][0] == token

    def _keep(self, kept: OrderedDict[str, Value], key: str, value: Value) -> None:
        """Moves the key to the end and removes the oldest entries above the limit."""
        kept[key] = value
        kept.move_to_end(key)
        while len(kept) > self._kept_max:
            kept.popitem(last=False)


class AsyncReceivedEvents(Protocol):
    """`ReceivedEvents`, awaited."""

    async def claim(self, event: ReceivedEvent, token: str, lease_seconds: float) -> Claim: ...

    async def complete(self, event: ReceivedEvent, token: str) -> bool: ...

    async def release(self, event: ReceivedEvent, token: str) -> object: ...


class AsyncTransactionalEvents(Protocol):
    """`TransactionalEvents`, awaited. A handler whose lease has ended is cancelled, and so its transaction rolls back."""

    def transaction(self) -> AsyncContextManager[Any]: ...

    async def record(self, event: ReceivedEvent, transaction: Any) -> Recorded: ...


class AsyncMemoryEvents:
    """`MemoryEvents`, awaited."""

    def __init__(self, kept_max: int = KEPT_MAX, now: Callable[[], float] = time.monotonic) -> None:
        self._events = MemoryEvents(kept_max, now)

    async def claim(self, event: ReceivedEvent, token: str, lease_seconds: float) -> Claim:
        return self._events.claim(event, token, lease_seconds)

    async def complete(self, event: ReceivedEvent, token: str) -> bool:
        return self._events.complete(event, token)

    async def release(self, event: ReceivedEvent, token: str) -> None:
        self._events.release(event, token)


Value = TypeVar("Value")
