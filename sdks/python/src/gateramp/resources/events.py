"""Events, as delivered by webhooks."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Callable, Iterator, Optional, Union

from .._api import Api, at
from .._errors import GateError
from .._events import Event, event_from
from .._follow import follow
from .._hide_locals import HidesLocals
from .._options import NOT_GIVEN, NotGiven, given
from .._pages import Page, list_page

if TYPE_CHECKING:
    from datetime import datetime
    from enum import Enum

    from typing_extensions import Unpack

    from .._options import CallOptions


class Events(HidesLocals):
    def __init__(self, api: Api) -> None:
        self._api = api

    def retrieve(self, id: str, **options: Unpack[CallOptions]) -> Event:
        """The event exactly as it was delivered."""
        return self._api.get(event_from, at("/v1/events/{}", id), options)

    def list(
        self,
        *,
        type: Optional[Union[str, Enum]] = None,
        session_id: Optional[str] = None,
        created_after: Optional[Union[str, datetime]] = None,
        created_before: Optional[Union[str, datetime]] = None,
        limit: Optional[int] = None,
        starting_after: Optional[str] = None,
        ending_before: Optional[str] = None,
        **options: Unpack[CallOptions],
    ) -> Page[Event]:
        """Lists events, newest first."""
        filters = given(locals())
        return list_page(self._api, event_from, "/v1/events", options, filters, settled=True)

    def follow(
        self,
        *,
        after: Union[str, None, NotGiven] = NOT_GIVEN,
        type: Optional[str] = None,
        interval_seconds: float = 2.0,
        stop: Optional[threading.Event] = None,
        on_away: Optional[Callable[[Optional[GateError]], None]] = None,
        **options: Unpack[CallOptions],
    ) -> Iterator[Event]:
        """Yields every event once, in the order of the list, and waits for new ones until the loop is left or `stop`
        is set, which another thread may do: then nothing more is yielded.

        `after` is the id of the last event that you handled; None begins with the first event, and by default following
        begins with the next new one. Errors that may pass (no connection, 429, 5xx) are waited for: `on_away` is called
        with the first one, and with None when a read has been answered again. All others are raised, such as the
        `NotFoundError` of an unknown `after`. On tables distributed over Citus, an event that is committed late can be
        missed."""
        walk = follow(self._api.calls, after, type, interval_seconds, stop, on_away, options)
        return self._api.walk(walk, stop)
