"""One logical operation against the API: attempts, waits, and what came of them."""

from __future__ import annotations

import builtins
import json
import platform
import random
import socket
import time
import uuid
from dataclasses import dataclass
from typing import Any, Callable, Dict, Mapping, Optional, Tuple, TypeVar, Union
from urllib.parse import quote, urlencode

from ._errors import APIConnectionError, APIError, GateError, TimeoutError, error_of
from ._objects import GateObject, ResponseInfo
from ._options import CallOptions, checked
from ._retries import RETRIED_STATUSES, wait_before_retry
from ._transport import HttpRequest, HttpResponse, Transport
from ._version import VERSION

Result = TypeVar("Result", bound=GateObject)

Factory = Callable[[Dict[str, Any], ResponseInfo], Result]
"""A class of _types.py, or what chooses one."""

USER_AGENT = f"gateramp-python/{VERSION} python/{platform.python_version()}"


@dataclass(frozen=True)
class Chance:
    """What an operation takes from outside beside the network; tests give their own."""

    sleep: Callable[[float], None] = time.sleep
    random: Callable[[], float] = random.random
    new_key: Callable[[], str] = lambda: str(uuid.uuid4())


@dataclass(frozen=True)
class Api:
    """One host, and how it is spoken to."""

    base_url: str
    secret_key: str
    max_retries: int
    timeout_seconds: float
    transport: Transport
    chance: Chance

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
        """`keyed` sends an idempotency key, one for the operation, whatever becomes of its attempts."""
        return self.call(kind, "POST", path, options, body=body, keyed=keyed)

    def call(self, kind: Factory[Result], method: str, path: str, options: CallOptions, **parts: Any) -> Result:
        fields, response = self.ask(method, path, options, **parts)
        return kind(fields, ResponseInfo(response.status, response.headers))

    def ask(
        self,
        method: str,
        path: str,
        options: CallOptions,
        query: Optional[Mapping[str, Any]] = None,
        body: Optional[Dict[str, Any]] = None,
        keyed: bool = False,
    ) -> Tuple[Dict[str, Any], HttpResponse]:
        checked(options, f"{method} {path}")
        sent_body = {**(body or {}), **options.get("extra_body", {})}
        has_body = body is not None or bool(sent_body)
        request = HttpRequest(
            method=method,
            url=self.base_url + path + (f"?{urlencode(query)}" if query else ""),
            headers=self._headers(options, has_body, keyed),
            body=json.dumps(sent_body).encode("ascii") if has_body else None,
            timeout_seconds=options.get("timeout_seconds", self.timeout_seconds),
        )
        return self._attempts(request, options.get("max_retries", self.max_retries))

    def _headers(self, options: CallOptions, has_body: bool, keyed: bool) -> Dict[str, str]:
        headers = {"accept": "application/json", "user-agent": USER_AGENT, "authorization": f"Bearer {self.secret_key}"}
        if has_body:
            headers["content-type"] = "application/json"
        if keyed:
            headers["idempotency-key"] = options.get("idempotency_key") or self.chance.new_key()
        headers.update({name.lower(): value for name, value in options.get("headers", {}).items()})
        return headers

    def _attempts(self, request: HttpRequest, max_retries: int) -> Tuple[Dict[str, Any], HttpResponse]:
        attempt = 0
        while True:
            outcome = self._attempt(request)
            if not isinstance(outcome, GateError):
                return outcome
            wait = wait_before_retry(attempt, outcome.headers, self.chance.random) if may_be_retried(outcome) else None
            if wait is None or attempt >= max_retries:
                raise outcome
            self.chance.sleep(wait)
            attempt += 1

    def _attempt(self, request: HttpRequest) -> Union[GateError, Tuple[Dict[str, Any], HttpResponse]]:
        try:
            response = self.transport(request)
        except (socket.timeout, builtins.TimeoutError) as error:
            return caused(
                TimeoutError(f"{request.method} took longer than {request.timeout_seconds:g} seconds."), error
            )
        except OSError as error:
            return caused(APIConnectionError(f"No answer from {self.base_url}: {error}"), error)
        if not 200 <= response.status < 300:
            return error_of(response.status, response.headers, response.body)
        try:
            fields = json.loads(response.body)
        except ValueError:
            fields = None
        return (fields, response) if isinstance(fields, dict) else unreadable(response)


def may_be_retried(error: GateError) -> bool:
    """Connection failures have no status; a 2xx here is an answer that could not be read."""
    return error.status is None or error.status in RETRIED_STATUSES or error.status < 300


def unreadable(response: HttpResponse) -> APIError:
    return APIError(
        f"The server answered {response.status} with something that is not JSON. Is base_url the address of the API?",
        status=response.status,
        request_id=response.headers.get("X-Request-Id"),
        raw_body=response.body,
        headers=response.headers,
    )


def caused(error: GateError, cause: BaseException) -> GateError:
    error.__cause__ = cause
    return error


def at(template: str, *ids: str) -> str:
    """A path with ids in their places. An empty one would name another route."""
    for value in ids:
        if not isinstance(value, str) or value.strip(".") == "":
            raise ValueError(f"an id is text, and not {value!r}")
    return template.format(*(quote(value, safe="") for value in ids))
