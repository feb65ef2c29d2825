"""Whatever happens on the way: one call, one session."""

from __future__ import annotations

import unittest
import uuid
from typing import Any, Dict, List

from gateramp import (
    APIConnectionError,
    APIError,
    CreatedGateSession,
    Gate,
    GateError,
    InvalidRequestError,
    NotFoundError,
    RateLimitError,
)
from gateramp._api import Outside

from . import fault_proxy as faults
from .fault_proxy import Fault, FaultProxy, answered
from .world import gate, setting

RETRIED = (408, 425, 429, 500, 502, 503, 504)

PASSING: Dict[str, Fault] = {
    "a reset before the commit": faults.reset_before_commit,
    "a reset after the commit": faults.reset_after_commit,
    "silence before the commit": faults.hang_before_commit,
    "silence after the commit": faults.hang_after_commit,
    "half a body": faults.half_a_body,
    "half a body of no said length": faults.half_a_body_of_no_said_length,
    "a body that is not JSON": faults.not_json,
    **{f"{status} before the commit": answered(status) for status in RETRIED},
    **{f"{status} after the commit": answered(status, after_commit=True) for status in RETRIED},
    **{f"{status} with Retry-After-short": answered(status, {"Retry-After-short": "2"}) for status in RETRIED},
    "429 with Retry-After": answered(429, {"Retry-After": "3"}),
}


def patience(fault: Fault) -> float:
    """A service that never answers is given up soon; others may be slow, as on a busy machine."""
    return 6.0 if fault in (faults.hang_before_commit, faults.hang_after_commit) else 60.0


class Faults(unittest.TestCase):
    def setUp(self) -> None:
        self.reference = str(uuid.uuid4())
        self.slept: List[float] = []

    def create(self, proxy: FaultProxy, **options: Any) -> CreatedGateSession:
        """There is no wait between two attempts."""
        through = Gate(
            setting("GATERAMP_TEST_SECRET_KEY"),
            base_url=proxy.url,
            outside=Outside(sleep=self.slept.append),
        )
        return_url = setting("GATERAMP_TEST_RETURN_URL")
        return through.gate_sessions.create(
            amount="1.00", currency="EUR", return_url=return_url, user_reference=self.reference, **options
        )

    def sessions(self) -> List[str]:
        return [session.id for session in gate().gate_sessions.list(user_reference=self.reference)]

    def proxy(self, *script: Fault) -> FaultProxy:
        return FaultProxy(setting("GATERAMP_TEST_SANDBOX"), *script)

    def test_one_session_whatever_spoils_the_first_attempt(self) -> None:
        for name, fault in PASSING.items():
            self.setUp()
            with self.subTest(name), self.proxy(fault) as proxy:
                session = self.create(proxy, timeout_seconds=patience(fault))
                self.assertEqual(self.sessions(), [session.id])
                self.assertTrue(session.client_secret.startswith("gsec_"))
                self.assertEqual((len(proxy.keys), len(set(proxy.keys))), (2, 1))

    def test_one_session_though_every_attempt_but_the_last_is_spoiled_after_the_commit(self) -> None:
        for fault in (faults.reset_after_commit, faults.hang_after_commit, faults.half_a_body, faults.not_json):
            self.setUp()
            with self.subTest(fault.__name__), self.proxy(fault, fault) as proxy:
                self.assertEqual(self.sessions(), [])
                self.assertEqual([self.create(proxy, timeout_seconds=patience(fault)).id], self.sessions())

    def test_after_the_last_attempt_the_same_key_still_finds_the_session_that_was_made(self) -> None:
        key = str(uuid.uuid4())
        with self.proxy(*[faults.reset_after_commit] * 3) as proxy:
            with self.assertRaises(APIConnectionError):
                self.create(proxy, idempotency_key=key)
            self.assertEqual(self.sessions(), [self.create(proxy, idempotency_key=key).id])

    def test_waits_as_long_as_the_server_asks_and_at_most_a_minute(self) -> None:
        with self.proxy(answered(429, {"Retry-After-short": "2", "Retry-After": "30"})) as proxy:
            self.create(proxy)
        self.assertTrue(2 <= self.slept[0] <= 2.5, self.slept)
        self.slept.clear()
        for headers in ({"Retry-After-short": "3600"}, {"Retry-After": "3600"}):
            with self.proxy(answered(429, headers)) as proxy, self.assertRaises(RateLimitError) as raised:
                self.create(proxy)
            self.assertEqual((raised.exception.retry_after_seconds, self.slept, len(proxy.keys)), (3600, [], 1))

    def test_never_asks_again_after_another_4xx_or_5xx(self) -> None:
        for status in (400, 401, 402, 403, 404, 405, 409, 410, 413, 415, 422, 451, 501, 505):
            with self.subTest(status), self.proxy(answered(status)) as proxy:
                with self.assertRaises(GateError) as raised:
                    self.create(proxy)
                self.assertEqual((raised.exception.status, len(proxy.keys), self.slept), (status, 1, []))
                self.assertEqual(raised.exception.raw_body, "<h1>It is the proxy who says so</h1>")
                self.assertIsInstance(raised.exception, APIError if status >= 500 else GateError)
        self.assertEqual(self.sessions(), [])

    def test_what_the_server_refuses_is_raised_by_class_code_and_field(self) -> None:
        with self.assertRaises(InvalidRequestError) as refused:
            gate().gate_sessions.create(amount="0", currency="EURO", return_url=setting("GATERAMP_TEST_RETURN_URL"))
        error = refused.exception
        self.assertEqual((error.status, error.code), (400, "validation_failed"))
        self.assertEqual([field["field"] for field in error.fields], ["amount", "currency"])
        self.assertEqual(len(error.messages), 2)
        self.assertTrue(error.request_id and error.doc_url)
        with self.assertRaises(NotFoundError) as missing:
            gate().gate_sessions.retrieve("0" * 24)
        self.assertEqual(missing.exception.code, "session_not_found")

    def test_a_cancel_whose_answer_is_lost_answers_the_cancelled_session(self) -> None:
        session = self.create_directly()
        with self.proxy(faults.reset_after_commit) as proxy:
            through = Gate(
                setting("GATERAMP_TEST_SECRET_KEY"), base_url=proxy.url, outside=Outside(sleep=self.slept.append)
            )
            self.assertEqual(through.gate_sessions.cancel(session.id).status, "cancelled")

    def create_directly(self) -> CreatedGateSession:
        return gate().gate_sessions.create(
            amount="1.00", currency="EUR", return_url=setting("GATERAMP_TEST_RETURN_URL")
        )
