"""kith serve answers as apps/server/openapi.json says, whatever it is asked (schemathesis).

Run by tools/test.sh (step python): KITH=PROGRAM python3 -m pytest tests/api
"""

import json
import os
import pathlib
import subprocess

import hypothesis
import pytest
import schemathesis
from schemathesis.specs.openapi.checks import negative_data_rejection, positive_data_acceptance

KITH = os.environ["KITH"]
DESCRIPTION = pathlib.Path(__file__).parents[2] / "apps" / "server" / "openapi.json"
TOPICS = {"music": "guitar melody chord rhythm song band concert piano violin drum",
          "cooking": "recipe butter flour oven sugar sauce dough bake simmer roast"}


def pages():
    for topic, words in TOPICS.items():
        for number in range(12):
            text = " ".join(f"{word}{number % 3}" if i % 4 == 0 else word
                            for i, word in enumerate(words.split()))
            yield {"url": f"https://{topic}.example/{number}", "title": f"{topic} {number}",
                   "text": text}


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    """A server of a run of each kind, and of a stream that begins empty."""
    folder = tmp_path_factory.mktemp("served")
    (folder / "pages.jsonl").write_text("".join(json.dumps(page) + "\n" for page in pages()))
    subprocess.run([KITH, "cluster", "pages.jsonl", "-o", "run", "--bags", "content",
                    "--min-df", "1", "--max-df", "1", "--boilerplate", "keep"], cwd=folder,
                   check=True, stderr=subprocess.DEVNULL)
    subprocess.run([KITH, "dedup", "pages.jsonl", "-o", "copies", "--width", "2", "--similarity", "0.5"],
                   cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    subprocess.run([KITH, "stream", "news"], cwd=folder, check=True, stdin=subprocess.DEVNULL,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    server = subprocess.Popen([KITH, "serve", "run", "copies", "--stream", "news", "--port", "0"], cwd=folder,
                              stderr=subprocess.PIPE, text=True)
    try:
        yield server.stderr.readline().split()[-1].rstrip("/")
    finally:
        server.terminate()
        assert server.wait(timeout=30) == 0
        server.stderr.close()


@schemathesis.serializer("application/x-ndjson")
def lines(_, value):
    return value.encode() if isinstance(value, str) else json.dumps(value).encode()


schema = schemathesis.openapi.from_path(DESCRIPTION)


@schema.parametrize()
@hypothesis.settings(max_examples=60, deadline=None, derandomize=True, database=None,
                     suppress_health_check=list(hypothesis.HealthCheck))
def test_answers_are_as_described(case, address):
    excluded = []
    # That a text is a URL, or that a cluster, a group or a document is asked for by its name or its
    # number, no schema of a parameter can say.
    by_either = {"/api/cluster", "/api/group", "/api/pairs", "/api/document", "/api/overlap"}
    if {"url", "a", "b"} & set(case.query or {}) or case.operation.path in by_either:
        excluded.append(positive_data_acceptance)
    # Lines that are no pages are counted, and the others taken.
    if case.operation.path == "/api/documents":
        excluded.append(negative_data_rejection)
    case.call_and_validate(base_url=address, excluded_checks=excluded)
