"""What a log or an error reporter may see of a client: neither its keys nor what it sends or receives."""

from __future__ import annotations

import socket
import traceback
import unittest
from typing import Any, Callable, Dict, List

import httpx

from gateramp import Gate, GateError, webhooks
from gateramp._api import Calls, Outside
from gateramp._transport import HttpRequest, HttpResponse

from ..scripted import Scripted, answer, client_of, refusal

KEY = "sk_test_the_key_of_the_shop"
SECRET = "whsec_the_secret_of_the_shop"
PRIVATE = "Ada Lovelace"
"""Stands in every body."""

HIDDEN = ("the_key_of_the_shop", "the_secret_of_the_shop", PRIVATE, "lovelace@example.com")


def shown_by(error: BaseException) -> str:
    """As reporters print it: with the variables of each frame, and what it was raised from."""
    return "".join(traceback.TracebackException.from_exception(error, capture_locals=True).format())


def raised_by(call: Callable[[], object]) -> BaseException:
    try:
        call()
    except Exception as error:
        frames = error.__traceback__
        # Without the frames of this test, whose variables are its own.
        while frames is not None and frames.tb_frame.f_code.co_filename == __file__:
            frames = frames.tb_next
        return error.with_traceback(frames)
    raise AssertionError("nothing was raised")


class Tracebacks(unittest.TestCase):
    def assert_hidden(self, text: str) -> None:
        for secret in HIDDEN:
            self.assertNotIn(secret, text)

    def assert_nothing_shown(self, call: Callable[[], object]) -> None:
        error = raised_by(call)
        text = shown_by(error)
        self.assertIn("gateramp", text)
        self.assert_hidden(text)

    def test_show_neither_key_nor_body_whatever_goes_wrong_with_a_call(self) -> None:
        def failing(outcome: Any) -> httpx.Client:
            def transport(request: HttpRequest) -> HttpResponse:
                headers = dict(request.headers)
                if isinstance(outcome, HttpResponse):
                    return outcome
                raise outcome(f"{len(headers)} headers")

            return client_of(transport)

        with socket.create_server(("127.0.0.1", 0)) as once:
            port = once.getsockname()[1]
        worlds: Dict[str, Dict[str, Any]] = {
            "refused connection": {"base_url": f"http://127.0.0.1:{port}"},
            "reset": {"http_client": failing(ConnectionResetError)},
            "timeout": {"http_client": failing(socket.timeout)},
            "bug in a transport": {"http_client": failing(KeyError)},
            "no JSON": {"http_client": failing(answer(body=PRIVATE))},
            "refusal": {"http_client": failing(refusal(422, "quote_expired"))},
            "server error": {"http_client": failing(answer(500, body={"echo": PRIVATE}))},
        }
        outside = Outside(sleep=lambda seconds: None)
        for name, options in worlds.items():
            given: Dict[str, Any] = {"base_url": "https://api.example", **options}
            gate = Gate(KEY, outside=outside, **given)
            calls: List[Callable[[], object]] = [
                lambda: gate.gate_sessions.create(
                    amount="1.00",
                    currency="EUR",
                    return_url="https://shop.example/",
                    kyc_package={"provider": "x", "name": PRIVATE},
                    extra_body={"email": "lovelace@example.com"},
                ),
                lambda: gate.gate_sessions.list(user_reference="lovelace@example.com"),
                lambda: gate.quotes.retrieve("q", headers={"X-Buyer": PRIVATE}),
            ]
            for call in calls:
                with self.subTest(name):
                    self.assert_nothing_shown(call)

    def test_show_nothing_of_a_call_that_is_not_made(self) -> None:
        gate = Gate(KEY, base_url="https://api.example")
        wrong: List[Any] = [
            lambda: gate.gate_sessions.create(
                amount="1.00", currency="EUR", return_url="x", metadata={"name": PRIVATE, "price": 1j}
            ),
            lambda: gate.gate_sessions.retrieve("s", headers={"X-Name": PRIVATE + "\n"}),
            lambda: getattr(gate.gate_sessions, "retrieve")("s", misspelled=PRIVATE),
            lambda: gate.gate_sessions.retrieve("", extra_body={"name": PRIVATE}),
        ]
        for call in wrong:
            self.assert_nothing_shown(call)

    def test_show_no_key_when_a_client_is_not_made(self) -> None:
        for key, options in (
            (f"{KEY}\n", {}),
            (f"pk_{KEY}", {}),
            (KEY, {"base_url": "http://api.example"}),
            (KEY, {"max_retries": -1}),
        ):
            self.assert_nothing_shown(lambda: Gate(key, **options))  # type: ignore[arg-type]

    def test_show_neither_secret_nor_delivery_when_one_is_refused(self) -> None:
        body = f'{{"id":"e1","data":"{PRIVATE}"}}'.encode()
        wrong: List[Callable[[], object]] = [
            lambda: webhooks.construct_event(body, "t=1,v1=" + "0" * 64, SECRET),
            lambda: webhooks.construct_event(body, None, SECRET),
            lambda: webhooks.generate_test_header(body, [SECRET, "whsec_bad one"]),
            lambda: webhooks.receive(secret=[SECRET, ""], handle=print),
        ]
        for call in wrong:
            self.assert_nothing_shown(call)

    def test_leave_the_variables_of_the_caller_alone(self) -> None:
        def of_the_caller() -> None:
            kept = "a variable of the caller"
            raise ValueError(len(kept))

        try:
            of_the_caller()
        except ValueError as before:
            error = raised_by(lambda: Scripted(refusal(404, "session_not_found")).gate.gate_sessions.retrieve("s"))
            self.assertIsInstance(error, GateError)
            self.assertIn("a variable of the caller", shown_by(before))
        else:
            self.fail("nothing was raised")


class Representations(unittest.TestCase):
    def test_name_neither_key_nor_header_nor_body(self) -> None:
        request = HttpRequest(
            "POST", f"https://api.example/?q={PRIVATE}", {"authorization": KEY}, PRIVATE.encode(), 1.0
        )
        response = HttpResponse(200, httpx.Headers([("X-Echo", PRIVATE)]), PRIVATE.encode())
        api = Calls("https://api.example", KEY, 2, 30.0, Outside())
        gate = Gate(KEY)
        receiver = webhooks.receive(secret=SECRET, handle=print)
        for shown in (request, response, api, gate, receiver, gate.gate_sessions):
            for secret in HIDDEN:
                self.assertNotIn(secret, repr(shown))
        self.assertIn("POST", repr(request))
        self.assertIn("200", repr(response))


class DeepJson(unittest.TestCase):
    """A body of nested arrays makes the parser run out of stack; that is an error of this package like any other."""

    deep = "[" * 200_000

    def test_of_an_answer_is_an_error_of_this_package(self) -> None:
        for status, name in ((200, "APIConnectionError"), (400, "InvalidRequestError"), (500, "APIError")):
            with self.subTest(status), self.assertRaises(GateError) as raised:
                Scripted(answer(status, body=self.deep), max_retries=0).gate.gate_sessions.retrieve("s")
            self.assertEqual(type(raised.exception).__name__, name)

    def test_of_a_delivery_is_a_refusal(self) -> None:
        body = self.deep.encode()
        refused: List[str] = []
        receiver = webhooks.receive(
            secret=SECRET, handle=print, on_refused=lambda error: refused.append(error.reason)
        )
        self.assertEqual(receiver.receive(body, webhooks.generate_test_header(body, SECRET)).status, 400)
        self.assertEqual(refused, ["parsed_body"])

    def test_of_a_call_is_refused_before_it_is_sent(self) -> None:
        nested: Any = []
        for _ in range(200_000):
            nested = [nested]
        world = Scripted(answer(201))
        with self.assertRaises(GateError) as raised:
            world.gate.gate_sessions.create(amount="1", currency="EUR", return_url="x", metadata={"a": nested})
        self.assertEqual((raised.exception.code, world.sent), ("invalid_body", []))
