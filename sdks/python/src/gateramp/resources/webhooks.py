"""Webhooks: checking what arrives, and tools for what was sent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Optional

from .._api import Api, at
from .._hide_locals import HidesLocals
from .._incoming import IncomingWebhooks
from .._options import given
from .._pages import Page, list_page
from ..types import WebhookDelivery, WebhookEndpoint, WebhookReplay, WebhookSecret, WebhookTestResult

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .._options import CallOptions


class Webhooks(IncomingWebhooks):
    """What arrives, and what was sent."""

    def __init__(self, api: Api) -> None:
        self._api = api
        self.deliveries: Deliveries = Deliveries(api)

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


class Deliveries(HidesLocals):
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
        filters = given(locals())
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
        body = given(locals())
        return self._api.post(WebhookReplay, "/v1/webhooks/deliveries/replay", options, body)
