"""The server that `npm test` has started for these tests, and the address at which it delivers webhooks."""

from __future__ import annotations

import os
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Callable, List, Tuple

from gateramp import Gate

DELIVERY_MAX_SECONDS = 120


def setting(name: str) -> str:
    """A missing one fails every test: these are run by `npm test`, which starts the server."""
    if name not in os.environ:
        raise RuntimeError(f"{name} is not set: run these tests by `npm test -- sdks/python`, which starts a server")
    return os.environ[name]


def gate(**options: Any) -> Gate:
    return Gate(setting("GATERAMP_TEST_SECRET_KEY"), base_url=setting("GATERAMP_TEST_SANDBOX"), **options)


class Receiver:
    """Takes deliveries as a shop would: `(body, Gate-Signature)`, as they arrive."""

    def __enter__(self) -> Receiver:
        arrived = self._arrived = threading.Condition()
        deliveries: List[Tuple[bytes, str]] = []
        self.deliveries = deliveries

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                self.send_response(204)
                self.end_headers()
                with arrived:
                    deliveries.append((body, self.headers["gate-signature"]))
                    arrived.notify_all()

            def log_message(self, format: str, *args: object) -> None:
                """A test that passes says nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", int(setting("GATERAMP_TEST_HOOK_PORT"))), Handler)
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def first(self, wanted: Callable[[bytes], bool]) -> Tuple[bytes, str]:
        """The first delivery whose body is wanted, waited for until it has come."""
        with self._arrived:
            there = self._arrived.wait_for(
                lambda: any(wanted(body) for body, _ in self.deliveries), timeout=DELIVERY_MAX_SECONDS
            )
            if not there:
                raise AssertionError(f"It was not delivered; {len(self.deliveries)} others were.")
            return next(delivery for delivery in self.deliveries if wanted(delivery[0]))
