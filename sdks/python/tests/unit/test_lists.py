"""Lists: pages, and a walk over all of them."""

from __future__ import annotations

import unittest
from urllib.parse import parse_qs, urlsplit

from gateramp._transport import HttpRequest

from ..scripted import Scripted, answer, page


def query(request: HttpRequest) -> dict[str, list[str]]:
    return parse_qs(urlsplit(request.url).query)


class Lists(unittest.TestCase):
    def test_walks_over_all_pages_and_asks_for_each_when_it_is_reached(self) -> None:
        world = Scripted(page("a", "b", has_more=True), page("c", has_more=True), page("d"))
        sessions = world.gate.gate_sessions.list(limit=2, status="open")
        self.assertEqual(len(world.sent), 1)
        walk = iter(sessions)
        self.assertEqual([next(walk).id, next(walk).id], ["a", "b"])
        self.assertEqual(len(world.sent), 1)
        self.assertEqual([session.id for session in walk], ["c", "d"])
        self.assertEqual(query(world.sent[0]), {"limit": ["2"], "status": ["open"]})
        self.assertEqual(query(world.sent[1]), {"limit": ["2"], "status": ["open"], "starting_after": ["b"]})
        self.assertEqual(query(world.sent[2])["starting_after"], ["c"])

    def test_walks_towards_newer_items_with_ending_before(self) -> None:
        world = Scripted(page("c", "b", has_more=True), page("d"))
        self.assertEqual([item.id for item in world.gate.gate_sessions.list(ending_before="a")], ["b", "c", "d"])
        self.assertEqual(query(world.sent[1]), {"ending_before": ["c"]})

    def test_a_page_has_its_data_and_the_next_one(self) -> None:
        world = Scripted(page("a", has_more=True), page())
        first = world.gate.gate_sessions.list()
        self.assertEqual(
            ([item.id for item in first.data], first.has_more, first.url), (["a"], True, "/v1/gate_sessions")
        )
        self.assertEqual(first.last_response.status, 200)
        second = first.next_page()
        assert second is not None
        self.assertEqual((second.data, second.next_page()), ([], None))

    def test_an_empty_page_ends_the_walk_even_if_it_promises_more(self) -> None:
        world = Scripted(page(has_more=True))
        self.assertEqual(list(world.gate.gate_sessions.list()), [])
        self.assertEqual(len(world.sent), 1)

    def test_walks_over_trades_by_the_cursor_that_they_come_with(self) -> None:
        first = {"data": [{"transactId": "t2"}], "hasMore": True, "nextCursor": "t2"}
        second = {"data": [{"transactId": "t1", "destAddress": "0x1"}], "hasMore": False, "nextCursor": None}
        world = Scripted(answer(body=first), answer(body=second), pools_base_url="https://pools.example")
        trades = list(world.gate.pools.trades(limit=1))
        self.assertEqual([trade.transact_id for trade in trades], ["t2", "t1"])
        self.assertEqual((trades[1].dest_address, trades[1]["destAddress"]), ("0x1", "0x1"))
        self.assertEqual(query(world.sent[1]), {"limit": ["1"], "cursor": ["t2"]})
