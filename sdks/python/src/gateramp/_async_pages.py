"""Lists of the asynchronous client."""

from __future__ import annotations

from typing import Any, AsyncIterator, Callable, Generator, Generic, Mapping, Optional

from ._api import Item, ItemFactory, Steps
from ._async_api import AsyncApi
from ._hide_locals import HidesLocals
from ._options import CallOptions
from ._pages import PageBase, ReadPage, read_cursor_page, read_page


class AsyncPage(PageBase[Item], HidesLocals):
    """One page: `data`, `has_more`, `url`, `next_page()`. `async for` continues with all following pages."""

    def __init__(self, api: AsyncApi, page: ReadPage[Item]) -> None:
        super().__init__(page)
        self._api = api

    async def next_page(self) -> Optional[AsyncPage[Item]]:
        """The page after this one; None after the last."""
        fetch_next = self._page.fetch_next
        return None if fetch_next is None else AsyncPage(self._api, await self._api.run(fetch_next()))

    def __aiter__(self) -> AsyncIterator[Item]:
        """Iterates over the items of this page and of all following pages, as `Page` does."""
        return self._api.walk(self._page.walk())


class AsyncPages(Generic[Item]):
    """A list: `await` returns its first page, `async for` iterates over all items. Nothing is requested before."""

    def __init__(self, api: AsyncApi, read: Callable[[], Steps[ReadPage[Item]]]) -> None:
        self._api = api
        self._read = read

    def __await__(self) -> Generator[Any, None, AsyncPage[Item]]:
        return self._first().__await__()

    async def __aiter__(self) -> AsyncIterator[Item]:
        async for item in await self._first():
            yield item

    async def _first(self) -> AsyncPage[Item]:
        return AsyncPage(self._api, await self._api.run(self._read()))


def list_page(
    api: AsyncApi,
    kind: ItemFactory[Item],
    path: str,
    options: CallOptions,
    filters: Optional[Mapping[str, Any]] = None,
    settled: bool = False,
) -> AsyncPages[Item]:
    return AsyncPages(api, lambda: read_page(api.calls, kind, path, options, filters, settled))


def cursor_page(
    api: AsyncApi, kind: ItemFactory[Item], path: str, options: CallOptions, filters: Mapping[str, Any]
) -> AsyncPages[Item]:
    return AsyncPages(api, lambda: read_cursor_page(api.calls, kind, path, options, filters))
