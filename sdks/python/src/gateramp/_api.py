"""One logical operation against the API: attempts, waits, and the result."""

from __future__ import annotations

import builtins
import itertools
import json
import platform
import random
import re
import socket
import time
import uuid
from dataclasses import dataclass, field
from typing import Any, Callable, Dict, Mapping, Optional, Tuple, TypeVar, Union
from urllib.parse import quote, urlencode

from ._errors import APIConnectionError, APIError, GateError, InvalidRequestError, TimeoutError, error_of
from ._objects import GateObject, ResponseInfo
from ._options import CallOptions, check_bounds, checked
from ._retries import RETRIED_STATUSES, retry_after_seconds, wait_before_retry
from ._transport import RESPONSE_BYTES_MAX, HttpRequest, HttpResponse, ResponseTooLarge, Transport
from ._version import VERSION

Result = TypeVar("Result", bound=GateObject)

Factory = Callable[[Dict[str, Any], ResponseInfo], Result]
"""A class of types.py, or a function that selects one."""

USER_AGENT = f"gateramp-python/{VERSION} python/{platform.python_version()}"


Answer = Tuple[Dict[str, Any], HttpResponse]

Recover = Callable[[GateError], Optional[Answer]]
"""Replaces an error that follows a lost response with a result; returns None if the error remains."""


@dataclass(frozen=True)
class Outside:
    """The clock, randomness and sleep of an operation, which tests replace."""

    sleep: Callable[[float], object] = time.sleep
    now: Callable[[], float] = time.time
    chance: Callable[[], float] = random.random
    new_key: Callable[[], str] = lambda: str(uuid.uuid4())


@dataclass(frozen=True)
class Api:
    """One host, with the settings of its calls."""

    base_url: Optional[str]
    """None if it was not configured and has no default."""
    secret_key: str = field(repr=False)
    max_retries: int
    timeout_seconds: float
    transport: Transport
    outside: Outside

    def get(self, kind: Factory[Result], path: str, options: CallOptions) -> Result:
        return self.call(kind, "GET", path, options)

    def post(
        self,
        kind: Factory[Result],
        path: str,
        options: CallOptions,
        body: Optional[Dict[str, Any]] = None,
        keyed: bool = True,
    ) -> Result:
        """`keyed` sends an idempotency key, the same for all attempts of the operation."""
        return self.call(kind, "POST", path, options, body=body, keyed=keyed)

    def call(self, kind: Factory[Result], method: str, path: str, options: CallOptions, **parts: Any) -> Result:
        fields, response = self.ask(method, path, options, **parts)
        return kind(fields, ResponseInfo(response.status, response.headers))

    def cancel(self, kind: Factory[Result], path: str, options: CallOptions, code_when_over: str) -> Result:
        """Cancels the object at `path`. A cancel takes no idempotency key: if its response was lost and the retry finds
        the object cancelled, that object is returned."""

        def found_cancelled(error: GateError) -> Optional[Answer]:
            if error.code != code_when_over:
                return None
            fields, response = self.ask("GET", path, options)
            return (fields, response) if fields.get("status") == "cancelled" else None

        return self.call(kind, "POST", f"{path}/cancel", options, recover=found_cancelled)

    def ask(
        self,
        method: str,
        path: str,
        options: CallOptions,
        query: Optional[Mapping[str, Any]] = None,
        body: Optional[Dict[str, Any]] = None,
        keyed: bool = False,
        recover: Optional[Recover] = None,
    ) -> Answer:
        checked(options, f"{method} {path}")
        if self.base_url is None:
            raise InvalidRequestError(
                "The pools product has a separate host. Set pools_base_url as well as base_url.",
                code="invalid_configuration",
            )
        max_retries = options.get("max_retries", self.max_retries)
        timeout_seconds = options.get("timeout_seconds", self.timeout_seconds)
        check_bounds(max_retries, timeout_seconds)
        sent_body = {**(body or {}), **options.get("extra_body", {})}
        has_body = body is not None or bool(sent_body)
        request = HttpRequest(
            method=method,
            url=self.base_url + path + (f"?{urlencode(query)}" if query else ""),
            headers=sendable(self._headers(options, has_body, keyed)),
            body=json_of(sent_body) if has_body else None,
            timeout_seconds=timeout_seconds,
        )
        return self._attempts(request, max_retries, recover)

    def _headers(self, options: CallOptions, has_body: bool, keyed: bool) -> Dict[str, str]:
        headers = {"accept": "application/json", "user-agent": USER_AGENT}
        if has_body:
            headers["content-type"] = "application/json"
        headers.update({name.lower(): str(value) for name, value in options.get("headers", {}).items()})
        # The caller's key takes precedence, as an option or as a header. A new key is generated per operation, not per
        # attempt: every retry carries it.
        key = options.get("idempotency_key")
        if key is not None:
            headers["idempotency-key"] = str(key)  # may be a UUID object
        elif keyed and "idempotency-key" not in headers:
            headers["idempotency-key"] = self.outside.new_key()
        headers["authorization"] = f"Bearer {self.secret_key}"
        return headers

    def _attempts(self, request: HttpRequest, max_retries: int, recover: Optional[Recover]) -> Answer:
        unsure = False
        for retries_made in itertools.count():
            attempt = self._attempt(request)
            if not isinstance(attempt, Failure):
                return attempt
            wait = None
            if attempt.may_pass and retries_made < max_retries:
                wait = wait_before_retry(retries_made, attempt.retry_after, self.outside.chance())
            if wait is None:
                recovered = recover(attempt.error) if unsure and recover is not None else None
                if recovered is None:
                    raise attempt.error
                return recovered
            unsure = unsure or attempt.may_have_happened
            self.outside.sleep(wait)
        raise AssertionError("a count has no end")

    def _attempt(self, request: HttpRequest) -> Union[Answer, Failure]:
        where = f"{request.method} {request.url.partition('?')[0]}"  # the query may contain personal data
        try:
            response = self.transport(request)
            if len(response.body) > RESPONSE_BYTES_MAX:
                raise ResponseTooLarge(response.status, response.headers)
        except ResponseTooLarge as cause:
            return Failure(caused_by(cause, too_large(where, cause)), may_pass=False)
        except (socket.timeout, builtins.TimeoutError) as cause:
            return Failure(
                caused_by(cause, TimeoutError(f"{where} was not answered in {request.timeout_seconds:g} s."))
            )
        except OSError as cause:
            return Failure(caused_by(cause, APIConnectionError(f"{where} got no complete response: {cause}.")))
        if not 200 <= response.status < 300:
            now = self.outside.now()
            return Failure(
                error_of(response.status, response.headers, response.body, now),
                may_pass=response.status in RETRIED_STATUSES,
                may_have_happened=response.status >= 500,
                retry_after=retry_after_seconds(response.headers, now),
            )
        try:
            fields = json.loads(response.body)
        except (ValueError, RecursionError):
            fields = None
        if isinstance(fields, dict):
            return fields, response
        return Failure(
            APIConnectionError(
                f"{where} was answered {response.status} with something that is not a JSON object. Check that base_url is the "
                "address of the service, and whether a proxy answers in its place.",
                status=response.status,
                request_id=response.headers.get("X-Request-Id"),
                raw_body=response.body.decode("utf-8", "replace"),
            )
        )


@dataclass(frozen=True)
class Failure:
    """A failed attempt. Without a complete response, the operation may still have been executed."""

    error: GateError
    may_pass: bool = True
    may_have_happened: bool = True
    retry_after: Optional[float] = None


def sendable(headers: Dict[str, str]) -> Dict[str, str]:
    """Refuses invalid headers. The errors of the standard library would include their values, which may be secrets."""
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
