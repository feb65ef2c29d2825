"""Responses to deliveries."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Dict


@dataclass(frozen=True)
class WebhookAnswer:
    """The service reads only the status. `body` is JSON."""

    status: int
    body: bytes


def answer(status: int, body: Dict[str, Any]) -> WebhookAnswer:
    return WebhookAnswer(status, json.dumps(body).encode("ascii"))


def refusal(status: int, reason: str, message: str) -> WebhookAnswer:
    return answer(status, {"error": {"reason": reason, "message": message}})
