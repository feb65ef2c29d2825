"""One attempt ends in its time, and an incomplete answer is not one."""

from __future__ import annotations

import contextlib
import gc
import os
import socket
import threading
import time
import unittest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Callable, List, Mapping, Optional, Tuple
from unittest import mock

import httpx

from gateramp import Gate, GateError
from gateramp._transport import NO_RESPONSE, RESPONSE_BYTES_MAX, HttpClient, HttpRequest, HttpResponse, ResponseTooLarge, TimeIsUp

WHOLE = b"HTTP/1.1 200 OK\r\nX-Request-Id: req_1\r\nContent-Length: 2\r\n\r\n{}"
PATIENCE_SECONDS = 0.3
TIMEOUTS = (TimeIsUp, httpx.TimeoutException, socket.timeout, TimeoutError)  # the last two are one since Python 3.10


class Listener:
    """Takes one connection, reads the head of its request, and does what the test wants with it."""

    def __init__(self, serve: Callable[[socket.socket], None]) -> None:
        self._serve = serve
        self._connection: Optional[socket.socket] = None
        self.head = b""

    def __enter__(self) -> Listener:
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.over = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.over.set()
        with contextlib.suppress(OSError):  # ends the wait for a client that gave up before it had connected
            socket.create_connection(self._listening.getsockname()).close()
        if self._connection is not None:
            with contextlib.suppress(OSError):  # and for one that gave up without closing its connection
                self._connection.shutdown(socket.SHUT_RDWR)
        self._thread.join()
        self._listening.close()

    def _run(self) -> None:
        connection, _ = self._listening.accept()
        self._connection = connection
        with connection:
            try:
                while b"\r\n\r\n" not in self.head:
                    received = connection.recv(4096)
                    if received == b"":
                        return
                    self.head += received
                self._serve(connection)
            except OSError:
                """Who has hung up is sent nothing more."""

    def ask(self, timeout_seconds: float = 60.0, path: str = "/v1/x?a=1", body: bytes = b"{}") -> HttpRequest:
        port = self._listening.getsockname()[1]
        return HttpRequest("POST", f"http://127.0.0.1:{port}{path}", {"x-one": "1"}, body, timeout_seconds)


class Transport(unittest.TestCase):
    def setUp(self) -> None:
        self.given_up = threading.Event()

    def send(self, request: HttpRequest) -> HttpResponse:
        http = HttpClient(None)
        self.addCleanup(http.close)
        outcome = http.send(request)
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    def test_sends_what_it_is_given_and_answers_all_of_it(self) -> None:
        with Listener(sends(WHOLE)) as listener:
            answer = self.send(listener.ask())
        self.assertEqual((answer.status, answer.body, answer.headers["x-request-id"]), (200, b"{}", "req_1"))
        self.assertTrue(listener.head.startswith(b"POST /v1/x?a=1 HTTP/1.1\r\n"))
        self.assertIn(b"x-one: 1\r\n", listener.head)

    def test_reads_a_body_in_chunks(self) -> None:
        chunked = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n1\r\n}\r\n0\r\n\r\n"
        with Listener(sends(chunked)) as listener:
            self.assertEqual(self.send(listener.ask()).body, b"{}")

    def test_skips_interim_answers(self) -> None:
        interim = b"HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>; rel=preload\r\n\r\n"
        with Listener(sends(interim + WHOLE)) as listener:
            answer = self.send(listener.ask())
        self.assertEqual((answer.status, answer.body, "link" in answer.headers), (200, b"{}", False))

    def test_what_drips_in_ends_with_the_time_of_the_attempt(self) -> None:
        heads = {
            "status line": b"HTTP/1.1 200",
            "headers": b"HTTP/1.1 200 OK\r\nX-Long: ",
            "body": b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n",
            "chunks": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5000\r\n",
        }
        for name, head in heads.items():

            def drip(connection: socket.socket, head: bytes = head) -> None:
                connection.sendall(head)
                while not listener.over.wait(PATIENCE_SECONDS / 10):
                    connection.sendall(b"x")

            with self.subTest(name), Listener(drip) as listener:
                self.assert_over_in_time(listener)

    def test_a_server_that_never_answers_ends_with_the_time_of_the_attempt(self) -> None:
        with Listener(lambda _: hung(listener)) as listener:
            self.assert_over_in_time(listener)

    def test_a_name_that_is_never_resolved_ends_with_the_time_of_the_attempt(self) -> None:
        self.addCleanup(self.given_up.set)

        def never(*_: object, **__: object) -> None:
            self.given_up.wait(PATIENCE_SECONDS * 200)

        with mock.patch.object(socket, "getaddrinfo", never):
            begun = time.monotonic()
            with self.assertRaises(TIMEOUTS):
                self.send(HttpRequest("GET", "http://api.example/", {}, None, PATIENCE_SECONDS))
            self.assertGreaterEqual(time.monotonic() - begun, PATIENCE_SECONDS * 0.9)

    def test_tells_that_a_name_is_none(self) -> None:
        for host in ("a..b", "x" * 64 + ".example"):
            with self.subTest(host):
                self.assert_no_connection(HttpRequest("GET", f"http://{host}/", {}, None, 60.0))

    def assert_over_in_time(self, listener: Listener) -> None:
        """Ten bytes come in the time that is given: a limit for each read would start over at each of them, for ever."""
        begun = time.monotonic()
        with self.assertRaises(TIMEOUTS):
            self.send(listener.ask(PATIENCE_SECONDS))
        self.assertGreaterEqual(time.monotonic() - begun, PATIENCE_SECONDS * 0.9)

    def test_half_an_answer_is_none(self) -> None:
        halves = {
            "a body that ends early": b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n{}",
            "chunks without an end": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n",
            "a chunk that ends early": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nff\r\n{}",
            "headers that end early": b"HTTP/1.1 200 OK\r\nContent-Le",
            "no HTTP": b"SSH-2.0-OpenSSH_9.2\r\n",
            "nothing": b"",
        }
        for name, half in halves.items():
            with self.subTest(name), Listener(sends(half)) as listener:
                self.assert_no_connection(listener.ask())

    def test_stops_reading_an_answer_at_the_limit(self) -> None:
        piece = b"x" * 65536
        sent = [0]

        def flood(connection: socket.socket) -> None:
            connection.sendall(b"HTTP/1.1 200 OK\r\nX-Request-Id: req_1\r\nTransfer-Encoding: chunked\r\n\r\n")
            while sent[0] < 300 * 1024 * 1024:
                connection.sendall(b"10000\r\n" + piece + b"\r\n")
                sent[0] += len(piece)

        with Listener(flood) as listener, self.assertRaises(ResponseTooLarge) as raised:
            self.send(listener.ask(30.0))
        self.assertEqual((raised.exception.status, raised.exception.headers["x-request-id"]), (200, "req_1"))
        self.assertLess(sent[0], 2 * RESPONSE_BYTES_MAX)

    def test_reads_nothing_of_an_answer_whose_stated_length_is_above_the_limit(self) -> None:
        with Listener(sends(b"HTTP/1.1 200 OK\r\nContent-Length: 300000000\r\n\r\n")) as listener:
            with self.assertRaises(ResponseTooLarge):
                self.send(listener.ask(30.0))

    def test_follows_no_redirect(self) -> None:
        moved = b"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/elsewhere\r\nContent-Length: 0\r\n\r\n"
        with Listener(sends(moved)) as listener:
            self.assertEqual(self.send(listener.ask()).status, 302)

    def test_tells_that_nobody_listens(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as once:
            port = once.getsockname()[1]
        self.assert_no_connection(HttpRequest("GET", f"http://127.0.0.1:{port}/", {}, None, 60.0))

    def test_speaks_to_no_server_whose_certificate_nobody_vouches_for(self) -> None:
        with Listener(lambda connection: None) as listener:
            request = listener.ask()
            plain = HttpRequest("GET", request.url.replace("http:", "https:"), {}, None, 0.5)
            with self.assertRaises(NO_RESPONSE):
                self.send(plain)

    def assert_no_connection(self, request: HttpRequest) -> None:
        """Neither a bug nor a timeout."""
        with self.assertRaises(NO_RESPONSE) as raised:
            self.send(request)
        self.assertNotIsInstance(raised.exception, (*TIMEOUTS, ResponseTooLarge))


class Connections(unittest.TestCase):
    def test_fifty_calls_take_one_connection(self) -> None:
        with CountingServer() as server, Gate("sk_test_1", base_url=server.url) as gate:
            for _ in range(50):
                gate.branding.retrieve()
        self.assertEqual((server.requests, server.connections), (50, 1))

    def test_a_connection_that_the_server_has_closed_is_replaced(self) -> None:
        with CountingServer(requests_max=2) as server, Gate("sk_test_1", base_url=server.url, max_retries=0) as gate:
            for _ in range(6):
                gate.branding.retrieve()
        self.assertEqual((server.requests, server.connections), (6, 3))

    def test_a_client_of_the_caller_is_used_with_its_settings_and_left_open(self) -> None:
        elsewhere = CountingServer()
        seen: List[str] = []
        
        def note(request: httpx.Request) -> None:
            seen.append(request.url.path)

        hooks: Any = {"request": [note]}
        with CountingServer() as server, elsewhere, httpx.Client(
            event_hooks=hooks, follow_redirects=True, auth=("other", "key"), headers={"X-Own": "1"}
        ) as client:
            server.answer = (302, {"Location": elsewhere.url})
            with Gate("sk_test_1", base_url=server.url, http_client=client) as gate:
                with self.assertRaises(GateError):
                    gate.branding.retrieve()
            self.assertFalse(client.is_closed)
        self.assertEqual((seen, elsewhere.requests), (["/v1/branding"], 0))
        self.assertEqual((server.headers["authorization"], server.headers["x-own"]), ("Bearer sk_test_1", "1"))

    def test_a_proxy_of_the_environment_is_used(self) -> None:
        with CountingServer() as proxy, mock.patch.dict(os.environ, {"HTTP_PROXY": proxy.url, "NO_PROXY": ""}):
            with Gate("sk_test_1", base_url="http://gate.localhost:1") as gate:
                gate.branding.retrieve()
        self.assertEqual(proxy.target, "http://gate.localhost:1/v1/branding")

    def test_its_own_connections_end_with_the_gate_and_with_the_last_of_its_pages(self) -> None:
        with CountingServer() as server:
            page = Gate("sk_test_1", base_url=server.url).capabilities.countries()
            gc.collect()
            self.assertFalse(server.over.is_set())
            del page
            gc.collect()
            self.assertTrue(server.over.wait(60))


class CountingServer:
    """Answers everything, and counts its connections."""

    def __init__(self, requests_max: int = 10**6, wait: Callable[[], object] = lambda: None) -> None:
        self.requests = 0
        self.connections = 0
        self.target = ""
        self.headers: Mapping[str, str] = {}
        self.answer: Tuple[int, Mapping[str, str]] = (200, {})
        self.over = threading.Event()
        counting = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def handle(self) -> None:
                counting.connections += 1
                self.left = requests_max
                with contextlib.suppress(OSError):  # the client may have hung up
                    super().handle()
                counting.over.set()

            def do_GET(self) -> None:
                wait()
                counting.requests += 1
                counting.target = self.path
                counting.headers = {name.lower(): value for name, value in self.headers.items()}
                self.left -= 1
                status, headers = counting.answer
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", "2")
                self.end_headers()
                self.wfile.write(b"{}")
                self.close_connection = self.left == 0

            def log_message(self, format: str, *args: object) -> None:
                """A test that passes says nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> CountingServer:
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()


def sends(data: bytes) -> Callable[[socket.socket], None]:
    return lambda connection: connection.sendall(data)


def hung(listener: Listener) -> None:
    listener.over.wait()
