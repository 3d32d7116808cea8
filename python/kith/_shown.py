"""How a Table looks in a notebook, and what it is to other libraries."""

from __future__ import annotations

import html
import importlib
from typing import TYPE_CHECKING, Any

from kith._errors import UsageError

if TYPE_CHECKING:
    from kith import _kith

_ROWS = 10  # that a notebook shows
_LETTERS = 100  # of a value


def to_polars(table: _kith.Table) -> Any:
    return _library("polars").DataFrame(table)


def to_pandas(table: _kith.Table) -> Any:
    frame = _library("pandas").DataFrame
    if hasattr(frame, "from_arrow"):
        return frame.from_arrow(table)
    return to_arrow(table).to_pandas()  # before pandas 3


def to_arrow(table: _kith.Table) -> Any:
    return _library("pyarrow").table(table)


def _library(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        raise UsageError(f"this needs {name}, which is not installed: pip install {name}") from None


def as_html(table: _kith.Table) -> str:
    """The first rows, with long values cut, and how many rows there are."""
    rows = table.head(_ROWS).rows()
    head = "".join(f"<th>{html.escape(name)}</th>" for name in table.columns)
    body = "".join(f"<tr>{''.join(map(_cell, row.values()))}</tr>" for row in rows)
    shown = f", of which {len(rows)} are shown" if len(rows) < len(table) else ""
    count = "1 row" if len(table) == 1 else f"{len(table):,} rows"
    return (
        f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
        f"<p>{count}{shown}</p>"
    )


def _cell(value: object) -> str:
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    text = f"{value:.6g}" if isinstance(value, float) else str(value)
    if len(text) > _LETTERS:
        text = text[: _LETTERS - 1] + "…"
    align = ' style="text-align: right"' if is_number else ' style="text-align: left"'
    return f"<td{align}>{html.escape(text)}</td>"
