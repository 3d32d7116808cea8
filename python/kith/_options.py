"""The options of the jobs, for type checkers and editors: those of the command line.

`kith COMMAND --help all` says what each of them means. What is not given has the default of the command
line. Tests compare the names.
"""

from __future__ import annotations

import os
from typing import Literal, Protocol, TypedDict, Union

StrPath = Union[str, "os.PathLike[str]"]


class Progress(Protocol):
    """A callable that a job tells where it is, several times a second.

    stage: "bags", "pairs", ...; a new name begins a new stage. done and total are in `unit`
    ("bytes", "URLs", ...); total is 0 when it is not known. note: a line that the user should read
    now, else empty. What it raises stops the job, and comes out of it.
    """

    def __call__(self, stage: str, done: float, total: float, unit: str, note: str) -> object: ...


class ReadOptions(TypedDict, total=False):
    """How a crawl is read."""

    base_url: str
    status: str
    max_page: int | str
    language: str
    strict: bool
    include: str | list[str]
    exclude: str | list[str]
    only: StrPath
    exclude_list: StrPath
    text_field: str
    html_field: str
    id_field: str
    url_field: str
    title_field: str
    time_field: str


class BagOptions(ReadOptions, total=False):
    """The options that kith.cluster and kith.paper share."""

    url_rules: StrPath
    unwrap: bool
    captures: Literal["first", "last"]
    shard: str
    links: Literal["all", "external"]
    window: int
    aliases: Literal["fold", "keep"]
    max_terms: int
    weighting: Literal["tf-idf", "nmdf", "tf"]
    min_df: int
    max_df: float
    stop_words: StrPath
    neighbours: int
    seed: int
    no_check: bool
    memory: int | str
    threads: int


class ClusterOptions(BagOptions, total=False):
    """The options of kith.cluster."""

    bags: Literal["both", "anchor", "content"]
    content_share: float
    urls: Literal["fetched", "seen", "all"]
    boilerplate: Literal["remove", "keep"]
    similarity: float | Literal["auto"]
    engine: Literal["auto", "exact", "lsh"]
    recall: float
    lanes: int
    max_tables: int
    min_words: int
    order: Literal["auto", "degree", "mass", "inlinks", "url", "random"]
    assign: Literal["first", "best"]
    other_sites: int
    within: StrPath
    topics: Literal["full", "mutual", "clusters", "none"]
    related: Literal["smoothed", "plain", "similar"]


class PaperOptions(BagOptions, total=False):
    """The options of kith.paper."""

    bags: Literal["anchor", "content"]
    similarity: float


class DedupOptions(ReadOptions, total=False):
    """The options of kith.dedup."""

    url_rules: StrPath
    unwrap: bool
    captures: Literal["all", "first", "last"]
    shard: str
    write: StrPath
    revisit: bool
    against: StrPath | list[StrPath]
    shingles: Literal["words", "characters"]
    width: int
    max_documents: int
    boilerplate: Literal["remove", "keep"]
    no_distinct_titles: bool
    bag: bool
    numbers: str
    raw: bool
    method: Literal["minhash", "simhash", "supershingle", "containment", "exact"]
    similarity: float
    recall: float
    lanes: int
    distance: int
    no_verify: bool
    seed: int
    no_check: bool
    groups: Literal["center", "components"]
    order: Literal["degree", "keep"]
    keep: str | list[str]
    source_field: str
    annotate: bool
    weights: str
    max_loss: float | str
    dry_run: bool
    max_comparisons: int
    list_pairs: Literal["centers", "all"]
    unit: Literal["document", "span", "line", "paragraph"]
    min_tokens: int
    passages: Literal["remove", "first", "mark"]
    sentences: bool
    high_loss: float
    examples: int
    format: Literal["tsv", "csv", "csv-bom", "jsonl", "parquet", "arrow"]
    memory: int | str
    threads: int


class MergeOptions(TypedDict, total=False):
    """The options of kith.merge."""

    write: StrPath
    memory: int | str
    threads: int


class ContaminationOptions(ReadOptions, total=False):
    """The options of kith.contaminated."""

    eval_field: str
    rule: Literal["8-gram", "13-gram"]
    width: int
    containment: float
    suite: str | list[str]
    min_words: int
    write: StrPath
    write_texts: StrPath
    memory: int | str
    threads: int
