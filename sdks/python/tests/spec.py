"""The facts that server, engine and SDKs share, in the repository's folder spec/."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

PACKAGE = Path(__file__).resolve().parents[1]
SPEC = PACKAGE.parents[1] / "spec"


def spec(name: str) -> Any:
    return json.loads((SPEC / name).read_text(encoding="utf-8"))
