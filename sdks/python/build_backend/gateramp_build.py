"""Builds the package with nothing but Python, so that a wheel can be made where no package index can be reached (PEP
517 and 660).

What pip asks of a build back end, for one pure package: the metadata of pyproject.toml, the files
of src/, and the record of their hashes. The same sources give the same bytes.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import io
import re
import sys
import tarfile
import zipfile
from pathlib import Path
from typing import Any, Dict, List, Mapping, Optional, Tuple

ROOT = Path(__file__).resolve().parent.parent
LONG_AGO = (1980, 1, 1, 0, 0, 0)
SDIST_FILES = ["pyproject.toml", "README.md", "LICENSE"]
SDIST_FOLDERS = ["src", "build_backend"]

Config = Optional[Mapping[str, Any]]


def build_wheel(wheel_directory: str, config_settings: Config = None, metadata_directory: Optional[str] = None) -> str:
    package = [(path.relative_to(ROOT / "src").as_posix(), path.read_bytes()) for path in sources("src")]
    return write_wheel(wheel_directory, package)


def build_editable(
    wheel_directory: str, config_settings: Config = None, metadata_directory: Optional[str] = None
) -> str:
    return write_wheel(wheel_directory, [("gateramp.pth", f"{ROOT / 'src'}\n".encode())])


def build_sdist(sdist_directory: str, config_settings: Config = None) -> str:
    name = f"gateramp-{project()['version']}"
    files = [(path, (ROOT / path).read_bytes()) for path in SDIST_FILES]
    files += [
        (path.relative_to(ROOT).as_posix(), path.read_bytes()) for folder in SDIST_FOLDERS for path in sources(folder)
    ]
    files.append(("PKG-INFO", metadata().encode()))
    target = Path(sdist_directory) / f"{name}.tar.gz"
    with target.open("wb") as out, gzip.GzipFile("", "wb", fileobj=out, mtime=0) as packed:
        with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive:
            for path, content in files:
                entry = tarfile.TarInfo(f"{name}/{path}")
                entry.size = len(content)
                archive.addfile(entry, io.BytesIO(content))
    return target.name


def write_wheel(folder: str, package: List[Tuple[str, bytes]]) -> str:
    name = f"gateramp-{project()['version']}"
    info = f"{name}.dist-info"
    files = [
        *package,
        (f"{info}/licenses/LICENSE", (ROOT / "LICENSE").read_bytes()),
        (f"{info}/METADATA", metadata().encode()),
        (f"{info}/WHEEL", b"Wheel-Version: 1.0\nGenerator: gateramp_build\nRoot-Is-Purelib: true\nTag: py3-none-any\n"),
    ]
    record = "".join(f"{path},sha256={digest(content)},{len(content)}\n" for path, content in files)
    files.append((f"{info}/RECORD", f"{record}{info}/RECORD,,\n".encode()))
    target = Path(folder) / f"{name}-py3-none-any.whl"
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in files:
            entry = zipfile.ZipInfo(path, LONG_AGO)
            entry.external_attr = 0o100644 << 16
            archive.writestr(entry, content, zipfile.ZIP_DEFLATED)
    return target.name


def metadata() -> str:
    """pyproject.toml as METADATA says it."""
    facts = project()
    lines = [
        "Metadata-Version: 2.4",
        "Name: gateramp",
        f"Version: {facts['version']}",
        f"Summary: {facts['description']}",
        "License-Expression: MIT",
        "License-File: LICENSE",
        f"Keywords: {','.join(facts['keywords'])}",
        *(f"Classifier: {classifier}" for classifier in facts["classifiers"]),
        f"Project-URL: Source, {facts['Source']}",
        f"Requires-Python: {facts['requires-python']}",
        *(f"Requires-Dist: {requirement}" for requirement in facts["dependencies"]),
        "Description-Content-Type: text/markdown",
    ]
    return "\n".join(lines) + "\n\n" + (ROOT / "README.md").read_text(encoding="utf-8")


def project() -> Dict[str, Any]:
    """Reads the few lines of our own pyproject.toml; Python 3.9 has no TOML parser of its own."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    facts: Dict[str, Any] = dict(re.findall(r'^([\w-]+) = "(.*)"$', text, re.MULTILINE))
    for name, items in re.findall(r"^([\w-]+) = \[(.*?)\]$", text, re.MULTILINE | re.DOTALL):
        facts[name] = re.findall(r'"(.*?)"', items)
    return facts


def sources(folder: str) -> List[Path]:
    return sorted(path for path in (ROOT / folder).rglob("*") if path.is_file() and path.suffix in (".py", ".typed"))


def digest(content: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()


if __name__ == "__main__":  # for a release: `python3 gateramp_build.py <folder>` writes both
    for build in (build_wheel, build_sdist):
        print(build(sys.argv[1]))
