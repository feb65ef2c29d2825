"""Verification of deliveries, which needs no API key."""

from __future__ import annotations

import time
from typing import Callable, Optional

from ._async_receiver import AsyncHandle, AsyncStore, AsyncWebhookReceiver
from ._events import Event, event_of
from ._hide_locals import HidesLocals
from ._receiver import LEASE_SECONDS, Handle, OnError, OnRefused, Store, WebhookReceiver, log_error
from ._signatures import TOLERANCE_SECONDS, Secrets, signature_header


class IncomingWebhooks(HidesLocals):
    """Available as `gate.webhooks` and, for processes without a secret key, as `gateramp.webhooks`."""

    @staticmethod
    def construct_event(
        payload: bytes,
        header: Optional[str],
        secret: Secrets,
        *,
        tolerance_seconds: float = TOLERANCE_SECONDS,
        now: Optional[float] = None,
    ) -> Event:
        """Returns the event of a delivery after verifying its signature and age; else raises `WebhookSignatureError`.

        `payload` is the raw request body, `header` its `Gate-Signature`, and `secret` the `whsec_…` of the mode, or
        several during a rotation. Deliveries arrive at least once: deduplicate events by `id`.
        """
        return event_of(payload, header, secret, tolerance_seconds, now)

    @staticmethod
    def generate_test_header(payload: bytes, secret: Secrets, timestamp: Optional[int] = None) -> str:
        """Creates the `Gate-Signature` of a delivery of these bytes, for tests of a receiver. `timestamp` is in epoch
        seconds, now by default."""
        return signature_header(payload, secret, int(time.time()) if timestamp is None else timestamp)

    @staticmethod
    def receive(
        *,
        secret: Secrets,
        handle: Handle,
        store: Optional[Store] = None,
        tolerance_seconds: float = TOLERANCE_SECONDS,
        on_error: OnError = log_error,
        on_refused: Optional[OnRefused] = None,
        now: Callable[[], float] = time.time,
        lease_seconds: float = LEASE_SECONDS,
    ) -> WebhookReceiver:
        """Creates a receiver that verifies deliveries and handles each event once. A malformed secret or tolerance
        raises here, not at the first delivery.

        `handle(event, context)` is a plain function. If it raises, the response is 500 and the event is delivered again.
        It runs in a thread of its own, as the store does: after 8 s, or the lease if that is shorter, the response is 503
        while `handle` continues. Move longer work to a queue. `store` records the handled events: by default in memory,
        which serves one process only. `lease_seconds` is how long a claim in a `ReceivedEvents` store keeps other
        deliveries from handling the event; it must exceed the longest run of `handle`. `on_error(error, event)` is called
        with errors of `handle` or the store, and if they take too long; by default they are logged. `on_refused(error)` is called with
        refused deliveries: forgeries, and configuration mistakes. `now` is the clock for checking signatures, in epoch
        seconds, for tests with virtual time.
        """
        return WebhookReceiver(secret, handle, store, tolerance_seconds, on_error, on_refused, now, lease_seconds)

    @staticmethod
    def receive_async(
        *,
        secret: Secrets,
        handle: AsyncHandle,
        store: Optional[AsyncStore] = None,
        tolerance_seconds: float = TOLERANCE_SECONDS,
        on_error: OnError = log_error,
        on_refused: Optional[OnRefused] = None,
        now: Callable[[], float] = time.time,
        lease_seconds: float = LEASE_SECONDS,
    ) -> AsyncWebhookReceiver:
        """Creates a receiver whose `handle(event, context)` is an `async def`, for one event loop of asyncio. The
        parameters are those of `receive`; `on_error` and `on_refused` may be asynchronous, too.

        After 8 s, or the lease if that is shorter, the response is 503 while `handle` continues. After `lease_seconds`,
        `handle` is cancelled, its transaction rolls back, and the next delivery runs it again.
        """
        return AsyncWebhookReceiver(secret, handle, store, tolerance_seconds, on_error, on_refused, now, lease_seconds)


webhooks: IncomingWebhooks = IncomingWebhooks()
