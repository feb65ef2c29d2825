"""One HTTP exchange over an httpx client, with a time limit for the whole of it."""

from __future__ import annotations

import contextvars
import queue
import threading
import time
import weakref
from dataclasses import dataclass, field
from typing import Mapping, Optional, Union

import anyio
import httpx

RESPONSE_BYTES_MAX = 16 * 1024 * 1024
"""Above every response of the service: a page of a hundred events with all their metadata takes a few MiB."""

OVERTIME_SECONDS = 3.0
"""The limits of httpx end an asynchronous attempt before it is cancelled, this long after its time: a cancelled one keeps
its place among the connections of httpx 0.23 for good."""

CONNECT_SECONDS = 10.0
"""Leaves time to connect to another address of the host."""


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
    """A complete response."""

    status: int
    headers: httpx.Headers = field(repr=False)
    body: bytes = field(repr=False)


class ResponseTooLarge(Exception):
    """A response above the limit. The rest of it was not read."""

    def __init__(self, status: int, headers: httpx.Headers) -> None:
        super().__init__(f"the answer has more than {RESPONSE_BYTES_MAX} bytes")
        self.status = status
        self.headers = headers


class TimeIsUp(Exception):
    """The attempt took longer than its limit."""


NO_RESPONSE = (httpx.RequestError, httpx.InvalidURL, OSError, UnicodeError, ResponseTooLarge, TimeIsUp)
"""What an attempt without a usable response raises. httpx passes on some errors of sockets and of invalid host names."""

Outcome = Union[HttpResponse, Exception]
"""A response, or the error of `NO_RESPONSE` in its place."""


class HttpClient:
    """Sends over an httpx client: the caller's, or one of its own, which it closes."""

    def __init__(self, given: Optional[httpx.Client]) -> None:
        self._client = httpx.Client(timeout=own_timeout(), follow_redirects=False) if given is None else given
        if given is None:
            # Pages outlive the `Gate` that they came from, so the last of them closes the client.
            self._closing = weakref.finalize(self, self._client.close)
        else:
            self._closing = None

    def close(self) -> None:
        if self._closing is not None:
            self._closing()

    def send(self, request: HttpRequest) -> Outcome:
        """Sends in a thread that is abandoned after a timeout: the limits of httpx start over with every byte that is
        received, and the system's look-up of a name has none."""
        ends_at = time.monotonic() + request.timeout_seconds
        outcomes: queue.SimpleQueue[Union[HttpResponse, BaseException]] = queue.SimpleQueue()

        def exchange() -> None:
            try:
                outcomes.put(self._exchange(request, ends_at))
            except BaseException as error:
                outcomes.put(error)

        context = contextvars.copy_context()  # instrumentation finds the span of the caller
        threading.Thread(target=context.run, args=(exchange,), name="gateramp-call", daemon=True).start()
        try:
            outcome = outcomes.get(timeout=request.timeout_seconds)
        except queue.Empty:
            return TimeIsUp()
        if isinstance(outcome, BaseException) and not isinstance(outcome, NO_RESPONSE):
            raise outcome
        return outcome

    def _exchange(self, request: HttpRequest, ends_at: float) -> HttpResponse:
        sent = built(self._client, request)
        response = self._client.send(sent, auth=None, follow_redirects=False, stream=True)
        try:
            body = Body(response)
            for piece in response.iter_bytes():
                body.add(piece)
                if time.monotonic() > ends_at:
                    raise TimeIsUp()
            return body.complete()
        finally:
            response.close()


class AsyncHttpClient:
    """The same over an asynchronous client."""

    def __init__(self, given: Optional[httpx.AsyncClient]) -> None:
        self._is_own = given is None
        self._client = httpx.AsyncClient(timeout=own_timeout(), follow_redirects=False) if given is None else given

    async def close(self) -> None:
        if self._is_own:
            await self._client.aclose()

    async def send(self, request: HttpRequest) -> Outcome:
        try:
            with anyio.fail_after(request.timeout_seconds + OVERTIME_SECONDS):
                return await self._exchange(request, time.monotonic() + request.timeout_seconds)
        except NO_RESPONSE as error:  # the TimeoutError of fail_after is an OSError
            return error

    async def _exchange(self, request: HttpRequest, ends_at: float) -> HttpResponse:
        sent = built(self._client, request)
        response = await self._client.send(sent, auth=None, follow_redirects=False, stream=True)
        try:
            body = Body(response)
            async for piece in response.aiter_bytes():
                body.add(piece)
                if time.monotonic() > ends_at:
                    raise TimeIsUp()
            return body.complete()
        finally:
            await response.aclose()


class Body:
    """Collects a body up to the limit."""

    def __init__(self, response: httpx.Response) -> None:
        self._response = response
        self._bytes = bytearray()
        stated = response.headers.get("content-length", "")
        if stated.isdecimal() and int(stated[:18]) > RESPONSE_BYTES_MAX:
            raise self._too_large()

    def add(self, piece: bytes) -> None:
        self._bytes += piece
        if len(self._bytes) > RESPONSE_BYTES_MAX:
            raise self._too_large()

    def complete(self) -> HttpResponse:
        return HttpResponse(self._response.status_code, self._response.headers, bytes(self._bytes))

    def _too_large(self) -> ResponseTooLarge:
        return ResponseTooLarge(self._response.status_code, self._response.headers)


def own_timeout() -> httpx.Timeout:
    return httpx.Timeout(None, connect=CONNECT_SECONDS)


def built(client: Union[httpx.Client, httpx.AsyncClient], request: HttpRequest) -> httpx.Request:
    return client.build_request(
        request.method,
        request.url,
        headers=[(name.encode("ascii"), value.encode("latin-1")) for name, value in request.headers.items()],
        content=request.body,
        timeout=phases(client.timeout, request.timeout_seconds),
    )


def phases(limits: httpx.Timeout, attempt_seconds: float) -> httpx.Timeout:
    """The client's limits of connecting, writing, reading and waiting for a connection, where they are shorter than the
    attempt's. The defaults of httpx are not the choice of anyone."""
    if limits == httpx.Timeout(5.0):
        limits = own_timeout()

    def within(seconds: Optional[float]) -> float:
        return attempt_seconds if seconds is None else min(seconds, attempt_seconds)

    return httpx.Timeout(
        connect=within(limits.connect), read=within(limits.read), write=within(limits.write), pool=within(limits.pool)
    )
