"""What a receiver remembers of the events that it has handled, and of those that are being handled."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from dataclasses import dataclass
from typing import Any, Callable, ContextManager, Dict, Literal, Optional, Protocol, Tuple, TypeVar

KEPT_MAX = 10_000


@dataclass(frozen=True)
class ReceivedEvent:
    """What is remembered of an event: its id, and its place among the events of its session (both None where it is
    about none)."""

    id: str
    session_id: Optional[str]
    sequence: Optional[int]


@dataclass(frozen=True)
class Claim:
    """The answer to a claim. `last_sequence` is the greatest that was completed of the event's session, None where there
    is none."""

    status: Literal["claimed", "handled", "in_progress"]
    last_sequence: Optional[int] = None


class ReceivedEvents(Protocol):
    """What was handled and what is being handled, shared by all processes that receive. Each method is atomic, and may be
    called from several threads.

    - `claim` succeeds for one process at a time. A claim whose lease has ended may be taken over, so an event whose
      process crashed is not lost. Measure leases by the store's own clock.
    - `complete` marks the event as handled, for good, if this token still holds the claim, and returns whether it did.
      Keep the mark for a day at least: retries and replays come for that long.
    - `release` gives the claim up after a failure, so that the next delivery can be handled at once. It changes nothing
      for another token.
    - Each may raise: the delivery is then answered 500, and comes again.

    A handler that outlives its lease may run next to another one. If an effect must happen exactly once, use
    `TransactionalEvents`.
    """

    def claim(self, event: ReceivedEvent, token: str, lease_seconds: float) -> Claim: ...

    def complete(self, event: ReceivedEvent, token: str) -> bool: ...

    def release(self, event: ReceivedEvent, token: str) -> object: ...


@dataclass(frozen=True)
class Recorded:
    """Whether an event is recorded for the first time, and the greatest sequence recorded of its session before."""

    is_new: bool
    last_sequence: Optional[int] = None


class TransactionalEvents(Protocol):
    """The record of handled events in the handler's own database: the record and what the handler writes are committed
    together or not at all, so each event takes effect exactly once, whichever process crashes and whenever.

    - `with transaction() as connection` commits at its end, and rolls back when something is raised within it.
    - `record` inserts the event into a table with a unique id. It must wait for another transaction that has inserted it
      and has not ended, as an insert into a unique index of a database does.
    """

    def transaction(self) -> ContextManager[Any]: ...

    def record(self, event: ReceivedEvent, transaction: Any) -> Recorded: ...


class MemoryEvents:
    """For one process, until it ends: the newest ten thousand events, and as many sessions."""

    def __init__(self, kept_max: int = KEPT_MAX, now: Callable[[], float] = time.monotonic) -> None:
        self._kept_max = kept_max
        self._now = now
        self._lock = threading.Lock()
        self._handled: OrderedDict[str, bool] = OrderedDict()
        self._sequences: OrderedDict[str, int] = OrderedDict()
        self._claims: Dict[str, Tuple[str, float]] = {}

    def claim(self, event: ReceivedEvent, token: str, lease_seconds: float) -> Claim:
        with self._lock:
            if event.id in self._handled:
                return Claim("handled")
            _, ends_at = self._claims.get(event.id, ("", self._now()))
            if self._now() < ends_at:
                return Claim("in_progress")
            self._claims[event.id] = (token, self._now() + lease_seconds)
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

    def _holds(self, event: ReceivedEvent, token: str) -> bool:
        return event.id in self._claims and self._claims[event.id][0] == token

    def _keep(self, kept: OrderedDict[str, Value], key: str, value: Value) -> None:
        """The newest last, the oldest forgotten."""
        kept[key] = value
        kept.move_to_end(key)
        while len(kept) > self._kept_max:
            kept.popitem(last=False)


Value = TypeVar("Value")
