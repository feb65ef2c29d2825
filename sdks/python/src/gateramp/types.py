"""The resources of the API. Written by tools/generate_types.py from spec/: change that, not this.

Enums are open: a value that is not listed is as valid as one that is.
"""

from __future__ import annotations

from typing import Any, ClassVar, Dict, List, Literal, Mapping, Optional, Type, Union

from ._objects import GateObject


class CreatedGateSession(GateObject):
    """The created session, with its client secret. No other response contains the secret."""

    id: str
    object: Literal["gate_session"]
    partner_id: str
    mode: Union[Literal["test", "live"], str]
    flow: Optional[Union[Literal["on_ramp", "off_ramp", "swap"], str]]
    amount: str
    currency: str
    target_token: Optional[str]
    target_network: Optional[str]
    return_url: str
    cancel_url: Optional[str]
    wallet_address: Optional[str]
    user_reference: Optional[str]
    kyc_pre_verified: bool
    status: Union[Literal["open", "completed", "expired", "cancelled"], str]
    expires_at: str
    created_at: str
    metadata: Dict[str, Any]
    client_secret: str


class GateSession(GateObject):
    """One checkout of one buyer, on terms fixed at creation. Amounts are decimal strings, times ISO 8601 in UTC."""

    id: str
    object: Literal["gate_session"]
    partner_id: str
    mode: Union[Literal["test", "live"], str]
    flow: Optional[Union[Literal["on_ramp", "off_ramp", "swap"], str]]
    amount: str
    currency: str
    target_token: Optional[str]
    target_network: Optional[str]
    return_url: str
    cancel_url: Optional[str]
    wallet_address: Optional[str]
    user_reference: Optional[str]
    kyc_pre_verified: bool
    status: Union[Literal["open", "completed", "expired", "cancelled"], str]
    expires_at: str
    created_at: str
    metadata: Dict[str, Any]


class TimelineEntry(GateObject):
    """A change of a session, or a refused request about it."""

    object: Literal["timeline_entry"]
    at: str
    kind: Union[Literal["transition", "intent", "refusal", "event", "delivery"], str]
    request_id: Optional[str]
    summary: str
    data: Dict[str, Any]


class Amount(GateObject):
    """What the buyer pays."""

    amount: Optional[str]
    currency: Optional[str]
    network: Optional[str]


class TransactionDestination(GateObject):
    """What the buyer receives."""

    amount: Optional[str]
    currency: Optional[str]
    network: Optional[str]


class Fee(GateObject):
    type: str
    amount: str
    currency: str


class TransactionConfirmations(GateObject):
    seen: int
    required: int


class TransactionStage(GateObject):
    type: Union[
        Literal[
            "kyc",
            "screening",
            "authorization",
            "capture",
            "payment",
            "deposit",
            "conversion",
            "send",
            "delivery",
            "payout",
            "deposit_over",
            "return",
        ],
        str,
    ]
    status: Union[Literal["pending", "processing", "completed", "failed"], str]
    failure_code: Optional[str]
    updated_at: str


class Failure(GateObject):
    code: Union[
        Literal[
            "payment_declined",
            "payment_authentication_failed",
            "insufficient_funds",
            "payment_expired",
            "kyc_rejected",
            "kyc_abandoned",
            "sanctions_blocked",
            "limit_exceeded",
            "quote_expired",
            "deposit_not_received",
            "deposit_short",
            "deposit_late",
            "deposit_wrong_asset",
            "payout_rejected",
            "wallet_address_invalid",
            "settlement_error",
            "error",
        ],
        str,
    ]
    stage: Union[
        Literal[
            "kyc",
            "screening",
            "authorization",
            "capture",
            "payment",
            "deposit",
            "conversion",
            "send",
            "delivery",
            "payout",
            "deposit_over",
            "return",
        ],
        str,
    ]
    message: str
    retryable: bool


class TransactionRefundsFailure(GateObject):
    code: str
    message: str
    retryable: bool


class TransactionRefunds(GateObject):
    object: Literal["refund"]
    id: str
    amount: str
    currency: Optional[str]
    status: Union[Literal["pending", "succeeded", "failed"], str]
    reason: Optional[str]
    failure: Optional[TransactionRefundsFailure]
    created_at: str
    updated_at: str

    _nested: ClassVar[Mapping[str, Type[GateObject]]] = {"failure": TransactionRefundsFailure}


class Transaction(GateObject):
    """The payment of one attempt, by its `refid`. Amounts and rates are decimal strings, null until known."""

    id: str
    object: Literal["transaction"]
    refid: str
    session_id: Optional[str]
    intent_id: str
    partner_id: str
    mode: Union[Literal["test", "live"], str]
    flow: Union[Literal["on_ramp", "off_ramp", "swap"], str]
    status: Union[Literal["pending", "processing", "completed", "failed", "refunded", "charged_back"], str]
    source: Amount
    destination: TransactionDestination
    exchange_rate: Optional[str]
    fees: List[Fee]
    fee_total: Optional[str]
    payment_method: Optional[Union[Literal["card", "bank_transfer", "crypto"], str]]
    country_code: Optional[str]
    wallet_address: Optional[str]
    tx_hash: Optional[str]
    tx_url: Optional[str]
    confirmations: Optional[TransactionConfirmations]
    user_reference: Optional[str]
    stages: List[TransactionStage]
    failure: Optional[Failure]
    settled_after_close: bool
    amount_refunded: Optional[str]
    refunds: List[TransactionRefunds]
    created_at: str
    updated_at: str
    completed_at: Optional[str]
    metadata: Dict[str, Any]

    _nested: ClassVar[Mapping[str, Type[GateObject]]] = {
        "source": Amount,
        "destination": TransactionDestination,
        "fees": Fee,
        "confirmations": TransactionConfirmations,
        "stages": TransactionStage,
        "failure": Failure,
        "refunds": TransactionRefunds,
    }


class QuoteLimits(GateObject):
    """Smallest and largest amount, in the source currency."""

    min_amount: str
    max_amount: str
    currency: str


class Quote(GateObject):
    object: Literal["quote"]
    id: str
    payment_method: Union[Literal["card", "bank_transfer", "crypto"], str]
    available: bool
    unavailable_reason: Optional[str]
    source: Amount
    destination: TransactionDestination
    exchange_rate: str
    source_subtotal: str
    source_total: str
    fees: List[Fee]
    fee_total: str
    limits: QuoteLimits
    estimated_settlement_seconds: int
    expires_at: str

    _nested: ClassVar[Mapping[str, Type[GateObject]]] = {
        "source": Amount,
        "destination": TransactionDestination,
        "fees": Fee,
        "limits": QuoteLimits,
    }


class QuotePreview(GateObject):
    """Quotes of all payment methods. Nothing is reserved: preview quote ids cannot be used to pay."""

    object: Literal["quote_preview"]
    mode: Union[Literal["test", "live"], str]
    side: Union[Literal["on_ramp", "off_ramp", "swap"], str]
    currency: str
    asset: str
    network: str
    amount: str
    country_code: str
    rate_fetched_at: str
    expires_at: str
    quotes: List[Quote]

    _nested: ClassVar[Mapping[str, Type[GateObject]]] = {"quotes": Quote}


class ExecutableQuote(GateObject):
    """A price for one payment method, valid until `expires_at` for one pay-in or pay-out."""

    object: Literal["quote"]
    id: str
    payment_method: Union[Literal["card", "bank_transfer", "crypto"], str]
    available: bool
    unavailable_reason: Optional[str]
    source: Amount
    destination: TransactionDestination
    exchange_rate: str
    source_subtotal: str
    source_total: str
    fees: List[Fee]
    fee_total: str
    limits: QuoteLimits
    estimated_settlement_seconds: int
    expires_at: str
    mode: Union[Literal["test", "live"], str]
    side: Union[Literal["on_ramp", "off_ramp", "swap"], str]
    currency: str
    asset: str
    network: str
    amount: str
    country_code: str
    status: Union[Literal["open", "used", "expired"], str]
    created_at: str

    _nested: ClassVar[Mapping[str, Type[GateObject]]] = {
        "source": Amount,
        "destination": TransactionDestination,
        "fees": Fee,
        "limits": QuoteLimits,
    }


class Country(GateObject):
    """A supported country, by its two-letter code, with the flows and payment methods available there."""

    object: Literal["country"]
    code: str
    name: str
    flows: List[Union[Literal["on_ramp", "off_ramp", "swap"], str]]
    payment_methods: List[Union[Literal["card", "bank_transfer", "crypto"], str]]


class Currency(GateObject):
    """A fiat currency, by its ISO 4217 code; `decimals` is the maximum number of decimal places of an amount."""

    object: Literal["currency"]
    code: str
    name: str
    decimals: int
    flows: List[Union[Literal["on_ramp", "off_ramp", "swap"], str]]


class Asset(GateObject):
    """A token, by its code, with its networks; `decimals` is the maximum number of decimal places of an amount."""

    object: Literal["asset"]
    code: str
    name: str
    decimals: int
    networks: List[str]
    flows: List[Union[Literal["on_ramp", "off_ramp", "swap"], str]]


class Network(GateObject):
    """A network, by its code, with its assets; `address_format` is the format of its addresses."""

    object: Literal["network"]
    code: str
    name: str
    address_format: str
    assets: List[str]


class PaymentMethodComponents(GateObject):
    provider: str
    wallet: Optional[Union[Literal["apple_pay", "google_pay", "sandbox_pay"], str]]
    token: str
    frame_url: str


class PaymentMethodFees(GateObject):
    type: str
    bps: int
    fixed_amount: str
    currency: str
    network: Optional[str]


class PaymentMethod(GateObject):
    """A payment method, with the flows and fiat currencies that it supports."""

    object: Literal["payment_method"]
    code: Union[Literal["card", "bank_transfer", "crypto"], str]
    name: str
    flows: List[Union[Literal["on_ramp", "off_ramp", "swap"], str]]
    currencies: List[str]
    refundable: bool
    savable: bool
    components: List[PaymentMethodComponents]
    fees: List[PaymentMethodFees]

    _nested: ClassVar[Mapping[str, Type[GateObject]]] = {
        "components": PaymentMethodComponents,
        "fees": PaymentMethodFees,
    }


class Flow(GateObject):
    """A flow (buy, sell or swap), and whether this partner may use it."""

    object: Literal["flow"]
    code: Union[Literal["on_ramp", "off_ramp", "swap"], str]
    enabled: bool


class Limit(GateObject):
    """The smallest and largest amount of one payment method in one flow, as decimal strings in `currency`."""

    object: Literal["limit"]
    flow: Union[Literal["on_ramp", "off_ramp", "swap"], str]
    payment_method: Union[Literal["card", "bank_transfer", "crypto"], str]
    currency: str
    min_amount: str
    max_amount: str
    spread_bps: Optional[int]


class Ttl(GateObject):
    """Lifetime of objects of one type."""

    object: Literal["ttl"]
    type: Union[Literal["session", "embed_token", "quote", "intent_action", "idempotency_key"], str]
    seconds: Optional[int]


class Event(GateObject):
    """An event, as it is delivered. `created_at` is in Unix epoch seconds."""

    id: str
    type: str
    created_at: int
    sequence: Optional[int]
    livemode: bool
    data: Dict[str, Any]
    object: Literal["event"]


class Branding(GateObject):
    """Branding of the checkout in one mode. Fields that were never set are null."""

    object: Literal["branding"]
    display_name: Optional[str]
    logo_url: Optional[str]
    accent_color: Optional[str]
    theme: Optional[Union[Literal["light", "dark"], str]]
    support_url: Optional[str]
    updated_at: Optional[str]


class WebhookTestResult(GateObject):
    """The queued test event and its delivery."""

    object: Literal["webhook_test_result"]
    event_id: str
    delivery_id: str
    type: Union[Literal["webhook.test"], str]
    url: str
    queued_at: str


class WebhookDeliveryAttempt(GateObject):
    number: int
    trigger: Union[Literal["initial", "scheduled", "replay"], str]
    started_at: str
    duration_ms: int
    response_status: Optional[int]
    response_body: Optional[str]
    error: Optional[str]


class WebhookDelivery(GateObject):
    """The delivery of one event to your endpoint: every attempt, and when the next one is due."""

    id: str
    object: Literal["webhook_delivery"]
    event_id: str
    event_type: str
    session_id: Optional[str]
    partner_id: str
    mode: Union[Literal["test", "live"], str]
    url: Optional[str]
    status: Union[Literal["pending", "retrying", "delivered", "dead_lettered"], str]
    attempt_count: int
    max_attempts: int
    replay_count: int
    last_response_status: Optional[int]
    last_error: Optional[str]
    next_attempt_at: Optional[str]
    created_at: str
    last_attempt_at: Optional[str]
    delivered_at: Optional[str]
    dead_lettered_at: Optional[str]
    attempts: List[WebhookDeliveryAttempt]

    _nested: ClassVar[Mapping[str, Type[GateObject]]] = {"attempts": WebhookDeliveryAttempt}


class WebhookReplay(GateObject):
    """The number of replayed deliveries, and whether more are left."""

    object: Literal["webhook_replay"]
    replayed: int
    has_more: bool


class WebhookSecret(GateObject):
    """The new signing secret, shown once. Until `previous_expires_at` the previous secret signs as well."""

    object: Literal["webhook_secret"]
    mode: Union[Literal["test", "live"], str]
    secret: str
    prefix: str
    created_at: str
    previous_expires_at: Optional[str]


class WebhookEndpoint(GateObject):
    """The webhook endpoint of a mode and its recent health."""

    object: Literal["webhook_endpoint"]
    mode: Union[Literal["test", "live"], str]
    url: Optional[str]
    secret_prefix: Optional[str]
    status: Union[Literal["not_configured", "paused", "healthy", "failing"], str]
    paused_at: Optional[str]
    consecutive_failures: int
    last_success_at: Optional[str]
    last_failure_at: Optional[str]
    last_error: Optional[str]


class PayInInstructions(GateObject):
    type: Union[Literal["bank_transfer"], str]
    iban: str
    bic: str
    account_holder: str
    reference: str
    amount: str
    currency: str
    expires_at: str


class PayIn(GateObject):
    """Fiat received by bank transfer, as its `instructions` say, for crypto sent to the wallet."""

    object: Literal["pay_in"]
    id: str
    partner_id: str
    mode: Union[Literal["test", "live"], str]
    status: Union[Literal["created", "requires_action", "processing", "succeeded", "failed", "cancelled"], str]
    quote_id: str
    flow: Union[Literal["on_ramp", "off_ramp", "swap"], str]
    source: Amount
    destination: TransactionDestination
    payment_method: Optional[Union[Literal["card", "bank_transfer", "crypto"], str]]
    failure: Optional[Failure]
    tx_refid: str
    user_reference: Optional[str]
    created_at: str
    updated_at: str
    completed_at: Optional[str]
    metadata: Dict[str, Any]
    instructions: Optional[PayInInstructions]
    wallet_address: Optional[str]

    _nested: ClassVar[Mapping[str, Type[GateObject]]] = {
        "source": Amount,
        "destination": TransactionDestination,
        "failure": Failure,
        "instructions": PayInInstructions,
    }


class PayOutDeposit(GateObject):
    address: str
    memo: Optional[str]
    network: str
    asset: str
    amount: str
    expires_at: str


class BeneficiaryShown(GateObject):
    """Bank account that receives the money."""

    type: Union[Literal["iban"], str]
    display: str


class PayOut(GateObject):
    """Crypto received at the `deposit` address, for fiat paid to the beneficiary."""

    object: Literal["pay_out"]
    id: str
    partner_id: str
    mode: Union[Literal["test", "live"], str]
    status: Union[Literal["created", "requires_action", "processing", "succeeded", "failed", "cancelled"], str]
    quote_id: str
    flow: Union[Literal["on_ramp", "off_ramp", "swap"], str]
    source: Amount
    destination: TransactionDestination
    payment_method: Optional[Union[Literal["card", "bank_transfer", "crypto"], str]]
    failure: Optional[Failure]
    tx_refid: str
    user_reference: Optional[str]
    created_at: str
    updated_at: str
    completed_at: Optional[str]
    metadata: Dict[str, Any]
    deposit: Optional[PayOutDeposit]
    beneficiary: BeneficiaryShown
    refund_address: Optional[str]

    _nested: ClassVar[Mapping[str, Type[GateObject]]] = {
        "source": Amount,
        "destination": TransactionDestination,
        "failure": Failure,
        "deposit": PayOutDeposit,
        "beneficiary": BeneficiaryShown,
    }


class Pool(GateObject):
    pool_id: str
    asset: str
    network: str
    currency: str
    spread_bps: int
    fee_bps: int

    _wire_names: ClassVar[Mapping[str, str]] = {"pool_id": "poolId", "spread_bps": "spreadBps", "fee_bps": "feeBps"}


class PoolQuote(GateObject):
    """A price of a pool, valid until `expiresAt`. Amounts and rates are decimal strings; `…Bps` are basis points."""

    quote_id: str
    pool_id: str
    side: Union[Literal["on_ramp", "off_ramp"], str]
    asset: str
    network: str
    amount_in: str
    currency_in: str
    amount_out: str
    currency_out: str
    rate: str
    spread_bps: int
    fee_bps: int
    total_bps: int
    dest_address: str
    expires_at: str
    created_at: str

    _wire_names: ClassVar[Mapping[str, str]] = {
        "quote_id": "quoteId",
        "pool_id": "poolId",
        "amount_in": "amountIn",
        "currency_in": "currencyIn",
        "amount_out": "amountOut",
        "currency_out": "currencyOut",
        "spread_bps": "spreadBps",
        "fee_bps": "feeBps",
        "total_bps": "totalBps",
        "dest_address": "destAddress",
        "expires_at": "expiresAt",
        "created_at": "createdAt",
    }


class PoolTrade(GateObject):
    """A trade that executed a pool quote. Amounts and rates are decimal strings."""

    transact_id: str
    quote_id: str
    pool_id: str
    status: Union[Literal["processing", "completed", "failed"], str]
    amount_in: str
    currency_in: str
    amount_out: str
    currency_out: str
    rate: str
    total_bps: int
    dest_address: str
    tx_hash: Optional[str]
    created_at: str
    completed_at: Optional[str]

    _wire_names: ClassVar[Mapping[str, str]] = {
        "transact_id": "transactId",
        "quote_id": "quoteId",
        "pool_id": "poolId",
        "amount_in": "amountIn",
        "currency_in": "currencyIn",
        "amount_out": "amountOut",
        "currency_out": "currencyOut",
        "total_bps": "totalBps",
        "dest_address": "destAddress",
        "tx_hash": "txHash",
        "created_at": "createdAt",
        "completed_at": "completedAt",
    }


class PoolHolding(GateObject):
    currency: str
    total: str
    available: str
    reserved: str


class PoolBalance(GateObject):
    """Balances of a pool per currency, as decimal strings: total, reserved for pending trades, and available."""

    pool_id: str
    balances: List[PoolHolding]
    as_of: str

    _nested: ClassVar[Mapping[str, Type[GateObject]]] = {"balances": PoolHolding}

    _wire_names: ClassVar[Mapping[str, str]] = {"pool_id": "poolId", "as_of": "asOf"}


class FiredWork(GateObject):
    type: Union[Literal["webhook_delivery", "task"], str]
    id: str


class TestClock(GateObject):
    """The time of test mode, and what came due when it was advanced."""

    object: Literal["test_clock"]
    now: str
    fired: List[FiredWork]

    _nested: ClassVar[Mapping[str, Type[GateObject]]] = {"fired": FiredWork}


class GateIntentNextAction(GateObject):
    type: Union[
        Literal[
            "kyc",
            "payment_authentication",
            "crypto_deposit",
            "bank_transfer",
            "redirect",
            "provider_component",
        ],
        str,
    ]
    level: Optional[str]
    fields: Optional[List[str]]
    documents: Optional[List[Union[Literal["front", "back", "selfie"], str]]]
    received: Optional[List[Union[Literal["front", "back", "selfie"], str]]]
    in_review: Optional[bool]
    challenge: Optional[Literal["otp"]]
    destination: Optional[str]
    address: Optional[str]
    memo: Optional[str]
    network: Optional[str]
    asset: Optional[str]
    amount: Optional[str]
    expires_at: Optional[str]
    iban: Optional[str]
    bic: Optional[str]
    account_holder: Optional[str]
    reference: Optional[str]
    currency: Optional[str]
    url: Optional[str]
    provider: Optional[str]
    public_key: Optional[str]
    client_secret: Optional[str]


class GateIntentTransaction(GateObject):
    refid: str
    status: Union[Literal["pending", "processing", "completed", "failed", "refunded", "charged_back"], str]
    source: Amount
    destination: TransactionDestination
    exchange_rate: Optional[str]
    fees: List[Fee]
    fee_total: Optional[str]
    tx_hash: Optional[str]
    tx_url: Optional[str]
    confirmations: Optional[TransactionConfirmations]
    completed_at: Optional[str]

    _nested: ClassVar[Mapping[str, Type[GateObject]]] = {
        "source": Amount,
        "destination": TransactionDestination,
        "fees": Fee,
        "confirmations": TransactionConfirmations,
    }


class GateIntent(GateObject):
    """One attempt to pay for a session. `next_action` is what the buyer does next, or null."""

    id: str
    object: Literal["gate_intent"]
    session_id: str
    flow: Union[Literal["on_ramp", "off_ramp", "swap"], str]
    status: Union[Literal["created", "requires_action", "processing", "succeeded", "failed", "cancelled"], str]
    amount: str
    currency: str
    source_token: Optional[str]
    source_network: Optional[str]
    target_token: Optional[str]
    target_network: Optional[str]
    wallet_address: Optional[str]
    payment_method: Optional[Union[Literal["card", "bank_transfer", "crypto"], str]]
    quote_id: Optional[str]
    next_action: Optional[GateIntentNextAction]
    failure: Optional[Failure]
    attempt: int
    tx_refid: str
    created_at: str
    updated_at: str
    expires_at: Optional[str]
    stages: Optional[List[TransactionStage]]
    transaction: Optional[GateIntentTransaction]

    _nested: ClassVar[Mapping[str, Type[GateObject]]] = {
        "next_action": GateIntentNextAction,
        "failure": Failure,
        "stages": TransactionStage,
        "transaction": GateIntentTransaction,
    }


class KycPackageAcceptance(GateObject):
    """The provider that verified the buyer of a session, and when. Contains nothing of the package itself."""

    object: Literal["kyc_package_acceptance"]
    session_id: str
    partner_id: str
    mode: Union[Literal["test", "live"], str]
    provider: str
    accepted_at: str
    user_reference: Optional[str]


class GateSessionProcessing(GateObject):
    """The session whose payment is being processed, and its intent."""

    id: str
    object: Literal["gate_session"]
    partner_id: str
    mode: Union[Literal["test", "live"], str]
    flow: Optional[Union[Literal["on_ramp", "off_ramp", "swap"], str]]
    amount: str
    currency: str
    target_token: Optional[str]
    target_network: Optional[str]
    return_url: str
    cancel_url: Optional[str]
    wallet_address: Optional[str]
    user_reference: Optional[str]
    kyc_pre_verified: bool
    status: Union[Literal["open", "completed", "expired", "cancelled"], str]
    expires_at: str
    created_at: str
    metadata: Dict[str, Any]
    intent_id: str


class GateSessionCompleted(GateObject):
    """The completed session. `tx_refid` is the `refid` of its transaction."""

    id: str
    object: Literal["gate_session"]
    partner_id: str
    mode: Union[Literal["test", "live"], str]
    flow: Optional[Union[Literal["on_ramp", "off_ramp", "swap"], str]]
    amount: str
    currency: str
    target_token: Optional[str]
    target_network: Optional[str]
    return_url: str
    cancel_url: Optional[str]
    wallet_address: Optional[str]
    user_reference: Optional[str]
    kyc_pre_verified: bool
    status: Union[Literal["open", "completed", "expired", "cancelled"], str]
    expires_at: str
    created_at: str
    metadata: Dict[str, Any]
    tx_refid: str


class GateSessionFailedFailure(GateObject):
    """Why it failed, or null."""

    code: Union[
        Literal[
            "payment_declined",
            "payment_authentication_failed",
            "insufficient_funds",
            "payment_expired",
            "kyc_rejected",
            "kyc_abandoned",
            "sanctions_blocked",
            "limit_exceeded",
            "quote_expired",
            "deposit_not_received",
            "deposit_short",
            "deposit_late",
            "deposit_wrong_asset",
            "payout_rejected",
            "wallet_address_invalid",
            "settlement_error",
            "error",
        ],
        str,
    ]
    stage: Union[
        Literal[
            "kyc",
            "screening",
            "authorization",
            "capture",
            "payment",
            "deposit",
            "conversion",
            "send",
            "delivery",
            "payout",
            "deposit_over",
            "return",
        ],
        str,
    ]
    message: str
    retryable: bool
    occurred_at: str


class GateSessionFailed(GateObject):
    """The session with the failed attempt, and the reason. `attempt` counts from 1."""

    id: str
    object: Literal["gate_session"]
    partner_id: str
    mode: Union[Literal["test", "live"], str]
    flow: Optional[Union[Literal["on_ramp", "off_ramp", "swap"], str]]
    amount: str
    currency: str
    target_token: Optional[str]
    target_network: Optional[str]
    return_url: str
    cancel_url: Optional[str]
    wallet_address: Optional[str]
    user_reference: Optional[str]
    kyc_pre_verified: bool
    status: Union[Literal["open", "completed", "expired", "cancelled"], str]
    expires_at: str
    created_at: str
    metadata: Dict[str, Any]
    intent_id: str
    failure: GateSessionFailedFailure
    attempt: int

    _nested: ClassVar[Mapping[str, Type[GateObject]]] = {"failure": GateSessionFailedFailure}


class KycRequirement(GateObject):
    """The identity data that an attempt requires, and the deadline for it."""

    object: Literal["kyc_requirement"]
    session_id: str
    partner_id: str
    mode: Union[Literal["test", "live"], str]
    intent_id: str
    level: str
    reasons: List[str]
    user_reference: Optional[str]
    expires_at: str


class PartnerQuota(GateObject):
    """The completed sessions of a partner in a month, against its limit."""

    object: Literal["partner_quota"]
    partner_id: str
    mode: Union[Literal["test", "live"], str]
    quota: Literal["completed_sessions"]
    limit: int
    used: int
    remaining: int
    threshold_percent: int
    period_start: str
    period_end: str


class WebhookTest(GateObject):
    """The data of a test event. `livemode` is false in both modes."""

    object: Literal["webhook_test"]
    livemode: bool
    partner_id: str
    mode: Union[Literal["test", "live"], str]
    message: str


EVENT_DATA: Mapping[str, Type[GateObject]] = {
    "gate_session.created": GateSession,
    "gate_session.kyc_package_accepted": KycPackageAcceptance,
    "gate_session.processing": GateSessionProcessing,
    "gate_session.completed": GateSessionCompleted,
    "gate_session.failed": GateSessionFailed,
    "gate_session.cancelled": GateSession,
    "gate_session.expired": GateSession,
    "kyc.required": KycRequirement,
    "transaction.updated": Transaction,
    "pay_in.updated": PayIn,
    "pay_out.updated": PayOut,
    "partner.quota.warning": PartnerQuota,
    "webhook.test": WebhookTest,
    "partner.quota.exhausted": PartnerQuota,
}
