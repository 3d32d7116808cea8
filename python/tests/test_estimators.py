"""kith.Clusterer and kith.Deduplicator: what the jobs find, by the conventions of scikit-learn."""

from __future__ import annotations

import importlib
import pathlib
import subprocess
import sys
import warnings
from typing import Any

import kith
import pytest
from conftest import topic_pages, write_jsonl

np: Any = pytest.importorskip("numpy")

PAGES = topic_pages()
TEXTS = [page["text"] for page in PAGES]
# Two that belong to none, and three without words.
MIXED: list[str | None] = [*TEXTS, "quick brown foxes jump over lazy dogs", "", None, "\n"]
MIXED.append("seven other words that nobody has used")


def clusterer(**parameters: Any) -> kith.Clusterer:
    return kith.Clusterer(max_df=1.0, min_words=1, **parameters)


def test_clusters_are_those_of_the_job(tmp_path: pathlib.Path) -> None:
    found = clusterer(similarity=0.2).fit(TEXTS)
    rows = [{"url": f"https://x.example/{row:03}", "text": text} for row, text in enumerate(TEXTS)]
    crawl = write_jsonl(tmp_path / "pages.jsonl", rows)
    kith.cluster(
        crawl, tmp_path / "run", bags="content", boilerplate="keep", similarity=0.2, max_df=1.0,
        min_words=1, topics="none",
    )  # fmt: skip
    run = kith.open(tmp_path / "run")
    assert isinstance(run, kith.Run)
    row_of = {row["url"]: number for number, row in enumerate(rows)}
    expected = [-1] * len(rows)
    for row in run.clusters().rows():
        if row["role"] != "single":
            expected[row_of[row["url"]]] = row["cluster"] - 1
    assert found.labels_.tolist() == expected
    assert max(expected) == 2
    summary = run.cluster_summary()
    assert found.cluster_names_ == summary["label"]
    assert found.cluster_centers_indices_.tolist() == [row_of[url] for url in summary["center"]]
    assert found.report_["clusters"]["clusters"] == 3


def test_alone_is_minus_one() -> None:
    labels = clusterer().fit_predict(MIXED)
    assert labels.dtype == np.int64
    assert labels[len(TEXTS) :].tolist() == [-1] * 5
    assert set(labels[: len(TEXTS)].tolist()) == {0, 1, 2}


def test_the_same_for_any_threads_and_memory() -> None:
    labels = clusterer(threads=1, engine="lsh").fit_predict(MIXED).tolist()
    assert clusterer(threads=3, engine="lsh", memory="64M").fit_predict(MIXED).tolist() == labels


@pytest.mark.parametrize("texts", [[], [None], [""], ["one"]])
def test_few_texts(texts: list[str | None]) -> None:
    assert kith.Clusterer().fit_predict(texts).tolist() == [-1] * len(texts)
    found = kith.Deduplicator()
    assert found.fit_transform(texts) == texts
    assert found.labels_.tolist() == [-1] * len(texts)


def test_groups_are_those_of_the_job() -> None:
    texts = [*MIXED, *(f"{text} more" for text in TEXTS)]
    found = kith.Deduplicator(similarity=0.7)
    kept = found.fit_transform(texts)
    frame = {"text": texts}
    marks = kith.dedup(importlib.import_module("polars").DataFrame(frame), similarity=0.7)
    assert kept == [text for text, stays in zip(texts, marks["keep"]) if stays]
    assert len(kept) == len(MIXED)
    assert found.labels_.tolist() == [group - 1 for group in marks["group"]]
    assert found.keep_.tolist() == marks["keep"]
    assert found.kept_indices_.tolist() == marks["kept_row"]
    assert found.similarities_.tolist() == marks["similarity"]
    assert found.report_["removed"] == len(TEXTS)


def kinds(texts: list[str | None]) -> dict[str, Any]:
    polars = pytest.importorskip("polars")
    pandas = pytest.importorskip("pandas")
    arrow: Any = pytest.importorskip("pyarrow")
    datasets = pytest.importorskip("datasets")
    rows = {"id": list(range(len(texts))), "text": texts}
    return {
        "tuple": tuple(texts),
        "array": np.array(texts, dtype=object),
        "polars.Series": polars.Series(texts),
        "polars.DataFrame": polars.DataFrame(rows),
        "pandas.Series": pandas.Series(texts, index=range(7, 7 + len(texts))),
        "pandas.DataFrame": pandas.DataFrame(rows),
        "pyarrow.Array": arrow.array(texts),
        "pyarrow.ChunkedArray": arrow.chunked_array([texts[:3], texts[3:]]),
        "pyarrow.Table": arrow.table(rows),
        "datasets.Dataset": datasets.Dataset.from_dict(rows),
    }


def strings(kept: Any) -> list[str | None]:
    column = kept["text"] if hasattr(kept, "columns") or hasattr(kept, "column_names") else kept
    for way in ("to_list", "to_pylist", "tolist"):
        if hasattr(column, way):
            column = getattr(column, way)()
    return [text if isinstance(text, str) else None for text in column]


def test_all_kinds_of_columns() -> None:
    texts: list[str | None] = [*MIXED, *TEXTS[:20]]
    labels = clusterer().fit_predict(texts).tolist()
    kept = kith.Deduplicator().fit_transform(texts)
    for kind, column in kinds(texts).items():
        assert clusterer().fit_predict(column).tolist() == labels, kind
        found = kith.Deduplicator().fit_transform(column)
        assert type(found) is type(column), kind
        assert strings(found) == kept, kind


def test_another_column() -> None:
    frame = importlib.import_module("polars").DataFrame({"body": MIXED})
    labels = clusterer(text="body").fit_predict(frame).tolist()
    assert labels == clusterer().fit_predict(MIXED).tolist()
    with pytest.raises(kith.NotFoundError, match="no column 'text'; there are 'body'"):
        clusterer().fit(frame)


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        ("a text", "many of them are needed"),
        (7, "many of them are needed"),
        (None, "many of them are needed"),
        (["a", 7], "row 1 is of type int, not a string"),
        ([["a"], ["b"]], "row 0 is of type list"),
        (["a", "\ud800"], "row 1 has half of a surrogate pair"),
        (np.zeros((3, 2)), "row 0 is of type list"),
    ],
)
def test_bad_texts(texts: Any, message: str) -> None:
    for estimator in (kith.Clusterer(), kith.Deduplicator()):
        with pytest.raises(kith.UsageError, match=message):
            estimator.fit(texts)
        assert not hasattr(estimator, "labels_")


def test_parameters() -> None:
    estimator = kith.Clusterer(similarity=0.3)
    assert repr(estimator) == "Clusterer(similarity=0.3)"
    assert estimator.set_params(max_df=0.5, similarity=None) is estimator
    assert repr(estimator) == "Clusterer(max_df=0.5)"
    with pytest.raises(ValueError, match="Clusterer has no parameter 'threshold'; there are text"):
        estimator.set_params(threshold=0.5)
    assert estimator.get_params()["max_df"] == 0.5
    kith.Clusterer(similarity=7)  # looked at by fit() only
    with pytest.raises(kith.UsageError, match="similarity"):
        kith.Clusterer(similarity=7).fit(TEXTS)
    with pytest.raises(kith.UsageError, match="similarity"):
        kith.Deduplicator(similarity=7).fit(TEXTS)


def test_parameters_are_options_of_the_jobs() -> None:
    for estimator, options in (
        (kith.Clusterer, kith.ClusterOptions),
        (kith.Deduplicator, kith.DedupOptions),
    ):
        known = set(options.__annotations__)
        for base in getattr(options, "__orig_bases__", ()):
            known |= set(getattr(base, "__annotations__", {}))
        assert set(estimator().get_params()) - {"text"} <= known


def test_leaves_nothing_behind(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    clusterer().fit(TEXTS)
    with pytest.raises(kith.UsageError):
        kith.Clusterer(max_df=7).fit(TEXTS)
    assert list(tmp_path.iterdir()) == []


def test_works_without_scikit_learn() -> None:
    code = (
        "import sys; sys.modules['sklearn'] = None\n"
        "import kith; print(kith.Clusterer().fit_predict(['a', 'b']).tolist())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[-1, -1]\n"


@pytest.mark.parametrize("kind", [kith.Clusterer, kith.Deduplicator])
def test_conventions_of_scikit_learn(kind: Any) -> None:
    estimator = kind()
    checks: Any = pytest.importorskip("sklearn.utils.estimator_checks")
    base: Any = importlib.import_module("sklearn.base")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what it leaves out, since texts are no numbers
        checks.check_estimator(estimator)
    name = kind.__name__
    for check in (
        "check_parameters_default_constructible",
        "check_no_attributes_set_in_init",
        "check_get_params_invariance",
        "check_set_params",
        "check_estimator_repr",
        "check_valid_tag_types",
    ):
        getattr(checks, check)(name, estimator)
    copy = base.clone(estimator.set_params(similarity=0.25))
    assert copy is not estimator and copy.get_params() == estimator.get_params()
    assert base.is_clusterer(estimator)


def test_last_step_of_a_pipeline() -> None:
    pipeline: Any = pytest.importorskip("sklearn.pipeline")
    preprocessing: Any = importlib.import_module("sklearn.preprocessing")

    def lower(texts: list[str]) -> list[str]:
        return [text.lower() for text in texts]

    steps = pipeline.make_pipeline(preprocessing.FunctionTransformer(lower), clusterer())
    labels = steps.fit_predict([text.upper() for text in TEXTS])
    assert labels.tolist() == clusterer().fit_predict(TEXTS).tolist()
    assert steps.set_params(clusterer__max_df=0.5)[-1].max_df == 0.5
