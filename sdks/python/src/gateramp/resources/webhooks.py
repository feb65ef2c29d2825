"""Webhooks: verification, and management of deliveries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Optional, Union

from .._api import Api, at
from .._hide_locals import HidesLocals
from .._incoming import IncomingWebhooks
from .._options import given
from .._pages import Page, list_page
from ..types import WebhookDelivery, WebhookEndpoint, WebhookReplay, WebhookSecret, WebhookTestResult

if TYPE_CHECKING:
    from datetime import datetime
    from enum import Enum

    from typing_extensions import Unpack

    from .._options import CallOptions


class Webhooks(IncomingWebhooks):
    """Verifies and receives webhooks, and manages their endpoint, secret and deliveries."""

    def __init__(self, api: Api) -> None:
        self._api = api
        self.deliveries: Deliveries = Deliveries(api)

    def test(self, **options: Unpack[CallOptions]) -> WebhookTestResult:
        """Sends a `webhook.test` event to the configured URL; 400 `webhook_url_not_configured` without one."""
        return self._api.post(WebhookTestResult, "/v1/webhooks/test", options)

    def endpoint(self, **options: Unpack[CallOptions]) -> WebhookEndpoint:
        """The configured endpoint and the state of its deliveries."""
        return self._api.get(WebhookEndpoint, "/v1/webhooks/endpoint", options)

    def rotate_secret(
        self, *, grace_period_seconds: Optional[int] = None, **options: Unpack[CallOptions]
    ) -> WebhookSecret:
        """Creates a new signing secret, returned only here. During a grace period (at most 86400) deliveries are signed
        with both."""
        body = None if grace_period_seconds is None else {"grace_period_seconds": grace_period_seconds}
        return self._api.post(WebhookSecret, "/portal/webhook-secret/rotate", options, body)


class Deliveries(HidesLocals):
    def __init__(self, api: Api) -> None:
        self._api = api

    def list(
        self,
        *,
        status: Optional[Union[str, Enum]] = None,
        event_type: Optional[Union[str, Enum]] = None,
        event_id: Optional[str] = None,
        session_id: Optional[str] = None,
        created_after: Optional[Union[str, datetime]] = None,
        created_before: Optional[Union[str, datetime]] = None,
        limit: Optional[int] = None,
        starting_after: Optional[str] = None,
        ending_before: Optional[str] = None,
        **options: Unpack[CallOptions],
    ) -> Page[WebhookDelivery]:
        """Lists deliveries, newest first."""
        filters = given(locals())
        return list_page(self._api, WebhookDelivery, "/v1/webhooks/deliveries", options, filters)

    def retrieve(self, id: str, **options: Unpack[CallOptions]) -> WebhookDelivery:
        """Retrieves a delivery, with the response of your server to each attempt."""
        return self._api.get(WebhookDelivery, at("/v1/webhooks/deliveries/{}", id), options)

    def replay(self, id: str, **options: Unpack[CallOptions]) -> WebhookDelivery:
        """Queues a dead-lettered delivery again: the same event, with five new attempts. Raises `ConflictError` if it
        is not dead-lettered."""
        return self._api.post(WebhookDelivery, at("/v1/webhooks/deliveries/{}/replay", id), options)

    def replay_all(
        self,
        *,
        event_type: Optional[Union[str, Enum]] = None,
        session_id: Optional[str] = None,
        created_after: Optional[Union[str, datetime]] = None,
        created_before: Optional[Union[str, datetime]] = None,
        limit: Optional[int] = None,
        **options: Unpack[CallOptions],
    ) -> WebhookReplay:
        """Queues dead-lettered deliveries again, oldest first, up to `limit` (100 by default, at most 1000)."""
        body = given(locals())
        return self._api.post(WebhookReplay, "/v1/webhooks/deliveries/replay", options, body)
