"""Options of one machine that are none of many."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kith._errors import UsageError


def check_options(
    options: Mapping[str, Any], refused: Mapping[str, str], only: Mapping[str, tuple[str, str]]
) -> None:
    """Raises for an option that is refused, which has the reason, and for one that has another than
    the only value that is taken, which stands before the reason."""
    for name, value in options.items():
        if name in refused:
            raise UsageError(f"{name}: {refused[name]}")
        if name in only and value != only[name][0]:
            taken, why = only[name]
            raise UsageError(f"{name} {value}: {why}; with Spark it must be {taken}")
