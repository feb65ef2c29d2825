"""Receivers as a shop mounts them, each behind a socket of its own, and deliveries as the engine makes them."""

from __future__ import annotations

import contextlib
import http.client
import socketserver
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Callable, ContextManager, Dict, Generator, List, Mapping, Optional, Tuple
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer
from wsgiref.validate import validator

from gateramp import Event, EventContext, WebhookReceiver, webhooks
from gateramp._receiver import LEASE_SECONDS, Handle, OnError, Store, log_error
from gateramp._signatures import Secrets

SECRET = "whsec_9fQ2bTzW1kLmX7cVn2Rs4yUe6iOp8aSd"
OLD_SECRET = "whsec_Hc3vM0qYt5JrWb8ZsPx1Ku7NgEa4Ld6F"


def body_of(id: str, sequence: int = 1) -> bytes:
    """Laid out in a way that no json.dumps would come to again."""
    return (
        f'{{ "id": "{id}", "type": "gate_session.created",\n "sequence": {sequence}, '
        '"data": {"object":"gate_session","id":"s1", "user_reference":"Žofie"} }'
    ).encode()


class Heard:
    """A receiver, and what its functions were given."""

    def __init__(
        self,
        *,
        secret: Secrets = (SECRET, OLD_SECRET),
        handle: Optional[Handle] = None,
        store: Optional[Store] = None,
        tolerance_seconds: float = 300,
        on_error: OnError = log_error,
        now: Callable[[], float] = time.time,
        lease_seconds: float = LEASE_SECONDS,
    ) -> None:
        self.events: List[Tuple[str, bool]] = []
        self.refusals: List[str] = []
        self.receiver: WebhookReceiver = webhooks.receive(
            secret=secret,
            handle=handle or self._handle,
            store=store,
            tolerance_seconds=tolerance_seconds,
            on_error=on_error,
            now=now,
            lease_seconds=lease_seconds,
            on_refused=lambda error: self.refusals.append(error.reason),
        )

    def _handle(self, event: Event, context: EventContext) -> None:
        self.events.append((event.id, context.is_stale))

    def take(self, body: bytes, secret: str = SECRET) -> Tuple[int, bytes]:
        answer = self.receiver.receive(body, webhooks.generate_test_header(body, secret))
        return answer.status, answer.body


class _SilentWsgiHandler(WSGIRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        """A test that passes says nothing."""


class _ThreadingWsgiServer(socketserver.ThreadingMixIn, WSGIServer):
    daemon_threads = True


def on_http_server(receiver: WebhookReceiver) -> ContextManager[int]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            receiver.http_server(self)

        do_PUT = do_POST

        def log_message(self, format: str, *args: object) -> None:
            """A test that passes says nothing."""

    return _served(ThreadingHTTPServer(("127.0.0.1", 0), Handler))


def on_wsgi(receiver: WebhookReceiver) -> ContextManager[int]:
    """Behind the checker of the standard library, which complains of whatever WSGI forbids."""
    server = _ThreadingWsgiServer(("127.0.0.1", 0), _SilentWsgiHandler)
    server.set_app(validator(receiver.wsgi))
    return _served(server)


MOUNTS: Dict[str, Callable[[WebhookReceiver], ContextManager[int]]] = {
    "http.server": on_http_server,
    "WSGI": on_wsgi,
}


@contextlib.contextmanager
def _served(server: socketserver.TCPServer) -> Generator[int, None, None]:
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def send(port: int, body: bytes, headers: Optional[Mapping[str, str]] = None, method: str = "POST") -> Tuple[int, bytes]:
    """By default signed, and with the length of the body."""
    signed = {"Gate-Signature": webhooks.generate_test_header(body, SECRET), "Content-Length": str(len(body))}
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        connection.putrequest(method, "/hooks")
        for name, value in (signed if headers is None else headers).items():
            connection.putheader(name, value)
        connection.endheaders(body)
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()
