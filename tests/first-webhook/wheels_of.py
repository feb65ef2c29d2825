"""Packs each Python package of a folder as a wheel, so that pip can install it where no package index can be reached:
`python3 wheels_of.py <folder> <target>`. Plain Python only, which runs on every Python."""

from __future__ import annotations

import sys
import zipfile
from importlib.metadata import Distribution, distributions
from pathlib import Path
from typing import Iterable, Iterator, Tuple


def modules(folder: Path, distribution: Distribution) -> Iterator[Path]:
    """The folders and files of a distribution. What names none has the module of its own name."""
    named = (distribution.read_text("top_level.txt") or distribution.metadata["Name"].replace("-", "_")).split()
    for name in (one for one in named if "/" not in one):
        if (folder / f"{name}.py").exists():
            yield folder / f"{name}.py"
        else:
            yield from (folder / name).rglob("*")


def pack(folder: Path, target: Path, distribution: Distribution, others: Iterable[str]) -> None:
    name, version = distribution.metadata["Name"].replace("-", "_"), distribution.version
    info = f"{name}-{version}.dist-info"
    needs = "".join(f"Requires-Dist: {one}\n" for one in others)
    files: list[Tuple[str, bytes]] = [
        (path.relative_to(folder).as_posix(), path.read_bytes())
        for path in modules(folder, distribution)
        if path.is_file() and path.suffix != ".pyc"
    ]
    files.append((f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{needs}".encode()))
    files.append((f"{info}/WHEEL", b"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"))
    record = "".join(f"{path},,\n" for path, _ in files)
    files.append((f"{info}/RECORD", f"{record}{info}/RECORD,,\n".encode()))
    with zipfile.ZipFile(target / f"{name}-{version}-py3-none-any.whl", "w") as wheel:
        for path, content in files:
            wheel.writestr(path, content)


if __name__ == "__main__":
    source, wheels = Path(sys.argv[1]), Path(sys.argv[2])
    packages = {one.metadata["Name"]: one for one in distributions(path=[str(source)])}
    for name, one in packages.items():
        # Debian leaves out what some of them need, so the package that is asked for needs all others.
        pack(source, wheels, one, packages.keys() - {name} if name == "httpx" else [])
