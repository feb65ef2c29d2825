"""When an attempt is worth another one, and after which wait."""

from __future__ import annotations

import random
from typing import Callable, Mapping, Optional

RETRIED_STATUSES = frozenset({408, 425, 429, 500, 502, 503, 504})
WAIT_BASE_SECONDS = 0.5
WAIT_MAX_SECONDS = 8.0
RETRY_AFTER_MAX_SECONDS = 60.0


def retry_after_seconds(headers: Mapping[str, str]) -> Optional[float]:
    """`Retry-After-short`, else `Retry-After`, in seconds; None where neither is a number. A date is not read: clocks
    differ."""
    for name in ("Retry-After-short", "Retry-After"):
        text = headers.get(name, "").strip()
        if text.isascii() and text.isdigit():
            return float(text)
    return None


def wait_before_retry(
    attempt: int, headers: Mapping[str, str], chance: Callable[[], float] = random.random
) -> Optional[float]:
    """Seconds to wait after attempt number `attempt` (the first is 0): what the server asks for, else exponential with
    full jitter.

    None: the server asks for more than a minute, which no caller should sit through.
    """
    asked = retry_after_seconds(headers)
    if asked is not None:
        return asked if asked <= RETRY_AFTER_MAX_SECONDS else None
    return chance() * min(WAIT_MAX_SECONDS, WAIT_BASE_SECONDS * 2.0**attempt)
