"""What the README shows, run word for word."""

from __future__ import annotations

import contextlib
import io
import os
import re
import unittest
from typing import Any, Dict
from unittest import mock

from gateramp import _hosts

from ..spec import PACKAGE
from .world import setting


class Readme(unittest.TestCase):
    def test_every_block_runs_against_a_server(self) -> None:
        blocks = re.findall(r"^```python\n(.*?)^```$", (PACKAGE / "README.md").read_text(encoding="utf-8"), re.M | re.S)
        self.assertGreater(len(blocks), 3)
        keys = {
            "GATE_SECRET_KEY": setting("GATERAMP_TEST_SECRET_KEY"),
            "GATE_WEBHOOK_SECRET": setting("GATERAMP_TEST_WEBHOOK_SECRET"),
        }
        said = io.StringIO()
        world: Dict[str, Any] = {}
        with (
            mock.patch.dict(os.environ, keys),
            mock.patch.dict(_hosts.API_HOSTS, test=setting("GATERAMP_TEST_SANDBOX")),
        ):
            with contextlib.redirect_stdout(said):
                for number, block in enumerate(blocks):
                    exec(compile(block, f"README block {number + 1}", "exec"), world)
        lines = said.getvalue().splitlines()
        self.assertRegex(lines[0], r"^[0-9a-f]{24} open$")
        self.assertEqual(lines[1], "paid: order-1001 gtx_1")
        self.assertTrue(lines[2].startswith("no_matching_signature "))
        self.assertEqual(lines[3:], ["succeeded completed"])
