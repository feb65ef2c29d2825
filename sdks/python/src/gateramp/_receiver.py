"""Verifies deliveries and handles each event once, independent of the HTTP server."""

from __future__ import annotations

import contextvars
import inspect
import logging
import math
import re
import threading
import time
import uuid
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler
from typing import Any, Callable, Dict, List, Optional, Tuple, Union

from ._errors import WebhookSignatureError
from ._events import Event, event_of, not_an_event
from ._hide_locals import HidesLocals
from ._raw_bodies import BODY_BYTES_MAX, TOO_LARGE, from_http_server, from_wsgi
from ._received_events import MemoryEvents, ReceivedEvent, ReceivedEvents, TransactionalEvents
from ._signatures import TOLERANCE_SECONDS, Secrets, check_finite, raw_bytes, usable_secrets
from ._webhook_answers import WebhookAnswer, answer, refusal

LEASE_SECONDS = 60

ANSWER_SECONDS = 8
"""The service gives up on a delivery after ten seconds."""

HOOK_SECONDS = 1
"""How long an answer waits for `on_error`, `on_refused` and the release of a claim."""

WORKS_MAX = 100
"""Deliveries that are handled at a time."""

LATE_MAX = 900
"""Threads of handlers whose lease has ended, in addition. A thread cannot be ended, so those of handlers that never end
stay until the process is restarted."""

HOOKS_MAX = 100
"""Threads that call `on_error`, `on_refused` or `release` at a time."""

Store = Union[ReceivedEvents, TransactionalEvents]

logger = logging.getLogger("gateramp")


@dataclass(frozen=True)
class EventContext:
    """The context of an event for its handler. `is_stale`: a later event of the same session was already handled; do
    not overwrite its effects. `transaction`: the result of `TransactionalEvents.transaction`, to write with; None with
    other stores. `traceparent`: the W3C context of the delivery attempt, in the trace of the request that caused the
    event, and `tracestate`: what vendors add to it; None without one. Neither is covered by the signature: use them for
    traces only."""

    is_stale: bool
    transaction: Any = None
    traceparent: Optional[str] = None
    tracestate: Optional[str] = None


Trace = Tuple[Optional[str], Optional[str]]

Handle = Callable[[Event, EventContext], object]
OnError = Callable[[Exception, Event], object]
OnRefused = Callable[[WebhookSignatureError], object]


def log_error(error: Exception, event: Event) -> None:
    """The sender only sees a failure, so the cause is logged here."""
    logger.error("The webhook %s (%s) was not handled.", event.id, event.type, exc_info=error)


class VerifiesDeliveries(HidesLocals):
    """What receivers have in common: the secrets, the clock, and the verification of a delivery."""

    def __init__(
        self, secret: Secrets, tolerance_seconds: float, now: Callable[[], float], lease_seconds: float
    ) -> None:
        self._secrets = usable_secrets(secret)
        check_finite("tolerance_seconds", tolerance_seconds)
        check_finite("now", now())
        check_finite("lease_seconds", lease_seconds)
        self._tolerance_seconds = tolerance_seconds
        self._now = now
        self._lease_seconds = lease_seconds

    def _verified(self, payload: bytes, header: Optional[str]) -> Union[Event, WebhookAnswer]:
        """The event of a delivery, or the answer to one that is too large. Raises `WebhookSignatureError`."""
        body = raw_bytes(payload)
        if len(body) > BODY_BYTES_MAX:
            return TOO_LARGE
        event = event_of(body, header, self._secrets, self._tolerance_seconds, self._now())
        if "type" not in event:
            raise not_an_event()  # construct_event accepts the bodies of tests without it
        return event


class WebhookReceiver(VerifiesDeliveries):
    """A webhook receiver with an entry point for each kind of server. Every entry point reads the raw body itself.
    Thread-safe.

    - `receiver.wsgi` is a WSGI application, to be mounted at its own path.
    - `receiver.http_server(self)` is the whole body of `do_POST` in a `http.server` handler.
    - `receiver.receive(body, header, traceparent, tracestate)` is for any other server: Django's `request.body`, FastAPI's `await
      request.body()`.
    """

    def __init__(
        self,
        secret: Secrets,
        handle: Handle,
        store: Optional[Store] = None,
        tolerance_seconds: float = TOLERANCE_SECONDS,
        on_error: OnError = log_error,
        on_refused: Optional[OnRefused] = None,
        now: Callable[[], float] = time.time,
        lease_seconds: float = LEASE_SECONDS,
    ) -> None:
        super().__init__(secret, tolerance_seconds, now, lease_seconds)
        self._handle = handle
        self._store: Store = MemoryEvents() if store is None else store
        self._on_error = on_error
        self._on_refused = on_refused
        self._works = Threads(WORKS_MAX, lease_seconds, LATE_MAX)
        self._hooks = Threads(HOOKS_MAX)
        self._lock = threading.Lock()
        self._answer_seconds = min(lease_seconds, ANSWER_SECONDS)
        self._running: Dict[str, Work] = {}  # by event, the newest delivery whose handler is running

    def receive(
        self,
        payload: bytes,
        header: Optional[str],
        traceparent: Optional[str] = None,
        tracestate: Optional[str] = None,
    ) -> WebhookAnswer:
        """Handles one delivery: its raw body, its `Gate-Signature` and, for traces, its `traceparent` and `tracestate`."""
        try:
            event = self._verified(payload, header)
        except WebhookSignatureError as error:
            if self._on_refused is not None:
                self._call_briefly(self._on_refused, error)
            return refused(error)
        if isinstance(event, WebhookAnswer):
            return event
        return self._handle_in_time(event, trace_of(traceparent, tracestate))

    def http_server(self, request: BaseHTTPRequestHandler) -> None:
        """Reads the request of a `http.server` handler and responds to it."""
        from_http_server(request, self.receive)

    def wsgi(self, environ: Dict[str, Any], start_response: StartResponse) -> List[bytes]:
        """A WSGI application for any path."""
        return from_wsgi(environ, start_response, self.receive)

    def _handle_in_time(self, event: Event, trace: Trace) -> WebhookAnswer:
        """Answers in time. A handler that takes longer continues in its thread; its event can be claimed again when the
        lease has ended."""
        ends_at = time.monotonic() + self._answer_seconds
        work = Work()
        if self._works.start(lambda: self._work(work, event, trace)) is None:
            message = f"{event.id} was answered with 503: {WORKS_MAX} deliveries are being handled."
            self._call_briefly(self._on_error, RuntimeError(message), event)
            return BUSY
        answered = work.outcome(ends_at)
        if answered is IN_PROGRESS:
            with self._lock:
                running = self._running.get(event.id)
            answered = IN_PROGRESS if running is None else running.outcome(ends_at)
        elif answered is None:
            work.is_answered = True
            message = f"Handling {event.id} takes longer than {self._answer_seconds:g} s, so it was answered with 503."
            self._call_briefly(self._on_error, TimeoutError(message), event)
        return IN_PROGRESS if answered is None else answered

    def _work(self, work: Work, event: Event, trace: Trace) -> None:
        try:
            work.answer = self._handle_once(work, event, trace)
        except BaseException as error:
            work.error = error  # waiting callers must not wait forever
        finally:
            with self._lock:
                if self._running.get(event.id) is work:
                    del self._running[event.id]
            work.ended.set()

    def _begin(self, work: Work, event: Event) -> None:
        """Refuses to start the handler of a delivery that was already answered, since another one may be handled."""
        if work.is_answered:
            raise TimeoutError(f"The webhook {event.id} was answered before its handler could start.")
        with self._lock:
            self._running[event.id] = work

    def _handle_once(self, work: Work, event: Event, trace: Trace) -> WebhookAnswer:
        try:
            store: Any = self._store  # either protocol, distinguished by its methods
            if hasattr(store, "transaction"):
                return self._handle_in_transaction(work, event, store, trace)
            return self._handle_under_claim(work, event, store, trace)
        except Exception as error:
            self._call_briefly(self._on_error, error, event)
            return FAILED

    def _handle_in_transaction(
        self, work: Work, event: Event, store: TransactionalEvents, trace: Trace
    ) -> WebhookAnswer:
        """Commits the record of the event together with the handler's writes."""
        key = key_of(event)
        with store.transaction() as transaction:
            recorded = store.record(key, transaction)
            if not recorded.is_new:
                return DUPLICATE
            self._begin(work, event)
            context = EventContext(is_stale(key, recorded.last_sequence), transaction, *trace)
            refuse_awaitable(self._handle(event, context))
        return HANDLED

    def _handle_under_claim(self, work: Work, event: Event, store: ReceivedEvents, trace: Trace) -> WebhookAnswer:
        """Handles the event under a claim that no other process holds at the same time."""
        key = key_of(event)
        token = str(uuid.uuid4())
        claim = store.claim(key, token, self._lease_seconds)
        if claim.status == "handled":
            return DUPLICATE
        if claim.status == "in_progress":
            return IN_PROGRESS
        try:
            self._begin(work, event)
            context = EventContext(is_stale(key, claim.last_sequence), None, *trace)
            refuse_awaitable(self._handle(event, context))
        except BaseException:
            # The handler's error is the one to report; a claim that cannot be released expires with its lease.
            self._call_briefly(store.release, key, token)
            raise
        if store.complete(key, token):
            return HANDLED
        raise lost_claim(key, self._lease_seconds)

    def _call_briefly(self, function: Callable[..., object], *args: object) -> None:
        """Calls a function of the host that can neither delay nor change the answer."""

        def call() -> None:
            try:
                function(*args)
            except Exception as error:
                logger.error("%r of a webhook receiver failed.", function, exc_info=error)

        thread = self._hooks.start(call)
        if thread is None:
            logger.error("%r of a webhook receiver was not called: %d calls have not ended.", function, HOOKS_MAX)
        else:
            thread.join(HOOK_SECONDS)


HANDLED = answer(200, {"received": True})
DUPLICATE = answer(200, {"received": True, "duplicate": True})
# Refused rather than acknowledged: if the handling fails, the next delivery triggers it again.
IN_PROGRESS = refusal(503, "in_progress", "This event is being handled.")
BUSY = refusal(503, "busy", "Too many events are being handled.")
FAILED = refusal(500, "handler_failed", "The receiver could not handle this event.")


def refused(error: WebhookSignatureError) -> WebhookAnswer:
    return refusal(400, error.reason, error.hint)


def lost_claim(key: ReceivedEvent, lease_seconds: float) -> RuntimeError:
    return RuntimeError(
        f"Handling {key.id} took longer than its lease of {lease_seconds:g} s, and another delivery has claimed it. Set "
        "lease_seconds above the longest run of your handler."
    )


class Work:
    """The handling of one delivery, in a thread of its own."""

    def __init__(self) -> None:
        self.answer: Optional[WebhookAnswer] = None
        self.error: Optional[BaseException] = None
        self.is_answered = False
        self.ended = threading.Event()

    def outcome(self, ends_at: float) -> Optional[WebhookAnswer]:
        """Waits for the answer; None if there is none in time."""
        self.ended.wait(max(0.0, ends_at - time.monotonic()))
        if self.error is not None:
            raise self.error
        return self.answer


class Threads:
    """A limited number of threads, which see the context variables of the caller, such as the application of Flask. A
    thread keeps its place for `seconds`; up to `late_max` may take longer."""

    def __init__(self, most: int, seconds: float = math.inf, late_max: int = 0) -> None:
        self._most = most
        self._seconds = seconds
        self._late_max = late_max
        self._lock = threading.Lock()
        self._ends: Dict[object, float] = {}

    def start(self, run: Callable[[], None]) -> Optional[threading.Thread]:
        """None if all places are in use, or the system provides no other thread."""
        place = object()
        with self._lock:
            now = time.monotonic()
            in_time = sum(now < ends_at for ends_at in self._ends.values())
            if in_time >= self._most or len(self._ends) >= self._most + self._late_max:
                return None
            self._ends[place] = now + self._seconds

        def work() -> None:
            try:
                run()
            finally:
                self._free(place)

        # A daemon: a handler that never ends must not keep the process from ending.
        context = contextvars.copy_context()
        thread = threading.Thread(target=context.run, args=(work,), name="gateramp-webhook", daemon=True)
        try:
            thread.start()
        except RuntimeError:
            self._free(place)
            return None
        return thread

    def _free(self, place: object) -> None:
        with self._lock:
            del self._ends[place]


def is_stale(event: ReceivedEvent, last: Optional[int]) -> bool:
    return event.sequence is not None and last is not None and event.sequence < last


TRACEPARENT = re.compile("00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}")


# Its length at most, and no control characters; tracers check the rest.
TRACESTATE = re.compile("[ -~]{1,512}")


def trace_of(traceparent: Optional[str], tracestate: Optional[str]) -> Trace:
    """None unless it is a valid `traceparent` of version 00, since proxies may add or join headers. A `tracestate` alone
    means nothing."""
    if not isinstance(traceparent, str) or TRACEPARENT.fullmatch(traceparent) is None:
        return None, None
    return traceparent, tracestate if tracestate is not None and TRACESTATE.fullmatch(tracestate) else None


StartResponse = Callable[[str, List[Tuple[str, str]]], object]


def key_of(event: Event) -> ReceivedEvent:
    """Inspects the members rather than the type: events of new types may also belong to a session."""
    data = event.to_dict().get("data")
    about: Dict[str, Any] = data if isinstance(data, dict) else {}
    session_id = about.get("id") if about.get("object") == "gate_session" else about.get("session_id")
    return ReceivedEvent(event.id, session_id if isinstance(session_id, str) else None, event.sequence)


def refuse_awaitable(handled: object) -> None:
    """Refuses async handlers: a coroutine that is not awaited has done nothing, and must not count as handled."""
    if not inspect.isawaitable(handled):
        return
    if inspect.iscoroutine(handled):
        handled.close()
    raise TypeError("handle must be a plain function, but it returned an awaitable. Use webhooks.receive_async for it.")
