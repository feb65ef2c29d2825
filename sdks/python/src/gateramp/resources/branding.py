"""Branding: the appearance of the checkout, one for each mode."""

from __future__ import annotations

from typing import TYPE_CHECKING, Union

from .._api import Api
from .._hide_locals import HidesLocals
from .._options import NOT_GIVEN, NotGiven
from ..types import Branding

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .._options import CallOptions


class BrandingSettings(HidesLocals):
    def __init__(self, api: Api) -> None:
        self._api = api

    def retrieve(self, **options: Unpack[CallOptions]) -> Branding:
        """Retrieves the branding; None means not set."""
        return self._api.get(Branding, "/v1/branding", options)

    def update(
        self,
        *,
        display_name: Union[str, None, NotGiven] = NOT_GIVEN,
        logo_url: Union[str, None, NotGiven] = NOT_GIVEN,
        accent_color: Union[str, None, NotGiven] = NOT_GIVEN,
        theme: Union[str, None, NotGiven] = NOT_GIVEN,
        support_url: Union[str, None, NotGiven] = NOT_GIVEN,
        **options: Unpack[CallOptions],
    ) -> Branding:
        """Updates the given fields and keeps all others; None clears a field."""
        fields = {
            "display_name": display_name,
            "logo_url": logo_url,
            "accent_color": accent_color,
            "theme": theme,
            "support_url": support_url,
        }
        body = {name: value for name, value in fields.items() if not isinstance(value, NotGiven)}
        return self._api.post(Branding, "/v1/branding", options, body)
