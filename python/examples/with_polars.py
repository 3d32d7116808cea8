"""Removes near-duplicates from a table of polars."""

import polars

import kith

frame = polars.read_parquet("pages.parquet")
marks = polars.DataFrame(kith.dedup(frame, text="text", id="url", similarity=0.7))
clean = frame.filter(marks["keep"])
clean.write_parquet("clean.parquet")
print(frame.height, "pages,", clean.height, "kept")
