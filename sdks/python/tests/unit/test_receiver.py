"""A receiver owns the raw bytes, believes what is signed, and has each event handled once."""

from __future__ import annotations

import json
import socket
import threading
import unittest
from typing import Dict, List, Optional, Tuple

from gateramp import (
    Event,
    EventContext,
    InvalidRequestError,
    MemoryEvents,
    WebhookSignatureError,
    webhooks,
)

from ..receiving import MOUNTS, OLD_SECRET, SECRET, Heard, body_of, send

PATIENCE_SECONDS = 60

TRACEPARENT = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"


class Mounted(unittest.TestCase):
    def test_owns_the_raw_bytes_takes_the_old_secret_and_the_new_and_handles_an_event_once(self) -> None:
        for name, mount in MOUNTS.items():
            heard = Heard()
            with self.subTest(name), mount(heard.receiver) as port:
                self.assertEqual(send(port, body_of("e1"))[0], 200)
                self.assertEqual(send(port, body_of("e2", 2), signed_with(OLD_SECRET, body_of("e2", 2)))[0], 200)
                status, answered = send(port, body_of("e1"))
                self.assertEqual((status, json.loads(answered)), (200, {"received": True, "duplicate": True}))
                self.assertEqual([id for id, _ in heard.events], ["e1", "e2"])

    def test_answers_400_with_the_reason_to_what_is_not_ours_and_handles_nothing(self) -> None:
        for name, mount in MOUNTS.items():
            heard = Heard()
            with self.subTest(name), mount(heard.receiver) as port:
                status, answered = send(port, body_of("e1"), signed_with("whsec_somebody_elses", body_of("e1")))
                self.assertEqual((status, json.loads(answered)["error"]["reason"]), (400, "no_matching_signature"))
                self.assertEqual(send(port, body_of("e1"), {"Content-Length": str(len(body_of("e1")))})[0], 400)
                self.assertEqual(heard.events, [])
                self.assertEqual(heard.refusals, ["no_matching_signature", "no_header"])

    def test_passes_the_traceparent_and_tracestate_to_the_handler_unless_they_are_invalid(self) -> None:
        sent: List[Dict[str, str]] = [
            {"traceparent": TRACEPARENT, "tracestate": "vendor=1"},
            {"traceparent": TRACEPARENT, "tracestate": "x" * 513},
            {"traceparent": TRACEPARENT.upper(), "tracestate": "vendor=1"},
            {"traceparent": TRACEPARENT},
            {},
        ]
        for name, mount in MOUNTS.items():
            contexts: List[Tuple[Optional[str], Optional[str]]] = []
            heard = Heard(handle=lambda event, context: contexts.append((context.traceparent, context.tracestate)))
            with self.subTest(name), mount(heard.receiver) as port:
                for nth, headers in enumerate(sent):
                    send(port, body_of(f"e{nth}"), {**signed_with(SECRET, body_of(f"e{nth}")), **headers})
                expected = [(TRACEPARENT, "vendor=1"), (TRACEPARENT, None), (None, None), (TRACEPARENT, None), (None, None)]
                self.assertEqual(contexts, expected)

    def test_answers_413_to_what_no_event_is_as_large_as_without_reading_it(self) -> None:
        for name, mount in MOUNTS.items():
            with self.subTest(name), mount(Heard().receiver) as port:
                for length in (256 * 1024 + 1, 10**15):
                    self.assertEqual(send(port, b"", {"Content-Length": str(length)})[0], 413)

    def test_answers_413_to_bytes_above_the_limit_that_a_framework_has_read(self) -> None:
        self.assertEqual(Heard().receiver.receive(b"x" * (256 * 1024 + 1), "t=1,v1=00").status, 413)

    def test_reads_of_a_wsgi_body_what_its_stated_length_says_and_no_more(self) -> None:
        class Endless:
            read_bytes = 0

            def read(self, size: int) -> bytes:
                piece = b"x" * min(size, 7)
                self.read_bytes += len(piece)
                return piece

        for length, bytes_read, status in (("1000", 1000, "400"), (str(600_000_000), 0, "413")):
            body = Endless()
            environ = {"REQUEST_METHOD": "POST", "CONTENT_LENGTH": length, "wsgi.input": body}
            answered: List[str] = []
            Heard().receiver.wsgi(environ, lambda status, headers: answered.append(status))
            self.assertEqual((body.read_bytes, answered[0][:3]), (bytes_read, status))

    def test_answers_411_to_what_does_not_say_its_length_and_405_to_what_is_not_posted(self) -> None:
        for name, mount in MOUNTS.items():
            with self.subTest(name), mount(Heard().receiver) as port:
                self.assertEqual(send(port, b"", {"Transfer-Encoding": "chunked"})[0], 411)
                self.assertEqual(send(port, b"", {"Content-Length": "9" * 30})[0], 411)
                self.assertEqual(send(port, b"", {"Content-Length": "0"}, "PUT")[0], 405)

    def test_takes_nothing_of_a_sender_that_hangs_up_within_the_body(self) -> None:
        whole = body_of("e1")
        halved = {"Content-Length": str(len(whole)), **signed_with(SECRET, whole)}
        for name, mount in MOUNTS.items():
            heard = Heard()
            with self.subTest(name), mount(heard.receiver) as port:
                self.assertIn(b" 400 ", cut_off(port, whole[:20], halved))
                self.assertEqual((heard.events, heard.refusals), ([], []))

    def test_says_so_when_a_framework_has_read_the_body_of_a_wsgi_request_before(self) -> None:
        class Empty:
            def read(self, size: int) -> bytes:
                return b""

        environ = {"REQUEST_METHOD": "POST", "CONTENT_LENGTH": "7", "wsgi.input": Empty()}
        with self.assertRaises(WebhookSignatureError) as raised:
            Heard().receiver.wsgi(environ, lambda status, headers: None)
        self.assertEqual(raised.exception.reason, "parsed_body")


def signed_with(secret: str, body: bytes) -> Dict[str, str]:
    return {"Content-Length": str(len(body)), "Gate-Signature": webhooks.generate_test_header(body, secret)}


def cut_off(port: int, part: bytes, headers: Dict[str, str]) -> bytes:
    """What is answered to a request that ends early."""
    lines = ["POST /hooks HTTP/1.1", "Host: x", *(f"{name}: {value}" for name, value in headers.items()), "", ""]
    with socket.create_connection(("127.0.0.1", port), PATIENCE_SECONDS) as connection:
        connection.sendall("\r\n".join(lines).encode() + part)
        connection.shutdown(socket.SHUT_WR)
        return b"".join(iter(lambda: connection.recv(4096), b""))


class Handled(unittest.TestCase):
    def test_an_event_is_marked_stale_when_a_later_one_of_its_session_was_handled_before(self) -> None:
        heard = Heard()
        for sequence in (1, 3, 2, 4):
            heard.take(body_of(f"e{sequence}", sequence))
        self.assertEqual(heard.events, [("e1", False), ("e3", False), ("e2", True), ("e4", False)])

    def test_events_about_no_session_are_never_stale_and_those_that_only_name_one_count_among_its_own(self) -> None:
        heard = Heard()
        for id, sequence, data in (
            ("e5", 5, {"object": "kyc_requirement", "session_id": "s1"}),
            ("e4", 4, {"object": "gate_session", "id": "s1"}),
            ("q1", None, {"object": "partner_quota", "id": "s1"}),
            ("w1", None, None),
        ):
            heard.take(json.dumps({"id": id, "type": "new.type", "sequence": sequence, "data": data}).encode())
        self.assertEqual([id for id, is_stale in heard.events if is_stale], ["e4"])

    def test_comes_again_when_handling_it_failed_and_the_sender_reads_nothing_of_that(self) -> None:
        errors: List[Tuple[Exception, str]] = []
        attempts: List[Event] = []

        def handle(event: Event, context: EventContext) -> None:
            attempts.append(event)
            if len(attempts) == 1:
                raise OSError("the database password is hunter2")

        heard = Heard(handle=handle, on_error=lambda error, event: errors.append((error, event.id)))
        status, answered = heard.take(body_of("e1"))
        self.assertEqual(status, 500)
        self.assertNotIn(b"hunter2", answered)
        self.assertEqual([(str(error), id) for error, id in errors], [("the database password is hunter2", "e1")])
        self.assertEqual(heard.take(body_of("e1"))[0], 200)
        self.assertIn(b"duplicate", heard.take(body_of("e1"))[1])
        self.assertEqual(len(attempts), 2)

    def test_what_failed_is_logged_when_nobody_asked_to_hear_of_it(self) -> None:
        def handle(event: Event, context: EventContext) -> None:
            raise KeyError("nothing")

        heard = Heard(handle=handle)
        with self.assertLogs("gateramp", "ERROR") as logged:
            self.assertEqual(heard.take(body_of("e1"))[0], 500)
        self.assertIn("e1 (gate_session.created)", logged.output[0])
        self.assertIn("KeyError", logged.output[0])

    def test_is_handled_once_although_it_comes_again_while_the_first_is_at_work(self) -> None:
        begun, finish = threading.Event(), threading.Event()
        handled: List[str] = []

        def handle(event: Event, context: EventContext) -> None:
            handled.append(event.id)
            begun.set()
            self.assertTrue(finish.wait(PATIENCE_SECONDS))

        heard = Heard(handle=handle)
        answers: List[Tuple[int, bytes]] = []
        both = [threading.Thread(target=lambda: answers.append(heard.take(body_of("e1")))) for _ in range(2)]
        both[0].start()
        self.assertTrue(begun.wait(PATIENCE_SECONDS))
        both[1].start()
        both[1].join(0.1)
        self.assertEqual(answers, [])
        finish.set()
        for thread in both:
            thread.join(PATIENCE_SECONDS)
        self.assertEqual(answers, [(200, b'{"received": true}')] * 2)
        self.assertEqual(handled, ["e1"])

    def test_an_interrupt_within_the_handler_is_passed_on_to_whoever_waits_and_the_event_may_come_again(self) -> None:
        begun, interrupt = threading.Event(), threading.Event()

        def handle(event: Event, context: EventContext) -> None:
            if not interrupt.is_set():
                begun.set()
                self.assertTrue(interrupt.wait(PATIENCE_SECONDS))
                raise KeyboardInterrupt

        heard = Heard(handle=handle)
        waiting = threading.Thread(target=self.assertRaises, args=(KeyboardInterrupt, heard.take, body_of("e1")))
        first = threading.Thread(target=self.assertRaises, args=(KeyboardInterrupt, heard.take, body_of("e1")))
        first.start()
        self.assertTrue(begun.wait(PATIENCE_SECONDS))
        waiting.start()
        waiting.join(0.1)
        interrupt.set()
        for thread in (first, waiting):
            thread.join(PATIENCE_SECONDS)
            self.assertFalse(thread.is_alive())
        self.assertEqual(heard.take(body_of("e1"))[0], 200)

    def test_a_handler_that_waits_for_an_event_loop_has_handled_nothing(self) -> None:
        errors: List[Exception] = []

        async def handle(event: Event, context: EventContext) -> None:
            """Never run."""

        heard = Heard(handle=handle, on_error=lambda error, event: errors.append(error))
        self.assertEqual([heard.take(body_of("e1"))[0] for _ in range(2)], [500, 500])
        self.assertIn("plain function", str(errors[0]))

    def test_a_secret_that_is_malformed_is_reported_when_the_receiver_is_made(self) -> None:
        for secret in ([SECRET, ""], [], "whsec_with space"):
            with self.assertRaises(WebhookSignatureError) as raised:
                Heard(secret=secret)
            self.assertEqual(raised.exception.reason, "secret_malformed")

    def test_a_tolerance_or_a_clock_that_is_no_finite_number_is_reported_when_the_receiver_is_made(self) -> None:
        for value in (float("nan"), float("inf"), -1):
            for refused in (lambda: Heard(tolerance_seconds=value), lambda: Heard(now=lambda: value)):
                with self.assertRaises(InvalidRequestError) as raised:
                    refused()
                self.assertEqual(raised.exception.code, "invalid_configuration")

    def test_goes_by_the_clock_that_is_given(self) -> None:
        heard = Heard(now=lambda: 1893456000.0)
        fresh = webhooks.generate_test_header(body_of("e1"), SECRET, 1893456000 - 200)
        self.assertEqual(heard.receiver.receive(body_of("e1"), fresh).status, 200)
        self.assertEqual(heard.take(body_of("e2"))[0], 400)
        self.assertEqual(heard.refusals, ["timestamp_too_old"])

    def test_goes_by_the_tolerance_that_is_given(self) -> None:
        heard = Heard(tolerance_seconds=10)
        old = webhooks.generate_test_header(body_of("e1"), SECRET, 1)
        self.assertEqual(heard.receiver.receive(body_of("e1"), old).status, 400)
        self.assertEqual(heard.refusals, ["timestamp_too_old"])


class Stored(unittest.TestCase):
    def test_is_looked_up_in_the_store_that_is_given_which_outlives_the_receiver(self) -> None:
        store = MemoryEvents()
        Heard(store=store).take(body_of("e5", 5))
        after = Heard(store=store)
        after.take(body_of("e5", 5))
        after.take(body_of("e4", 4))
        self.assertEqual(after.events, [("e4", True)])
