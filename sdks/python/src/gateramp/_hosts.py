"""Where the API is when no `base_url` is given. A deployment of its own puts its names here, in this one place."""

from __future__ import annotations

from typing import Dict, Literal

LIVE = "https://api.gateramp.example"
SANDBOX = "https://sandbox.gateramp.example"
POOLS = "https://pools.gateramp.example"

API_HOSTS: Dict[Literal["test", "live"], str] = {"test": SANDBOX, "live": LIVE}
