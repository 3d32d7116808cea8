"""Every public name is explained, and has a doctest or is used by a test."""

from __future__ import annotations

import ast
import doctest
import inspect
import pathlib
from collections.abc import Iterator
from typing import Any

import pytest

import kith

TESTS = pathlib.Path(__file__).parent


def is_data(member: object) -> bool:
    return isinstance(member, property) or inspect.isdatadescriptor(member)


def names_of(owner: type) -> Iterator[tuple[str, Any]]:
    """The public methods and properties that a class of kith adds, those of its own bases too."""
    for base in owner.__mro__:
        if base.__module__.startswith("kith") and not issubclass(base, (dict, Exception)):
            for name, member in vars(base).items():
                if not name.startswith("_") and (callable(member) or is_data(member)):
                    yield f"{owner.__name__}.{name}", member


def public_names() -> dict[str, Any]:
    names: dict[str, Any] = {}
    for name in kith.__all__:
        value = getattr(kith, name)
        names[name] = value
        if inspect.isclass(value):
            names.update(names_of(value))
    return names


NAMES = public_names()
EXPLAINED = {name: value for name, value in NAMES.items() if name != "__version__"}


def names_in(tree: ast.AST) -> set[str]:
    """What stands behind a dot."""
    return {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}


def names_in_tests() -> set[str]:
    found: set[str] = set()
    for path in TESTS.glob("test_*.py"):
        if path.name != pathlib.Path(__file__).name:
            found |= names_in(ast.parse(path.read_text(encoding="utf-8")))
    return found


USED = names_in_tests()


def examples_of(name: str, value: object) -> list[doctest.Example]:
    return doctest.DocTestParser().get_examples(getattr(value, "__doc__", None) or "", name)


def test_the_search_finds_names() -> None:
    assert {"Index.query", "Run.related", "Table.report", "CrawledPage.url", "DedupRun.keep"} <= set(
        NAMES
    )
    assert "no_such_name" not in USED


@pytest.mark.parametrize("name", sorted(EXPLAINED))
def test_is_explained(name: str) -> None:
    text = getattr(EXPLAINED[name], "__doc__", None) or ""
    assert len(text.split()) >= 3, f"{name} has no docstring"


@pytest.mark.parametrize("name", sorted(NAMES))
def test_is_tested(name: str) -> None:
    assert examples_of(name, NAMES[name]) or name.split(".")[-1] in USED


@pytest.mark.parametrize("name", sorted(n for n in NAMES if examples_of(n, NAMES[n])))
def test_doctest(name: str) -> None:
    pytest.importorskip("numpy")
    text = NAMES[name].__doc__
    test = doctest.DocTestParser().get_doctest(text, {"kith": kith}, name, None, 0)
    failed: list[str] = []
    doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test, out=failed.append)
    assert not failed, "".join(failed)
