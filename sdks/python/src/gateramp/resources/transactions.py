"""Transactions: the money of one payment attempt."""

from __future__ import annotations

from typing import TYPE_CHECKING, Optional, Union

from .._api import Api, at
from .._hide_locals import HidesLocals
from .._options import given
from .._pages import Page, list_page
from ..types import Transaction

if TYPE_CHECKING:
    from datetime import datetime
    from enum import Enum

    from typing_extensions import Unpack

    from .._options import CallOptions


class Transactions(HidesLocals):
    def __init__(self, api: Api) -> None:
        self._api = api

    def retrieve(self, refid: str, **options: Unpack[CallOptions]) -> Transaction:
        """Retrieves a transaction by its `refid`: the `tx_refid` of a completed session, a pay-in or a pay-out."""
        return self._api.get(Transaction, at("/v1/transactions/{}", refid), options)

    def list(
        self,
        *,
        status: Optional[Union[str, Enum]] = None,
        flow: Optional[Union[str, Enum]] = None,
        session_id: Optional[str] = None,
        user_reference: Optional[str] = None,
        created_after: Optional[Union[str, datetime]] = None,
        created_before: Optional[Union[str, datetime]] = None,
        limit: Optional[int] = None,
        starting_after: Optional[str] = None,
        ending_before: Optional[str] = None,
        **options: Unpack[CallOptions],
    ) -> Page[Transaction]:
        """Lists transactions, newest first."""
        filters = given(locals())
        return list_page(self._api, Transaction, "/v1/transactions", options, filters)
