"""`Gate`: a client of the API for one partner, in the mode of its key."""

from __future__ import annotations

import ipaddress
import re
from dataclasses import replace
from typing import Literal, Optional, Tuple
from urllib.parse import SplitResult, urlsplit

import httpx

from ._api import Api, Calls, Outside
from ._errors import AuthenticationError, InvalidRequestError
from ._hide_locals import HidesLocals
from ._hosts import API_HOSTS, POOLS
from ._options import check_bounds
from ._transport import HttpClient
from .resources.branding import BrandingSettings
from .resources.capabilities import Capabilities
from .resources.events import Events
from .resources.gate_sessions import GateSessions
from .resources.pools import Pools
from .resources.quotes import Quotes
from .resources.rails import Rails
from .resources.test_helpers import TestHelpers
from .resources.transactions import Transactions
from .resources.webhooks import Webhooks


class Gate(HidesLocals):
    """A client of the service for servers with a secret key.

    `secret_key` (`sk_test_…` or `sk_live_…`) selects mode and host. `base_url` overrides the host; it must be https
    unless it is a loopback address. `timeout_seconds` limits a whole attempt. Failed attempts are retried up to
    `max_retries` times if the failure may be temporary, with the same idempotency key, so that one call is one
    operation. Thread-safe.

    Connections are kept and used again. `http_client` is an `httpx.Client` with settings of your own, such as a proxy
    or certificates; you close it yourself. `close()`, or the end of a `with` block, closes the `Gate`'s own.
    """

    def __init__(
        self,
        secret_key: str,
        *,
        base_url: Optional[str] = None,
        pools_base_url: Optional[str] = None,
        max_retries: int = 2,
        timeout_seconds: float = 30.0,
        http_client: Optional[httpx.Client] = None,
        outside: Outside = Outside(),
    ) -> None:
        calls, pools_calls = calls_of(
            secret_key, base_url, pools_base_url, max_retries, timeout_seconds, outside
        )
        self._http = HttpClient(http_client)
        api = Api(calls, self._http)
        self.gate_sessions: GateSessions = GateSessions(api)
        self.transactions: Transactions = Transactions(api)
        self.quotes: Quotes = Quotes(api)
        self.capabilities: Capabilities = Capabilities(api)
        self.rails: Rails = Rails(api)
        self.branding: BrandingSettings = BrandingSettings(api)
        self.webhooks: Webhooks = Webhooks(api)
        self.events: Events = Events(api)
        self.pools: Pools = Pools(Api(pools_calls, self._http))
        self.test_helpers: TestHelpers = TestHelpers(api)

    def close(self) -> None:
        """Closes the connections, unless they are those of an `http_client` of yours."""
        self._http.close()

    def __enter__(self) -> Gate:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def calls_of(
    secret_key: str,
    base_url: Optional[str],
    pools_base_url: Optional[str],
    max_retries: int,
    timeout_seconds: float,
    outside: Outside,
) -> Tuple[Calls, Calls]:
    """The calls to the host of the API and to that of the pools."""
    mode = mode_of(secret_key)
    check_bounds(max_retries, timeout_seconds)
    host = API_HOSTS[mode] if base_url is None else address("base_url", base_url)
    # Default hosts apply only without a configured address: a key for one deployment must not be sent to another.
    pools_host = POOLS if base_url is None else None
    if pools_base_url is not None:
        pools_host = address("pools_base_url", pools_base_url)
    calls = Calls(host, secret_key, max_retries, timeout_seconds, outside)
    return calls, replace(calls, base_url=pools_host)


def mode_of(secret_key: object) -> Literal["test", "live"]:
    found = re.fullmatch(r"sk_(test|live)_[!-~]+", secret_key) if isinstance(secret_key, str) else None
    if found is not None:
        return "test" if found.group(1) == "test" else "live"
    raise AuthenticationError(
        f"{what_is_wrong(secret_key)} Secret keys begin with sk_test_ or sk_live_.", code="malformed_credential"
    )


def what_is_wrong(key: object) -> str:
    """Never includes the key: error messages end up in logs."""
    if not isinstance(key, str) or key == "":
        return "Missing secret key. Check that the environment variable is set."
    if any(character.isspace() for character in key):
        return "The secret key contains white space. Check the environment variable it is read from."
    if key.startswith("pk_"):
        return "This is a publishable key, which is for browsers only."
    if key.startswith("whsec_"):
        return "This is a webhook signing secret."
    return "This is not a secret key."


def address(name: str, value: object) -> str:
    """Every request carries the secret key, so it may leave this machine over https only. Errors never repeat the
    address: it may contain a password."""
    parts = split(value)
    if parts is None or parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
        raise unusable(f"{name} must be an address such as https://api.example.com, without a query.")
    if "@" in parts.netloc:
        raise unusable(
            f"{name} must not contain a user name or password. Requests are authenticated by the secret key."
        )
    if parts.scheme == "http" and not is_loopback(parts.hostname):
        raise unusable(
            f"{name} must begin with https://. Plain http is accepted for localhost and loopback addresses only."
        )
    return str(value).rstrip("/")


def split(value: object) -> Optional[SplitResult]:
    """Splits an address; None if it is invalid. The parser alone accepts addresses that no client can connect to."""
    if not isinstance(value, str) or re.search(r"[\s\x00-\x1f\x7f\\]", value):
        return None
    try:
        parts = urlsplit(value)
        _ = parts.port  # raises for a port that is not a number
    except ValueError:
        return None
    return parts


def is_loopback(host: str) -> bool:
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def unusable(message: str) -> InvalidRequestError:
    return InvalidRequestError(message, code="invalid_configuration")
