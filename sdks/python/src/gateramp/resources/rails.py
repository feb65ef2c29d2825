"""Rails: payments without a checkout, from an executable quote. Requires the rails entitlement."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, Literal, Mapping, Optional, Type, TypedDict, TypeVar, Union

from .._api import Api, at
from .._hide_locals import HidesLocals
from .._options import given
from .._pages import Page, list_page
from ..types import PayIn, PayOut

if TYPE_CHECKING:
    from datetime import datetime

    from typing_extensions import Unpack

    from .._options import CallOptions


Payment = TypeVar("Payment", PayIn, PayOut)


class Rails(HidesLocals):
    def __init__(self, api: Api) -> None:
        self.pay_ins: PayIns = PayIns(api)
        self.pay_outs: PayOuts = PayOuts(api)


class Beneficiary(TypedDict):
    """The beneficiary: an IBAN and the name of its holder. No response contains the full IBAN."""

    type: Union[Literal["iban"], str]
    iban: str
    account_holder: str


class RailPayments(HidesLocals, Generic[Payment]):
    """What pay-ins and pay-outs have in common. The parameters of their other methods come from the API's document."""

    def __init__(self, api: Api, kind: Type[Payment], path: str) -> None:
        self._api = api
        self._kind = kind
        self._path = path

    def retrieve(self, id: str, **options: Unpack[CallOptions]) -> Payment:
        """Retrieves a payment."""
        return self._api.get(self._kind, at(self._path, id), options)

    def cancel(self, id: str, **options: Unpack[CallOptions]) -> Payment:
        """Cancels a payment that has not been paid; otherwise raises `ConflictError` (`intent_not_confirmable`). If the
        response was lost and the retry finds the payment cancelled, that payment is returned."""
        return self._api.cancel(self._kind, at(self._path, id), options, "intent_not_confirmable")


class PayIns(RailPayments[PayIn]):
    def __init__(self, api: Api) -> None:
        super().__init__(api, PayIn, "/v1/rails/pay_ins/{}")

    def create(
        self,
        *,
        quote_id: str,
        wallet_address: str,
        user_reference: Optional[str] = None,
        metadata: Optional[Mapping[str, Any]] = None,
        **options: Unpack[CallOptions],
    ) -> PayIn:
        """Executes a quote: the buyer pays according to `instructions`, and crypto is sent to `wallet_address`."""
        body = given(locals())
        return self._api.post(PayIn, "/v1/rails/pay_ins", options, body)

    def list(
        self,
        *,
        created_after: Optional[Union[str, datetime]] = None,
        created_before: Optional[Union[str, datetime]] = None,
        limit: Optional[int] = None,
        starting_after: Optional[str] = None,
        ending_before: Optional[str] = None,
        **options: Unpack[CallOptions],
    ) -> Page[PayIn]:
        """Lists pay-ins, newest first."""
        filters = given(locals())
        return list_page(self._api, PayIn, "/v1/rails/pay_ins", options, filters)


class PayOuts(RailPayments[PayOut]):
    def __init__(self, api: Api) -> None:
        super().__init__(api, PayOut, "/v1/rails/pay_outs/{}")

    def create(
        self,
        *,
        quote_id: str,
        beneficiary: Beneficiary,
        refund_address: str,
        user_reference: Optional[str] = None,
        metadata: Optional[Mapping[str, Any]] = None,
        **options: Unpack[CallOptions],
    ) -> PayOut:
        """Executes a quote: crypto sent according to `deposit` is paid out to `beneficiary`. Returned crypto is sent to
        `refund_address`."""
        body = given(locals())
        return self._api.post(PayOut, "/v1/rails/pay_outs", options, body)

    def list(
        self,
        *,
        created_after: Optional[Union[str, datetime]] = None,
        created_before: Optional[Union[str, datetime]] = None,
        limit: Optional[int] = None,
        starting_after: Optional[str] = None,
        ending_before: Optional[str] = None,
        **options: Unpack[CallOptions],
    ) -> Page[PayOut]:
        """Lists pay-outs, newest first."""
        filters = given(locals())
        return list_page(self._api, PayOut, "/v1/rails/pay_outs", options, filters)
