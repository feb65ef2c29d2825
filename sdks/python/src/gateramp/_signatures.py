"""Creates and verifies webhook signatures over bytes (spec: Signature rules)."""

from __future__ import annotations

import hashlib
import hmac
import math
import re
import time
from dataclasses import dataclass
from typing import List, Optional, Sequence, Union

from ._errors import InvalidRequestError, WebhookSignatureError

TOLERANCE_SECONDS = 300

_UNIX_SECONDS = re.compile(r"[0-9]{1,12}")
_HEX_SHA256 = re.compile(r"[0-9a-f]{64}")
_SECRET = re.compile(r"whsec_[!-~]+")

Secrets = Union[str, Sequence[str]]


def verify(
    payload: object, header: Optional[str], secret: Secrets, tolerance_seconds: float, now: Optional[float]
) -> bytes:
    """Returns the payload of a valid and recent delivery; else raises `WebhookSignatureError`.

    The age is checked last, so that only holders of the secret learn that a delivery is old.
    """
    instant = time.time() if now is None else now
    check_finite("tolerance_seconds", tolerance_seconds)
    check_finite("now", instant)
    body = raw_bytes(payload)
    secrets = usable_secrets(secret)
    signature = parsed_header(header)
    expected = [hmac_of(one, signature.timestamp_text, body) for one in secrets]
    # Every pair is compared, so that timing reveals nothing.
    matches = [hmac.compare_digest(own, received) for own in expected for received in signature.v1]
    if not any(matches):
        raise WebhookSignatureError(
            "no_matching_signature",
            "No signature in Gate-Signature matches this secret and these bytes. Check that the secret belongs to this mode "
            "(test and live have one each) and that the payload is the raw body.",
        )
    age = int(instant) - signature.timestamp
    # Written so that NaN fails the comparison.
    if not age <= tolerance_seconds:
        raise WebhookSignatureError(
            "timestamp_too_old",
            f"The signature is {age} seconds old; {tolerance_seconds:g} are allowed. Every attempt has a new "
            "signature: this is a replayed request, or the clock of this machine is fast.",
        )
    if not -age <= tolerance_seconds:
        raise WebhookSignatureError(
            "timestamp_in_future",
            f"The signature is from {-age} seconds in the future; {tolerance_seconds:g} are allowed. The clock "
            "of this machine is slow.",
        )
    return body


def check_finite(name: str, value: object) -> None:
    """Refuses NaN and infinity, which would accept signatures of any age."""
    if isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value < math.inf:
        return
    raise InvalidRequestError(
        f"{name} must be a finite number of at least 0; got {value!r}.", code="invalid_configuration"
    )


def signature_header(payload: bytes, secret: Secrets, timestamp: int) -> str:
    """The `Gate-Signature` of these bytes, with a `v1` for each secret."""
    body = raw_bytes(payload)
    signatures = [hmac_of(one, str(timestamp), body) for one in usable_secrets(secret)]
    return ",".join([f"t={timestamp}", *(f"v1={one}" for one in signatures)])


def hmac_of(secret: str, timestamp: str, body: bytes) -> str:
    return hmac.new(secret.encode("ascii"), timestamp.encode("ascii") + b"." + body, hashlib.sha256).hexdigest()


def raw_bytes(payload: object) -> bytes:
    if isinstance(payload, (bytes, bytearray, memoryview)):
        return bytes(payload)
    raise WebhookSignatureError(
        "parsed_body",
        f"The payload is {type(payload).__name__}. The signature covers the bytes of the body as they arrived, before "
        "anything parses or decodes them: request.get_data() in Flask, request.body in Django, await request.body() "
        "in FastAPI.",
    )


def usable_secrets(secret: object) -> List[str]:
    """Returns one or several secrets as a list. Errors never include a secret."""
    secrets = [secret] if isinstance(secret, str) else list(secret) if isinstance(secret, (list, tuple)) else []
    if secrets and all(isinstance(one, str) and _SECRET.fullmatch(one) for one in secrets):
        return secrets
    raise WebhookSignatureError(
        "secret_malformed",
        "Malformed signing secret: it must begin with whsec_ and contain no white space. Check for a line break in the "
        "file or environment variable.",
    )


@dataclass(frozen=True)
class Signature:
    timestamp_text: str
    v1: List[str]

    @property
    def timestamp(self) -> int:
        return int(self.timestamp_text)


def parsed_header(header: object) -> Signature:
    """`t=<unix>,v1=<hex>[,v1=<hex>…]`. Unknown schemes are skipped; a second `t` is an error."""
    if header is None or (isinstance(header, str) and header.strip() == ""):
        raise WebhookSignatureError(
            "no_header",
            "Missing Gate-Signature header: the request was not sent by Gateramp, or a proxy removed the header.",
        )
    pairs = [part.partition("=") for part in header.split(",")] if isinstance(header, str) else []
    times = [value.strip() for name, _, value in pairs if name.strip() == "t"]
    v1 = [value.strip() for name, _, value in pairs if name.strip() == "v1" and _HEX_SHA256.fullmatch(value.strip())]
    if len(times) != 1 or not _UNIX_SECONDS.fullmatch(times[0]) or not v1:
        raise WebhookSignatureError(
            "malformed_header",
            "Gate-Signature is not t=<unix seconds>,v1=<hexadecimal>: it was changed in transit, or sent by someone else.",
        )
    return Signature(times[0], v1)
