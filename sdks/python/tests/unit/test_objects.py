"""Resources as Python objects."""

from __future__ import annotations

import copy
import pickle
import unittest

from gateramp import GateObject, UnknownEvent
from gateramp._events import event_from
from gateramp.types import CreatedGateSession, PoolQuote, Transaction

SECRET = "gsec_68a1f0c2b7e94d1f3a5c7e90_secret"


class Objects(unittest.TestCase):
    def test_fields_are_attributes_and_members_and_unknown_ones_are_kept(self) -> None:
        session = CreatedGateSession({"id": "s", "status": "paused", "brand_new": {"a": 1}})
        self.assertEqual((session.id, session["id"], session.status), ("s", "s", "paused"))
        self.assertEqual((getattr(session, "brand_new"), session["brand_new"]), ({"a": 1}, {"a": 1}))
        self.assertEqual(
            (list(session), "id" in session, "none" in session), (["id", "status", "brand_new"], True, False)
        )

    def test_a_known_field_that_did_not_come_is_none_and_another_name_is_a_fault(self) -> None:
        session = CreatedGateSession({"id": "s"})
        self.assertIsNone(session.flow)
        with self.assertRaises(AttributeError):
            getattr(session, "statsu")
        with self.assertRaises(KeyError):
            session["flow"]

    def test_what_is_inside_is_of_its_class_and_metadata_stays_as_it_was_given(self) -> None:
        fields = {
            "source": {"amount": "1.00"},
            "fees": [{"type": "network"}],
            "failure": None,
            "metadata": {"source": {}},
        }
        transaction = Transaction(fields)
        self.assertEqual(
            (transaction.source.amount, transaction.fees[0].type, transaction.failure), ("1.00", "network", None)
        )
        self.assertEqual((type(transaction.metadata), transaction.to_dict()), (dict, fields))

    def test_names_in_camel_case_are_read_the_way_python_writes_them(self) -> None:
        quote = PoolQuote({"quoteId": "q", "totalBps": 50})
        self.assertEqual((quote.quote_id, quote.total_bps, quote["quoteId"]), ("q", 50, "q"))

    def test_no_value_that_may_be_secret_is_in_its_text(self) -> None:
        session = CreatedGateSession({"id": "s", "object": "gate_session", "client_secret": SECRET, "status": "open"})
        self.assertEqual(repr(session), "CreatedGateSession(id='s', object='gate_session', status='open')")

    def test_is_equal_by_its_fields_copied_pickled_and_never_changed(self) -> None:
        session = CreatedGateSession({"id": "s"})
        self.assertEqual(session, CreatedGateSession({"id": "s"}))
        self.assertNotEqual(session, GateObject({"id": "s"}))
        self.assertEqual(copy.deepcopy(session), session)
        self.assertEqual(pickle.loads(pickle.dumps(session)), session)
        with self.assertRaises(AttributeError):
            session.id = "t"

    def test_an_event_of_a_type_that_nobody_knows_yet_is_read_all_the_same(self) -> None:
        event = event_from({"id": "e", "type": "brand.new", "data": {"id": "x"}})
        self.assertEqual((type(event), type(event["data"]), event["data"].id), (UnknownEvent, GateObject, "x"))
