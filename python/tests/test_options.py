"""The options of Python are those of the command line."""

from __future__ import annotations

import pytest

import kith
from kith import _kith


@pytest.mark.parametrize(
    ("job", "options"),
    [
        ("cluster", kith.ClusterOptions),
        ("paper", kith.PaperOptions),
        ("dedup", kith.DedupOptions),
        ("merge", kith.MergeOptions),
    ],
)
def test_names(job: str, options: type) -> None:
    names = {name.replace("-", "_") for name in _kith.option_names(job)}
    declared = set(options.__mro__[0].__annotations__) | {
        name
        for base in getattr(options, "__orig_bases__", ())
        for name in getattr(base, "__annotations__", ())
    }
    assert declared | {"output"} == names


def test_unknown_option_names_the_nearest(tmp_path: object) -> None:
    with pytest.raises(kith.UsageError, match="no argument simmilarity; did you mean similarity"):
        kith.cluster("x", "y", simmilarity=0.3)  # type: ignore[call-arg]


def test_value_out_of_range() -> None:
    with pytest.raises(kith.UsageError, match="similarity"):
        kith.cluster("x", "y", similarity=7)
    with pytest.raises(ValueError, match="'sideways' is not one of"):
        kith.cluster("x", "y", order="sideways")  # type: ignore[arg-type]


def test_library_errors_name_the_field() -> None:
    with pytest.raises(kith.UsageError, match="^max_tables = 0: must be"):
        kith.cluster("x", "y", max_tables=0)
    with pytest.raises(kith.UsageError, match="no argument no_topics; did you mean topics none"):
        kith.cluster("x", "y", no_topics=True)  # type: ignore[call-arg]


def test_a_path_that_looks_like_an_option() -> None:
    with pytest.raises(kith.NotFoundError, match="--strange"):
        kith.cluster("--strange", "y")
