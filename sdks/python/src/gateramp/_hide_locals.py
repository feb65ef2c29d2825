"""Keeps secrets and bodies out of tracebacks that include local variables, as those of error reporters do."""

from __future__ import annotations

import functools
import inspect
import sys
import traceback
from typing import Any, Callable, Optional, TypeVar, cast

F = TypeVar("F", bound=Callable[..., Any])


def hide_locals(function: F) -> F:
    """Clears the local variables of every frame below this call from the traceback of its errors: they include the
    secret key, signing secrets, headers and bodies."""

    if inspect.iscoroutinefunction(function):

        @functools.wraps(function)
        async def awaiting(*args: Any, **kwargs: Any) -> Any:
            handled_before = sys.exc_info()[1]
            try:
                return await function(*args, **kwargs)
            except BaseException as error:
                clear_frames(error, handled_before)
                del args, kwargs
                raise

        return cast(F, awaiting)

    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        handled_before = sys.exc_info()[1]
        try:
            return function(*args, **kwargs)
        except BaseException as error:
            clear_frames(error, handled_before)
            del args, kwargs
            raise

    return cast(F, wrapper)  # the same parameters and result


def clear_frames(error: Optional[BaseException], handled_before: Optional[BaseException]) -> None:
    """Stops at an exception that the caller was handling: its frames belong to the caller."""
    seen = {id(handled_before)}
    todo = [error]
    while todo:
        one = todo.pop()
        if one is None or id(one) in seen:
            continue
        seen.add(id(one))
        traceback.clear_frames(one.__traceback__)
        todo += [one.__cause__, one.__context__]


class HidesLocals:
    """A base class that applies `hide_locals` to all public methods."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        for name, member in list(vars(cls).items()):
            if name.startswith("_") and name != "__init__":
                continue
            if isinstance(member, staticmethod):
                setattr(cls, name, staticmethod(hide_locals(member.__func__)))
            elif callable(member) and not isinstance(member, type):
                setattr(cls, name, hide_locals(member))
