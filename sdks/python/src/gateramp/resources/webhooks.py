"""Webhooks: checking what arrives, and tools for what was sent."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Optional

from .._api import Api, at
from .._events import Event, event_of
from .._options import given
from .._pages import Page, list_page
from .._received_events import ReceivedEvents
from .._receiver import Handle, OnError, OnRefused, WebhookReceiver, log_error
from .._signatures import TOLERANCE_SECONDS, Secrets, signature_header
from ..types import WebhookDelivery, WebhookEndpoint, WebhookReplay, WebhookSecret, WebhookTestResult

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .._options import CallOptions


class Webhooks:
    def __init__(self, api: Api) -> None:
        self._api = api
        self.deliveries: Deliveries = Deliveries(api)

    @staticmethod
    def construct_event(
        payload: bytes,
        header: Optional[str],
        secret: Secrets,
        *,
        tolerance_seconds: float = TOLERANCE_SECONDS,
        now: Optional[float] = None,
    ) -> Event:
        """The event of a delivery, if it is genuine and fresh; else `WebhookSignatureError` with its `reason`.

        `payload` are the bytes of the request's body as they arrived, `header` is its `Gate-Signature`, `secret` the
        mode's `whsec_…`, or several of them while one is being rotated. Deliveries come at least once: do an event once
        by its `id`.
        """
        return event_of(payload, header, secret, tolerance_seconds, now)

    @staticmethod
    def generate_test_header(payload: bytes, secret: Secrets, timestamp: Optional[int] = None) -> str:
        """The `Gate-Signature` of a delivery of these bytes, for tests of a receiver. `timestamp` in epoch seconds, now
        by default."""
        return signature_header(payload, secret, int(time.time()) if timestamp is None else timestamp)

    @staticmethod
    def receive(
        *,
        secret: Secrets,
        handle: Handle,
        store: Optional[ReceivedEvents] = None,
        tolerance_seconds: float = TOLERANCE_SECONDS,
        on_error: OnError = log_error,
        on_refused: Optional[OnRefused] = None,
    ) -> WebhookReceiver:
        """A receiver that verifies deliveries and has each event handled once. A malformed secret raises here, not at
        the first delivery.

        `handle(event, about)` is a plain function. When it raises, the delivery is answered 500 and comes again, so it
        must bear being begun twice. Answer within ten seconds; what takes longer belongs into a queue of yours.
        `store` says what was handled before: in memory by default, so give one as soon as there are several processes.
        `on_error(error, event)` is told what `handle` or the store raised; it is logged by default. `on_refused(error)`
        is told of what was refused: forgeries, and mistakes in the set-up.
        """
        return WebhookReceiver(secret, handle, store, tolerance_seconds, on_error, on_refused)

    def test(self, **options: Unpack[CallOptions]) -> WebhookTestResult:
        """Sends a `webhook.test` event to the configured URL; 400 `webhook_url_not_configured` without one."""
        return self._api.post(WebhookTestResult, "/v1/webhooks/test", options)

    def endpoint(self, **options: Unpack[CallOptions]) -> WebhookEndpoint:
        """Where deliveries go, and how they fare."""
        return self._api.get(WebhookEndpoint, "/v1/webhooks/endpoint", options)

    def rotate_secret(
        self, *, grace_period_seconds: Optional[int] = None, **options: Unpack[CallOptions]
    ) -> WebhookSecret:
        """A new signing secret, shown this once. In a grace period (86400 at most) deliveries are signed with both."""
        body = None if grace_period_seconds is None else {"grace_period_seconds": grace_period_seconds}
        return self._api.post(WebhookSecret, "/portal/webhook-secret/rotate", options, body)


class Deliveries:
    def __init__(self, api: Api) -> None:
        self._api = api

    def list(
        self,
        *,
        status: Optional[str] = None,
        event_type: Optional[str] = None,
        event_id: Optional[str] = None,
        session_id: Optional[str] = None,
        created_after: Optional[str] = None,
        created_before: Optional[str] = None,
        limit: Optional[int] = None,
        starting_after: Optional[str] = None,
        ending_before: Optional[str] = None,
        **options: Unpack[CallOptions],
    ) -> Page[WebhookDelivery]:
        """The newest first."""
        filters = given(
            status=status,
            event_type=event_type,
            event_id=event_id,
            session_id=session_id,
            created_after=created_after,
            created_before=created_before,
            limit=limit,
            starting_after=starting_after,
            ending_before=ending_before,
        )
        return list_page(self._api, WebhookDelivery, "/v1/webhooks/deliveries", options, filters)

    def retrieve(self, id: str, **options: Unpack[CallOptions]) -> WebhookDelivery:
        """One delivery, with what your server answered to each attempt."""
        return self._api.get(WebhookDelivery, at("/v1/webhooks/deliveries/{}", id), options)

    def replay(self, id: str, **options: Unpack[CallOptions]) -> WebhookDelivery:
        """Queues a dead-lettered delivery again: the same event, five fresh attempts. `ConflictError` if it is not
        dead-lettered."""
        return self._api.post(WebhookDelivery, at("/v1/webhooks/deliveries/{}/replay", id), options)

    def replay_all(
        self,
        *,
        event_type: Optional[str] = None,
        session_id: Optional[str] = None,
        created_after: Optional[str] = None,
        created_before: Optional[str] = None,
        limit: Optional[int] = None,
        **options: Unpack[CallOptions],
    ) -> WebhookReplay:
        """Queues dead-lettered deliveries again, the oldest first, `limit` (100, at most 1000) of them."""
        body = given(
            event_type=event_type,
            session_id=session_id,
            created_after=created_after,
            created_before=created_before,
            limit=limit,
        )
        return self._api.post(WebhookReplay, "/v1/webhooks/deliveries/replay", options, body)
