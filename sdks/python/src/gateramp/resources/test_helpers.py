"""Test helpers: simulated outcomes and the test clock. Available on the sandbox host only."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Mapping, Optional, Union

from .._api import Api, at
from .._hide_locals import HidesLocals
from .._objects import ResponseInfo
from ..types import GateIntent, PayIn, PayOut, TestClock

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .._options import CallOptions


class TestHelpers(HidesLocals):
    def __init__(self, api: Api) -> None:
        self._api = api

    def simulate(
        self, session_id: str, scenario: str, *, amount: Optional[str] = None, **options: Unpack[CallOptions]
    ) -> GateIntent:
        """Simulates a checkout scenario: `succeed`, `decline`, `kyc_required`, `kyc_rejected`, `processing`,
        `settlement_error`, `late_settlement` or `abandon`; or what the bank of a buyer who has paid does:
        `charged_back` (of `amount`, or of all that is left), `dispute_won` or `refund_returned`."""
        body = {"scenario": scenario} if amount is None else {"scenario": scenario, "amount": amount}
        return self._api.post(GateIntent, at("/v1/test_helpers/gate_sessions/{}/simulate", session_id), options, body)

    def simulate_rails(self, id: str, scenario: str, **options: Unpack[CallOptions]) -> Union[PayIn, PayOut]:
        """Simulates an outcome of a pay-in or pay-out: `succeed`, `fail` or `processing`."""
        return self._api.post(
            rail_payment, at("/v1/test_helpers/rails/{}/simulate", id), options, {"scenario": scenario}
        )

    def clock(self, **options: Unpack[CallOptions]) -> TestClock:
        """Retrieves the clock of test mode."""
        return self._api.get(TestClock, "/v1/test_helpers/clock", options)

    def advance_clock(self, seconds: int, **options: Unpack[CallOptions]) -> TestClock:
        """Advances the clock of test mode and processes everything that becomes due."""
        return self._api.post(TestClock, "/v1/test_helpers/clock/advance", options, {"seconds": seconds})


def rail_payment(fields: Mapping[str, Any], last_response: Optional[ResponseInfo] = None) -> Union[PayIn, PayOut]:
    return (PayOut if fields.get("object") == "pay_out" else PayIn)(fields, last_response)
