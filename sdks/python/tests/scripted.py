"""A transport that answers from a list and keeps what it was sent, and time that passes without waiting."""

from __future__ import annotations

import json
from typing import Any, Callable, Dict, List, Mapping, Optional, Union

import httpx

from gateramp import Gate
from gateramp._api import Outside
from gateramp._transport import HttpRequest, HttpResponse

SESSION: Dict[str, Any] = {"id": "68a1f0c2b7e94d1f3a5c7e90", "object": "gate_session", "status": "open"}


Send = Callable[[HttpRequest], HttpResponse]


def client_of(send: Send) -> httpx.Client:
    """A client without a network."""
    return httpx.Client(transport=httpx.MockTransport(lambda request: sent_by(send, request)))


def sent_by(send: Send, request: httpx.Request) -> httpx.Response:
    headers = dict(request.headers)
    seconds = request.extensions["timeout"]["read"]
    answer = send(HttpRequest(request.method, str(request.url), headers, request.content or None, seconds))
    return httpx.Response(answer.status, headers=answer.headers, content=answer.body)


class Scripted:
    """`gate` sends into this. An answer is a response, or what is raised in place of one; the last is given again and
    again."""

    def __init__(
        self, *answers: Union[HttpResponse, Exception], now: float = 0.0, chance: float = 0.5, **options: Any
    ) -> None:
        self.sent: List[HttpRequest] = []
        self.slept: List[float] = []
        self._answers = list(answers)
        outside = Outside(sleep=self.slept.append, now=lambda: now, chance=lambda: chance)
        options = {"base_url": "https://api.example", **options}
        self.gate = Gate("sk_test_scripted", http_client=client_of(self._send), outside=outside, **options)

    def _send(self, request: HttpRequest) -> HttpResponse:
        self.sent.append(request)
        answer = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
        if isinstance(answer, Exception):
            raise answer
        return answer

    @property
    def keys(self) -> List[Optional[str]]:
        return [request.headers.get("idempotency-key") for request in self.sent]


def answer(status: int = 200, body: Any = SESSION, headers: Mapping[str, str] = {}) -> HttpResponse:
    """A dict is answered as JSON, text as it is."""
    text = body if isinstance(body, str) else json.dumps(body)
    return HttpResponse(status, httpx.Headers(dict(headers)), text.encode())


def refusal(status: int, code: str, message: Any = "It is refused.", **headers: str) -> HttpResponse:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return answer(status, {"type": "x", "code": code, "message": message, "request_id": "req_1"}, named)


def page(*ids: str, has_more: bool = False) -> HttpResponse:
    rows = [{**SESSION, "id": id} for id in ids]
    return answer(body={"object": "list", "data": rows, "has_more": has_more, "url": "/v1/gate_sessions"})


def create(gate: Gate, **options: Any) -> Any:
    return gate.gate_sessions.create(amount="1.00", currency="EUR", return_url="https://shop.example/", **options)
