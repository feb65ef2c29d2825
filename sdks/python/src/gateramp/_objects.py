"""What the API answers, as Python objects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Dict, Iterator, Mapping, Optional, Type

from ._headers import Headers


class ResponseInfo:
    """The response that an object came with: `status`, `headers`, `request_id` (name it when you ask for help)."""

    def __init__(self, status: int, headers: Headers) -> None:
        self.status = status
        self.headers = headers
        self.request_id: Optional[str] = headers.get("X-Request-Id")

    def __repr__(self) -> str:
        return f"ResponseInfo(status={self.status}, request_id={self.request_id!r})"


class GateObject:
    """One resource. Fields are attributes (`session.status`) and members (`session["status"]`).

    A field newer than this package is kept, and a type checker takes it as a member: `session["new_field"]`. A field
    that the package knows and the server did not send is None, which is what absence means on this API. Objects are
    read, never changed.
    """

    _nested: ClassVar[Mapping[str, Type[GateObject]]] = {}
    _wire_names: ClassVar[Mapping[str, str]] = {}

    last_response: Optional[ResponseInfo]
    """The response that this came with; None on objects inside others and on webhook events."""

    def __init__(self, fields: Mapping[str, Any], last_response: Optional[ResponseInfo] = None) -> None:
        self.__dict__.update(_fields=dict(fields), last_response=last_response)

    if not TYPE_CHECKING:  # a type checker shall know the declared fields alone, so that it finds typing errors

        def __getattr__(self, name: str) -> Any:
            if name.startswith("_"):  # what copying and pickling look for
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
        """The fields as they came, under the wire's names."""
        return dict(self._fields)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, GateObject) and type(other) is type(self) and self._fields == other._fields

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__} is what the server answered; it cannot be changed")

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
