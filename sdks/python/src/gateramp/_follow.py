"""Following the events of the feed."""

from __future__ import annotations

from typing import Any, Callable, List, Optional, Protocol, Union

from ._api import Calls, Pause, Steps, Walk
from ._errors import APIConnectionError, APIError, GateError, RateLimitError
from ._events import Event, event_from
from ._options import CallOptions, NotGiven, given
from ._pages import ReadPage, iso_time, read_page


class Stop(Protocol):
    """A `threading.Event` or an `asyncio.Event`."""

    def is_set(self) -> bool: ...


def follow(
    calls: Calls,
    after: Union[str, None, NotGiven],
    type: Optional[str],
    interval_seconds: float,
    stop: Optional[Stop],
    on_away: Optional[Callable[[Optional[GateError]], None]],
    options: CallOptions,
) -> Walk[Event]:
    is_away = False

    def is_stopped() -> bool:
        return stop is not None and stop.is_set()

    def back() -> None:
        nonlocal is_away
        if is_away and on_away is not None:
            on_away(None)
        is_away = False

    while not is_stopped():
        pause = interval_seconds
        try:
            if isinstance(after, NotGiven):
                newest = (yield from read(calls, options, limit=1)).data
                after = newest[0].id if newest else None
            if after is None:
                for event in (yield from oldest(calls, type, options)):
                    if is_stopped():
                        return
                    back()
                    yield event
                    after = event.id
            if after is not None:
                page: Optional[ReadPage[Event]] = yield from read(calls, options, type=type, ending_before=after)
                while page is not None:
                    for event in page.in_order():
                        if is_stopped():
                            return
                        back()
                        yield event
                        after = event.id
                    page = None if page.fetch_next is None else (yield from page.fetch_next())
            back()
        except (APIConnectionError, RateLimitError, APIError) as error:
            if is_stopped():
                return
            if not is_away and on_away is not None:
                on_away(error)
            is_away = True
            if isinstance(error, RateLimitError):
                pause = max(pause, error.retry_after_seconds or 0.0)
        except GateError:
            back()
            raise
        yield Pause(pause)


def oldest(calls: Calls, type: Optional[str], options: CallOptions) -> Steps[List[Event]]:
    """The first events of the list, ascending. Halves the time before a page until it is the last one, which takes few
    reads of a long list."""
    page = yield from read(calls, options, type=type)
    start, end = 0, page.data[-1].created_at if page.data else 0
    while page.has_more and end - start > 1:
        middle = (start + end) // 2
        before = yield from read(calls, options, type=type, created_before=iso_time(middle * 1000))
        if before.data:
            page, end = before, middle
        else:
            start = middle
    while page.fetch_next is not None:
        page = yield from page.fetch_next()
    return page.data[::-1]


def read(calls: Calls, options: CallOptions, limit: int = 100, **filters: Any) -> Steps[ReadPage[Event]]:
    return read_page(calls, event_from, "/v1/events", options, given({"limit": limit, **filters}), settled=True)
