"""From an empty shop to a verified webhook, on the real server."""

from __future__ import annotations

import unittest

from gateramp import WebhookSignatureError

from .world import Receiver, gate, setting


class Purchase(unittest.TestCase):
    def test_a_session_is_created_found_in_the_list_paid_and_its_completion_arrives_signed(self) -> None:
        shop = gate()
        with Receiver() as receiver:
            session = shop.gate_sessions.create(
                amount="100.00", currency="EUR", return_url=setting("GATERAMP_TEST_RETURN_URL")
            )
            self.assertEqual(session.status, "open")
            self.assertTrue(session.client_secret.startswith(f"gsec_{session.id}_"))
            self.assertEqual(next(iter(shop.gate_sessions.list(limit=5))).id, session.id)

            intent = shop.test_helpers.simulate(session.id, "succeed")
            self.assertEqual(intent.status, "succeeded")
            body, header = receiver.first(
                lambda body: b'"gate_session.completed"' in body and session.id.encode() in body
            )

        secret = setting("GATERAMP_TEST_WEBHOOK_SECRET")
        event = shop.webhooks.construct_event(body, header, secret)
        assert event.type == "gate_session.completed"
        self.assertEqual((event.data.id, event.data.status), (session.id, "completed"))
        self.assertEqual(shop.transactions.retrieve(event.data.tx_refid).session_id, session.id)
        with self.assertRaises(WebhookSignatureError) as refused:
            shop.webhooks.construct_event(body + b" ", header, secret)
        self.assertEqual(refused.exception.reason, "no_matching_signature")
