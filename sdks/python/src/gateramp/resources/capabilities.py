"""Capabilities: the currently supported countries, currencies, assets, networks, payment methods, flows and limits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._api import Api
from .._hide_locals import HidesLocals
from .._pages import Page, list_page
from ..types import Asset, Country, Currency, Flow, Limit, Network, PaymentMethod, Ttl

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .._options import CallOptions


class Capabilities(HidesLocals):
    """Every list has a single page."""

    def __init__(self, api: Api) -> None:
        self._api = api

    def countries(self, **options: Unpack[CallOptions]) -> Page[Country]:
        """Countries of buyers. A success also confirms that key, host and mode match."""
        return list_page(self._api, Country, "/v1/capabilities/countries", options)

    def currencies(self, **options: Unpack[CallOptions]) -> Page[Currency]:
        """Fiat currencies."""
        return list_page(self._api, Currency, "/v1/capabilities/currencies", options)

    def assets(self, **options: Unpack[CallOptions]) -> Page[Asset]:
        """Tokens, and the networks of each."""
        return list_page(self._api, Asset, "/v1/capabilities/assets", options)

    def networks(self, **options: Unpack[CallOptions]) -> Page[Network]:
        """Networks, and the format of their addresses."""
        return list_page(self._api, Network, "/v1/capabilities/networks", options)

    def payment_methods(self, **options: Unpack[CallOptions]) -> Page[PaymentMethod]:
        """Payment methods."""
        return list_page(self._api, PaymentMethod, "/v1/capabilities/payment_methods", options)

    def flows(self, **options: Unpack[CallOptions]) -> Page[Flow]:
        """Buy, sell and swap; `enabled` is false if the entitlement is missing."""
        return list_page(self._api, Flow, "/v1/capabilities/flows", options)

    def limits(self, **options: Unpack[CallOptions]) -> Page[Limit]:
        """The minimum and maximum amount of each flow, payment method and currency."""
        return list_page(self._api, Limit, "/v1/capabilities/limits", options)

    def ttls(self, **options: Unpack[CallOptions]) -> Page[Ttl]:
        """The lifetimes of sessions, embed tokens, quotes, required actions and idempotency keys."""
        return list_page(self._api, Ttl, "/v1/capabilities/ttls", options)
