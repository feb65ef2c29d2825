"""Enums and datetimes are sent as the API expects them, in bodies and in filters."""

from __future__ import annotations

import json
import unittest
from datetime import datetime, timedelta, timezone, tzinfo
from enum import Enum
from typing import Callable, List

from gateramp import Gate, InvalidRequestError

from ..scripted import Scripted, answer, create, page
from .test_lists import query

NOON_IN_BERLIN = datetime(2026, 7, 1, 12, 0, 0, 250_000, timezone(timedelta(hours=2)))
NAIVE = datetime(2026, 7, 1, 12)


class Flow(Enum):
    BUY = "on_ramp"


class Currency(str, Enum):
    EURO = "EUR"


class NoOffset(tzinfo):
    def utcoffset(self, dt: object) -> None:
        return None


class Values(unittest.TestCase):
    def test_an_enum_is_sent_as_its_value(self) -> None:
        world = Scripted(page(), answer(201))
        world.gate.gate_sessions.list(flow=Flow.BUY, currency=Currency.EURO)
        self.assertEqual(query(world.sent[0]), {"flow": ["on_ramp"], "currency": ["EUR"]})
        create(world.gate, flow=Flow.BUY, metadata={"flows": [Flow.BUY, {"of": Currency.EURO}]}, extra_body={"new": Flow.BUY})
        body = json.loads(world.sent[1].body or b"")
        self.assertEqual((body["flow"], body["new"]), ("on_ramp", "on_ramp"))
        self.assertEqual(body["metadata"], {"flows": ["on_ramp", {"of": "EUR"}]})

    def test_a_datetime_is_sent_in_utc(self) -> None:
        world = Scripted(page(), answer(201), answer(body={"replayed": 0}))
        world.gate.gate_sessions.list(created_after=NOON_IN_BERLIN, created_before="2026-08-01")
        self.assertEqual(
            query(world.sent[0]), {"created_after": ["2026-07-01T10:00:00.250000Z"], "created_before": ["2026-08-01"]}
        )
        create(world.gate, metadata={"at": NOON_IN_BERLIN.replace(microsecond=0)})
        self.assertEqual(json.loads(world.sent[1].body or b"")["metadata"], {"at": "2026-07-01T10:00:00Z"})
        world.gate.webhooks.deliveries.replay_all(created_after=NOON_IN_BERLIN)
        self.assertIn(b"2026-07-01T10:00:00.250000Z", world.sent[2].body or b"")

    def test_a_naive_datetime_is_refused_by_the_name_of_its_parameter_and_nothing_is_sent(self) -> None:
        world = Scripted(page())
        refused: List[Callable[[Gate], object]] = [
            lambda gate: gate.transactions.list(created_after=NAIVE),
            lambda gate: gate.webhooks.deliveries.replay_all(created_after=NAIVE),
            lambda gate: gate.events.list(created_after=NAIVE.replace(tzinfo=NoOffset())),
        ]
        for call in refused:
            with self.assertRaisesRegex(InvalidRequestError, "created_after is a datetime without a time zone") as raised:
                call(world.gate)
            self.assertEqual(raised.exception.code, "naive_datetime")
        with self.assertRaisesRegex(InvalidRequestError, "metadata.at is a datetime without a time zone"):
            create(world.gate, metadata={"at": NAIVE})
        self.assertEqual(world.sent, [])
