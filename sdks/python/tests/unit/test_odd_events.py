"""A signed body that is not an event is answered 400 and never handled."""

from __future__ import annotations

import json
import random
import unittest
from typing import Any, Dict

from gateramp import EventContext

from ..receiving import Heard

EVENT: Dict[str, Any] = {
    "id": "7c9e6679-7425-40de-944b-e07fc1f90ae7",
    "type": "gate_session.created",
    "created_at": 1893499440,
    "sequence": 1,
    "livemode": False,
    "data": {"object": "gate_session", "id": "68a1f0c2b7e94d1f3a5c7e90"},
}
TEXT = json.dumps(EVENT)


def member(name: str, text: str) -> str:
    whole = f'"{name}": {json.dumps(EVENT[name])}'
    assert whole in TEXT
    return TEXT.replace(whole, f'"{name}": {text}')


ODD: Dict[str, str] = {
    "a list": f"[{TEXT}]",
    "a number": "1",
    "null": "null",
    "nothing": "",
    "an empty object": "{}",
    "a byte order mark": f"\ufeff{TEXT}",
    "no type": TEXT.replace('"type": "gate_session.created", ', ""),
    "a repeated id": '{"id": "other", ' + TEXT[1:],
    "an id repeated in other letters": '{"\\u0069d": "other", ' + TEXT[1:],
    **{f"id {text[:20]}": member("id", text) for text in ("1", "null", '["a"]', '{"a":1}', '""', '"a\\u0000b"')},
    **{f"id {text[:20]}": member("id", text) for text in ('"a\\ud800b"', json.dumps("x" * 5000))},
    **{f"type {text}": member("type", text) for text in ('["a"]', "{}", "null", "1")},
    **{f"sequence {text[:20]}": member("sequence", text) for text in ('"1"', "[1]", "{}", "0", "-1", "1.5", "true")},
    **{f"sequence {text[:20]}": member("sequence", text) for text in ("1e999", "NaN", "Infinity", "9007199254740993")},
    **{f"created_at {text[:20]}": member("created_at", text) for text in ('"2030"', "9" * 5000, "NaN", "null", "[]")},
    **{f"data {text[:20]}": member("data", text) for text in ('"data"', "[]", "1", '{"a":["\\udc00"]}', '{"\\udc00":1}')},
    **{f"data {text[:20]}": member("data", text) for text in ('{"amount":-1e999}', '{"a":1,"a":2}', '{"a":NaN}')},
    "deep data": member("data", '{"a":' + "[" * 100_000 + "]" * 100_000 + "}"),
    "a session of NUL": member("data", '{"object":"gate_session","id":"\\u0000"}'),
}


class OddEvents(unittest.TestCase):
    def test_a_signed_body_that_is_no_event_is_answered_400_and_not_handled(self) -> None:
        for name, text in ODD.items():
            with self.subTest(name):
                heard = Heard()
                status, answered = heard.take(text.encode("utf-8"))
                self.assertEqual((status, heard.events), (400, []))
                self.assertEqual(json.loads(answered)["error"]["reason"], "parsed_body")

    def test_bytes_that_are_not_utf_8_are_answered_400(self) -> None:
        self.assertEqual(Heard().take(TEXT.encode()[:-1] + b"\xff}")[0], 400)

    def test_nothing_raises_where_any_part_of_an_event_is_replaced(self) -> None:
        chance = random.Random(42)
        alphabet = ['"', "\\", "{", "}", "[", "]", ",", ":", "0", "1e999", "NaN", "null", "\x00", "é", "🚀", "\\ud800"]
        for _ in range(2_000):
            at, length = chance.randrange(len(TEXT)), chance.randrange(5)
            by = "".join(chance.choice(alphabet) for _ in range(chance.randrange(4)))
            heard = Heard()
            status, _answered = heard.take((TEXT[:at] + by + TEXT[at + length :]).encode("utf-8"))
            self.assertIn((status, len(heard.events)), [(200, 1), (400, 0)])

    def test_an_event_with_members_that_are_new_absent_or_nested_is_handled(self) -> None:
        texts = [
            TEXT,
            '{"id":"e1","type":"new.type"}',
            json.dumps({**EVENT, "sequence": None, "data": None, "added": [1, -1.5e300]}),
            member("data", '{"a":' + "[" * 40 + "]" * 40 + "}"),
            member("data", '{"text":"\\\\\\"}{[]🚀","a":{"b":1},"b":1}'),
        ]
        for text in texts:
            with self.subTest(text):
                self.assertEqual(Heard(handle=read).take(text.encode())[0], 200)


def read(event: Any, context: EventContext) -> None:
    event.data
