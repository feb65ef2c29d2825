"""The asynchronous client: the same operations, executed on an event loop."""

from __future__ import annotations

import asyncio
import inspect
import socket
import threading
import unittest
from typing import Any, AsyncIterator, Dict, Iterator, List, Tuple, Union

import httpx

from gateramp import AsyncGate, Gate, GateError, NotFoundError, TimeoutError
from gateramp._api import Outside
from gateramp._transport import AsyncHttpClient, HttpRequest, HttpResponse
from tools.generate_types import ASYNC_RESOURCES, RESOURCES, as_async

from ..scripted import SESSION, Scripted, answer, page, refusal, sent_by
from . import test_transport
from .test_lists import query
from .test_secrets import HIDDEN, KEY, PRIVATE, shown_by
from .test_transport import CountingServer


class AsyncScripted(Scripted):
    """`Scripted`, with an asynchronous client."""

    def __init__(self, *answers: Union[HttpResponse, Exception], chance: float = 0.5) -> None:
        super().__init__(*answers)

        async def sleep(seconds: float) -> None:
            self.slept.append(seconds)

        client = httpx.AsyncClient(transport=httpx.MockTransport(lambda request: sent_by(self._send, request)))
        outside = Outside(sleep_async=sleep, chance=lambda: chance)
        self.async_gate = AsyncGate(KEY, base_url="https://api.example", http_client=client, outside=outside)


def methods(owner: object) -> Iterator[Tuple[str, Any]]:
    for name, member in inspect.getmembers(owner):
        if name.startswith("_"):
            continue
        if inspect.ismethod(member) or inspect.isfunction(member):
            yield name, member
        elif "resources" in type(member).__module__:
            for inner, method in methods(member):
                yield f"{name}.{inner}", method


class AsyncCalls(unittest.IsolatedAsyncioTestCase):
    async def test_a_call_is_retried_under_one_key(self) -> None:
        world = AsyncScripted(ConnectionResetError("reset"), socket.timeout(), answer(201))
        session = await world.async_gate.gate_sessions.create(amount="1.00", currency="EUR", return_url="https://x.example")
        self.assertEqual((session.id, len(world.keys), len(set(world.keys))), (SESSION["id"], 3, 1))
        self.assertEqual(world.slept, [0.25, 0.5])

    async def test_a_cancel_whose_answer_was_lost_answers_the_cancelled_session(self) -> None:
        cancelled = answer(body={**SESSION, "status": "cancelled"})
        world = AsyncScripted(ConnectionResetError("reset"), refusal(409, "session_not_open"), cancelled)
        self.assertEqual((await world.async_gate.gate_sessions.cancel(SESSION["id"])).status, "cancelled")

    async def test_a_list_is_awaited_for_its_first_page_and_walked_over_for_all(self) -> None:
        world = AsyncScripted(page("a", has_more=True), page("a", has_more=True), page("b"))
        first = await world.async_gate.gate_sessions.list(limit=1)
        self.assertEqual(([one.id for one in first.data], first.has_more), (["a"], True))
        walked = [session.id async for session in world.async_gate.gate_sessions.list(limit=1)]
        self.assertEqual(walked, ["a", "b"])
        self.assertEqual(query(world.sent[2]), {"limit": ["1"], "starting_after": ["a"]})

    async def test_events_are_followed_over_outages(self) -> None:
        world = AsyncScripted(page("3", "2", has_more=True), ConnectionError("reset"), page("4"), page("5"))
        self.assertEqual(await first_of(world.async_gate.events.follow(after="1", max_retries=0), 4), ["2", "3", "4", "5"])
        self.assertEqual([query(request)["ending_before"] for request in world.sent], [["1"], ["3"], ["3"], ["4"]])

    async def test_following_ends_when_it_is_stopped(self) -> None:
        stop = asyncio.Event()
        asyncio.get_running_loop().call_later(0.05, stop.set)
        world = AsyncScripted(page())
        followed = world.async_gate.events.follow(after="1", stop=stop, interval_seconds=3_600)
        self.assertEqual([event.id async for event in followed], [])

    async def test_errors_are_those_of_gate_and_show_neither_key_nor_body(self) -> None:
        for outcome in (refusal(404, "session_not_found"), ConnectionResetError("reset"), KeyError("a bug")):
            world = AsyncScripted(outcome)
            try:
                await world.async_gate.gate_sessions.retrieve("s", extra_body={"name": PRIVATE})
            except Exception as error:
                frames = error.__traceback__
                assert frames is not None
                text = shown_by(error.with_traceback(frames.tb_next))
                self.assertIsInstance(error, (GateError, KeyError))
                for secret in HIDDEN:
                    self.assertNotIn(secret, text)
            else:
                self.fail("nothing was raised")

    async def test_fifty_calls_take_one_connection(self) -> None:
        with CountingServer() as server:
            async with AsyncGate("sk_test_1", base_url=server.url) as gate:
                for _ in range(50):
                    await gate.branding.retrieve()
        self.assertEqual((server.requests, server.connections), (50, 1))

    async def test_a_call_that_is_cancelled_ends_at_once(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as silent:
            async with AsyncGate("sk_test_1", base_url=f"http://127.0.0.1:{silent.getsockname()[1]}") as gate:
                with self.assertRaises(asyncio.TimeoutError):
                    await asyncio.wait_for(gate.branding.retrieve(), 0.1)
                with self.assertRaises(TimeoutError):
                    await gate.branding.retrieve(timeout_seconds=0.1, max_retries=0)

    async def test_attempts_that_took_too_long_leave_their_connections_to_others(self) -> None:
        silent = threading.Event()
        limits = httpx.Limits(max_connections=2)
        with CountingServer(wait=silent.wait) as server:
            async with httpx.AsyncClient(limits=limits) as client:
                gate = AsyncGate("sk_test_1", base_url=server.url, http_client=client)
                for _ in range(3):
                    with self.assertRaises(TimeoutError):
                        await gate.branding.retrieve(timeout_seconds=0.2, max_retries=0)
                silent.set()
                await gate.branding.retrieve(timeout_seconds=10, max_retries=0)

    async def test_an_unknown_cursor_is_raised(self) -> None:
        with self.assertRaises(NotFoundError):
            await first_of(AsyncScripted(refusal(404, "event_not_found")).async_gate.events.follow(after="x"), 1)

    async def test_a_client_of_the_caller_is_left_open(self) -> None:
        async with httpx.AsyncClient() as client:
            async with AsyncGate("sk_test_1", http_client=client):
                pass
            self.assertFalse(client.is_closed)


class AsyncSurface(unittest.TestCase):
    def test_has_the_methods_and_parameters_of_gate(self) -> None:
        def parameters(gate: object) -> Dict[str, List[str]]:
            return {name: list(inspect.signature(method).parameters) for name, method in methods(gate) if "close" not in name}

        wanted = parameters(Gate("sk_test_1"))
        self.assertGreater(len(wanted), 40)
        self.assertEqual(parameters(AsyncGate("sk_test_1")), wanted)

    def test_its_resources_are_what_the_generator_makes(self) -> None:
        for path in RESOURCES.glob("*.py"):
            with self.subTest(path.name):
                written = (ASYNC_RESOURCES / path.name).read_text(encoding="utf-8")
                self.assertEqual(as_async(path.name, path.read_text(encoding="utf-8")), written)


class AsyncTransport(test_transport.Transport):
    """Every law of an exchange, over an asynchronous client."""

    def send(self, request: HttpRequest) -> HttpResponse:
        async def sent() -> Union[HttpResponse, Exception]:
            http = AsyncHttpClient(None)
            try:
                return await http.send(request)
            finally:
                self.given_up.set()
                await http.close()

        outcome = asyncio.run(sent())
        if isinstance(outcome, Exception):
            raise outcome
        return outcome


async def first_of(events: AsyncIterator[Any], count: int) -> List[str]:
    found: List[str] = []
    async for event in events:
        found.append(event.id)
        if len(found) == count:
            break
    return found
