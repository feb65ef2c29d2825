"""What is published: a wheel and a source archive, built with nothing but Python."""

from __future__ import annotations

import base64
import csv
import hashlib
import re
import subprocess
import sys
import tarfile
import tempfile
import unittest
import zipfile
from pathlib import Path

import httpx

from gateramp import __version__

from ..spec import PACKAGE

NAME = f"gateramp-{__version__}"

BACKEND = "import sys; sys.path.insert(0, 'build_backend'); import gateramp_build as back; print(back.{}(sys.argv[1]))"


class Package(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def build(self, hook: str, source: Path = PACKAGE) -> Path:
        """As pip calls the back end: in a process of its own, in the folder of pyproject.toml."""
        command = [sys.executable, "-B", "-c", BACKEND.format(hook), str(self.folder)]
        built = subprocess.run(command, cwd=source, check=True, stdout=subprocess.PIPE, text=True)
        return self.folder / built.stdout.strip()

    def test_the_wheel_is_imported_by_itself_and_is_typed(self) -> None:
        wheel = self.build("build_wheel")
        self.assertEqual(wheel.name, f"{NAME}-py3-none-any.whl")
        installed = self.folder / "site"
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(installed)
        self.assertTrue((installed / "gateramp/py.typed").exists())
        program = "import sys; sys.path[:0] = sys.argv[1:2]; sys.path += sys.argv[2:]; import gateramp; print(gateramp.__version__, gateramp.__file__)"
        imported = subprocess.run(
            [sys.executable, "-I", "-B", "-c", program, str(installed), str(Path(httpx.__file__).parents[1])],
            check=True,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.assertEqual(imported.stdout.split(), [__version__, str(installed / "gateramp/__init__.py")])

    def test_the_record_of_the_wheel_has_every_file_and_its_hash(self) -> None:
        with zipfile.ZipFile(self.build("build_wheel")) as archive:
            rows = {
                row[0]: row[1:]
                for row in csv.reader(archive.read(f"{NAME}.dist-info/RECORD").decode().splitlines())
            }
            self.assertEqual(set(rows), set(archive.namelist()))
            for name in archive.namelist():
                if not name.endswith("/RECORD"):
                    content = archive.read(name)
                    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
                    self.assertEqual(rows[name], [f"sha256={digest}", str(len(content))])

    def test_its_metadata_says_what_the_manifest_says(self) -> None:
        with zipfile.ZipFile(self.build("build_wheel")) as archive:
            metadata = archive.read(f"{NAME}.dist-info/METADATA").decode()
        head, _, description = metadata.partition("\n\n")
        self.assertIn("\nRequires-Python: >=3.9\n", head)
        self.assertIn("\nClassifier: Typing :: Typed\n", head)
        self.assertIn("\nLicense-Expression: MIT\n", head)
        self.assertEqual(re.findall("^Requires-Dist: (.*)$", head, re.M), ["httpx>=0.23,<1", "anyio>=3,<5"])
        self.assertEqual(description, (PACKAGE / "README.md").read_text(encoding="utf-8"))

    def test_a_release_has_both_by_running_the_back_end_itself(self) -> None:
        command = [sys.executable, "-B", "build_backend/gateramp_build.py", str(self.folder)]
        printed = subprocess.run(command, cwd=PACKAGE, check=True, stdout=subprocess.PIPE, text=True).stdout.split()
        self.assertEqual(printed, [f"{NAME}-py3-none-any.whl", f"{NAME}.tar.gz"])
        self.assertEqual({path.name for path in self.folder.iterdir()}, set(printed))

    def test_the_source_archive_builds_the_same_wheel(self) -> None:
        wheel = self.build("build_wheel").read_bytes()
        with tarfile.open(self.build("build_sdist")) as archive:
            self.assertTrue(all(name.startswith(f"{NAME}/") for name in archive.getnames()))
            archive.extractall(self.folder / "unpacked", **({"filter": "data"} if sys.version_info >= (3, 12) else {}))
        again = self.build("build_wheel", self.folder / "unpacked" / NAME)
        self.assertEqual(again.read_bytes(), wheel)
