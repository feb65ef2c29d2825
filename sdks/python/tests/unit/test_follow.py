"""Following the events of the feed."""

from __future__ import annotations

import itertools
import unittest
from typing import List, Optional

from gateramp import APIConnectionError, GateError, NotFoundError

from ..scripted import Scripted, page, refusal
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
