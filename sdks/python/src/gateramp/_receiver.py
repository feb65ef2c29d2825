"""Verifies deliveries and handles each event once, independent of the HTTP server."""

from __future__ import annotations

import contextlib
import inspect
import logging
import re
import threading
import time
import uuid
from concurrent.futures import Future
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler
from typing import Any, Callable, Dict, List, Optional, Tuple, Union

from ._errors import WebhookSignatureError
from ._events import Event, event_of
from ._hide_locals import HidesLocals
from ._raw_bodies import BODY_BYTES_MAX, TOO_LARGE, from_http_server, from_wsgi
from ._received_events import MemoryEvents, ReceivedEvent, ReceivedEvents, TransactionalEvents
from ._signatures import TOLERANCE_SECONDS, Secrets, check_finite, raw_bytes, usable_secrets
from ._webhook_answers import WebhookAnswer, answer, refusal

LEASE_SECONDS = 60

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


class WebhookReceiver(HidesLocals):
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
        self._secrets = usable_secrets(secret)
        check_finite("tolerance_seconds", tolerance_seconds)
        check_finite("now", now())
        check_finite("lease_seconds", lease_seconds)
        self._lease_seconds = lease_seconds
        self._now = now
        self._handle = handle
        self._store: Store = MemoryEvents() if store is None else store
        self._tolerance_seconds = tolerance_seconds
        self._on_error = on_error
        self._on_refused = on_refused
        self._lock = threading.Lock()
        self._at_work: Dict[str, Future[WebhookAnswer]] = {}

    def receive(
        self,
        payload: bytes,
        header: Optional[str],
        traceparent: Optional[str] = None,
        tracestate: Optional[str] = None,
    ) -> WebhookAnswer:
        """Handles one delivery: its raw body, its `Gate-Signature` and, for traces, its `traceparent` and `tracestate`."""
        try:
            body = raw_bytes(payload)
            if len(body) > BODY_BYTES_MAX:
                return TOO_LARGE
            event = event_of(body, header, self._secrets, self._tolerance_seconds, self._now())
        except WebhookSignatureError as error:
            if self._on_refused is not None:
                self._on_refused(error)
            return refusal(400, error.reason, error.hint)
        with self._lock:
            others = self._at_work.get(event.id)
            work = self._at_work.setdefault(event.id, Future())
        # A repeated delivery waits for the one in progress.
        if others is not None:
            return work.result()
        return self._finish(event, work, trace_of(traceparent, tracestate))

    def http_server(self, request: BaseHTTPRequestHandler) -> None:
        """Reads the request of a `http.server` handler and responds to it."""
        from_http_server(request, self.receive)

    def wsgi(self, environ: Dict[str, Any], start_response: StartResponse) -> List[bytes]:
        """A WSGI application for any path."""
        return from_wsgi(environ, start_response, self.receive)

    def _finish(self, event: Event, work: Future[WebhookAnswer], trace: Trace) -> WebhookAnswer:
        try:
            work.set_result(self._handle_once(event, trace))
        except BaseException as error:
            work.set_exception(error)  # waiting callers must not wait forever
        finally:
            with self._lock:
                del self._at_work[event.id]
        return work.result()

    def _handle_once(self, event: Event, trace: Trace) -> WebhookAnswer:
        try:
            store: Any = self._store  # either protocol, distinguished by its methods
            if hasattr(store, "transaction"):
                return self._handle_in_transaction(event, store, trace)
            return self._handle_under_claim(event, store, trace)
        except Exception as error:
            self._on_error(error, event)
            return refusal(500, "handler_failed", "The receiver could not handle this event.")

    def _handle_in_transaction(self, event: Event, store: TransactionalEvents, trace: Trace) -> WebhookAnswer:
        """Commits the record of the event together with the handler's writes."""
        key = key_of(event)
        with store.transaction() as transaction:
            recorded = store.record(key, transaction)
            if not recorded.is_new:
                return DUPLICATE
            context = EventContext(is_stale(key, recorded.last_sequence), transaction, *trace)
            refuse_awaitable(self._handle(event, context))
        return HANDLED

    def _handle_under_claim(self, event: Event, store: ReceivedEvents, trace: Trace) -> WebhookAnswer:
        """Handles the event under a claim that no other process holds at the same time."""
        key = key_of(event)
        token = str(uuid.uuid4())
        claim = store.claim(key, token, self._lease_seconds)
        if claim.status == "handled":
            return DUPLICATE
        if claim.status == "in_progress":
            return IN_PROGRESS
        try:
            context = EventContext(is_stale(key, claim.last_sequence), None, *trace)
            refuse_awaitable(self._handle(event, context))
        except BaseException:
            # The handler's error is the one to report; a claim that cannot be released expires with its lease.
            with contextlib.suppress(Exception):
                store.release(key, token)
            raise
        if store.complete(key, token):
            return HANDLED
        raise RuntimeError(
            f"Handling {key.id} took longer than its lease of {self._lease_seconds:g} s, and another process has taken it "
            "over. Set lease_seconds above the longest run of your handler."
        )


HANDLED = answer(200, {"received": True})
DUPLICATE = answer(200, {"received": True, "duplicate": True})
# Refused rather than acknowledged: if that process crashes, the next delivery triggers the handling.
IN_PROGRESS = refusal(503, "in_progress", "Another process is handling this event.")


def is_stale(event: ReceivedEvent, last: Optional[int]) -> bool:
    return event.sequence is not None and last is not None and event.sequence < last


TRACEPARENT = re.compile("00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}")


# Its length at most, and no control characters; tracers check the rest.
TRACESTATE = re.compile("[ -~]{1,512}")


def trace_of(traceparent: Optional[str], tracestate: Optional[str]) -> Trace:
    """None unless it is a valid `traceparent` of version 00, since proxies may add or join headers. A `tracestate` alone
    means nothing."""
    if traceparent is None or TRACEPARENT.fullmatch(traceparent) is None:
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
    raise TypeError("handle must be a plain function: it returned an awaitable, and no event loop is running.")
