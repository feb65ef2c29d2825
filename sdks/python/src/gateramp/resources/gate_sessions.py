"""Sessions: one buy, sell or swap of one end user."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Mapping, Optional, Union

from .._api import Api, at
from .._hide_locals import HidesLocals
from .._options import given
from .._pages import Page, list_page
from ..types import CreatedGateSession, GateSession, TimelineEntry

if TYPE_CHECKING:
    from datetime import datetime
    from enum import Enum

    from typing_extensions import Unpack

    from .._options import CallOptions


class GateSessions(HidesLocals):
    def __init__(self, api: Api) -> None:
        self._api = api

    def create(
        self,
        *,
        amount: str,
        currency: str,
        return_url: str,
        cancel_url: Optional[str] = None,
        target_token: Optional[str] = None,
        target_network: Optional[str] = None,
        flow: Optional[Union[str, Enum]] = None,
        wallet_address: Optional[str] = None,
        user_reference: Optional[str] = None,
        kyc_package: Optional[Mapping[str, Any]] = None,
        metadata: Optional[Mapping[str, Any]] = None,
        **options: Unpack[CallOptions],
    ) -> CreatedGateSession:
        """Opens a session. Its `client_secret`, returned only here, is for the buyer's browser; the terms cannot be
        changed afterwards.

        `amount` is a decimal string, like all amounts: "100.00".
        """
        body = given(locals())
        return self._api.post(CreatedGateSession, "/v1/gate_sessions", options, body)

    def retrieve(self, id: str, **options: Unpack[CallOptions]) -> GateSession:
        """Retrieves a session, without its `client_secret`."""
        return self._api.get(GateSession, at("/v1/gate_sessions/{}", id), options)

    def list(
        self,
        *,
        status: Optional[Union[str, Enum]] = None,
        flow: Optional[Union[str, Enum]] = None,
        currency: Optional[str] = None,
        user_reference: Optional[str] = None,
        created_after: Optional[Union[str, datetime]] = None,
        created_before: Optional[Union[str, datetime]] = None,
        limit: Optional[int] = None,
        starting_after: Optional[str] = None,
        ending_before: Optional[str] = None,
        **options: Unpack[CallOptions],
    ) -> Page[GateSession]:
        """Lists sessions, newest first."""
        filters = given(locals())
        return list_page(self._api, GateSession, "/v1/gate_sessions", options, filters)

    def cancel(self, id: str, **options: Unpack[CallOptions]) -> GateSession:
        """Cancels an open session. Raises `ConflictError` if it has ended (`session_not_open`), or while its money may
        be moving (`session_processing`).

        A cancel takes no idempotency key: if its response was lost and the retry finds the session cancelled, that
        session is returned.
        """
        return self._api.cancel(GateSession, at("/v1/gate_sessions/{}", id), options, "session_not_open")

    def timeline(self, id: str, **options: Unpack[CallOptions]) -> Page[TimelineEntry]:
        """The history of a session, oldest first, for support and debugging."""
        return list_page(self._api, TimelineEntry, at("/v1/gate_sessions/{}/timeline", id), options)
