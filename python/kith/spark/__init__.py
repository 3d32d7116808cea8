"""Near-duplicates among the rows of a table of Spark, bags of their words or of
the pages of a crawl, and clusters, related pages and topics of bags, with the results of one machine.

    import kith.spark

    found = kith.spark.dedup(spark.read.parquet("pages"), text="text", id="url")
    found.marks.filter("keep").write.parquet("kept")
    made = kith.spark.bags(spark.read.parquet("pages"), text="text", id="url")
    made = kith.spark.bags_of_files(spark, "crawl/")
    kith.spark.cluster(made).clusters.write.parquet("clusters")

docs/spark.md says what runs where, and what a cluster needs.
"""

from kith._errors import UsageError

try:
    import numpy as _numpy  # noqa: F401
    import pyarrow as _pyarrow  # noqa: F401
    import pyspark as _pyspark  # noqa: F401
except ImportError as error:
    raise UsageError(f"kith.spark needs {error.name}: pip install 'kith-web[spark]'") from None

from kith.spark._bags.job import Bagged, bags, bags_of_files
from kith.spark._cluster.job import Clustered, cluster
from kith.spark._dedup.job import Deduped, dedup

__all__ = [
    "Bagged",
    "Clustered",
    "Deduped",
    "bags",
    "bags_of_files",
    "cluster",
    "dedup",
]
