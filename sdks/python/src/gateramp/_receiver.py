"""Deliveries, verified, and each event handled once; whatever it is that serves HTTP."""

from __future__ import annotations

import inspect
import logging
import threading
from concurrent.futures import Future
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler
from typing import Any, Callable, Dict, List, Optional, Tuple

from ._errors import WebhookSignatureError
from ._events import Event, event_of
from ._raw_bodies import from_http_server, from_wsgi
from ._received_events import MemoryEvents, ReceivedEvent, ReceivedEvents
from ._signatures import TOLERANCE_SECONDS, Secrets, usable_secrets
from ._webhook_answers import WebhookAnswer, answer, refusal

logger = logging.getLogger("gateramp")


@dataclass(frozen=True)
class About:
    """What the receiver knows of an event. `is_stale`: a later one of the same session was handled before, and this one
    must not undo what that one did."""

    is_stale: bool


Handle = Callable[[Event, About], object]
OnError = Callable[[Exception, Event], object]
OnRefused = Callable[[WebhookSignatureError], object]


def log_error(error: Exception, event: Event) -> None:
    """The sender learns only that it failed, so somebody has to hear what did."""
    logger.error("The webhook %s (%s) was not handled.", event.id, event.type, exc_info=error)


class WebhookReceiver:
    """Takes deliveries where your server wants them to be taken. Each way owns the raw bytes of its request. May be used
    from several threads.

    - `receiver.wsgi` is a WSGI application, to be mounted at an address of its own.
    - `receiver.http_server(self)` is all that `do_POST` of a `http.server` handler has to do.
    - `receiver.receive(body, header)` is for anything else: Django's `request.body`, FastAPI's `await request.body()`.
    """

    def __init__(
        self,
        secret: Secrets,
        handle: Handle,
        store: Optional[ReceivedEvents] = None,
        tolerance_seconds: float = TOLERANCE_SECONDS,
        on_error: OnError = log_error,
        on_refused: Optional[OnRefused] = None,
    ) -> None:
        self._secrets = usable_secrets(secret)
        self._handle = handle
        self._store: ReceivedEvents = MemoryEvents() if store is None else store
        self._tolerance_seconds = tolerance_seconds
        self._on_error = on_error
        self._on_refused = on_refused
        self._lock = threading.Lock()
        self._at_work: Dict[str, Future[WebhookAnswer]] = {}

    def receive(self, payload: bytes, header: Optional[str]) -> WebhookAnswer:
        """Takes one delivery: the body as it arrived, and its `Gate-Signature`."""
        try:
            event = event_of(payload, header, self._secrets, self._tolerance_seconds)
        except WebhookSignatureError as error:
            if self._on_refused is not None:
                self._on_refused(error)
            return refusal(400, error.reason, error.hint)
        with self._lock:
            others = self._at_work.get(event.id)
            work = self._at_work.setdefault(event.id, Future())
        # A delivery that comes again while the first is at work waits for that one's end.
        return work.result() if others is not None else self._finish(event, work)

    def http_server(self, request: BaseHTTPRequestHandler) -> None:
        """Reads the request of a `http.server` handler and answers it."""
        from_http_server(request, self.receive)

    def wsgi(self, environ: Dict[str, Any], start_response: StartResponse) -> List[bytes]:
        """A WSGI application, whatever its address."""
        return from_wsgi(environ, start_response, self.receive)

    def _finish(self, event: Event, work: Future[WebhookAnswer]) -> WebhookAnswer:
        try:
            work.set_result(self._handle_once(event))
        except BaseException as error:
            work.set_exception(error)  # whoever waits must not wait for ever
        finally:
            with self._lock:
                del self._at_work[event.id]
        return work.result()

    def _handle_once(self, event: Event) -> WebhookAnswer:
        key = key_of(event)
        try:
            found = self._store.find(key)
            if found.is_handled:
                return answer(200, {"received": True, "duplicate": True})
            last = found.last_sequence
            is_stale = key.sequence is not None and last is not None and key.sequence < last
            refuse_awaitable(self._handle(event, About(is_stale)))
            self._store.save(key)
            return answer(200, {"received": True})
        except Exception as error:
            self._on_error(error, event)
            return refusal(500, "handler_failed", "The receiver could not handle this event.")


StartResponse = Callable[[str, List[Tuple[str, str]]], object]


def key_of(event: Event) -> ReceivedEvent:
    """An event of a type that is new may be about a session too, so this looks at the members and not at the type."""
    data = event.to_dict().get("data")
    about: Dict[str, Any] = data if isinstance(data, dict) else {}
    session_id = about.get("id") if about.get("object") == "gate_session" else about.get("session_id")
    return ReceivedEvent(event.id, session_id if isinstance(session_id, str) else None, event.sequence)


def refuse_awaitable(handled: object) -> None:
    """An `async def` that nobody awaits has done nothing, and must not count as handled."""
    if not inspect.isawaitable(handled):
        return
    if inspect.iscoroutine(handled):
        handled.close()
    raise TypeError("handle must be a plain function: what it answered waits for an event loop, and none runs it here.")
