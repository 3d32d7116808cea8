"""Clusters and near-duplicates by the conventions of scikit-learn, which need not be installed."""

from __future__ import annotations

import importlib
import inspect
import json
import math
import os
import pathlib
import tempfile
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal, cast

from kith import _kith
from kith._errors import NotFoundError, UsageError
from kith._jobs import cluster, dedup
from kith._options import StrPath
from kith._runs import Run

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from typing_extensions import Self

    Labels = NDArray[np.int64]

_ALONE = -1  # the label of a text in no cluster, as of HDBSCAN


class _Estimator:
    """What the classes below share: parameters are the arguments of __init__, which does no work."""

    _estimator_type = "clusterer"
    labels_: Labels

    @classmethod
    def _names(cls) -> list[str]:
        return list(inspect.signature(cls).parameters)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters and their values. deep: no parameter is an estimator with its own."""
        return {name: getattr(self, name) for name in self._names()}

    def set_params(self, **params: Any) -> Self:
        """Sets parameters, and returns the estimator. UsageError, a ValueError, names another one."""
        names = self._names()
        for name in params:
            if name not in names:
                own = f"{type(self).__name__} has no parameter {name!r}"
                raise UsageError(f"{own}; there are {', '.join(names)}")
        for name, value in params.items():
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        defaults = inspect.signature(type(self)).parameters
        changed = [
            f"{name}={value!r}"
            for name, value in self.get_params().items()
            if value != defaults[name].default
        ]
        return f"{type(self).__name__}({', '.join(changed)})"

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "labels_")

    def __sklearn_tags__(self) -> Any:
        """For scikit-learn: texts are asked for, not numbers."""
        utils: Any = importlib.import_module("sklearn.utils")
        tags = utils.Tags(
            estimator_type=self._estimator_type,
            target_tags=utils.TargetTags(required=False),
        )
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        return tags

    def _options(self) -> dict[str, Any]:
        """Those of the job. None is its default."""
        given = {name: value for name, value in self.get_params().items() if value is not None}
        del given["text"]
        return given


class Clusterer(_Estimator):
    """Clusters of texts about the same, by the conventions of scikit-learn.

        >>> texts = ["red apples and green pears", "green pears, red apples", "deep sea fish"]
        >>> kith.Clusterer(min_words=3, max_df=1.0).fit_predict(texts)
        array([ 0,  0, -1])

    It does what kith.cluster does with pages that have these texts and no links. Parameters have its
    names, meanings and defaults (None); `kith cluster --help all` explains them. max_df is 0.25: of
    texts about few subjects, say 1.0. text: the column of texts, where a table is given.

    After fit():
    labels_: the cluster of each text, from 0, the largest first; -1 for one that is in none.
    cluster_centers_indices_: of each cluster the row of its center, to which all others are similar.
    cluster_names_: of each cluster the words that set it apart, in one string.
    report_: counts, choices and their reasons, as of kith.cluster.

    Texts go through a temporary folder. A None, a missing value or a text without words is in no
    cluster.
    """

    cluster_centers_indices_: Labels
    cluster_names_: list[str]
    report_: dict[str, Any]

    def __init__(
        self,
        *,
        text: str = "text",
        similarity: float | Literal["auto"] | None = None,
        min_words: int | None = None,
        min_df: int | None = None,
        max_df: float | None = None,
        max_terms: int | None = None,
        weighting: Literal["tf-idf", "nmdf", "tf"] | None = None,
        stop_words: StrPath | None = None,
        language: str | None = None,
        engine: Literal["auto", "exact", "lsh"] | None = None,
        recall: float | None = None,
        order: Literal["auto", "degree", "mass", "url", "random"] | None = None,
        assign: Literal["first", "best"] | None = None,
        seed: int | None = None,
        memory: int | str | None = None,
        threads: int | None = None,
    ) -> None:
        self.text = text
        self.similarity = similarity
        self.min_words = min_words
        self.min_df = min_df
        self.max_df = max_df
        self.max_terms = max_terms
        self.weighting = weighting
        self.stop_words = stop_words
        self.language = language
        self.engine = engine
        self.recall = recall
        self.order = order
        self.assign = assign
        self.seed = seed
        self.memory = memory
        self.threads = threads

    def fit(self, X: Any, y: object = None) -> Self:
        """Clusters texts: a list, an array, a Series or column of strings, or a table.

        y is not looked at. Returns the estimator. Raises kith.Error as kith.cluster does.
        """
        with tempfile.TemporaryDirectory(prefix="kith-") as folder:
            path = pathlib.Path(folder, "texts.jsonl")
            rows = _write(_texts_of(X, self.text), path)
            output = os.path.join(folder, "run")
            report = cluster(
                path, output, bags="content", boilerplate="keep", aliases="keep", topics="none",
                related="similar", no_check=True, **self._options(),
            )  # fmt: skip
            self._take(Run(output), rows)
        self.report_ = report
        return self

    def fit_predict(self, X: Any, y: object = None) -> Labels:
        """Clusters texts, and returns labels_."""
        return self.fit(X, y).labels_

    def _take(self, run: Run, rows: int) -> None:
        labels = [_ALONE] * rows
        for row in run.clusters().rows():
            if row["role"] != "single":
                labels[_row_of(row["url"])] = row["cluster"] - 1
        summary = run.cluster_summary()
        self.cluster_centers_indices_ = _array([_row_of(url) for url in summary["center"]])
        self.cluster_names_ = cast("list[str]", summary["label"])
        self.labels_ = _array(labels)


class Deduplicator(_Estimator):
    """Texts without near-duplicates, by the conventions of scikit-learn.

        >>> texts = ["a rose is a rose", "a rose is a rose", "a lily is no rose"]
        >>> kith.Deduplicator().fit_transform(texts)
        ['a rose is a rose', 'a lily is no rose']

    It does what kith.dedup does with a table. Parameters have its names, meanings and defaults
    (None); `kith dedup --help all` explains them. text: the column of texts, where a table is given.

    After fit():
    labels_: the group of each text, from 0, the largest first; -1 for one that is like no other.
    keep_: whether it stays. kept_indices_: the row of its group that stays. similarities_: the
    resemblance with that one. report_: counts.

    It has no transform(): which texts stay depends on all of them.
    """

    keep_: NDArray[np.bool_]
    kept_indices_: Labels
    similarities_: NDArray[np.float64]
    report_: dict[str, Any]

    def __init__(
        self,
        *,
        text: str = "text",
        similarity: float | None = None,
        method: Literal["minhash", "simhash", "supershingle", "containment", "exact"] | None = None,
        shingles: Literal["words", "characters"] | None = None,
        width: int | None = None,
        numbers: str | None = None,
        raw: bool | None = None,
        recall: float | None = None,
        groups: Literal["center", "components"] | None = None,
        keep: str | list[str] | None = None,
        seed: int | None = None,
        memory: int | str | None = None,
        threads: int | None = None,
    ) -> None:
        self.text = text
        self.similarity = similarity
        self.method = method
        self.shingles = shingles
        self.width = width
        self.numbers = numbers
        self.raw = raw
        self.recall = recall
        self.groups = groups
        self.keep = keep
        self.seed = seed
        self.memory = memory
        self.threads = threads

    def fit(self, X: Any, y: object = None) -> Self:
        """Finds near-duplicates among texts: a list, an array, a Series or column, or a table.

        y is not looked at. Returns the estimator. Raises kith.Error as kith.dedup does.
        """
        texts = _texts_of(X, self.text)
        table = _kith.table_of([("text", "text")], ({"text": text} for text in texts))
        marks = dedup(table, text="text", **self._options())
        self.labels_ = _array([group - 1 for group in marks["group"]])
        self.keep_ = _array(marks["keep"], "bool")
        self.kept_indices_ = _array(marks["kept_row"])
        self.similarities_ = _array(marks["similarity"], "float64")
        self.report_ = marks.report
        return self

    def fit_predict(self, X: Any, y: object = None) -> Labels:
        """Finds near-duplicates, and returns labels_."""
        return self.fit(X, y).labels_

    def fit_transform(self, X: Any, y: object = None) -> Any:
        """Finds near-duplicates, and returns what stays: rows of X, in their order and its type."""
        return _rows_of(X, self.fit(X, y).keep_)


def _array(values: Sequence[Any], kind: str = "int64") -> Any:
    try:
        numpy: Any = importlib.import_module("numpy")
    except ImportError:
        raise UsageError("the arrays of estimators need numpy: pip install numpy") from None
    return numpy.array(values, dtype=kind)


def _texts_of(source: Any, column: str) -> Iterator[str]:
    """The strings of a column; for what is missing an empty one."""
    names = getattr(source, "column_names", getattr(source, "columns", None))
    if names is not None:
        if column not in list(names):
            raise NotFoundError(f"no column {column!r}; there are {', '.join(map(repr, names))}")
        source = source[column]
    elif isinstance(source, str) or not hasattr(source, "__iter__"):
        raise UsageError(
            f"texts: many of them are needed, in a list or column, not {_what(source)}"
        )
    for way in ("to_list", "to_pylist", "tolist"):  # of Series, of Arrow, of arrays
        if hasattr(source, way):
            source = getattr(source, way)()
            break
    return (_text(value, row) for row, value in enumerate(source))


def _text(value: object, row: int) -> str:
    if isinstance(value, str):
        try:
            value.encode()
        except UnicodeEncodeError:
            raise UsageError(
                f"row {row} has half of a surrogate pair: text.encode('utf-8', 'replace').decode()"
            ) from None
        return value
    is_nan = isinstance(value, float) and math.isnan(value)
    if value is None or is_nan or type(value).__name__ == "NAType":  # of pandas
        return ""
    raise UsageError(f"texts: row {row} is {_what(value)}, not a string")


def _what(value: object) -> str:
    return "a string" if isinstance(value, str) else f"of type {type(value).__name__}"


_URL = "https://text.invalid/"


def _write(texts: Iterator[str], path: pathlib.Path) -> int:
    """Writes pages whose order by URL is that of the rows; returns how many there are."""
    rows = 0
    with path.open("w", encoding="utf-8") as file:
        for text in texts:
            file.write(json.dumps({"url": f"{_URL}{rows:012}", "text": text}) + "\n")
            rows += 1
    return rows


def _row_of(url: str) -> int:
    return int(url[len(_URL) :])


def _rows_of(source: Any, keep: Any) -> Any:
    """Those rows of a list, an array, a Series or a table that are kept."""
    if isinstance(source, (list, tuple)):
        return type(source)(value for value, stays in zip(source, keep) if stays)
    library = type(source).__module__.partition(".")[0]
    if library == "polars":
        return source.filter(importlib.import_module("polars").Series(keep))
    if library == "pyarrow":
        return source.filter(importlib.import_module("pyarrow").array(keep))
    if library == "datasets":
        return source.select(keep.nonzero()[0])
    return source[keep]
