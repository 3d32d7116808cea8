"""kith finds the pages of a web crawl that belong together. The package's name on an index is kith-web.

    import kith

    kith.cluster("crawl.warc.gz", "run")      # from a crawl to clusters, topics, related pages
    run = kith.open("run")
    run.related("https://example.org/").rows()

    kith.dedup("pages.jsonl.zst", "copies")   # near-duplicates: groups, pairs, what to keep
    kith.open("copies").groups().rows()

Options are those of the command line, under the same names: `--max-df 0.1` is `max_df=0.1`, and
`--no-check` is `no_check=True`; `kith cluster --help all` explains each of them. Tables are
taken as they are, without a copy, by polars, pyarrow, pandas and DuckDB (the Arrow PyCapsule
interface). Every error is a kith.Error whose message says what, where and what to do.
"""

from kith import _kith, _namesake
from kith._audit import Audit, audit
from kith._contaminated import Contamination, contaminated
from kith._errors import (
    CorruptError,
    Error,
    FileError,
    MemoryLimitError,
    NotFoundError,
    UsageError,
)
from kith._estimators import Clusterer, Deduplicator
from kith._jobs import cluster, dedup, merge, pages, paper
from kith._kith import (
    BagSketcher,
    Comparison,
    CrawledPage,
    Index,
    MinHasher,
    Page,
    PageReader,
    Sets,
    SimHasher,
    Table,
    cluster_bags,
    compare,
    estimate_similarity,
    extract,
    recall_at,
    shingles,
    tune,
)
from kith._options import (
    ClusterOptions,
    ContaminationOptions,
    DedupOptions,
    MergeOptions,
    PaperOptions,
    Progress,
)
from kith._runs import DedupRun, Run, open

_namesake.check()

__version__: str = _kith.version()

__all__ = [
    "Audit",
    "BagSketcher",
    "ClusterOptions",
    "Clusterer",
    "Comparison",
    "Contamination",
    "ContaminationOptions",
    "CorruptError",
    "CrawledPage",
    "DedupOptions",
    "DedupRun",
    "Deduplicator",
    "Error",
    "FileError",
    "Index",
    "MemoryLimitError",
    "MergeOptions",
    "MinHasher",
    "NotFoundError",
    "Page",
    "PageReader",
    "PaperOptions",
    "Progress",
    "Run",
    "Sets",
    "SimHasher",
    "Table",
    "UsageError",
    "__version__",
    "audit",
    "cluster",
    "cluster_bags",
    "compare",
    "contaminated",
    "dedup",
    "estimate_similarity",
    "extract",
    "merge",
    "open",
    "pages",
    "paper",
    "recall_at",
    "shingles",
    "tune",
]
