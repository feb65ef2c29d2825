"""`Gate`: the API of one partner in one mode, the key's."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal, Optional

from ._api import Api, Chance
from ._hosts import API_HOSTS, POOLS
from ._transport import Transport, send
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


class Gate:
    """Speaks to Gateramp from a server.

    `secret_key` (`sk_test_…` or `sk_live_…`) selects mode and host; `base_url` names another host. `timeout_seconds` is
    for one attempt, all told. A failed attempt is repeated up to `max_retries` times where that can help, under the
    same idempotency key, so that one call is one operation. May be used from several threads.
    """

    def __init__(
        self,
        secret_key: str,
        *,
        base_url: Optional[str] = None,
        pools_base_url: Optional[str] = None,
        max_retries: int = 2,
        timeout_seconds: float = 30.0,
        transport: Transport = send,
        chance: Chance = Chance(),
    ) -> None:
        mode = mode_of(secret_key)
        api = Api(
            without_slash(base_url or API_HOSTS[mode]), secret_key, max_retries, timeout_seconds, transport, chance
        )
        self.gate_sessions = GateSessions(api)
        self.transactions = Transactions(api)
        self.quotes = Quotes(api)
        self.capabilities = Capabilities(api)
        self.rails = Rails(api)
        self.branding = BrandingSettings(api)
        self.webhooks = Webhooks(api)
        self.events = Events(api)
        self.pools = Pools(replace(api, base_url=without_slash(pools_base_url or POOLS)))
        self.test_helpers = TestHelpers(api)


def mode_of(secret_key: object) -> Literal["test", "live"]:
    """The key itself is in no message: these end in logs."""
    if not isinstance(secret_key, str) or not secret_key.startswith(("sk_test_", "sk_live_")):
        raise ValueError(
            "Gate takes a secret key, which begins with sk_test_ or sk_live_. A publishable key is for browsers."
        )
    if any(character.isspace() for character in secret_key):
        raise ValueError(
            "The secret key has white space in it. Did a line break come along from a file or from the environment?"
        )
    return "test" if secret_key.startswith("sk_test_") else "live"


def without_slash(url: str) -> str:
    if not url.startswith(("https://", "http://")):
        raise ValueError(f"A base URL begins with https:// or http://, and {url!r} does not.")
    return url.rstrip("/")
