"""The default hosts of the API. Replace them here for another deployment."""

from __future__ import annotations

from typing import Dict, Literal

LIVE = "https://api.gateramp.example"
SANDBOX = "https://sandbox.gateramp.example"
POOLS = "https://pools.gateramp.example"

API_HOSTS: Dict[Literal["test", "live"], str] = {"test": SANDBOX, "live": LIVE}
