"""Responses of the API as Python objects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Dict, Iterator, Mapping, Optional, Type



class ResponseInfo:
    """The response that an object came with: `status`, `headers` (their names in any case), `request_id` (quote it to support)."""

    def __init__(self, status: int, headers: Mapping[str, str]) -> None:
        self.status = status
        self.headers = headers
        self.request_id: Optional[str] = headers.get("X-Request-Id")

    def __repr__(self) -> str:
        return f"ResponseInfo(status={self.status}, request_id={self.request_id!r})"


class GateObject:
    """One resource. Fields are attributes (`session.status`) and members (`session["status"]`).

    Fields that are newer than this package are kept; type checkers accept them as members: `session["new_field"]`.
    Known fields that the server did not send are None, which is what absence means in this API. Objects are immutable.
    """

    _nested: ClassVar[Mapping[str, Type[GateObject]]] = {}
    _wire_names: ClassVar[Mapping[str, str]] = {}

    last_response: Optional[ResponseInfo]
    """The response of this object; None on nested objects and on webhook events."""

    def __init__(self, fields: Mapping[str, Any], last_response: Optional[ResponseInfo] = None) -> None:
        self.__dict__.update(_fields=dict(fields), last_response=last_response)

    if not TYPE_CHECKING:  # hidden from type checkers, so that they report undeclared fields

        def __getattr__(self, name: str) -> Any:
            if name.startswith("_"):  # looked up by copy and pickle
                raise AttributeError(name)
            wire_name = self._wire_names.get(name, name)
            if wire_name in self._fields:
                return self[wire_name]
            if name in self._declared():
                return None
            raise AttributeError(f"{type(self).__name__} has no field {name!r}; it has {', '.join(self._fields)}")

    def __getitem__(self, name: str) -> Any:
        value = self._fields[name]
        kind = self._nested.get(name)
        if kind is not None and isinstance(value, dict):
            return kind(value)
        if kind is not None and isinstance(value, list):
            return [kind(item) if isinstance(item, dict) else item for item in value]
        return value

    def __contains__(self, name: object) -> bool:
        return name in self._fields

    def __iter__(self) -> Iterator[str]:
        return iter(self._fields)

    def to_dict(self) -> Dict[str, Any]:
        """The fields as received, under their names on the wire."""
        return dict(self._fields)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, GateObject) and type(other) is type(self) and self._fields == other._fields

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__} is immutable: it is a response of the server")

    def __dir__(self) -> Iterator[str]:
        return iter([*super().__dir__(), *self._fields])

    def __repr__(self) -> str:
        """Without values: a `client_secret` in a log opens a buyer's checkout."""
        shown = {name: self._fields[name] for name in ("id", "object", "type", "status") if name in self._fields}
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in shown.items())})"

    if TYPE_CHECKING:
        _fields: Dict[str, Any]

    @classmethod
    def _declared(cls) -> frozenset[str]:
        return frozenset(name for kind in cls.__mro__ for name in getattr(kind, "__annotations__", ()))
