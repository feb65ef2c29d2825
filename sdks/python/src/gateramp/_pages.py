"""Lists with automatic pagination."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from typing import Any, Callable, Dict, Generic, Iterator, List, Mapping, Optional

from ._api import Api, Calls, Item, ItemFactory, Steps, Walk
from ._hide_locals import HidesLocals
from ._objects import ResponseInfo
from ._options import CallOptions

EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)

LATE_MS_MAX = 60_000
"""How long after its creation an item may appear in a list: its commit takes less."""


@dataclass(frozen=True)
class LateItems(Generic[Item]):
    """A list in which items can appear before those that have been read."""

    asked_at: float
    """The local time at which the page was requested."""
    read_at: float
    since: Callable[[int], Steps[ReadPage[Item]]]
    """Requests the page again, of the items created since then."""


@dataclass(frozen=True)
class ReadPage(Generic[Item]):
    """A page that was read, and how to read the next one."""

    data: List[Item]
    has_more: bool
    url: Optional[str]
    last_response: ResponseInfo
    fetch_next: Optional[Callable[[], Steps[ReadPage[Item]]]]
    backwards: bool = False
    late: Optional[LateItems[Item]] = None

    def in_order(self) -> List[Item]:
        return self.data[::-1] if self.backwards else self.data

    def walk(self) -> Walk[Item]:
        """The items of this page and of all following ones."""
        if self.late is None:
            yield from self._pages(lambda page: page.in_order())
            return
        recent = RecentItems(self.late.asked_at)

        def noted(page: ReadPage[Item]) -> List[Item]:
            if page.late is not None:
                recent.add(page.in_order(), page.late.read_at)
            return page.in_order()

        yield from self._pages(noted)
        if recent.since is not None:
            again = yield from self.late.since(recent.since)
            yield from again._pages(lambda page: [item for item in page.in_order() if item["id"] not in recent])

    def _pages(self, items_of: Callable[[ReadPage[Item]], List[Item]]) -> Walk[Item]:
        page = self
        yield from items_of(page)
        while page.fetch_next is not None:
            page = yield from page.fetch_next()
            yield from items_of(page)


class PageBase(Generic[Item]):
    """What the pages of both clients have in common."""

    def __init__(self, page: ReadPage[Item]) -> None:
        self._page = page
        self.data: List[Item] = page.data
        self.has_more: bool = page.has_more
        self.url: Optional[str] = page.url
        self.last_response: ResponseInfo = page.last_response

    def __repr__(self) -> str:
        return f"{type(self).__name__}({len(self.data)} items, has_more={self.has_more})"


class Page(PageBase[Item], HidesLocals):
    """One page: `data`, `has_more`, `url`, `next_page()`. Iteration continues with all following pages."""

    def __init__(self, api: Api, page: ReadPage[Item]) -> None:
        super().__init__(page)
        self._api = api

    def next_page(self) -> Optional[Page[Item]]:
        """The page after this one; None after the last."""
        fetch_next = self._page.fetch_next
        return None if fetch_next is None else Page(self._api, self._api.run(fetch_next()))

    def __iter__(self) -> Iterator[Item]:
        """Iterates over the items of this page and of all following pages, each requested when it is reached. With
        `ending_before` the iteration goes towards newer items; those that appear behind the newest one meanwhile come
        last, and each is yielded once. To look for new items later, see docs/guides/reconcile.md."""
        return self._api.walk(self._page.walk())


class RecentItems:
    """The items of a walk towards newer ones that were created since a minute before it began. Later items may appear
    between them."""

    def __init__(self, asked_at: float) -> None:
        self.since: Optional[int] = None
        """What was created before had appeared when the walk began. None if nothing was found."""
        self._asked_at = asked_at
        self._created_at: Dict[str, int] = {}
        self._newest: Optional[int] = None

    def __contains__(self, id: str) -> bool:
        return id in self._created_at

    def add(self, items: List[Any], read_at: float) -> None:
        for item in items:
            created_at = instant(item.created_at)
            if created_at is not None:
                self._created_at[item["id"]] = created_at
                self._newest = created_at if self._newest is None else max(self._newest, created_at)
        if self._newest is None:
            return
        # The newest item had been created when the page was read, so the walk began at this time or later.
        began_at = self._newest - math.ceil((read_at - self._asked_at) * 1000)
        self.since = max(began_at - LATE_MS_MAX, self.since or 0)
        for id, created_at in list(self._created_at.items()):
            if created_at >= self.since:
                break
            del self._created_at[id]


def instant(text: Any) -> Optional[int]:
    """The milliseconds of a time of the API, or of a date; None for anything else."""
    try:
        # Before Python 3.11, no other forms are accepted.
        digits = re.sub(r"\.(\d+)", lambda found: f".{found[1]:0<6.6}", text.replace("Z", "+00:00"))
        time = datetime.fromisoformat(digits)
    except (AttributeError, ValueError):
        return None
    return round((time if time.tzinfo is not None else time.replace(tzinfo=timezone.utc)).timestamp() * 1000)


def iso_time(ms: int) -> str:
    return (EPOCH + timedelta(milliseconds=ms)).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def list_page(
    api: Api,
    kind: ItemFactory[Item],
    path: str,
    options: CallOptions,
    filters: Optional[Mapping[str, Any]] = None,
    settled: bool = False,
) -> Page[Item]:
    return Page(api, api.run(read_page(api.calls, kind, path, options, filters, settled)))


def cursor_page(api: Api, kind: ItemFactory[Item], path: str, options: CallOptions, filters: Mapping[str, Any]) -> Page[Item]:
    return Page(api, api.run(read_cursor_page(api.calls, kind, path, options, filters)))


def read_page(
    calls: Calls,
    kind: ItemFactory[Item],
    path: str,
    options: CallOptions,
    filters: Optional[Mapping[str, Any]] = None,
    settled: bool = False,
) -> Steps[ReadPage[Item]]:
    """A page of a list; its cursor is the id of the last item, or of the first if the list is paged backwards. A
    settled list keeps its order; in others, items can appear before those that have been read, since ids are made
    before the commit."""
    query = dict(filters or {})
    now = calls.outside.now
    asked_at = now()
    fields, response = yield from calls.ask("GET", path, options, query=query)
    data = [kind(item) for item in fields.get("data", [])]
    has_more = bool(fields.get("has_more")) and len(data) > 0
    backwards = "ending_before" in query

    def read(changed: Mapping[str, Any]) -> Steps[ReadPage[Item]]:
        return read_page(calls, kind, path, options, {**query, **changed}, settled)

    def fetch_next() -> Steps[ReadPage[Item]]:
        return read({"ending_before": data[0]["id"]} if backwards else {"starting_after": data[-1]["id"]})

    def since(created_at: int) -> Steps[ReadPage[Item]]:
        given = instant(query.get("created_after"))
        return read({} if given is not None and given > created_at else {"created_after": iso_time(created_at)})

    return ReadPage(
        data,
        has_more,
        fields.get("url"),
        ResponseInfo(response.status, response.headers),
        fetch_next if has_more else None,
        backwards,
        LateItems(asked_at, now(), since) if backwards and not settled else None,
    )


def read_cursor_page(
    calls: Calls, kind: ItemFactory[Item], path: str, options: CallOptions, filters: Mapping[str, Any]
) -> Steps[ReadPage[Item]]:
    """A page of the pools product, whose responses contain the cursor of the next page."""
    fields, response = yield from calls.ask("GET", path, options, query=filters)
    next_cursor = fields.get("nextCursor")

    def fetch_next() -> Steps[ReadPage[Item]]:
        return read_cursor_page(calls, kind, path, options, {**filters, "cursor": next_cursor})

    return ReadPage(
        [kind(item) for item in fields.get("data", [])],
        bool(fields.get("hasMore")),
        None,
        ResponseInfo(response.status, response.headers),
        fetch_next if isinstance(next_cursor, str) else None,
    )
