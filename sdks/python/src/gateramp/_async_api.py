"""Executes operations on an event loop: asyncio's, or Trio's."""

from __future__ import annotations

import asyncio
from typing import Any, AsyncIterator, Mapping, Optional

import anyio

from ._api import Calls, Factory, Item, Pause, Result, Step, Steps, Value, Walk
from ._hide_locals import hide_locals
from ._options import CallOptions
from ._transport import AsyncHttpClient, HttpRequest

EXHAUSTED: Any = object()


class AsyncApi:
    """`Api`, without blocking the event loop."""

    def __init__(self, calls: Calls, http: AsyncHttpClient) -> None:
        self.calls = calls
        self._http = http

    async def get(self, kind: Factory[Result], path: str, options: CallOptions) -> Result:
        return await self.run(self.calls.call(kind, "GET", path, options))

    async def post(
        self,
        kind: Factory[Result],
        path: str,
        options: CallOptions,
        body: Optional[Mapping[str, Any]] = None,
        keyed: bool = True,
    ) -> Result:
        return await self.run(self.calls.call(kind, "POST", path, options, body=body, keyed=keyed))

    async def cancel(self, kind: Factory[Result], path: str, options: CallOptions, code_when_over: str) -> Result:
        return await self.run(self.calls.cancel(kind, path, options, code_when_over))

    @hide_locals
    async def run(self, steps: Steps[Value]) -> Value:
        answer: Any = None
        while True:
            try:
                step = steps.send(answer)
            except StopIteration as end:
                return end.value
            answer = await self._take(step)

    async def walk(self, walk: Walk[Item], stop: Optional[asyncio.Event] = None) -> AsyncIterator[Item]:
        """Executes a walk as far as its items are wanted. `stop` ends its pauses."""
        while True:
            item = await self._next(walk, stop)
            if item is EXHAUSTED:
                return
            yield item

    @hide_locals
    async def _next(self, walk: Walk[Item], stop: Optional[asyncio.Event]) -> Item:
        answer: Any = None
        while True:
            try:
                step = walk.send(answer)
            except StopIteration:  # which a coroutine cannot raise
                return EXHAUSTED
            if not isinstance(step, (HttpRequest, Pause)):
                return step
            answer = await self._take(step, stop)

    async def _take(self, step: Step, stop: Optional[asyncio.Event] = None) -> object:
        if isinstance(step, HttpRequest):
            return await self._http.send(step)
        if stop is None:
            return await self.calls.outside.sleep_async(step.seconds)
        with anyio.move_on_after(step.seconds):
            await stop.wait()
        return None
