"""One logical operation against the API: attempts, waits, and the result. The operations themselves do no I/O."""

from __future__ import annotations

import builtins
import itertools
import json
import platform
import random
import re
import socket
import threading
import time
import uuid
from dataclasses import dataclass, field
from typing import Any, Awaitable, Callable, Dict, Generator, Iterator, Mapping, Optional, Tuple, TypeVar, Union
from urllib.parse import quote, urlencode

import anyio
import httpx

from ._errors import APIConnectionError, APIError, GateError, InvalidRequestError, TimeoutError, error_of
from ._hide_locals import hide_locals
from ._objects import GateObject, ResponseInfo
from ._options import CallOptions, check_bounds, checked, encoded
from ._retries import RETRIED_STATUSES, retry_after_seconds, wait_before_retry
from ._transport import (
    RESPONSE_BYTES_MAX,
    HttpClient,
    HttpRequest,
    HttpResponse,
    Outcome,
    ResponseTooLarge,
    TimeIsUp,
)
from ._version import VERSION

Result = TypeVar("Result", bound=GateObject)
Item = TypeVar("Item", bound=GateObject)
Value = TypeVar("Value")

Factory = Callable[[Dict[str, Any], ResponseInfo], Result]
"""A class of types.py, or a function that selects one."""

ItemFactory = Callable[[Dict[str, Any]], Item]
"""The same, of the items of a list, which have no response of their own."""

USER_AGENT = f"gateramp-python/{VERSION} python/{platform.python_version()}"


Answer = Tuple[Dict[str, Any], HttpResponse]

Recover = Callable[[GateError], "Steps[Optional[Answer]]"]
"""Replaces an error that follows a lost response with a result; None if the error remains."""


@dataclass(frozen=True)
class Outside:
    """The clock, randomness and waits of an operation, which tests replace."""

    sleep: Callable[[float], object] = time.sleep
    sleep_async: Callable[[float], Awaitable[object]] = anyio.sleep
    now: Callable[[], float] = time.time
    chance: Callable[[], float] = random.random
    new_key: Callable[[], str] = lambda: str(uuid.uuid4())


@dataclass(frozen=True)
class Pause:
    """A wait, which is a step of an operation as a request is."""

    seconds: float


Step = Union[HttpRequest, Pause]

Steps = Generator[Step, Any, Value]
"""An operation, without the means to execute it: yields requests, which are answered with their `Outcome`, and pauses.
`Api` and `AsyncApi` execute it."""

Walk = Generator[Union[Step, Item], Any, None]
"""An operation that also yields items, such as those of a list."""


@dataclass(frozen=True)
class Calls:
    """The operations on one host, with the settings of their calls."""

    base_url: Optional[str]
    """None if it was not configured and has no default."""
    secret_key: str = field(repr=False)
    max_retries: int
    timeout_seconds: float
    outside: Outside

    def call(
        self, kind: Factory[Result], method: str, path: str, options: CallOptions, **parts: Any
    ) -> Steps[Result]:
        fields, response = yield from self.ask(method, path, options, **parts)
        return kind(fields, ResponseInfo(response.status, response.headers))

    def cancel(self, kind: Factory[Result], path: str, options: CallOptions, code_when_over: str) -> Steps[Result]:
        """Cancels the object at `path`. A cancel takes no idempotency key: if its response was lost and the retry finds
        the object cancelled, that object is returned."""

        def found_cancelled(error: GateError) -> Steps[Optional[Answer]]:
            if error.code != code_when_over:
                return None
            fields, response = yield from self.ask("GET", path, options)
            return (fields, response) if fields.get("status") == "cancelled" else None

        return self.call(kind, "POST", f"{path}/cancel", options, recover=found_cancelled)

    def ask(
        self,
        method: str,
        path: str,
        options: CallOptions,
        query: Optional[Mapping[str, Any]] = None,
        body: Optional[Mapping[str, Any]] = None,
        keyed: bool = False,
        recover: Optional[Recover] = None,
    ) -> Steps[Answer]:
        """`keyed` sends an idempotency key, the same for all attempts of the operation."""
        checked(options, f"{method} {path}")
        if self.base_url is None:
            raise InvalidRequestError(
                "The pools product has a separate host. Set pools_base_url as well as base_url.",
                code="invalid_configuration",
            )
        max_retries = options.get("max_retries", self.max_retries)
        timeout_seconds = options.get("timeout_seconds", self.timeout_seconds)
        check_bounds(max_retries, timeout_seconds)
        sent_body = encoded({**(body or {}), **options.get("extra_body", {})})
        has_body = body is not None or bool(sent_body)
        request = HttpRequest(
            method=method,
            url=self.base_url + path + (f"?{urlencode(encoded(query))}" if query else ""),
            headers=sendable(self._headers(options, has_body, keyed)),
            body=json_of(sent_body) if has_body else None,
            timeout_seconds=timeout_seconds,
        )
        return self._attempts(request, max_retries, recover)

    def _headers(self, options: CallOptions, has_body: bool, keyed: bool) -> Dict[str, str]:
        headers = {"accept": "application/json", "user-agent": USER_AGENT}
        if has_body:
            headers["content-type"] = "application/json"
        given = options.get("headers", {}).items()
        headers.update({name.lower(): str(value).strip(" \t") for name, value in given})
        # The caller's key takes precedence, as an option or as a header. A new key is generated per operation, not per
        # attempt: every retry carries it.
        key = options.get("idempotency_key")
        if key is not None:
            headers["idempotency-key"] = str(key)  # may be a UUID object
        elif keyed and "idempotency-key" not in headers:
            headers["idempotency-key"] = self.outside.new_key()
        headers["authorization"] = f"Bearer {self.secret_key}"
        return headers

    def _attempts(self, request: HttpRequest, max_retries: int, recover: Optional[Recover]) -> Steps[Answer]:
        unsure = False
        for retries_made in itertools.count():
            attempt = self._attempt(request, (yield request))
            if not isinstance(attempt, Failure):
                return attempt
            wait = None
            if attempt.may_pass and retries_made < max_retries:
                wait = wait_before_retry(retries_made, attempt.retry_after, self.outside.chance())
            if wait is None:
                recovered = (yield from recover(attempt.error)) if unsure and recover is not None else None
                if recovered is None:
                    raise attempt.error
                return recovered
            unsure = unsure or attempt.may_have_happened
            yield Pause(wait)
        raise AssertionError("a count has no end")

    def _attempt(self, request: HttpRequest, outcome: Outcome) -> Union[Answer, Failure]:
        where = f"{request.method} {request.url.partition('?')[0]}"  # the query may contain personal data
        if isinstance(outcome, Exception):
            return no_response(where, request.timeout_seconds, outcome)
        if not 200 <= outcome.status < 300:
            now = self.outside.now()
            return Failure(
                error_of(outcome.status, outcome.headers, outcome.body, now),
                may_pass=outcome.status in RETRIED_STATUSES,
                may_have_happened=outcome.status >= 500,
                retry_after=retry_after_seconds(outcome.headers, now),
            )
        try:
            fields = json.loads(outcome.body)
        except (ValueError, RecursionError):
            fields = None
        if isinstance(fields, dict):
            return fields, outcome
        return Failure(
            APIConnectionError(
                f"{where} was answered {outcome.status} with something that is not a JSON object. Check that base_url is the "
                "address of the service, and whether a proxy answers in its place.",
                status=outcome.status,
                request_id=outcome.headers.get("X-Request-Id"),
                raw_body=outcome.body.decode("utf-8", "replace"),
            )
        )


class Api:
    """Executes operations, and waits for them."""

    def __init__(self, calls: Calls, http: HttpClient) -> None:
        self.calls = calls
        self._http = http

    def get(self, kind: Factory[Result], path: str, options: CallOptions) -> Result:
        return self.run(self.calls.call(kind, "GET", path, options))

    def post(
        self,
        kind: Factory[Result],
        path: str,
        options: CallOptions,
        body: Optional[Mapping[str, Any]] = None,
        keyed: bool = True,
    ) -> Result:
        return self.run(self.calls.call(kind, "POST", path, options, body=body, keyed=keyed))

    def cancel(self, kind: Factory[Result], path: str, options: CallOptions, code_when_over: str) -> Result:
        return self.run(self.calls.cancel(kind, path, options, code_when_over))

    @hide_locals
    def run(self, steps: Steps[Value]) -> Value:
        try:
            step = next(steps)
            while True:
                step = steps.send(self._take(step))
        except StopIteration as end:
            return end.value

    def walk(self, walk: Walk[Item], stop: Optional[threading.Event] = None) -> Iterator[Item]:
        """Executes a walk as far as its items are wanted. `stop` ends its pauses."""
        while True:
            try:
                item = self._next(walk, stop)
            except StopIteration:
                return
            yield item

    @hide_locals
    def _next(self, walk: Walk[Item], stop: Optional[threading.Event]) -> Item:
        step = next(walk)
        while isinstance(step, (HttpRequest, Pause)):
            step = walk.send(self._take(step, stop))
        return step

    def _take(self, step: Step, stop: Optional[threading.Event] = None) -> object:
        if isinstance(step, HttpRequest):
            return self._http.send(step)
        return (self.calls.outside.sleep if stop is None else stop.wait)(step.seconds)


@dataclass(frozen=True)
class Failure:
    """A failed attempt. Without a complete response, the operation may still have been executed."""

    error: GateError
    may_pass: bool = True
    may_have_happened: bool = True
    retry_after: Optional[float] = None


def no_response(where: str, timeout_seconds: float, cause: Exception) -> Failure:
    if isinstance(cause, ResponseTooLarge):
        return Failure(caused_by(cause, too_large(where, cause)), may_pass=False)
    if isinstance(cause, (TimeIsUp, httpx.TimeoutException, builtins.TimeoutError, socket.timeout)):
        return Failure(caused_by(cause, TimeoutError(f"{where} was not answered in {timeout_seconds:g} s.")))
    return Failure(caused_by(cause, APIConnectionError(f"{where} got no complete response: {cause}.")))


def sendable(headers: Dict[str, str]) -> Dict[str, str]:
    """Refuses invalid headers. The errors of httpx would include their values, which may be secrets."""
    for name, value in headers.items():
        if not re.fullmatch(r"[!#$%&'*+.^_`|~0-9a-z-]+", name) or not re.fullmatch("[\t -~\x80-\xff]*", value):
            raise InvalidRequestError(
                f"The header {name} cannot be sent: it contains characters that are not allowed in a header.",
                code="idempotency_key_invalid" if name == "idempotency-key" else "invalid_header",
            )
    return headers


def json_of(body: Mapping[str, Any]) -> bytes:
    try:
        return json.dumps(body, allow_nan=False).encode("ascii")
    except (TypeError, ValueError, RecursionError) as cause:
        # The most common cause is a Decimal amount.
        message = f"The body cannot be sent as JSON: {cause}. Amounts are strings, such as str(amount) of a Decimal."
        raise InvalidRequestError(message, code="invalid_body") from cause


def too_large(where: str, cause: ResponseTooLarge) -> APIError:
    return APIError(
        f"{where} was answered {cause.status} with more than {RESPONSE_BYTES_MAX} bytes, and the body was not read. Check that "
        "base_url is the address of the service.",
        code="response_too_large",
        status=cause.status,
        request_id=cause.headers.get("X-Request-Id"),
    )


def caused_by(cause: BaseException, error: GateError) -> GateError:
    error.__cause__ = cause
    return error


def at(template: str, *ids: object) -> str:
    """Builds a path with escaped ids. An empty id would address another route, so it is refused."""
    return template.format(*map(escaped, ids))


def escaped(id: object) -> str:
    if isinstance(id, str) and id.strip() not in ("", ".", ".."):
        return quote(id, safe="")
    raise InvalidRequestError(f"An id must be a non-empty string, not {id!r}.", code="id_missing")
