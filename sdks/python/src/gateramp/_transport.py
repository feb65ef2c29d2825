"""One HTTP exchange with a hard time limit."""

from __future__ import annotations

import functools
import http.client
import io
import queue
import socket
import ssl
import threading
import time
from dataclasses import dataclass, field
from typing import Any, Callable, List, Mapping, Optional, Tuple, Union
from urllib.parse import urlsplit

from ._headers import Headers

RESPONSE_BYTES_MAX = 16 * 1024 * 1024
"""Above every response of the service: a page of a hundred events with all their metadata takes a few MiB."""
READ_BYTES = 64 * 1024


@dataclass(frozen=True)
class HttpRequest:
    """The request of one attempt. `timeout_seconds` covers connecting, sending, waiting and reading."""

    method: str
    url: str = field(repr=False)  # the query may contain personal data
    headers: Mapping[str, str] = field(repr=False)
    body: Optional[bytes] = field(repr=False)
    timeout_seconds: float


@dataclass(frozen=True)
class HttpResponse:
    """A complete response. For a truncated body, a transport raises instead."""

    status: int
    headers: Headers = field(repr=False)
    body: bytes = field(repr=False)


class ResponseTooLarge(ConnectionError):
    """A response above the limit. The rest of it was not read."""

    def __init__(self, status: int, headers: Headers) -> None:
        super().__init__(f"the answer has more than {RESPONSE_BYTES_MAX} bytes")
        self.status = status
        self.headers = headers


Transport = Callable[[HttpRequest], HttpResponse]
"""Sends one attempt. Raises `TimeoutError` or `socket.timeout` when the time is up, and another `OSError` if the
connection failed. Must not follow redirects: the secret key may only be sent to the configured host."""


def send(request: HttpRequest) -> HttpResponse:
    """The default transport: opens a new connection for each attempt, since a pooled one may turn out to be dead."""
    deadline = Deadline(request.timeout_seconds)
    url = urlsplit(request.url)
    connection = _connection(url.scheme, url.hostname or "", url.port, deadline)
    try:
        connection.request(
            request.method,
            (url.path or "/") + (f"?{url.query}" if url.query else ""),
            body=request.body,
            headers={**request.headers, "Connection": "close"},
        )
        answer = connection.getresponse()
        headers = Headers(answer.getheaders())
        body = _whole_body(answer)
        if body is None:
            raise ResponseTooLarge(answer.status, headers)
        return HttpResponse(answer.status, headers, body)
    except http.client.HTTPException as error:
        raise ConnectionError(f"the response was not complete HTTP ({type(error).__name__})") from error
    finally:
        connection.close()


class Deadline:
    """The end of an attempt. A socket's own timeout starts over with every byte that is received."""

    def __init__(self, seconds: float) -> None:
        self._ends_at = time.monotonic() + seconds

    def remaining(self) -> float:
        left = self._ends_at - time.monotonic()
        if left <= 0:
            raise socket.timeout("the attempt took too long")
        return left


def _whole_body(answer: http.client.HTTPResponse) -> Optional[bytes]:
    """The body; None if it exceeds the limit."""
    if answer.length is not None and answer.length > RESPONSE_BYTES_MAX:
        return None
    body = bytearray()
    while True:
        piece = answer.read(READ_BYTES)
        if not piece:
            break
        body += piece
        if len(body) > RESPONSE_BYTES_MAX:
            return None
    if answer.length:  # read() with an amount does not report missing bytes
        raise ConnectionError(f"the answer ended {answer.length} bytes early")
    return bytes(body)


def _connection(
    scheme: str, host: str, port: Optional[int], deadline: Deadline
) -> Union[_PlainConnection, _SecureConnection]:
    kind = _SecureConnection if scheme == "https" else _PlainConnection
    connection = kind(host, port)
    connection.deadline = deadline
    # typeshed requires a class here; http.client only calls it.
    connection.response_class = functools.partial(_TimedResponse, deadline)  # type: ignore[assignment]
    return connection


class _PlainConnection(http.client.HTTPConnection):
    deadline: Deadline

    def connect(self) -> None:
        self.sock = _connected(self.host, self.port, self.deadline)


class _SecureConnection(http.client.HTTPSConnection):
    deadline: Deadline

    def connect(self) -> None:
        plain = _connected(self.host, self.port, self.deadline)
        try:
            self.sock = _tls_context().wrap_socket(plain, server_hostname=self.host)
        except BaseException:
            plain.close()
            raise
        self.sock.settimeout(self.deadline.remaining())


@functools.lru_cache(maxsize=1)
def _tls_context() -> ssl.SSLContext:
    """Cached: loading the machine's certificates takes longer than a request."""
    return ssl.create_default_context()


def _connected(host: str, port: int, deadline: Deadline) -> socket.socket:
    """Connects to the first address that answers. Each gets its share of the time, so that a silent one leaves time for
    the next."""
    addresses = _addresses(host, port, deadline)
    failure: OSError = OSError(f"{host} has no address")
    for index, (family, kind, protocol, _, address) in enumerate(addresses):
        connecting = socket.socket(family, kind, protocol)
        try:
            connecting.settimeout(deadline.remaining() / (len(addresses) - index))
            connecting.connect(address)
            connecting.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            connecting.settimeout(deadline.remaining())
            return connecting
        except OSError as error:
            connecting.close()
            failure = error
    raise failure


Addresses = List[Tuple[Any, ...]]


def _addresses(host: str, port: int, deadline: Deadline) -> Addresses:
    """Resolves the name in a thread that is abandoned after a timeout: the system's look-up has no time limit."""
    answers: queue.SimpleQueue[Union[Addresses, Exception]] = queue.SimpleQueue()

    def look_up() -> None:
        try:
            answers.put(list(socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)))
        except Exception as error:
            answers.put(error)

    threading.Thread(target=look_up, name="gateramp look-up", daemon=True).start()
    try:
        answer = answers.get(timeout=deadline.remaining())
    except queue.Empty:
        raise socket.timeout(f"{host} was not resolved in time") from None
    if isinstance(answer, OSError):
        raise answer
    if isinstance(answer, Exception):  # an invalid host name does not raise an OSError
        raise OSError(f"{host} cannot be resolved") from answer
    return answer


class _TimedResponse(http.client.HTTPResponse):
    """Applies the deadline of the attempt to the status line, headers and body."""

    def __init__(self, deadline: Deadline, sock: socket.socket, *args: Any, **kwargs: Any) -> None:
        super().__init__(sock, *args, **kwargs)
        self.fp.close()
        self._reader = _TimedReader(sock, deadline)
        self.fp = io.BufferedReader(self._reader)

    def begin(self) -> None:
        super().begin()
        if self._reader.has_ended:  # http.client accepts truncated headers as complete
            raise ConnectionError("the answer ended within its headers")


class _TimedReader(io.RawIOBase):
    def __init__(self, sock: socket.socket, deadline: Deadline) -> None:
        self._socket = sock
        self._deadline = deadline
        self._raw = sock.makefile("rb", buffering=0)
        self.has_ended = False

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> Optional[int]:
        self._socket.settimeout(self._deadline.remaining())
        count = self._raw.readinto(buffer)
        self.has_ended = count == 0
        return count

    def close(self) -> None:
        self._raw.close()
        super().close()
