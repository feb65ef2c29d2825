"""Pools: a separate product with its own host, in live mode only. Requires the pools entitlement."""

from __future__ import annotations

from typing import TYPE_CHECKING, Optional

from .._api import Api, at
from .._hide_locals import HidesLocals
from .._options import given
from .._pages import Page, cursor_page
from ..types import Pool, PoolBalance, PoolQuote, PoolTrade

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .._options import CallOptions


class Pools(HidesLocals):
    def __init__(self, api: Api) -> None:
        self._api = api

    def list(self, **options: Unpack[CallOptions]) -> Page[Pool]:
        """Lists the pools that you may trade with."""
        return cursor_page(self._api, Pool, "/v1/pools", options, {})

    def quote(
        self,
        pool_id: str,
        *,
        side: str,
        asset: str,
        network: str,
        amount: str,
        currency: str,
        dest_address: str,
        **options: Unpack[CallOptions],
    ) -> PoolQuote:
        """Creates a quote that is valid for 30 seconds; `amount` is in `currency`."""
        body = {
            "side": side,
            "asset": asset,
            "network": network,
            "amount": amount,
            "currency": currency,
            "destAddress": dest_address,
        }
        return self._api.post(PoolQuote, at("/v1/pools/{}/quote", pool_id), options, body)

    def transact(self, pool_id: str, *, quote_id: str, dest_address: str, **options: Unpack[CallOptions]) -> PoolTrade:
        """Executes a quote, once, under any idempotency key. 402 `insufficient_balance` moves nothing."""
        body = {"quoteId": quote_id, "destAddress": dest_address}
        return self._api.post(PoolTrade, at("/v1/pools/{}/transact", pool_id), options, body)

    def balance(self, pool_id: str, **options: Unpack[CallOptions]) -> PoolBalance:
        """The balance of a pool, and the part of it that is reserved by trades in progress."""
        return self._api.get(PoolBalance, at("/v1/pools/{}/balance", pool_id), options)

    def trades(
        self, *, cursor: Optional[str] = None, limit: Optional[int] = None, **options: Unpack[CallOptions]
    ) -> Page[PoolTrade]:
        """Lists the trades of all your pools, newest first."""
        return cursor_page(self._api, PoolTrade, "/v1/pools/trades", options, given({"cursor": cursor, "limit": limit}))
