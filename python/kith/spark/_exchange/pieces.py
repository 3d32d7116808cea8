"""What tasks send to the slices of URLs as bytes of C++: pieces, and what is done with those of a
slice."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

import pyarrow as pa
from pyspark.sql import DataFrame

from kith.spark._exchange.session import Job, check_executor

if TYPE_CHECKING:
    from kith.spark._exchange.blocks import Slots

SENT = "target int, piece int, data binary"
SENT_FIELDS = [
    pa.field("target", pa.int32()),
    pa.field("piece", pa.int32()),
    pa.field("data", pa.binary()),
]
# What a piece is: of what pages say about URLs; of which URL stands for which; of where URLs of the
# slice are folded into; of what is said again of such URLs; of URLs that are not to be folded.
FRAGMENTS, ALIASES, FOLDED, SAID, OTHERS = range(5)


def sent(slots: Slots, piece: int, slices: list[bytes]) -> Iterator[pa.RecordBatch]:
    """Rows of SENT: by slice the bytes of a piece."""
    for target, data in zip(slots.values, slices):
        if data:
            columns = [pa.array([v], f.type) for v, f in zip((target, piece, data), SENT_FIELDS)]
            yield pa.RecordBatch.from_arrays(columns, schema=pa.schema(SENT_FIELDS))


class Pieces:
    """What a slice has got."""

    def __init__(self, batches: Iterable[pa.RecordBatch]) -> None:
        self._data: dict[int, list[bytes]] = {}
        for batch in batches:
            for piece, data in zip(*(batch.column(name).to_pylist() for name in ("piece", "data"))):
                self._data.setdefault(piece, []).append(data)

    def __bool__(self) -> bool:
        return bool(self._data)

    def of(self, piece: int) -> list[bytes]:
        return self._data.get(piece, [])

    def one(self, piece: int) -> bytes:
        return b"".join(self.of(piece))


def in_slices(
    job: Job, rows: DataFrame, work: Callable[[Pieces], Iterator[pa.RecordBatch]], schema: str
) -> DataFrame:
    """The rows of work(pieces), called once for each slice that has some. rows: of SENT."""
    version = job.version

    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        check_executor(version)
        pieces = Pieces(batches)
        if pieces:
            yield from work(pieces)

    columns = rows.select("target", "piece", "data")
    return columns.repartition(job.partitions, "target").mapInArrow(run, schema)
