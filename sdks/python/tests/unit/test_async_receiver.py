"""A receiver with an asynchronous handler has each event handled once, also when handlers interleave, fail or never end."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import random
import unittest
import unittest.mock
from typing import AsyncGenerator, Callable, Dict, List, Optional, Tuple

from gateramp import (
    AsyncGate,
    AsyncMemoryEvents,
    AsyncWebhookReceiver,
    Claim,
    Event,
    EventContext,
    InvalidRequestError,
    ReceivedEvent,
    Recorded,
    WebhookAnswer,
    webhooks,
)
from gateramp._async_receiver import AsyncHandle, AsyncStore
from gateramp._receiver import LEASE_SECONDS, WORKS_MAX, OnError, log_error

from ..receiving import SECRET, body_of
from .test_receiver import TRACEPARENT
from .test_received_events import Clock, ignore


def receiver_of(
    handle: AsyncHandle,
    store: Optional[AsyncStore] = None,
    on_error: OnError = log_error,
    lease_seconds: float = LEASE_SECONDS,
) -> AsyncWebhookReceiver:
    return webhooks.receive_async(
        secret=SECRET, handle=handle, store=store, on_error=on_error, lease_seconds=lease_seconds
    )


async def take(receiver: AsyncWebhookReceiver, id: str, sequence: int = 1) -> WebhookAnswer:
    body = body_of(id, sequence)
    return await receiver.receive(body, webhooks.generate_test_header(body, SECRET))


async def handled(receiver: AsyncWebhookReceiver, id: str) -> WebhookAnswer:
    """Delivers until the event is no longer in progress, as the service does."""
    while True:
        answer = await take(receiver, id)
        if answer.status != 503:
            return answer
        await asyncio.sleep(0.001)


class Once(unittest.IsolatedAsyncioTestCase):
    async def test_awaits_the_handler_and_knows_duplicates_and_stale_events(self) -> None:
        seen: List[Tuple[str, bool]] = []

        async def handle(event: Event, context: EventContext) -> None:
            await asyncio.sleep(0)
            seen.append((event.id, context.is_stale))

        receiver = receiver_of(handle)
        answers = [await take(receiver, f"e{sequence}", sequence) for sequence in (1, 3, 2, 3)]
        self.assertEqual([answer.status for answer in answers], [200] * 4)
        self.assertEqual(seen, [("e1", False), ("e3", False), ("e2", True)])
        self.assertEqual(json.loads(answers[3].body), {"received": True, "duplicate": True})

    async def test_a_client_has_the_same_receiver_and_passes_the_trace(self) -> None:
        seen: List[Tuple[Optional[str], Optional[str]]] = []

        async def handle(event: Event, context: EventContext) -> None:
            seen.append((context.traceparent, context.tracestate))

        async with AsyncGate("sk_test_1") as gate:
            receiver = gate.webhooks.receive_async(secret=SECRET, handle=handle)
        body = body_of("e1")
        await receiver.receive(body, webhooks.generate_test_header(body, SECRET), TRACEPARENT, "vendor=1")
        self.assertEqual(seen, [(TRACEPARENT, "vendor=1")])

    async def test_a_forgery_is_answered_400_and_reported_to_an_asynchronous_hook(self) -> None:
        refused: List[str] = []

        async def on_refused(error: Exception) -> None:
            await asyncio.sleep(0)
            refused.append(str(error))

        async def handle(event: Event, context: EventContext) -> None:
            self.fail("it was handled")

        receiver = webhooks.receive_async(secret=SECRET, handle=handle, on_refused=on_refused)
        answer = await receiver.receive(body_of("e1"), "t=1,v1=00")
        self.assertEqual((answer.status, len(refused)), (400, 1))
        self.assertEqual((await receiver.receive(b"x" * (256 * 1024 + 1), "t=1,v1=00")).status, 413)

    async def test_a_malformed_lease_is_reported_when_the_receiver_is_made(self) -> None:
        async def handle(event: Event, context: EventContext) -> None: ...

        with self.assertRaises(InvalidRequestError):
            receiver_of(handle, lease_seconds=float("nan"))

    async def test_a_second_delivery_waits_for_the_handler_of_the_first(self) -> None:
        begun, finish = asyncio.Event(), asyncio.Event()
        runs: List[str] = []

        async def handle(event: Event, context: EventContext) -> None:
            runs.append(event.id)
            begun.set()
            await finish.wait()

        receiver = receiver_of(handle)
        first = asyncio.create_task(take(receiver, "e1"))
        await begun.wait()
        second = asyncio.create_task(take(receiver, "e1"))
        done, _ = await asyncio.wait({first, second}, timeout=0.05)
        self.assertEqual(done, set())
        finish.set()
        self.assertEqual([answer.body for answer in (await first, await second)], [b'{"received": true}'] * 2)
        self.assertEqual(runs, ["e1"])

    async def test_a_request_that_is_cancelled_leaves_its_handler_running(self) -> None:
        begun, finish = asyncio.Event(), asyncio.Event()

        async def handle(event: Event, context: EventContext) -> None:
            begun.set()
            await finish.wait()

        receiver = receiver_of(handle)
        request = asyncio.create_task(take(receiver, "e1"))
        await begun.wait()
        request.cancel()
        await asyncio.wait({request})
        finish.set()
        self.assertEqual((await take(receiver, "e1")).status, 200)
        self.assertIn(b"duplicate", (await take(receiver, "e1")).body)

    async def test_deliveries_that_interleave_and_fail_have_each_event_take_effect_once(self) -> None:
        for seed in range(8):
            chance = random.Random(seed)
            for store in (SlowMemory(chance), Database(chance)):
                running: Dict[str, int] = {}
                effects: List[str] = []

                async def handle(event: Event, context: EventContext) -> None:
                    running[event.id] = running.get(event.id, 0) + 1
                    self.assertEqual(running[event.id], 1, "two handlers of one event at a time")
                    await pauses(chance)
                    running[event.id] -= 1
                    if chance.random() < 0.3:
                        raise OSError("away")
                    if context.transaction is None:
                        effects.append(event.id)
                    else:
                        context.transaction.append(event.id)

                processes = [receiver_of(handle, store, ignore) for _ in range(2)]
                ids = [f"e{number}" for number in range(5)]
                deliveries = [take(chance.choice(processes), id) for id in ids for _ in range(6)]
                chance.shuffle(deliveries)
                for answer in await asyncio.gather(*deliveries):
                    self.assertIn(answer.status, (200, 500, 503))
                for id in ids:
                    while (await handled(processes[0], id)).status != 200:
                        """The service delivers it again."""
                self.assertEqual(sorted(store.effects if isinstance(store, Database) else effects), ids)


class Endless(unittest.IsolatedAsyncioTestCase):
    """The lease ends what does not end by itself."""

    def setUp(self) -> None:
        self.errors: List[str] = []

    def on_error(self, error: Exception, event: Event) -> None:
        self.errors.append(str(error))

    async def reported(self, message: str) -> None:
        while not any(message in error for error in self.errors):
            await asyncio.sleep(0.001)

    async def hang(self, *_: object) -> None:
        await asyncio.Event().wait()

    async def test_a_handler_whose_lease_has_ended_is_cancelled_and_the_next_delivery_is_handled(self) -> None:
        for store in (AsyncMemoryEvents(), Database()):
            begun: List[str] = []
            ended: List[str] = []

            async def endless(event: Event, context: EventContext) -> None:
                begun.append(event.id)
                if context.transaction is not None:
                    context.transaction.append("of the endless handler")
                try:
                    await self.hang()
                finally:
                    ended.append(event.id)

            async def handle(event: Event, context: EventContext) -> None:
                if context.transaction is not None:
                    context.transaction.append(event.id)

            short = receiver_of(endless, store, self.on_error, lease_seconds=0.05)
            while not begun:  # a delivery is answered in time even if its handler could not start
                self.assertEqual((await take(short, "e1")).status, 503)
            patient = receiver_of(handle, store, self.on_error)
            self.assertEqual((await handled(patient, "e1")).status, 200)
            self.assertEqual(ended, begun)
            await self.reported("longer than its lease")
            if isinstance(store, Database):
                self.assertEqual((store.effects, store.rolled_back > 0), (["e1"], True))

    async def test_a_handler_that_ignores_its_cancellation_records_nothing(self) -> None:
        clock = Clock()
        finish = asyncio.Event()
        tried: List[ReceivedEvent] = []
        runs: List[str] = []
        begun: List[str] = []

        class Store(AsyncMemoryEvents):
            async def complete(self, event: ReceivedEvent, token: str) -> bool:
                tried.append(event)
                return await super().complete(event, token)

        async def ignoring(event: Event, context: EventContext) -> None:
            begun.append(event.id)
            while not finish.is_set():
                with contextlib.suppress(asyncio.CancelledError):
                    await finish.wait()

        async def handle(event: Event, context: EventContext) -> None:
            runs.append(event.id)

        store = Store(now=clock)
        short = receiver_of(ignoring, store, self.on_error, lease_seconds=0.05)
        while not begun:
            self.assertEqual((await take(short, "e1")).status, 503)
        await asyncio.sleep(0.1)  # its lease ends
        clock.now = 1
        patient = receiver_of(handle, store, self.on_error)
        self.assertEqual((await handled(patient, "e1")).status, 200)
        self.assertEqual((len(begun), len(runs), len(tried)), (1, 1, 1))
        self.errors.clear()
        finish.set()
        await self.reported("longer than its lease")
        self.assertEqual(len(tried), 1)
        self.assertIn(b"duplicate", (await take(short, "e1")).body)

    async def test_deliveries_that_hang_hold_a_limited_number_of_places_until_their_lease_ends(self) -> None:
        finish = asyncio.Event()

        async def handle(event: Event, context: EventContext) -> None:
            while event.id != "last" and not finish.is_set():
                with contextlib.suppress(asyncio.CancelledError):
                    await finish.wait()

        receiver = receiver_of(handle, on_error=self.on_error, lease_seconds=1)
        answers = await asyncio.gather(*(take(receiver, f"e{number}") for number in range(WORKS_MAX + 20)))
        reasons = [json.loads(answer.body)["error"]["reason"] for answer in answers]
        self.assertEqual((reasons.count("busy"), reasons.count("in_progress")), (20, WORKS_MAX))
        self.assertEqual((await handled(receiver, "last")).status, 200)
        finish.set()

    async def test_a_store_that_hangs_is_answered_503(self) -> None:
        async def handle(event: Event, context: EventContext) -> None: ...

        for method in ("claim", "complete"):
            store = AsyncMemoryEvents()
            setattr(store, method, self.hang)
            self.assertEqual((await take(receiver_of(handle, store, self.on_error, lease_seconds=0.05), "e1")).status, 503)

    async def test_a_handler_does_not_begin_after_its_delivery_was_answered(self) -> None:
        free = asyncio.Event()
        runs: List[str] = []

        class Late(AsyncMemoryEvents):
            async def claim(self, event: ReceivedEvent, token: str, lease_seconds: float) -> Claim:
                await free.wait()
                return await super().claim(event, token, lease_seconds)

        async def handle(event: Event, context: EventContext) -> None:
            runs.append(event.id)

        with unittest.mock.patch("gateramp._async_receiver.ANSWER_SECONDS", 0.05):
            receiver = receiver_of(handle, Late(), self.on_error)
        self.assertEqual((await take(receiver, "e1")).status, 503)
        free.set()
        await self.reported("before its handler could start")
        self.assertEqual(runs, [])

    async def test_hooks_that_raise_or_hang_change_no_answer(self) -> None:
        logger = logging.getLogger("gateramp")
        logger.disabled = True
        self.addCleanup(setattr, logger, "disabled", False)

        async def raises(*_: object) -> None:
            raise OSError("of the hook")

        async def handle(event: Event, context: EventContext) -> None:
            raise OSError("of the handler")

        hooks: List[Callable[..., object]] = [raises, self.hang]
        for hook in hooks:
            with unittest.mock.patch("gateramp._async_receiver.HOOK_SECONDS", 0.05):
                receiver = webhooks.receive_async(secret=SECRET, handle=handle, on_error=hook, on_refused=hook)
                self.assertEqual((await take(receiver, "e1")).status, 500)
                self.assertEqual((await receiver.receive(b"{}", "t=1,v1=00")).status, 400)


async def pauses(chance: random.Random) -> None:
    for _ in range(chance.randrange(4)):
        await asyncio.sleep(0)


class SlowMemory(AsyncMemoryEvents):
    """A store with latency, so that deliveries interleave."""

    def __init__(self, chance: random.Random) -> None:
        super().__init__()
        self._chance = chance

    async def claim(self, event: ReceivedEvent, token: str, lease_seconds: float) -> Claim:
        await pauses(self._chance)
        return await super().claim(event, token, lease_seconds)

    async def complete(self, event: ReceivedEvent, token: str) -> bool:
        await pauses(self._chance)
        return await super().complete(event, token)

    async def release(self, event: ReceivedEvent, token: str) -> None:
        await pauses(self._chance)
        await super().release(event, token)


class Database:
    """A database with a unique index: an insert waits for a transaction that has inserted the same id."""

    def __init__(self, chance: Optional[random.Random] = None) -> None:
        self.effects: List[str] = []
        self.rolled_back = 0
        self._recorded: Dict[str, asyncio.Lock] = {}
        self._committed: List[str] = []
        self._chance = chance or random.Random(0)

    @contextlib.asynccontextmanager
    async def transaction(self) -> AsyncGenerator[List[str], None]:
        written: Transaction = Transaction()
        try:
            await pauses(self._chance)
            yield written
            await pauses(self._chance)
            self.effects.extend(written)
            self._committed.extend(written.recorded)
        except BaseException:
            self.rolled_back += 1
            raise
        finally:
            for id in written.held:
                self._recorded[id].release()

    async def record(self, event: ReceivedEvent, transaction: Transaction) -> Recorded:
        lock = self._recorded.setdefault(event.id, asyncio.Lock())
        await lock.acquire()
        transaction.held.append(event.id)
        if event.id in self._committed:
            return Recorded(False)
        transaction.recorded.append(event.id)
        return Recorded(True)


class Transaction(List[str]):
    """What one transaction has written, recorded and locked."""

    def __init__(self) -> None:
        super().__init__()
        self.recorded: List[str] = []
        self.held: List[str] = []
