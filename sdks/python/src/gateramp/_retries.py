"""Retries and their waits (checked against spec/retry-vectors.json)."""

from __future__ import annotations

import math
import re
from email.utils import parsedate_to_datetime
from typing import Mapping, Optional

RETRIED_STATUSES = frozenset({408, 425, 429, 500, 502, 503, 504})
BACKOFF_BASE_SECONDS = 0.5
BACKOFF_MAX_SECONDS = 8.0
RETRY_AFTER_MAX_SECONDS = 60.0

_SECONDS = re.compile(r"[0-9]{1,9}")


def wait_before_retry(retries_made: int, retry_after: Optional[float], chance: float) -> Optional[float]:
    """The wait in seconds: the server's Retry-After, plus full jitter below an exponential ceiling, so that clients do
    not all retry at once.

    None if the server asks for more than a minute, which is too long to block the caller. `chance` is from 0 to 1.
    """
    if retry_after is not None and retry_after > RETRY_AFTER_MAX_SECONDS:
        return None
    return (retry_after or 0.0) + chance * min(BACKOFF_MAX_SECONDS, BACKOFF_BASE_SECONDS * 2.0**retries_made)


def retry_after_seconds(headers: Mapping[str, str], now: float) -> Optional[float]:
    """The wait of `Retry-After-short`, else of `Retry-After`, which may be a date. None without a valid header."""
    for name in ("Retry-After-short", "Retry-After"):
        if _SECONDS.fullmatch(headers.get(name, "")):
            return float(headers[name])
    try:
        return max(0.0, math.ceil(parsedate_to_datetime(headers.get("Retry-After", "")).timestamp() - now))
    except (TypeError, ValueError):  # not a date, for which Python 3.9 raises TypeError
        return None
