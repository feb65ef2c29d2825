"""`AsyncGate`: `Gate` for an event loop."""

from __future__ import annotations

from typing import Optional

import httpx

from ._api import Outside
from ._async_api import AsyncApi
from ._client import calls_of
from ._hide_locals import HidesLocals
from ._transport import AsyncHttpClient
from .async_resources.branding import AsyncBrandingSettings
from .async_resources.capabilities import AsyncCapabilities
from .async_resources.events import AsyncEvents
from .async_resources.gate_sessions import AsyncGateSessions
from .async_resources.pools import AsyncPools
from .async_resources.quotes import AsyncQuotes
from .async_resources.rails import AsyncRails
from .async_resources.test_helpers import AsyncTestHelpers
from .async_resources.transactions import AsyncTransactions
from .async_resources.webhooks import AsyncWebhooks


class AsyncGate(HidesLocals):
    """`Gate` for an event loop: the same settings, methods, results and errors. `await` each call; `async for` a list
    or `events.follow`. For one event loop.

    `http_client` is an `httpx.AsyncClient` with settings of your own; you close it yourself. `await aclose()`, or the end
    of an `async with` block, closes the `AsyncGate`'s own.
    """

    def __init__(
        self,
        secret_key: str,
        *,
        base_url: Optional[str] = None,
        pools_base_url: Optional[str] = None,
        max_retries: int = 2,
        timeout_seconds: float = 30.0,
        http_client: Optional[httpx.AsyncClient] = None,
        outside: Outside = Outside(),
    ) -> None:
        calls, pools_calls = calls_of(secret_key, base_url, pools_base_url, max_retries, timeout_seconds, outside)
        self._http = AsyncHttpClient(http_client)
        api = AsyncApi(calls, self._http)
        self.gate_sessions: AsyncGateSessions = AsyncGateSessions(api)
        self.transactions: AsyncTransactions = AsyncTransactions(api)
        self.quotes: AsyncQuotes = AsyncQuotes(api)
        self.capabilities: AsyncCapabilities = AsyncCapabilities(api)
        self.rails: AsyncRails = AsyncRails(api)
        self.branding: AsyncBrandingSettings = AsyncBrandingSettings(api)
        self.webhooks: AsyncWebhooks = AsyncWebhooks(api)
        self.events: AsyncEvents = AsyncEvents(api)
        self.pools: AsyncPools = AsyncPools(AsyncApi(pools_calls, self._http))
        self.test_helpers: AsyncTestHelpers = AsyncTestHelpers(api)

    async def aclose(self) -> None:
        """Closes the connections, unless they are those of an `http_client` of yours."""
        await self._http.close()

    async def __aenter__(self) -> AsyncGate:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()
