"""Every regular expression of the package takes time in proportion to 60,000 hostile characters."""

from __future__ import annotations

import ast
import re
import time
import unittest
from pathlib import Path
from typing import Iterator

import gateramp

LENGTH = 60_000
SHORTER = LENGTH // 8
# Processor time, which stands still while the machine is paused. A pattern in linear time needs a hundredth of it.
NOTICEABLE_SECONDS = 0.05
CALLS = {"compile", "fullmatch", "match", "search", "sub", "subn", "split", "findall", "finditer"}
ALWAYS = " \ta0-./=;,\""


def patterns_in(text: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or node.func.attr not in CALLS:
            continue
        if isinstance(node.func.value, ast.Name) and node.func.value.id == "re":
            pattern = node.args[0]
            if not isinstance(pattern, ast.Constant) or not isinstance(pattern.value, str):
                raise AssertionError(f"line {node.lineno}: a pattern must be a constant")
            yield pattern.value


def cost(pattern: re.Pattern[str], text: str) -> float:
    began = time.process_time()
    pattern.sub("", text)
    return time.process_time() - began


def is_slow(source: str) -> bool:
    pattern = re.compile(source)
    units = [*ALWAYS, *{character for character in source}, *re.findall(r"[A-Za-z_:-]{2,}", source)]
    for unit in units:
        for end in ("", "\0"):
            def text(length: int) -> str:
                return unit * (length // len(unit)) + end

            shorter = min(cost(pattern, text(SHORTER)) for _ in range(3))
            if shorter > NOTICEABLE_SECONDS:
                return True
            longer = min(cost(pattern, text(LENGTH)) for _ in range(2))
            if longer > NOTICEABLE_SECONDS and longer > shorter * 28:
                return True
    return False


class Patterns(unittest.TestCase):
    def test_every_pattern_is_linear(self) -> None:
        folder = Path(gateramp.__file__).parent
        sources = [one for file in sorted(folder.rglob("*.py")) for one in patterns_in(file.read_text("utf-8"))]
        self.assertGreater(len(sources), 5)
        self.assertEqual([source for source in sources if is_slow(source)], [])

    def test_a_planted_slow_pattern_is_found(self) -> None:
        planted = r"re.split(r'\s*;\s*', header); re.compile('ab+')"
        self.assertEqual([is_slow(one) for one in patterns_in(planted)], [True, False])
