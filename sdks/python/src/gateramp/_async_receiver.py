"""Verifies deliveries and handles each event once, on an event loop of asyncio."""

from __future__ import annotations

import asyncio
import inspect
import time
import uuid
from typing import Any, Awaitable, Callable, Coroutine, Dict, Optional, Set, Union

from ._errors import WebhookSignatureError
from ._events import Event
from ._received_events import AsyncMemoryEvents, AsyncReceivedEvents, AsyncTransactionalEvents
from ._receiver import (
    ANSWER_SECONDS,
    BUSY,
    DUPLICATE,
    FAILED,
    HANDLED,
    HOOK_SECONDS,
    IN_PROGRESS,
    LEASE_SECONDS,
    WORKS_MAX,
    EventContext,
    OnError,
    OnRefused,
    Trace,
    VerifiesDeliveries,
    is_stale,
    key_of,
    log_error,
    logger,
    lost_claim,
    refused,
    trace_of,
)
from ._signatures import TOLERANCE_SECONDS, Secrets
from ._webhook_answers import WebhookAnswer

AsyncStore = Union[AsyncReceivedEvents, AsyncTransactionalEvents]

AsyncHandle = Callable[[Event, EventContext], Awaitable[object]]


class AsyncWebhookReceiver(VerifiesDeliveries):
    """A webhook receiver with an asynchronous handler, for one event loop of asyncio: `await receiver.receive(body, header)`."""

    def __init__(
        self,
        secret: Secrets,
        handle: AsyncHandle,
        store: Optional[AsyncStore] = None,
        tolerance_seconds: float = TOLERANCE_SECONDS,
        on_error: OnError = log_error,
        on_refused: Optional[OnRefused] = None,
        now: Callable[[], float] = time.time,
        lease_seconds: float = LEASE_SECONDS,
    ) -> None:
        super().__init__(secret, tolerance_seconds, now, lease_seconds)
        self._handle = handle
        self._store: AsyncStore = AsyncMemoryEvents() if store is None else store
        self._on_error = on_error
        self._on_refused = on_refused
        self._works: Set[Work] = set()
        self._hooks: Set[asyncio.Task[None]] = set()  # the event loop itself keeps no task alive
        self._answer_seconds = min(lease_seconds, ANSWER_SECONDS)
        self._running: Dict[str, Work] = {}  # by event, the newest delivery whose handler is running

    async def receive(
        self,
        payload: bytes,
        header: Optional[str],
        traceparent: Optional[str] = None,
        tracestate: Optional[str] = None,
    ) -> WebhookAnswer:
        """Handles one delivery: its raw body, its `Gate-Signature` and, for traces, its `traceparent` and `tracestate`."""
        try:
            event = self._verified(payload, header)
        except WebhookSignatureError as error:
            if self._on_refused is not None:
                await self._call_briefly(self._on_refused, error)
            return refused(error)
        if isinstance(event, WebhookAnswer):
            return event
        return await self._handle_in_time(event, trace_of(traceparent, tracestate))

    async def _handle_in_time(self, event: Event, trace: Trace) -> WebhookAnswer:
        """Answers in time. A handler that takes longer continues in its task until its lease has ended."""
        ends_at = time.monotonic() + self._answer_seconds
        if len(self._works) >= WORKS_MAX:
            message = f"{event.id} was answered with 503: {WORKS_MAX} deliveries are being handled."
            await self._call_briefly(self._on_error, RuntimeError(message), event)
            return BUSY
        work = Work(lambda work: self._work(work, event, trace))
        self._works.add(work)
        answered = await work.outcome(ends_at)
        if answered is IN_PROGRESS:
            running = self._running.get(event.id)
            answered = IN_PROGRESS if running is None else await running.outcome(ends_at)
        elif answered is None:
            work.is_answered = True
            message = f"Handling {event.id} takes longer than {self._answer_seconds:g} s, so it was answered with 503."
            await self._call_briefly(self._on_error, TimeoutError(message), event)
        return IN_PROGRESS if answered is None else answered

    async def _work(self, work: Work, event: Event, trace: Trace) -> WebhookAnswer:
        lease = asyncio.get_running_loop().call_later(self._lease_seconds, self._drop, work, event)
        try:
            return await self._handle_once(work, event, trace)
        except (Exception, asyncio.CancelledError) as error:
            if work.is_dropped:
                await self._call_briefly(self._on_error, self._lease_ended(event), event)
                return IN_PROGRESS
            reported = error if isinstance(error, Exception) else RuntimeError(f"Handling {event.id} was cancelled.")
            await self._call_briefly(self._on_error, reported, event)
            return FAILED
        finally:
            lease.cancel()
            self._forget(work, event)

    def _drop(self, work: Work, event: Event) -> None:
        """Ends a handler whose lease has ended. The place of one that ignores that is free nevertheless."""
        work.drop()
        self._forget(work, event)

    def _forget(self, work: Work, event: Event) -> None:
        self._works.discard(work)
        if self._running.get(event.id) is work:
            del self._running[event.id]

    async def _handle_once(self, work: Work, event: Event, trace: Trace) -> WebhookAnswer:
        store: Any = self._store  # either protocol, distinguished by its methods
        if hasattr(store, "transaction"):
            return await self._handle_in_transaction(work, event, store, trace)
        return await self._handle_under_claim(work, event, store, trace)

    async def _handle_in_transaction(
        self, work: Work, event: Event, store: AsyncTransactionalEvents, trace: Trace
    ) -> WebhookAnswer:
        """Commits the record of the event together with the handler's writes."""
        key = key_of(event)
        async with store.transaction() as transaction:
            recorded = await store.record(key, transaction)
            if not recorded.is_new:
                return DUPLICATE
            await self._run(work, event, EventContext(is_stale(key, recorded.last_sequence), transaction, *trace))
        return HANDLED

    async def _handle_under_claim(
        self, work: Work, event: Event, store: AsyncReceivedEvents, trace: Trace
    ) -> WebhookAnswer:
        """Handles the event under a claim that no other process holds at the same time."""
        key = key_of(event)
        token = str(uuid.uuid4())
        claim = await store.claim(key, token, self._lease_seconds)
        if claim.status == "handled":
            return DUPLICATE
        if claim.status == "in_progress":
            return IN_PROGRESS
        try:
            await self._run(work, event, EventContext(is_stale(key, claim.last_sequence), None, *trace))
        except BaseException:
            # The handler's error is the one to report; a claim that cannot be released expires with its lease.
            await self._call_briefly(store.release, key, token)
            raise
        if await store.complete(key, token):
            return HANDLED
        raise lost_claim(key, self._lease_seconds)

    async def _run(self, work: Work, event: Event, context: EventContext) -> None:
        """Runs the handler, unless its delivery was already answered, since another one may be handled."""
        if work.is_answered or work.is_dropped:
            raise TimeoutError(f"The webhook {event.id} was answered before its handler could start.")
        self._running[event.id] = work
        await self._handle(event, context)
        if work.is_dropped:
            raise self._lease_ended(event)  # it ignored its cancellation, and may have skipped something

    def _lease_ended(self, event: Event) -> TimeoutError:
        return TimeoutError(
            f"Handling {event.id} took longer than its lease of {self._lease_seconds:g} s, and was cancelled. Set "
            "lease_seconds above the longest run of your handler."
        )

    async def _call_briefly(self, function: Callable[..., object], *args: object) -> None:
        """Calls a function of the host that can neither delay nor change the answer."""

        async def call() -> None:
            try:
                result = function(*args)
                if inspect.isawaitable(result):
                    await result
            except Exception as error:
                logger.error("%r of a webhook receiver failed.", function, exc_info=error)

        task = asyncio.create_task(call())
        self._hooks.add(task)
        task.add_done_callback(self._hooks.discard)
        await asyncio.wait({task}, timeout=HOOK_SECONDS)
        if not task.done():
            task.cancel()
            logger.error("%r of a webhook receiver took longer than %g s.", function, HOOK_SECONDS)


class Work:
    """The handling of one delivery, in a task of its own: it outlives the request that began it."""

    def __init__(self, run: Callable[[Work], Coroutine[Any, Any, WebhookAnswer]]) -> None:
        self.is_answered = False
        self.is_dropped = False
        self._task = asyncio.create_task(run(self))

    def drop(self) -> None:
        self.is_dropped = True
        self._task.cancel()

    async def outcome(self, ends_at: float) -> Optional[WebhookAnswer]:
        """Waits for the answer; None if there is none in time."""
        await asyncio.wait({self._task}, timeout=max(0.0, ends_at - time.monotonic()))
        return self._task.result() if self._task.done() else None
