"""Removes near-duplicates from a data set of Hugging Face, made of a local file."""

import datasets

import kith

pages = datasets.load_dataset("json", data_files="pages.jsonl", split="train")
marks = kith.dedup(pages.with_format("arrow")[:], text="text", id="url", similarity=0.7)
clean = pages.select([row for row, keep in enumerate(marks["keep"]) if keep])
clean.to_parquet("clean.parquet")
print(len(pages), "pages,", len(clean), "kept")
