"""Walks towards newer items of lists in the order of ids, which are made before the commit."""

from __future__ import annotations

import random
import unittest
from dataclasses import dataclass
from typing import Any, Callable, Dict, Iterable, List, Optional, Tuple

from gateramp import Gate
from gateramp._api import Outside
from gateramp._pages import instant, iso_time
from gateramp._transport import HttpRequest, HttpResponse

from ..scripted import SESSION, answer, client_of
from .test_lists import query

T0 = 1_896_091_200_000
MINUTE = 60_000
SEED = 20_300_131
WALKS = 400


@dataclass(frozen=True)
class Row:
    id: str
    created_at: int
    visible_at: int
    """When its commit ends."""
    status: str = "open"


def row(id: str, created_at: int, visible_at: Optional[int] = None) -> Row:
    return Row(id, T0 + created_at, T0 + (created_at if visible_at is None else visible_at))


class Service:
    """Requests and the reader advance its clock."""

    def __init__(self, rows: Iterable[Row], now: int, latency: int = 0) -> None:
        self.now = now
        self.asked: List[Tuple[Dict[str, str], int]] = []
        self._rows = sorted(rows, key=lambda row: row.id)
        self._latency = latency
        # Like any clock, not in whole milliseconds.
        outside = Outside(now=lambda: self.now / 1000 + 0.000_321)
        client = client_of(self._send)
        self.gate = Gate("sk_test_late", base_url="https://api.example", http_client=client, outside=outside)

    def after(self, id: str, asked: Dict[str, str], at: int) -> List[Row]:
        """The rows after `id` that are visible at this time, in order."""
        since = instant(asked.get("created_after")) or 0
        return [
            row
            for row in self._rows
            if row.id > id
            and row.visible_at <= at
            and row.created_at >= since
            and asked.get("status") in (None, row.status)
        ]

    def walk(self, handle: Callable[[str], object] = lambda id: None, **filters: Any) -> List[str]:
        found: List[str] = []
        for session in self.gate.gate_sessions.list(limit=2, **filters):
            found.append(session.id)
            handle(session.id)
        return found

    def sleep_until(self, now: int) -> None:
        self.now = max(self.now, now)

    def _send(self, request: HttpRequest) -> HttpResponse:
        self.now += self._latency
        asked = {name: values[0] for name, values in query(request).items()}
        self.asked.append((asked, self.now))
        found = self.after(asked.get("ending_before", ""), asked, self.now)
        data = [
            {**SESSION, "id": row.id, "status": row.status, "created_at": iso_time(row.created_at)}
            for row in found[:2][::-1]
        ]
        self.now += self._latency
        return answer(body={"object": "list", "data": data, "has_more": len(found) > 2, "url": "/v1/gate_sessions"})


class LateRows(unittest.TestCase):
    def test_yields_items_that_are_committed_behind_it_and_each_item_once(self) -> None:
        rows = [row("a", 0), row("b", 1_000), row("c", 2_000, 40_000), row("d", 3_000, 40_000), row("e", 4_000)]
        service = Service(rows, T0 + 5_000)
        found = service.walk(
            lambda id: service.sleep_until(T0 + 40_000) if id == "e" else None, ending_before="a", status="open"
        )
        self.assertEqual(found, ["b", "e", "c", "d"])
        filters = {"limit": "2", "status": "open"}
        again = {**filters, "created_after": "2030-01-31T11:59:04.000Z"}
        self.assertEqual(
            [asked for asked, _ in service.asked],
            [
                {"ending_before": "a", **filters},
                {"ending_before": "a", **again},
                {"ending_before": "c", **again},
            ],
        )

    def test_also_if_the_reader_takes_minutes_between_two_pages(self) -> None:
        rows = [row("a", 0), row("b", 10_000, 60_000), row("c", 20_000), row("d", 21_000), row("e", 22_000)]
        service = Service([*rows, row("f", 150_000)], T0 + 30_000)
        found = service.walk(
            lambda id: service.sleep_until(T0 + 150_000) if id == "c" else None,
            ending_before="a",
        )
        self.assertEqual(found, ["c", "d", "e", "f", "b"])

    def test_reads_nothing_again_if_it_finds_nothing_towards_older_items_or_in_the_feed_of_events(self) -> None:
        service = Service([row("a", 0), row("b", 1_000)], T0 + MINUTE)
        self.assertEqual(service.walk(ending_before="b"), [])
        self.assertEqual(service.walk(), ["b", "a"])
        self.assertEqual([event.id for event in service.gate.events.list(ending_before="a", limit=2)], ["b"])
        self.assertEqual(len(service.asked), 3)

    def test_keeps_the_callers_own_created_after_if_it_is_later(self) -> None:
        rows = [row("a", 0), row("b", 5_000), row("c", 7_000)]
        for since in "2030-01-31T13:00:06+01:00", "2030-01-31T12:00:06Z", "2030-01-31T12:00:05.1Z":
            service = Service(rows, T0 + MINUTE)
            self.assertEqual(service.walk(ending_before="a", created_after=since), ["c"])
            self.assertEqual([asked["created_after"] for asked, _ in service.asked], [since, since])

    def test_yields_each_item_once_and_all_that_were_visible_when_it_read_the_last_minute_again(self) -> None:
        for seed in range(SEED, SEED + WALKS):
            with self.subTest(seed=seed):
                self._check(random.Random(seed))

    def _check(self, draw: random.Random) -> None:
        id_at, rows = T0, list[Row]()
        for nth in range(draw.randint(2, 40)):
            id_at += draw.randint(0, 8_000)
            created_at = id_at + draw.choice([0, 0, draw.randint(0, 5_000)])
            late = draw.choice([0, 0, draw.randint(0, MINUTE), draw.randint(50_000, MINUTE)])
            rows.append(Row(f"{id_at}-{nth:02}", created_at, created_at + late, draw.choice(["open", "completed"])))
        cursor = rows[min(draw.randint(0, 3), len(rows) - 1)].id
        start = draw.choice(rows).created_at + draw.randint(0, 10_000)
        service = Service(rows, start, draw.choice([0, draw.randint(0, 5_000)]))
        filters: Dict[str, str] = draw.choice([{}, {"status": "open"}])
        found = service.walk(
            lambda id: service.sleep_until(service.now + draw.choice([0, 0, draw.randint(0, MINUTE)])),
            ending_before=cursor,
            **filters,
        )

        self.assertEqual(len(set(found)), len(found))
        starts = [at for asked, at in service.asked if asked["ending_before"] == cursor]
        self.assertEqual(len(starts), 2 if found else 1)
        self.assertLessEqual({row.id for row in service.after(cursor, filters, starts[-1])}, set(found))
        self.assertLessEqual(set(found), {row.id for row in service.after(cursor, filters, service.now)})
