"""Events, as delivered by webhooks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Optional

from .._api import Api, at
from .._events import Event
from .._hide_locals import HidesLocals
from .._options import given
from .._pages import Page, list_page

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .._options import CallOptions


class Events(HidesLocals):
    def __init__(self, api: Api) -> None:
        self._api = api

    def retrieve(self, id: str, **options: Unpack[CallOptions]) -> Event:
        """The event exactly as it was delivered."""
        return self._api.get(Event, at("/v1/events/{}", id), options)

    def list(
        self,
        *,
        type: Optional[str] = None,
        session_id: Optional[str] = None,
        created_after: Optional[str] = None,
        created_before: Optional[str] = None,
        limit: Optional[int] = None,
        starting_after: Optional[str] = None,
        ending_before: Optional[str] = None,
        **options: Unpack[CallOptions],
    ) -> Page[Event]:
        """Lists events, newest first."""
        filters = given(locals())
        return list_page(self._api, Event, "/v1/events", options, filters)
