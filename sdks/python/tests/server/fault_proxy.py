"""A proxy that spoils answers: each request takes the next fault of its list, and passes where there is none."""

from __future__ import annotations

import http.client
import socket
import struct
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Callable, List, Mapping, Optional, Tuple
from urllib.parse import urlsplit

POLL_SECONDS = 0.01  # after which it sees that it shall shut down
HOP_HEADERS = ("connection", "transfer-encoding", "content-length", "date", "server", "keep-alive")


class FaultProxy:
    def __init__(self, upstream: str, *faults: Fault) -> None:
        self._upstream = urlsplit(upstream).netloc
        self._faults = list(faults)
        self.keys: List[Optional[str]] = []
        self.over = threading.Event()

    def __enter__(self) -> FaultProxy:
        proxy = self

        class Handler(Exchange):
            def do_POST(self) -> None:
                proxy.keys.append(self.headers["idempotency-key"])
                fault = proxy._faults.pop(0) if proxy._faults else passed
                fault(self)

            do_GET = do_POST

        Handler.upstream = self._upstream
        Handler.over = self.over
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, args=(POLL_SECONDS,), daemon=True).start()
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        return self

    def __exit__(self, *_: object) -> None:
        self.over.set()
        self._server.shutdown()
        self._server.server_close()


class Exchange(BaseHTTPRequestHandler):
    """One request on its way through the proxy."""

    upstream: str
    over: threading.Event

    def forward(self) -> Tuple[int, List[Tuple[str, str]], bytes]:
        """What the server makes of the request: from here on it has happened."""
        connection = http.client.HTTPConnection(self.upstream)
        try:
            body = self.rfile.read(int(self.headers.get("content-length", 0)))
            headers = {
                name: value for name, value in self.headers.items() if name.lower() not in ("host", "connection")
            }
            connection.request(self.command, self.path, body or None, headers)
            answer = connection.getresponse()
            kept = [(name, value) for name, value in answer.getheaders() if name.lower() not in HOP_HEADERS]
            return answer.status, kept, answer.read()
        finally:
            connection.close()

    def answer(self, status: int, headers: List[Tuple[str, str]], body: bytes, length: Optional[int] = None) -> None:
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body) if length is None else length))
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(body)

    def reset(self) -> None:
        """No goodbye: the other side reads `connection reset`."""
        self.wfile.flush()
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.close()
        self.close_connection = True

    def finish(self) -> None:
        if self.connection.fileno() >= 0:
            super().finish()

    def log_message(self, format: str, *args: Any) -> None:
        """A test that passes says nothing."""


Fault = Callable[[Exchange], None]


def passed(exchange: Exchange) -> None:
    exchange.answer(*exchange.forward())


def reset_before_commit(exchange: Exchange) -> None:
    exchange.reset()


def reset_after_commit(exchange: Exchange) -> None:
    exchange.forward()
    exchange.reset()


def hang_before_commit(exchange: Exchange) -> None:
    exchange.over.wait()


def hang_after_commit(exchange: Exchange) -> None:
    exchange.forward()
    exchange.over.wait()


def half_a_body(exchange: Exchange) -> None:
    status, headers, body = exchange.forward()
    exchange.answer(status, headers, body[: len(body) // 2], len(body))


def half_a_body_of_no_said_length(exchange: Exchange) -> None:
    status, _, body = exchange.forward()
    exchange.send_response(status)
    exchange.end_headers()
    exchange.wfile.write(body[: len(body) // 2])


def not_json(exchange: Exchange) -> None:
    exchange.forward()
    exchange.answer(200, [("Content-Type", "text/html")], b"<h1>Welcome to our proxy</h1>")


def answered(status: int, headers: Mapping[str, str] = {}, after_commit: bool = False) -> Fault:
    """A status of the proxy's own, before or after the server has done the work."""

    def fault(exchange: Exchange) -> None:
        if after_commit:
            exchange.forward()
        exchange.answer(status, list(headers.items()), b"<h1>It is the proxy who says so</h1>")

    return fault
