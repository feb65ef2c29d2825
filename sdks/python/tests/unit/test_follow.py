"""Following the events of the feed."""

from __future__ import annotations

import itertools
import threading
import unittest
from datetime import datetime
from typing import List, Optional

from gateramp import APIConnectionError, Gate, GateError, NotFoundError
from gateramp._api import Outside
from gateramp._transport import HttpRequest, HttpResponse

from ..scripted import Scripted, answer, client_of, page, refusal
from .test_lists import query


class Follow(unittest.TestCase):
    def test_yields_events_after_the_given_one_in_order_over_several_pages_and_then_new_ones(self) -> None:
        world = Scripted(page("3", "2", has_more=True), page("4"), page(), page("5"), page())
        events = world.gate.events.follow(after="1")
        self.assertEqual([event.id for event in itertools.islice(events, 4)], ["2", "3", "4", "5"])
        before = [query(request)["ending_before"] for request in world.sent]
        self.assertEqual(before, [["1"], ["3"], ["4"], ["4"]])
        self.assertEqual(world.slept, [2.0, 2.0])

    def test_begins_with_the_next_new_event_by_default(self) -> None:
        world = Scripted(page("7"), page(), page("8"), page())
        self.assertEqual(next(world.gate.events.follow()).id, "8")
        self.assertEqual(query(world.sent[1])["ending_before"], ["7"])

    def test_begins_with_the_first_event_after_none_and_where_there_is_no_event_yet(self) -> None:
        first = Scripted(page("2", "1"), page())
        self.assertEqual([event.id for event in itertools.islice(first.gate.events.follow(after=None), 2)], ["1", "2"])
        empty = Scripted(page(), page(), page("2", "1"), page())
        self.assertEqual([event.id for event in itertools.islice(empty.gate.events.follow(), 2)], ["1", "2"])

    def test_waits_for_errors_that_may_pass_and_misses_nothing(self) -> None:
        said: List[Optional[GateError]] = []
        world = Scripted(
            page("2", has_more=True),
            ConnectionError("reset"),
            refusal(503, "try_again"),
            refusal(429, "rate_limit_exceeded", Retry_After_short="30"),
            page("3"),
            page(),
            max_retries=0,
        )
        events = world.gate.events.follow(after="1", on_away=said.append)
        self.assertEqual([event.id for event in itertools.islice(events, 2)], ["2", "3"])
        self.assertEqual(query(world.sent[4])["ending_before"], ["2"])
        self.assertIsInstance(said[0], APIConnectionError)
        self.assertEqual(said[1:], [None])
        self.assertEqual(world.slept, [2.0, 2.0, 30.0])

    def test_raises_errors_that_do_not_pass(self) -> None:
        world = Scripted(refusal(404, "event_not_found"))
        with self.assertRaises(NotFoundError):
            next(world.gate.events.follow(after="unknown"))
        # Also in place of an outage, which such an answer ends.
        said: List[Optional[GateError]] = []
        away = Scripted(ConnectionError("reset"), refusal(404, "event_not_found"), max_retries=0)
        with self.assertRaises(NotFoundError):
            next(away.gate.events.follow(after="unknown", on_away=said.append))
        self.assertIsInstance(said[0], APIConnectionError)
        self.assertEqual(said[1:], [None])

    def test_after_none_finds_the_first_events_of_a_long_list_without_reading_all_of_it_before(self) -> None:
        feed = Feed(2_000)
        events = feed.gate.events.follow(after=None)
        self.assertEqual(next(events).id, "1")
        self.assertLess(feed.asked, 40)
        self.assertEqual([event.id for event in itertools.islice(events, 1_999)], [str(nth) for nth in range(2, 2_001)])

    def test_after_none_yields_each_event_once_whichever_of_its_reads_fails(self) -> None:
        for fails in range(1, 25):
            events = Feed(40, fails).gate.events.follow(after=None)
            self.assertEqual([event.id for event in itertools.islice(events, 40)], [str(nth) for nth in range(1, 41)])

    def test_ends_while_it_waits_for_new_events_or_for_a_retry(self) -> None:
        for read in page(), refusal(429, "rate_limit_exceeded", Retry_After_short="30"), ConnectionError("reset"):
            world, stop = Scripted(read), Stop()
            self.assertEqual(list(world.gate.events.follow(after="1", stop=stop)), [])
            self.assertEqual(len(stop.waited), 1)
            self.assertEqual(world.slept, [])

    def test_yields_nothing_more_once_it_is_stopped_even_of_a_page_that_it_has_read(self) -> None:
        stop = threading.Event()
        events = Scripted(page("3", "2")).gate.events.follow(after="1", stop=stop)
        self.assertEqual(next(events).id, "2")
        stop.set()
        self.assertIsNone(next(events, None))


class Stop(threading.Event):
    """Is set as soon as something waits for it."""

    def __init__(self) -> None:
        super().__init__()
        self.waited: List[Optional[float]] = []

    def wait(self, timeout: Optional[float] = None) -> bool:
        if not self.is_set():
            self.waited.append(timeout)
            self.set()
        return True


class Feed:
    """A list of events in bursts of seven a day, in pages of three; its request number `fails` gets no answer."""

    def __init__(self, count: int, fails: int = 0) -> None:
        self.asked = 0
        self._events = [(str(nth), 1_790_000_000 + nth // 7 * 86_400) for nth in range(1, count + 1)]
        self._fails = fails
        outside = Outside(sleep=lambda seconds: None)
        client = client_of(self._send)
        self.gate = Gate(
            "sk_test_feed", base_url="https://api.example", max_retries=0, http_client=client, outside=outside
        )

    def _send(self, request: HttpRequest) -> HttpResponse:
        self.asked += 1
        if self.asked == self._fails:
            raise ConnectionError("reset")
        asked = {name: values[0] for name, values in query(request).items()}
        ids = [id for id, _ in self._events]
        found = self._events
        if "created_before" in asked:
            until = datetime.fromisoformat(asked["created_before"].replace("Z", "+00:00")).timestamp()
            found = [event for event in found if event[1] < until]
        if "ending_before" in asked:
            found = found[ids.index(asked["ending_before"]) + 1 :]
            rows = found[:3][::-1]
        else:
            if "starting_after" in asked:
                found = found[: ids.index(asked["starting_after"])]
            rows = found[::-1][:3]
        data = [{"id": id, "object": "event", "type": "webhook.test", "created_at": at, "data": {}} for id, at in rows]
        return answer(body={"object": "list", "data": data, "has_more": len(found) > 3, "url": "/v1/events"})
