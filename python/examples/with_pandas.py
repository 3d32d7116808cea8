"""Looks at the groups of near-duplicates in a table of pandas."""

import pandas

import kith

frame = pandas.read_json("pages.jsonl", lines=True)
marks = pandas.DataFrame.from_arrow(kith.dedup(frame, text="text", id="url", similarity=0.7))
groups = frame.join(marks).query("group > 0").groupby("group")
print(groups.agg(pages=("url", "size"), kept=("kept_id", "first")))
