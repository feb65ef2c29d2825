"""Quotes: prices for display, and executable prices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Optional, Union

from .._api import Api, at
from .._hide_locals import HidesLocals
from .._options import given
from ..types import ExecutableQuote, QuotePreview

if TYPE_CHECKING:
    from enum import Enum

    from typing_extensions import Unpack

    from .._options import CallOptions


class Quotes(HidesLocals):
    def __init__(self, api: Api) -> None:
        self._api = api

    def preview(
        self,
        *,
        currency: str,
        asset: str,
        amount: str,
        side: Union[str, Enum],
        country_code: str,
        network: Optional[str] = None,
        source_asset: Optional[str] = None,
        source_network: Optional[str] = None,
        **options: Unpack[CallOptions],
    ) -> QuotePreview:
        """Prices for every payment method. `side` is `on_ramp`, `off_ramp` or `swap`, which requires `source_asset`;
        `amount` is in `currency`.

        Preview quote ids cannot be used to pay: `create` returns an executable quote.
        """
        body = given(locals())
        return self._api.post(QuotePreview, "/v1/quotes/preview", options, body, keyed=False)

    def create(
        self,
        *,
        currency: str,
        asset: str,
        amount: str,
        side: Union[str, Enum],
        country_code: str,
        payment_method: Union[str, Enum],
        network: Optional[str] = None,
        source_asset: Optional[str] = None,
        source_network: Optional[str] = None,
        **options: Unpack[CallOptions],
    ) -> ExecutableQuote:
        """Creates a quote for one payment method and one pay-in or pay-out. Raises `PermissionError` without the rails
        entitlement."""
        body = given(locals())
        return self._api.post(ExecutableQuote, "/v1/quotes", options, body)

    def retrieve(self, id: str, **options: Unpack[CallOptions]) -> ExecutableQuote:
        """Retrieves an executable quote; its `status` shows whether it is still `open`."""
        return self._api.get(ExecutableQuote, at("/v1/quotes/{}", id), options)
