"""Rails: paying without a checkout, over an executable quote. They need the rails entitlement."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, Mapping, Optional, TypedDict, Union

from .._api import Api, at
from .._hide_locals import HidesLocals
from .._options import given
from .._pages import Page, list_page
from ..types import PayIn, PayOut

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .._options import CallOptions


class Rails(HidesLocals):
    def __init__(self, api: Api) -> None:
        self.pay_ins: PayIns = PayIns(api)
        self.pay_outs: PayOuts = PayOuts(api)


class Beneficiary(TypedDict):
    """Who is paid: an IBAN and the name of its holder. It is shown in full nowhere afterwards."""

    type: Union[Literal["iban"], str]
    iban: str
    account_holder: str


class PayIns(HidesLocals):
    def __init__(self, api: Api) -> None:
        self._api = api

    def create(
        self,
        *,
        quote_id: str,
        wallet_address: str,
        user_reference: Optional[str] = None,
        metadata: Optional[Mapping[str, Any]] = None,
        **options: Unpack[CallOptions],
    ) -> PayIn:
        """Takes up a quote: the buyer pays as `instructions` say, and crypto goes to `wallet_address`."""
        body = given(locals())
        return self._api.post(PayIn, "/v1/rails/pay_ins", options, body)

    def retrieve(self, id: str, **options: Unpack[CallOptions]) -> PayIn:
        """The pay-in as it is now."""
        return self._api.get(PayIn, at("/v1/rails/pay_ins/{}", id), options)

    def list(
        self,
        *,
        created_after: Optional[str] = None,
        created_before: Optional[str] = None,
        limit: Optional[int] = None,
        starting_after: Optional[str] = None,
        ending_before: Optional[str] = None,
        **options: Unpack[CallOptions],
    ) -> Page[PayIn]:
        """The newest first."""
        filters = given(locals())
        return list_page(self._api, PayIn, "/v1/rails/pay_ins", options, filters)

    def cancel(self, id: str, **options: Unpack[CallOptions]) -> PayIn:
        """Cancels a pay-in that has not been paid; `ConflictError` (`intent_not_confirmable`) afterwards. When the answer was lost
        and the repeat finds it cancelled, that is the answer."""
        return self._api.cancel(PayIn, at("/v1/rails/pay_ins/{}", id), options, "intent_not_confirmable")


class PayOuts(HidesLocals):
    def __init__(self, api: Api) -> None:
        self._api = api

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
        """Takes up a quote: crypto sent as `deposit` says is paid out to `beneficiary`. What must go back goes to
        `refund_address`."""
        body = given(locals())
        return self._api.post(PayOut, "/v1/rails/pay_outs", options, body)

    def retrieve(self, id: str, **options: Unpack[CallOptions]) -> PayOut:
        """The pay-out as it is now."""
        return self._api.get(PayOut, at("/v1/rails/pay_outs/{}", id), options)

    def list(
        self,
        *,
        created_after: Optional[str] = None,
        created_before: Optional[str] = None,
        limit: Optional[int] = None,
        starting_after: Optional[str] = None,
        ending_before: Optional[str] = None,
        **options: Unpack[CallOptions],
    ) -> Page[PayOut]:
        """The newest first."""
        filters = given(locals())
        return list_page(self._api, PayOut, "/v1/rails/pay_outs", options, filters)

    def cancel(self, id: str, **options: Unpack[CallOptions]) -> PayOut:
        """Cancels a pay-out that has not been paid; `ConflictError` (`intent_not_confirmable`) afterwards. When the answer was lost
        and the repeat finds it cancelled, that is the answer."""
        return self._api.cancel(PayOut, at("/v1/rails/pay_outs/{}", id), options, "intent_not_confirmable")
