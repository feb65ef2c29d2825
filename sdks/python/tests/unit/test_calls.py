"""What one call sends, over however many attempts, and what comes back."""

from __future__ import annotations

import json
import socket
import unittest
import uuid
from decimal import Decimal
from typing import Any, List, Tuple

from gateramp import (
    NOT_GIVEN,
    APIConnectionError,
    APIError,
    AuthenticationError,
    ConflictError,
    Gate,
    IdempotencyError,
    InvalidRequestError,
    TimeoutError,
)

from gateramp._transport import RESPONSE_BYTES_MAX

from ..scripted import SESSION, Scripted, answer, create, refusal

RESET = ConnectionResetError("reset")


class Calls(unittest.TestCase):
    def test_one_key_is_made_for_an_operation_and_kept_over_its_retries(self) -> None:
        world = Scripted(RESET, socket.timeout(), answer(201))
        create(world.gate)
        self.assertEqual(len(world.keys), 3)
        self.assertEqual(len(set(world.keys)), 1)
        self.assertEqual(uuid.UUID(str(world.keys[0])).version, 4)
        self.assertEqual(len({request.body for request in world.sent}), 1)
        create(world.gate)
        self.assertNotEqual(world.keys[3], world.keys[0])

    def test_a_key_of_the_caller_is_taken_and_a_read_has_none(self) -> None:
        world = Scripted(RESET, answer(201))
        create(world.gate, idempotency_key="order-1")
        world.gate.gate_sessions.retrieve(SESSION["id"])
        self.assertEqual(world.keys, ["order-1", "order-1", None])

    def test_a_key_among_the_headers_is_the_callers_too_and_an_empty_one_is_never_replaced(self) -> None:
        world = Scripted(answer(201))
        create(world.gate, headers={"Idempotency-Key": "order-1"})
        create(world.gate, headers={"Idempotency-Key": "order-1"}, idempotency_key="order-2")
        create(world.gate, idempotency_key="")
        self.assertEqual(world.keys, ["order-1", "order-2", ""])

    def test_waits_longer_each_time_and_gives_up_after_two_retries(self) -> None:
        world = Scripted(RESET)
        with self.assertRaises(APIConnectionError) as raised:
            create(world.gate)
        self.assertIs(raised.exception.__cause__, RESET)
        self.assertEqual(world.slept, [0.25, 0.5])

    def test_the_number_of_retries_and_the_time_of_an_attempt_can_be_said_for_a_call_and_for_all(self) -> None:
        world = Scripted(RESET, max_retries=0, timeout_seconds=7)
        for options, attempts, seconds in (({}, 1, 7), ({"max_retries": 1, "timeout_seconds": 0.5}, 2, 0.5)):
            world.sent.clear()
            with self.assertRaises(APIConnectionError):
                create(world.gate, **options)
            self.assertEqual([request.timeout_seconds for request in world.sent], [seconds] * attempts)

    def test_numbers_that_are_none_are_refused_before_anything_is_sent(self) -> None:
        nan, inf = float("nan"), float("inf")
        wrong: List[Tuple[str, Any]] = [
            *(("max_retries", value) for value in (-1, 0.5, nan, inf, None, "2")),
            *(("timeout_seconds", value) for value in (0, -1, nan, inf, 10**10, None, "2")),
        ]
        for name, value in wrong:
            world = Scripted(answer(201))
            given: Any = {name: value}
            with self.subTest(f"{name}={value}"):
                for refused in (lambda: Scripted(answer(), **given), lambda: create(world.gate, **given)):
                    with self.assertRaises(InvalidRequestError) as raised:
                        refused()
                    self.assertEqual(raised.exception.code, "invalid_configuration")
                    self.assertIn(name, str(raised.exception))
                self.assertEqual(world.sent, [])

    def test_what_cannot_be_sent_is_refused_without_being_shown(self) -> None:
        world = Scripted(answer(201))
        unsendable: List[Tuple[Any, str]] = [
            ({"idempotency_key": "заказ-1"}, "idempotency_key_invalid"),
            ({"idempotency_key": "order\n1"}, "idempotency_key_invalid"),
            ({"headers": {"X-Trace": "a\r\nHost: elsewhere"}}, "invalid_header"),
            ({"headers": {"X Trace": "a"}}, "invalid_header"),
            ({"metadata": {"price": Decimal("1.00")}}, "invalid_body"),
            ({"metadata": {"price": float("nan")}}, "invalid_body"),
        ]
        for options, code in unsendable:
            with self.subTest(str(options)), self.assertRaises(InvalidRequestError) as raised:
                create(world.gate, **options)
            self.assertEqual(raised.exception.code, code)
            self.assertNotIn("elsewhere", str(raised.exception))
        self.assertEqual(world.sent, [])

    def test_a_key_may_be_a_uuid(self) -> None:
        world = Scripted(answer(201))
        key: Any = uuid.uuid4()
        create(world.gate, idempotency_key=key)
        self.assertEqual(world.keys, [str(key)])

    def test_an_answer_above_the_limit_is_an_api_error_and_is_not_asked_for_again(self) -> None:
        world = Scripted(answer(503, body="x" * (RESPONSE_BYTES_MAX + 1), headers={"X-Request-Id": "req_1"}))
        with self.assertRaises(APIError) as raised:
            create(world.gate)
        error = raised.exception
        self.assertEqual((error.code, error.status, error.request_id), ("response_too_large", 503, "req_1"))
        self.assertEqual((len(world.sent), error.raw_body), (1, None))

    def test_an_address_that_would_show_the_key_is_refused_and_not_repeated(self) -> None:
        for address in (
            "https://user:hunter2@api.example.com",
            "https://user@api.example.com",
            "http://api.example.com",
            "http://10.0.0.1:4242",
            "http://0.0.0.0:4242",
            "http://127.0.0.1.example.com",
            "http://localhost.example.com",
            "http://localhost@api.example.com",
            "https://api.example.com\\@127.0.0.1",
            "http://[::2]:4242",
            "http://[::1",
            "https://api.example.com:port",
            "https://api.example.com\n.example.net",
            "ftp://api.example.com",
            "api.example.com",
            "",
        ):
            for name in ("base_url", "pools_base_url"):
                given: Any = {name: address}
                with self.subTest(f"{name}={address}"), self.assertRaises(InvalidRequestError) as raised:
                    Gate("sk_test_1", **given)
                self.assertEqual(raised.exception.code, "invalid_configuration")
                self.assertIn(name, str(raised.exception))
                self.assertNotIn("hunter2", str(raised.exception))
        for address in (
            "http://localhost:4242",
            "http://gate.localhost",
            "http://127.0.0.1:4242",
            "http://127.8.9.1/gate",
            "http://[::1]:4242",
            "https://10.0.0.1",
        ):
            Gate("sk_test_1", base_url=address)

    def test_says_that_time_was_up(self) -> None:
        with self.assertRaises(TimeoutError) as raised:
            create(Scripted(socket.timeout()).gate, timeout_seconds=2)
        self.assertIn("2 s", str(raised.exception))
        self.assertNotIsInstance(raised.exception.status, int)

    def test_a_reused_or_racing_key_is_raised_and_never_sent_again(self) -> None:
        for status, code in (
            (409, "operation_in_progress"),
            (422, "idempotency_key_mismatch"),
            (409, "idempotency_key_mismatch"),
        ):
            world = Scripted(refusal(status, code))
            with self.assertRaises(IdempotencyError) as raised:
                create(world.gate)
            self.assertEqual(
                (raised.exception.code, raised.exception.type, len(world.sent)), (code, "idempotency_error", 1)
            )

    def test_sends_what_is_given_and_extra_body_over_it(self) -> None:
        world = Scripted(answer(201))
        create(world.gate, metadata={"order": 7, "name": "Žofie"}, extra_body={"new_field": [1], "amount": "2.00"})
        self.assertEqual(
            json.loads(world.sent[0].body or b""),
            {
                "amount": "2.00",
                "currency": "EUR",
                "return_url": "https://shop.example/",
                "metadata": {"order": 7, "name": "Žofie"},
                "new_field": [1],
            },
        )

    def test_branding_tells_what_is_left_out_from_what_is_cleared(self) -> None:
        world = Scripted(answer())
        world.gate.branding.update(display_name="Acme", logo_url=None, theme=NOT_GIVEN)
        self.assertEqual(json.loads(world.sent[0].body or b""), {"display_name": "Acme", "logo_url": None})

    def test_sends_the_key_last_whatever_other_headers_are_asked_for(self) -> None:
        world = Scripted(answer())
        world.gate.gate_sessions.retrieve("s", headers={"X-Trace": "1", "Authorization": "Bearer other"})
        self.assertEqual(world.sent[0].headers["x-trace"], "1")
        self.assertEqual(world.sent[0].headers["authorization"], "Bearer sk_test_scripted")

    def test_a_misspelled_parameter_is_a_fault_and_sends_nothing(self) -> None:
        world = Scripted(answer(201))
        misspelled: Any = {"amout": "1.00"}
        with self.assertRaises(TypeError):
            create(world.gate, **misspelled)
        self.assertEqual(world.sent, [])

    def test_an_id_that_names_nothing_is_refused_before_it_is_sent_and_others_are_escaped(self) -> None:
        world = Scripted(answer())
        for id in ("", " ", ".", "..", None, 7):
            with self.assertRaises(InvalidRequestError) as raised:
                world.gate.gate_sessions.retrieve(id)  # type: ignore[arg-type]
            self.assertEqual(raised.exception.code, "id_missing")
        self.assertEqual(world.sent, [])
        world.gate.gate_sessions.retrieve("a/b?c")
        self.assertEqual(world.sent[0].url, "https://api.example/v1/gate_sessions/a%2Fb%3Fc")

    def test_what_is_no_secret_key_is_refused_without_showing_it(self) -> None:
        for key in ("pk_test_1234", "whsec_1234", "sk_test_1234\n", " sk_live_1234", "", None, "sk_other_1234"):
            with self.assertRaises(AuthenticationError) as raised:
                Gate(key)  # type: ignore[arg-type]
            self.assertEqual(raised.exception.code, "malformed_credential")
            self.assertNotIn("1234", str(raised.exception))

    def test_an_address_is_checked_and_a_slash_at_its_end_does_not_matter(self) -> None:
        for url in ("api.example", "ftp://api.example", "https://", "https://api.example/?x=1", ""):
            with self.assertRaises(InvalidRequestError):
                Gate("sk_test_1", base_url=url)
        world = Scripted(answer(), base_url="https://api.example/gate/")
        world.gate.branding.retrieve()
        self.assertEqual(world.sent[0].url, "https://api.example/gate/v1/branding")

    def test_pools_are_asked_for_at_their_own_host_and_a_key_of_one_deployment_goes_to_no_other(self) -> None:
        world = Scripted(
            answer(body={"data": [], "hasMore": False, "nextCursor": None}), pools_base_url="https://pools.example"
        )
        world.gate.pools.list()
        self.assertEqual(world.sent[0].url, "https://pools.example/v1/pools")
        alone = Scripted(answer())
        with self.assertRaises(InvalidRequestError):
            alone.gate.pools.list()
        self.assertEqual(alone.sent, [])

    def test_a_result_has_its_response(self) -> None:
        session = create(
            Scripted(answer(201, SESSION, {"X-Request-Id": "req_7", "X-RateLimit-Remaining-short": "9"})).gate
        )
        self.assertEqual((session.last_response.status, session.last_response.request_id), (201, "req_7"))
        self.assertEqual(session.last_response.headers["x-ratelimit-remaining-SHORT"], "9")


class Cancel(unittest.TestCase):
    def test_a_cancel_whose_answer_was_lost_answers_the_cancelled_session(self) -> None:
        world = Scripted(RESET, refusal(409, "session_not_open"), answer(body={**SESSION, "status": "cancelled"}))
        self.assertEqual(world.gate.gate_sessions.cancel(SESSION["id"]).status, "cancelled")
        self.assertEqual([request.method for request in world.sent], ["POST", "POST", "GET"])

    def test_a_cancel_that_found_the_session_ended_otherwise_is_a_conflict(self) -> None:
        for answers in (
            (RESET, refusal(409, "session_not_open"), answer(body={**SESSION, "status": "completed"})),
            (refusal(409, "session_not_open"),),
            (refusal(429, "rate_limit_exceeded"), refusal(409, "session_not_open")),
            (RESET, refusal(409, "session_processing")),
        ):
            with self.assertRaises(ConflictError):
                Scripted(*answers).gate.gate_sessions.cancel(SESSION["id"])

    def test_a_payment_over_rails_is_cancelled_as_a_session_is(self) -> None:
        payment = {"id": "p", "status": "cancelled"}
        for resource in ("pay_ins", "pay_outs"):
            with self.subTest(resource):
                world = Scripted(RESET, refusal(409, "intent_not_confirmable"), answer(body=payment))
                self.assertEqual(getattr(world.gate.rails, resource).cancel("p").status, "cancelled")
                self.assertTrue(world.sent[2].url.endswith(f"/v1/rails/{resource}/p"))
                other = Scripted(RESET, refusal(409, "intent_not_confirmable"), answer(body={**payment, "status": "succeeded"}))
                with self.assertRaises(ConflictError):
                    getattr(other.gate.rails, resource).cancel("p")
