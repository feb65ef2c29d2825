"""What needs no key of the API: deliveries, checked."""

from __future__ import annotations

import time
from typing import Callable, Optional

from ._events import Event, event_of
from ._hide_locals import HidesLocals
from ._receiver import LEASE_SECONDS, Handle, OnError, OnRefused, Store, WebhookReceiver, log_error
from ._signatures import TOLERANCE_SECONDS, Secrets, signature_header


class IncomingWebhooks(HidesLocals):
    """The same on `gate.webhooks` and, for a process that holds no secret key, on `gateramp.webhooks`."""

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
        store: Optional[Store] = None,
        tolerance_seconds: float = TOLERANCE_SECONDS,
        on_error: OnError = log_error,
        on_refused: Optional[OnRefused] = None,
        now: Callable[[], float] = time.time,
        lease_seconds: float = LEASE_SECONDS,
    ) -> WebhookReceiver:
        """A receiver that verifies deliveries and has each event handled once. A malformed secret or tolerance raises
        here, not at the first delivery.

        `handle(event, about)` is a plain function. When it raises, the delivery is answered 500 and comes again. Return
        within ten seconds, and put longer work into a queue of yours. `store` says which events were handled: in memory
        by default, which serves one process only. `lease_seconds` is how long a claim of a `ReceivedEvents` store keeps
        other processes from handling the event, longer than `handle` ever takes.
        `on_error(error, event)` receives what `handle` or the store raised; it is logged by default. `on_refused(error)`
        receives what was refused: forgeries, and mistakes in the set-up. `now` is the clock that signatures are compared
        with, in epoch seconds; tests on virtual time set it.
        """
        return WebhookReceiver(secret, handle, store, tolerance_seconds, on_error, on_refused, now, lease_seconds)


webhooks: IncomingWebhooks = IncomingWebhooks()
