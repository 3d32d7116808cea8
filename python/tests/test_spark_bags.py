"""kith.spark.bags beside kith.cluster of the same rows: terms, their numbers and weights."""

from __future__ import annotations

import collections
import pathlib
import random
import shutil
from collections.abc import Iterator
from typing import Any

import kith
import pytest

np = pytest.importorskip("numpy")
pyarrow: Any = pytest.importorskip("pyarrow")
pytest.importorskip("pyspark")
if shutil.which("java") is None:
    pytest.skip("there is no Java", allow_module_level=True)

import kith.spark
from conftest import write_jsonl
from kith import _kith
from kith.spark._bags import dictionary, forms, page_words
from kith.spark._exchange.blocks import Slots
from kith.spark._exchange.strings import binary

Rows = list[dict[str, str]]

SENTENCES = (
    "The gardens of the old houses were flooded, and gardening in these houses has stopped.",
    "Die Häuser der alten Stadt wurden überflutet, und die Gärten sind nicht mehr da.",
    "Les jardins des maisons anciennes étaient inondés, et l'eau n'est pas partie.",
    "Сады старых домов были затоплены, и вода не ушла из города до весны.",
    "古い家の庭は水に浸かり、町から水が引くことはなかった。",
)


def make_rows(count: int) -> Rows:
    """In several languages, in no order of their URLs; a few have no word that counts."""
    rng = random.Random(5)
    rows = []
    for i in range(count):
        words = [rng.choice(SENTENCES) for _ in range(1 + rng.randrange(4))]
        words += ["".join(rng.choices("abcdefgh", k=3)) for _ in range(rng.randrange(40))]
        rng.shuffle(words)
        rows.append(
            {
                "url": f"HTTP://Site{rng.randrange(7)}.example/./{i}#part",
                "title": "" if i % 3 else f"Old houses, {'q' * (i % 9)}x",
                "text": "of the and 1234" if i % 50 == 7 else " ".join(words),
            }
        )
    return rows


@pytest.fixture(scope="module")
def rows() -> Rows:
    return make_rows(400)


def table_of(spark: Any, rows: Rows) -> Any:
    values = [(row["url"], row["title"], row["text"]) for row in rows]
    return spark.createDataFrame(values, "url string, title string, text string")


def one_machine(rows: Rows, folder: pathlib.Path, **options: Any) -> kith.Run:
    lines = write_jsonl(folder / "pages.jsonl", rows)
    options = {"topics": "none", "no_check": True, "neighbours": 0, "order": "url", **options}
    kith.cluster(lines, folder / "run", bags="content", boilerplate="keep", **options)
    run = kith.open(folder / "run")
    assert isinstance(run, kith.Run)
    return run


def bags_of(run: kith.Run) -> list[dict[str, float]]:
    """In the order of URLs."""
    return [dict(zip(row["terms"], row["weights"])) for row in run.bags().rows()]


def assert_same(found: kith.spark.Bagged, run: kith.Run) -> None:
    terms = [row.asDict() for row in found.terms.orderBy("term").collect()]
    assert [row["term"] for row in terms] == list(range(len(terms)))
    # By the rule of one machine: the more documents the smaller the number, ties by the stem.
    # Of bags of both kinds links count as well, whose numbers are not in the table.
    ranks = [(-row["documents"], row["stem"].encode()) for row in terms]
    assert ranks == sorted(ranks) or "linked" in found.report
    stems = [row["stem"] for row in terms]
    bags = [row.asDict() for row in found.bags.collect()]
    bags.sort(key=lambda row: bytes(row["key"]))
    for row in bags:
        assert row["terms"] == sorted(set(row["terms"]))
        assert sum(row["weights"]) in (0, 100)
    weights = [dict(zip((stems[t] for t in row["terms"]), row["weights"])) for row in bags]
    assert weights == bags_of(run)
    report = run.report["bags"]
    for name in ("vocabulary", "terms", "frequent_terms", "entries"):
        assert found.report[name] == report[name], name
    assert found.report["rows"] == report["urls"]
    assert found.report["empty_bags"] == report["empty"]
    assert found.report["words"] == run.report["text"]["words"]


def kept_by(spark: Any) -> int:
    """How many tables Spark keeps."""
    return int(spark.sparkContext._jsc.getPersistentRDDs().size())


def test_one_partition(spark: Any, rows: Rows, tmp_path: pathlib.Path) -> None:
    before = kept_by(spark)
    found = kith.spark.bags(table_of(spark, rows).coalesce(1), title="title", partitions=1)
    assert_same(found, one_machine(rows, tmp_path))
    assert found.report["partitions"] == 1
    assert found.report["empty_bags"] == 5  # three of eight have a title
    assert kept_by(spark) == before + 2  # what bags and terms are made of
    found.unpersist()
    assert kept_by(spark) == before


def test_seven_partitions_without_titles(spark: Any, rows: Rows, tmp_path: pathlib.Path) -> None:
    table = table_of(spark, rows).repartition(7)
    options: dict[str, Any] = {
        "weighting": "nmdf", "min_df": 3, "max_df": 0.01, "max_terms": 9, "language": "en",
        "max_page": 1024,
    }  # fmt: skip
    found = kith.spark.bags(table, partitions=7, **options)
    assert_same(found, one_machine([{**row, "title": ""} for row in rows], tmp_path, **options))
    assert found.report["frequent_terms"] > 0
    shown = {row.stem: row.word for row in found.terms.collect()}
    assert shown["hous"] == "houses"


def test_rows_without_a_text(spark: Any) -> None:
    values = [("https://a.example/1", None), ("https://a.example/2", ""),
              ("https://a.example/3", "houses"), ("https://a.example/4", "houses")]  # fmt: skip
    table = spark.createDataFrame(values, "url string, text string")
    found = kith.spark.bags(table, partitions=2)
    bags = {row.id: row for row in found.bags.collect()}
    assert [bags[url].weights for url, _ in values] == [None, None, [100], [100]]
    report = {name: found.report[name] for name in ("rows", "null", "empty", "filled")}
    assert report == {"rows": 4, "null": 1, "empty": 1, "filled": 2}
    none = kith.spark.bags(table.limit(0), partitions=1)
    assert none.bags.collect() == none.terms.collect() == []


def test_names_what_is_wrong_with_a_table(spark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    table = table_of(spark, make_rows(9)).coalesce(1)
    with pytest.raises(kith.NotFoundError, match="no column 'body'; there are 'url', 'title'"):
        kith.spark.bags(table, text="body")
    with pytest.raises(kith.NotFoundError, match="no column 'name'"):
        kith.spark.bags(table, title="name")
    with pytest.raises(kith.UsageError, match="column 'url': of type int, not of strings"):
        kith.spark.bags(table.selectExpr("1 as url", "text"))
    first = make_rows(9)[0]["url"]
    with pytest.raises(kith.UsageError, match=f"column 'url': '{first}' stands in two rows"):
        kith.spark.bags(table.union(table.limit(1)).coalesce(1), partitions=1)
    monkeypatch.setattr(dictionary, "MOST_TERMS", 4)
    before = kept_by(spark)
    with pytest.raises(kith.UsageError, match="[0-9]+ words are in enough rows .* larger min_df"):
        kith.spark.bags(table, partitions=1)
    assert kept_by(spark) == before


def test_names_two_ids_of_a_url(spark: Any) -> None:
    rows = [(["http://a.example/x#1", "http://a.example/y"], [b"x", b"y"]),
            (["HTTP://a.example/x"], [b"x"])]  # fmt: skip
    batches = spark.createDataFrame(rows, "ids array<string>, keys array<binary>").coalesce(1)
    same = "'HTTP://a.example/x' and 'http://a.example/x#1' are the same URL"
    with pytest.raises(kith.UsageError, match=f"column 'url': {same}"):
        page_words._check_unique(batches, "url")


@pytest.mark.parametrize(
    ("url", "message"), [("17", "'17' is no http or https URL"), (None, "a row is null")]
)
def test_names_what_is_no_url(url: str | None, message: str) -> None:
    with pytest.raises(kith.UsageError, match=f"column 'url': {message}"):
        page_words._keys_of(pyarrow.array(["http://a.example/", url]), "url")


SAMPLE = pathlib.Path(__file__).parents[2] / "tests" / "data" / "crawl" / "sample.warc.gz"


NOTHING_LEFT_OUT = {"words": 0, "left_out": 0, "kept_whole": 0, "hosts": 0, "blocks": 0, "most": []}


def test_files_of_a_crawl(spark: Any, rows: Rows, tmp_path: pathlib.Path) -> None:
    """Files that have URLs in common, damaged lines, and pages of HTML."""
    crawl = tmp_path / "crawl"
    crawl.mkdir()
    write_jsonl(crawl / "b.jsonl", rows[:200])
    write_jsonl(crawl / "a.jsonl", [{**row, "text": "met first"} for row in rows[150:160]])
    later = [{**row, "text": "met later"} for row in rows[100:300]]
    write_jsonl(crawl / "c.jsonl", [*later, *rows[300:]])
    with open(crawl / "c.jsonl", "a", encoding="utf-8") as file:
        file.write('{"url":\n')
    options: dict[str, Any] = {"topics": "none", "no_check": True, "neighbours": 0, "order": "url"}
    given = [crawl, SAMPLE]
    for boilerplate, partitions in (("keep", 1), ("remove", 5), (None, 1)):
        chosen: dict[str, Any] = {"bags": "content"}
        if boilerplate is not None:
            chosen["boilerplate"] = boilerplate
        folder = tmp_path / f"run-{boilerplate}"
        kith.cluster(given, folder, **chosen, **options)
        run = kith.open(folder)
        assert isinstance(run, kith.Run)
        found = kith.spark.bags_of_files(spark, given, partitions=partitions, **chosen)
        assert_same(found, run)
        assert found.report.get("boilerplate", NOTHING_LEFT_OUT) == run.report["boilerplate"]
        expected = run.report["crawl"]
        for name, count in found.report["crawl"].items():
            assert count == expected[name] or name == "skipped", name
        skipped = dict(expected["skipped"])
        assert found.report["crawl"]["skipped"] == skipped
        assert skipped["duplicate"] >= 110
        found.unpersist()


def write_captures(folder: pathlib.Path, rows: Rows, names: dict[str, str]) -> None:
    """Captures of each page in several files, with dates in no order, and without."""
    rng = random.Random(9)
    folder.mkdir()
    files: list[Rows] = [[], [], []]
    for row in rows:
        for _ in range(rng.randrange(1, 4)):
            capture = {**row, "text": " ".join([*rng.choices(row["text"].split(), k=3), row["text"]])}
            if rng.random() < 0.8:
                capture["date"] = f"2020-01-{rng.randrange(1, 29):02}"
            rng.choice(files).append({names.get(key, key): capture[key] for key in capture})
    for number, captures in enumerate(files):
        write_jsonl(folder / f"{number}.jsonl", captures)


@pytest.mark.parametrize(
    ("captures", "boilerplate", "fields"),
    [
        ("first", "remove", {}),
        ("last", "remove", {"text": "body", "url": "at.link", "title": "head", "date": "seen"}),
        ("last", "keep", {}),
    ],
)
def test_captures_are_chosen_by_their_dates(
    spark: Any,
    rows: Rows,
    tmp_path: pathlib.Path,
    captures: str,
    boilerplate: str,
    fields: dict[str, str],
) -> None:
    write_captures(tmp_path / "crawl", rows[:150], fields)
    options: dict[str, Any] = {"captures": captures, "boilerplate": boilerplate}
    for field, name in fields.items():
        options[f"{field.replace('date', 'time')}_field"] = name
    plain: dict[str, Any] = {"topics": "none", "no_check": True, "neighbours": 0, "order": "url"}
    kith.cluster(tmp_path / "crawl", tmp_path / "run", **options, **plain)
    run = kith.open(tmp_path / "run")
    assert isinstance(run, kith.Run)
    found = kith.spark.bags_of_files(spark, tmp_path / "crawl", partitions=3, **options)
    assert_same(found, run)
    skipped = dict(run.report["crawl"]["skipped"])
    assert found.report["crawl"]["skipped"] == skipped
    assert skipped["duplicate"] > 100
    assert found.report.get("boilerplate", NOTHING_LEFT_OUT) == run.report["boilerplate"]
    found.unpersist()


def test_rows_of_files_without_urls(spark: Any, rows: Rows, tmp_path: pathlib.Path) -> None:
    """Files with other names of fields, and the rules of a file that executors read."""
    named = [{"name": f"row {i}", "body": row["text"]} for i, row in enumerate(rows[:100])]
    write_jsonl(tmp_path / "pages.jsonl", named)
    options: dict[str, Any] = {"text_field": "body", "id_field": "name"}
    plain: dict[str, Any] = {"topics": "none", "no_check": True, "neighbours": 0, "order": "url"}
    kith.cluster(tmp_path / "pages.jsonl", tmp_path / "run", **options, **plain)
    run = kith.open(tmp_path / "run")
    assert isinstance(run, kith.Run)
    found = kith.spark.bags_of_files(spark, tmp_path / "pages.jsonl", partitions=2, **options)
    assert_same(found, run)
    assert {row["id"] for row in found.bags.collect()} == {row["name"] for row in named}
    made = kith.spark.cluster(found, partitions=2, **plain)
    expected = {(row["url"], row["cluster"], row["role"]) for row in run.clusters().rows()}
    clusters = made.clusters.select("id", "cluster", "role").collect()
    assert {tuple(row) for row in clusters} == expected
    made.unpersist()
    found.unpersist()


def test_columns_of_other_names(spark: Any, rows: Rows, tmp_path: pathlib.Path) -> None:
    table = table_of(spark, rows[:100]).toDF("page at", "head", "Body.of it")
    found = kith.spark.bags(table, text="Body.of it", id="page at", title="head", partitions=2)
    assert_same(found, one_machine(rows[:100], tmp_path))
    found.unpersist()


def write_linked_pages(folder: pathlib.Path) -> None:
    """Files of pages of three sites with links to each other, some of them to what was not fetched."""
    rng = random.Random(3)
    folder.mkdir()
    words = ["garden", "house", "wall", "tower", "bridge", "river", "square", "market", "station"]
    for number in range(3):
        rows = []
        for page in range(number, 60, 3):
            if page % 10 == 9:
                rows.append({"url": site_url(page), "html": COPIED})
                continue
            links = []
            for _ in range(6):
                target = rng.randrange(80)
                text = " ".join(rng.choices(words, k=1 + rng.randrange(3)))
                links.append(f'{rng.choice(words)} <a href="{site_url(target)}">{text}</a>')
            menu = f'<ul><li><a href="/{page % 3}">home of site {page % 3}</a></ul>'
            head = f'<link rel="canonical" href="{site_url(page - 7)}">' if page % 8 == 7 else ""
            if page % 8 == 3:
                head = f'<meta http-equiv="refresh" content="0; url={site_url(page + 3)}">'
            text = ". ".join(links)
            if page % 16 == 7:  # says something else than the page it names, and is not folded into it
                text = " ".join("".join(rng.choices("bcdfgklm", k=7)) for _ in range(30))
            body = f"{head}<title>The {rng.choice(words)}</title>{menu}<p>{text}"
            rows.append({"url": site_url(page), "html": body})
        # Of a URL that an earlier file has as well.
        rows.append({"url": site_url(1), "html": '<p>Later, <a href="/9">nine</a>'})
        write_jsonl(folder / f"{number}.jsonl", rows)
    (folder / "redirects.warc").write_bytes(b"".join(redirects()))


def redirects() -> Iterator[bytes]:
    """Of URLs that links lead to: to a page, in two steps, in a circle, and of a page that is there."""
    steps = [(70, 5), (71, 5), (76, 77), (77, 6), (78, 79), (79, 78), (3, 4)]
    for page, target in steps:
        http = f"HTTP/1.1 301 Moved\r\nLocation: {site_url(target)}\r\n\r\n"
        head = f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {site_url(page)}\r\n"
        kind = f"Content-Type: application/http\r\nContent-Length: {len(http)}\r\n\r\n"
        yield f"{head}{kind}{http}\r\n\r\n".encode()


COPIED = f"<title>A copy</title><p>{SENTENCES[0] * 3}"


def site_url(page: int) -> str:
    return f"http://site{page % 3}.example/{page}"


@pytest.mark.parametrize(
    "options",
    [
        {"bags": "anchor", "window": 4},
        {"bags": "anchor", "urls": "fetched", "min_df": 3},
        {"bags": "anchor", "urls": "all", "boilerplate": "keep", "links": "external"},
        {},
        {"bags": "anchor", "aliases": "fold", "urls": "all"},
        {"bags": "both", "aliases": "keep", "urls": "all", "content_share": 0.8, "max_terms": 20},
    ],
)
def test_links_of_a_crawl(spark: Any, tmp_path: pathlib.Path, options: dict[str, Any]) -> None:
    write_linked_pages(tmp_path / "crawl")
    given = [tmp_path / "crawl", SAMPLE]
    clusters: dict[str, Any] = {"engine": "lsh", "order": "url"}
    plain: dict[str, Any] = {"topics": "none", "no_check": True, "neighbours": 0}
    kith.cluster(given, tmp_path / "run", **options, **clusters, **plain)
    run = kith.open(tmp_path / "run")
    assert isinstance(run, kith.Run)
    found = kith.spark.bags_of_files(spark, given, partitions=4, **options)
    assert_same(found, run)
    assert found.report["fetched"] == run.report["bags"]["fetched"]
    assert found.report["left_out"] == run.report["bags"]["left_out"]
    assert (found.report["left_out"] > 0) == (options.get("urls") != "all")
    folds = run.report["aliases"]["folded"] > 0
    assert folds == ("aliases" in found.report)
    if folds:
        assert found.report["aliases"].items() <= run.report["aliases"].items()
        if options.get("bags") != "anchor":
            assert found.report["aliases"]["other_text"] > 0
        assert found.report["aliases"]["redirect"] == 7
    if options.get("bags", "both") == "both":
        assert found.report["copies"] == run.report["bags"]["copies"] > 0
        assert found.report["copied"] == run.report["bags"]["copied"]
    assert sorted(row["id"] for row in found.bags.collect()) == sorted(
        row["url"] for row in run.pages().rows()
    )
    if not options:
        names = ("cluster", "role", "similarity")
        expected = {(r["url"], *(r[name] for name in names)) for r in run.clusters().rows()}
        made = kith.spark.cluster(found, partitions=3, **clusters, **plain)
        assert {tuple(row) for row in made.clusters.select("id", *names).collect()} == expected
        made.unpersist()
    found.unpersist()


def test_one_file_in_place_of_a_table(
    spark: Any, rows: Rows, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_jsonl(tmp_path / "pages.jsonl", rows[:60])
    options: dict[str, Any] = {"min_df": 3, "language": "en"}
    monkeypatch.chdir(tmp_path)
    found = kith.spark.bags_of_files(
        spark, "pages.jsonl", partitions=2, bags="content", boilerplate="keep", **options
    )
    (tmp_path / "one").mkdir()
    assert_same(found, one_machine(rows[:60], tmp_path / "one", **options))
    assert found.report["crawl"]["files"] == 1


def test_names_the_file_that_is_wrong(spark: Any, rows: Rows, tmp_path: pathlib.Path) -> None:
    with pytest.raises(kith.UsageError, match="-: executors have no standard input"):
        kith.spark.bags_of_files(spark, "-")
    with pytest.raises(kith.NotFoundError, match="no-such-crawl.warc"):
        kith.spark.bags_of_files(spark, tmp_path / "no-such-crawl.warc")
    write_jsonl(tmp_path / "a.jsonl", rows[:9])
    (tmp_path / "b.jsonl").write_text('{"url":\n')
    with pytest.raises(kith.CorruptError, match="b.jsonl"):
        kith.spark.bags_of_files(spark, tmp_path, strict=True, partitions=1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"base_url": "http://a.example/"}, "base_url: a folder of HTML is read by one machine"),
        ({"shard": "1/2"}, "shard: Spark decides"),
        ({"bags": "content", "aliases": "fold"}, "aliases: is about links"),
        ({"bags": "neither"}, "bags neither: must be both, content, anchor"),
        ({"bags": "content", "window": 4}, "window: is about links"),
        ({"bags": "anchor", "window": 1001}, "window = "),
        ({"boilerplate": "some"}, "--boilerplate"),
        ({"status": "ok"}, "status = "),
    ],
)
def test_refuses_options_of_other_files(spark: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(kith.UsageError, match=message):
        kith.spark.bags_of_files(spark, SAMPLE, **options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"bags": "both"}, "bags both: .* must be content"),
        ({"boilerplate": "remove"}, "boilerplate remove: .* must be keep"),
        ({"window": 3}, "window: is about links"),
        ({"similarity": 0.5}, "similarity: is about clusters"),
        ({"memory": "4G"}, "memory: executors"),
        ({"threads": 2}, "threads: Spark decides"),
        ({"status": "any"}, "status: is about files"),
        ({"max_df": 2}, "max_df = 2"),
        ({"weighting": "idf"}, "--weighting: 'idf' is not one of"),
        ({"partitions": 0}, "partitions 0"),
    ],
)
def test_refuses_options_of_other_bags(spark: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(kith.UsageError, match=message):
        kith.spark.bags(spark.range(1), **options)


def test_every_option_of_one_machine_is_taken_or_refused() -> None:
    from kith.spark._bags import job

    taken = {"language", "max_page", "weighting", "min_df", "max_df", "max_terms"}
    names = {name.replace("-", "_") for name in _kith.option_names("cluster")} - {"output"}
    assert names == set(job._REFUSED_OF_TABLES) | set(job._ONLY_OF_TABLES) | taken
    taken |= {"status", "strict", "bags", "boilerplate", "urls", "links", "window"}
    taken |= {"content_share", "aliases", *job._OF_FILES, *job._OF_ROWS}
    assert names == set(job._REFUSED_OF_FILES) | taken


_Form = tuple[str, str]


def _page_words(stems: list[str], documents: list[int], forms: dict[_Form, int]) -> Any:
    """A row as the pages have it: of one part."""
    names = sorted(forms, key=lambda form: (stems.index(form[0]), form[1]))
    return pyarrow.RecordBatch.from_pydict(
        {
            "stems": pyarrow.array(["".join(stems).encode()]),
            "stem_sizes": binary(np.array([len(stem) for stem in stems], np.uint32)),
            "documents": binary(np.array(documents, np.uint32)),
            "forms": pyarrow.array(["".join(word for _, word in names).encode()]),
            "form_sizes": binary(np.array([len(word) for _, word in names], np.uint32)),
            "form_stems": binary(np.array([stems.index(stem) for stem, _ in names], np.uint32)),
            "form_counts": binary(np.array([forms[name] for name in names], np.uint64)),
        }
    )


def _strings(batch: pyarrow.RecordBatch, data: str, sizes: str) -> list[str]:
    return [str(text) for text in forms.strings_at(batch, data, sizes, 0).to_pylist()]


@pytest.mark.parametrize(("most", "rows"), [(10, 11), (50, 4), (1000, 1)])
def test_adds_up_the_forms_of_a_task(most: int, rows: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forms, "_FORMS_OF_TASK", most)
    documents: collections.Counter[str] = collections.Counter()
    counts: collections.Counter[_Form] = collections.Counter()
    given = []
    for first in range(0, 100, 10):
        stems = [f"s{number}" for number in range(first, first + 10)][::-1]
        some = {(stem, f"{stem}{'xyz'[first // 10 % 3]}"): len(stem) + first for stem in stems}
        some |= {("s1", word): first + 1 for word in ("s1", "s1z") if "s1" in stems}
        given.append(_page_words(stems, list(range(1, 11)), some))
        documents.update(dict(zip(stems, range(1, 11))))
        counts.update(some)
    given *= 2
    sent = list(forms._added_up(iter(given), 1, Slots([7])))
    assert len(sent) == rows
    total = _kith.FormCounts()
    for batch in sent:
        assert batch.column("target").to_pylist() == [7]
        forms._add(total, batch, 0, 2)
    assert (total.stems, total.forms) == (len(documents), len(counts))
    terms = list(forms._terms_of(total, 6))
    frequent = sorted(stem for stem in documents if 2 * documents[stem] >= 6)
    assert [_strings(batch, "stems", "stem_sizes") for batch in terms] == [frequent]
    best = [
        min((-count, word) for (stem, word), count in counts.items() if stem == wanted)[1]
        for wanted in frequent
    ]
    assert _strings(terms[0], "words", "word_sizes") == best
    found = np.frombuffer(terms[0].column("documents")[0].as_py(), np.int64)
    assert found.tolist() == [2 * documents[stem] for stem in frequent]
    assert terms[0].column("vocabulary").to_pylist() == [100]
    assert list(forms._added_up(iter([]), 1, Slots([7]))) == []


def test_refuses_forms_that_do_not_fit_their_stems() -> None:
    row = _page_words(["a", "b"], [1, 2], {("a", "ab"): 3})
    for name, wrong in (
        ("stem_sizes", np.array([1, 2], np.uint32)),
        ("documents", np.array([1], np.uint32)),
        ("form_stems", np.array([2], np.uint32)),
        ("form_counts", np.array([1, 2], np.uint64)),
    ):
        at = row.schema.names.index(name)
        with pytest.raises(kith.CorruptError, match="do not fit together"):
            forms._add(_kith.FormCounts(), row.set_column(at, name, binary(wrong)), 0, 1)
    with pytest.raises(kith.CorruptError, match="do not fit together"):
        forms._add(_kith.FormCounts(), row, 0, 2)


def test_texts_in_several_pieces(rows: Rows, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page_words, "ROW_PAGES", 100)
    table = pyarrow.Table.from_pylist(rows)
    pieces = list(page_words._pieces(table.to_batches(max_chunksize=64)))
    assert [piece.num_rows for piece in pieces] == [128, 128, 128, 16]
    assert pyarrow.Table.from_batches(pieces).equals(table)
