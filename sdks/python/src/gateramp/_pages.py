"""Lists with automatic pagination."""

from __future__ import annotations

from typing import Any, Callable, Dict, Generic, Iterator, List, Mapping, Optional, Type, TypeVar

from ._api import Api
from ._hide_locals import HidesLocals
from ._objects import GateObject, ResponseInfo
from ._options import CallOptions

Item = TypeVar("Item", bound=GateObject)


class Page(HidesLocals, Generic[Item]):
    """One page: `data`, `has_more`, `url`, `next_page()`. Iteration continues with all following pages."""

    def __init__(
        self,
        data: List[Item],
        has_more: bool,
        url: Optional[str],
        last_response: ResponseInfo,
        fetch_next: Optional[Callable[[], Page[Item]]],
        backwards: bool = False,
    ) -> None:
        self.data = data
        self.has_more = has_more
        self.url = url
        self.last_response = last_response
        self._fetch_next = fetch_next
        self._backwards = backwards

    def next_page(self) -> Optional[Page[Item]]:
        """The page after this one; None after the last."""
        return None if self._fetch_next is None else self._fetch_next()

    def __iter__(self) -> Iterator[Item]:
        """Iterates over the items of this page and of all following pages, each requested when it is reached. With
        `ending_before` the iteration goes backwards, towards newer items. Items of lists other than events may still be
        added before the cursor. To find new ones, list with `created_after` of a minute before the newest known one."""
        page: Optional[Page[Item]] = self
        while page is not None:
            yield from reversed(page.data) if self._backwards else page.data
            page = page.next_page()

    def __repr__(self) -> str:
        return f"Page({len(self.data)} items, has_more={self.has_more})"


def list_page(
    api: Api, kind: Type[Item], path: str, options: CallOptions, filters: Optional[Mapping[str, Any]] = None
) -> Page[Item]:
    """A page of a list; its cursor is the id of the last item, or of the first if the list is paged backwards."""
    query = dict(filters or {})
    fields, response = api.ask("GET", path, options, query=query)
    data = [kind(item) for item in fields.get("data", [])]
    has_more = bool(fields.get("has_more")) and len(data) > 0
    backwards = "ending_before" in query

    def fetch_next() -> Page[Item]:
        cursor = {"ending_before": data[0]["id"]} if backwards else {"starting_after": data[-1]["id"]}
        return list_page(api, kind, path, options, {**query, **cursor})

    info = ResponseInfo(response.status, response.headers)
    return Page(data, has_more, fields.get("url"), info, fetch_next if has_more else None, backwards)


def cursor_page(api: Api, kind: Type[Item], path: str, options: CallOptions, filters: Mapping[str, Any]) -> Page[Item]:
    """A page of the pools product, whose responses contain the cursor of the next page."""
    fields, response = api.ask("GET", path, options, query=filters)
    next_cursor = fields.get("nextCursor")
    next_filters: Dict[str, Any] = {**filters, "cursor": next_cursor}

    def fetch_next() -> Page[Item]:
        return cursor_page(api, kind, path, options, next_filters)

    return Page(
        [kind(item) for item in fields.get("data", [])],
        bool(fields.get("hasMore")),
        None,
        ResponseInfo(response.status, response.headers),
        fetch_next if isinstance(next_cursor, str) else None,
    )
