"""Which webhooks are believed: the vectors that every language is held to, and what Python has of its own."""

from __future__ import annotations

import base64
import unittest
from typing import Any, Dict, Optional

from gateramp import InvalidRequestError, WebhookSignatureError, webhooks

from ..spec import spec

BODY = b'{"id":"7c9e6679","type":"gate_session.completed","data":{"id":"s","tx_refid":"gtx_1"}}'
SECRET = "whsec_unit_test"
NOW = 1893499440


def reason(payload: Any, header: Optional[str], secret: Any, **options: Any) -> Optional[str]:
    try:
        webhooks.construct_event(payload, header, secret, **options)
    except WebhookSignatureError as error:
        return error.reason
    return None


def payload_of(vector: Dict[str, Any]) -> Any:
    """What a parser made of the body, or its bytes; text there is is text that was sent."""
    if "payload_json" in vector:
        return vector["payload_json"]
    return base64.b64decode(vector["payload_base64"]) if "payload_base64" in vector else vector["payload"].encode()


class Signatures(unittest.TestCase):
    def test_answers_every_vector_of_the_specification(self) -> None:
        vectors = spec("signature-vectors.json")["vectors"]
        self.assertGreater(len(vectors), 50)
        for vector in vectors:
            with self.subTest(vector["name"]):
                found = reason(
                    payload_of(vector),
                    vector["header"],
                    vector["secrets"],
                    tolerance_seconds=vector["tolerance_seconds"],
                    now=vector["now"],
                )
                self.assertEqual(found, vector["reason"])

    def test_refuses_every_change_of_a_single_byte_of_the_body(self) -> None:
        header = webhooks.generate_test_header(BODY, SECRET, NOW)
        self.assertIsNone(reason(BODY, header, SECRET, now=NOW))
        for index in range(len(BODY)):
            for flip in range(1, 256):
                changed = BODY[:index] + bytes([BODY[index] ^ flip]) + BODY[index + 1 :]
                self.assertEqual(reason(changed, header, SECRET, now=NOW), "no_matching_signature", index)

    def test_refuses_every_change_of_a_single_character_of_the_header(self) -> None:
        header = webhooks.generate_test_header(BODY, SECRET, NOW)
        for index, there in enumerate(header):
            for character in map(chr, range(256)):
                if character != there:
                    changed = header[:index] + character + header[index + 1 :]
                    found = reason(BODY, changed, SECRET, now=NOW)
                    self.assertIn(found, ("malformed_header", "no_matching_signature"), changed)

    def test_takes_bytes_alone_and_says_so_of_text_and_of_what_a_parser_made(self) -> None:
        header = webhooks.generate_test_header(BODY, SECRET, NOW)
        for parsed in (BODY.decode(), {"id": "x"}, [], None, 7):
            self.assertEqual(reason(parsed, header, SECRET, now=NOW), "parsed_body")
        for raw in (bytearray(BODY), memoryview(BODY)):
            self.assertIsNone(reason(raw, header, SECRET, now=NOW))

    def test_signs_with_several_secrets_as_a_rotation_does_and_any_of_them_verifies(self) -> None:
        header = webhooks.generate_test_header(BODY, ["whsec_new", "whsec_old"], NOW)
        self.assertEqual(header.count("v1="), 2)
        for secret in ("whsec_new", "whsec_old", ("whsec_other", "whsec_old")):
            self.assertIsNone(reason(BODY, header, secret, now=NOW))
        self.assertEqual(reason(BODY, header, "whsec_other", now=NOW), "no_matching_signature")

    def test_goes_by_the_clock_of_the_machine_where_no_time_is_given(self) -> None:
        self.assertIsNone(reason(BODY, webhooks.generate_test_header(BODY, SECRET), SECRET))
        self.assertEqual(reason(BODY, webhooks.generate_test_header(BODY, SECRET, 1), SECRET), "timestamp_too_old")

    def test_refuses_a_tolerance_or_a_clock_that_is_no_finite_number(self) -> None:
        header = webhooks.generate_test_header(BODY, SECRET, NOW)
        for value in (float("nan"), float("inf"), -1, "300", True, {}):
            for name in ("tolerance_seconds", "now"):
                given: Any = {"now": NOW + 86400, name: value}
                with self.subTest(f"{name}={value}"), self.assertRaises(InvalidRequestError) as raised:
                    webhooks.construct_event(BODY, header, SECRET, **given)
                self.assertEqual(raised.exception.code, "invalid_configuration")
                self.assertIn(name, str(raised.exception))

    def test_tells_what_to_do_and_never_the_secret(self) -> None:
        header = webhooks.generate_test_header(BODY, SECRET, NOW)
        for secret in ("whsec_another secret", "whsec_another"):
            with self.assertRaises(WebhookSignatureError) as refused:
                webhooks.construct_event(BODY, header, secret, now=NOW)
            self.assertNotIn("another", str(refused.exception))
            self.assertGreater(len(refused.exception.hint), 40)
            self.assertEqual(refused.exception.code, "invalid_request")

    def test_an_event_has_the_resource_it_is_about(self) -> None:
        event = webhooks.construct_event(BODY, webhooks.generate_test_header(BODY, SECRET, NOW), SECRET, now=NOW)
        self.assertEqual((type(event.data).__name__, event.data["tx_refid"]), ("GateSessionCompleted", "gtx_1"))
