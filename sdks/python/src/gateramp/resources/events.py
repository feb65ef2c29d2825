"""Events, as delivered by webhooks."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import TYPE_CHECKING, Callable, Iterator, List, Optional, Union

from .._api import Api, at
from .._errors import APIConnectionError, APIError, GateError, RateLimitError
from .._events import Event
from .._hide_locals import HidesLocals
from .._options import NOT_GIVEN, NotGiven, given
from .._pages import Page, iso_time, list_page

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
        return list_page(self._api, Event, "/v1/events", options, filters, settled=True)

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
        events = self
        if stop is None:
            stop = threading.Event()
        else:
            # The pauses of retries end as well.
            events = Events(replace(self._api, outside=replace(self._api.outside, sleep=stop.wait)))
        is_away = False
        while not stop.is_set():
            pause = interval_seconds
            try:
                if isinstance(after, NotGiven):
                    newest = events.list(limit=1, **options).data
                    after = newest[0].id if newest else None
                for event in events._after(after, type, options):
                    if stop.is_set():
                        return
                    if is_away and on_away is not None:
                        on_away(None)
                    is_away = False
                    yield event
                    after = event.id
                if is_away and on_away is not None:
                    on_away(None)
                is_away = False
            except (APIConnectionError, RateLimitError, APIError) as error:
                if stop.is_set():
                    return
                if not is_away and on_away is not None:
                    on_away(error)
                is_away = True
                if isinstance(error, RateLimitError):
                    pause = max(pause, error.retry_after_seconds or 0.0)
            except GateError:
                if is_away and on_away is not None:
                    on_away(None)
                raise
            events._api.outside.sleep(pause)

    def _after(self, id: Optional[str], type: Optional[str], options: CallOptions) -> Iterator[Event]:
        """The events after one, ascending; all of them after None."""
        last = id
        if last is None:
            for event in self._oldest(type, options):
                yield event
                last = event.id
        if last is not None:
            yield from self.list(type=type, limit=100, ending_before=last, **options)

    def _oldest(self, type: Optional[str], options: CallOptions) -> List[Event]:
        """The first events of the list, ascending. Halves the time before a page until it is the last one, which takes
        few reads of a long list."""
        page = self.list(type=type, limit=100, **options)
        start, end = 0, page.data[-1].created_at if page.data else 0
        while page.has_more and end - start > 1:
            middle = (start + end) // 2
            before = self.list(type=type, limit=100, created_before=iso_time(middle * 1000), **options)
            if before.data:
                page, end = before, middle
            else:
                start = middle
        following = page.next_page()
        while following is not None:
            page, following = following, following.next_page()
        return page.data[::-1]
