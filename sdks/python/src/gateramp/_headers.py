"""Headers of a response."""

from __future__ import annotations

from typing import Iterable, Iterator, List, Mapping, Tuple


class Headers(Mapping[str, str]):
    """Case-insensitive headers; repeated headers are joined by a comma, as HTTP defines."""

    def __init__(self, pairs: Iterable[Tuple[str, str]] = ()) -> None:
        self._values: dict[str, List[str]] = {}
        for name, value in pairs:
            self._values.setdefault(name.lower(), []).append(value)

    def __getitem__(self, name: str) -> str:
        return ", ".join(self._values[name.lower()])

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name.lower() in self._values

    def __repr__(self) -> str:
        return f"Headers({dict(self)!r})"
