"""What is asked for again, after how long, and which error is raised otherwise: the vectors that every language is held
to."""

from __future__ import annotations

import socket
import unittest
from typing import Any, Dict, Union

from gateramp import GateError, RateLimitError
from gateramp._transport import HttpResponse

from ..scripted import Scripted, answer, create
from ..spec import spec


def outcome_of(vector: Dict[str, Any]) -> Union[HttpResponse, Exception]:
    given = vector["answer"]
    if "status" in given:
        return answer(given["status"], given["body"], given["headers"])
    return socket.timeout("late") if vector["error"] == "TimeoutError" else ConnectionResetError("reset")


class Retries(unittest.TestCase):
    def test_does_what_every_vector_says(self) -> None:
        file = spec("retry-vectors.json")
        self.assertGreater(len(file["vectors"]), 50)
        for vector in file["vectors"]:
            with self.subTest(vector["name"]):
                self.check(vector, file["policy"]["max_retries"])

    def check(self, vector: Dict[str, Any], max_retries: int) -> None:
        """As many retries as the vector has behind it are used up by resets; then comes its answer, and nothing but
        that."""
        made = vector["retries_made"]
        before = [ConnectionResetError("reset")] * made
        for chance, side in ((0.0, "least"), (1.0, "most")):
            world = Scripted(*before, outcome_of(vector), now=vector["now"] / 1000, chance=chance)
            with self.assertRaises(GateError) as raised:
                create(world.gate, max_retries=max_retries)
            error = raised.exception
            self.assertEqual(type(error).__name__, vector["error"])
            self.assertEqual((error.type, error.code), (vector["type"], vector["code"]))
            self.assertEqual(len(world.sent), max_retries + 1 if vector["retried"] else made + 1)
            if vector["retried"]:
                self.assertAlmostEqual(world.slept[made] * 1000, vector["wait_ms"][side])
            if "messages" in vector:
                self.assertEqual(error.messages, vector["messages"])
            if "request_id" in vector:
                self.assertEqual(error.request_id, vector["request_id"])
            if "retry_after_seconds" in vector:
                assert isinstance(error, RateLimitError)
                self.assertEqual(error.retry_after_seconds, vector["retry_after_seconds"])
