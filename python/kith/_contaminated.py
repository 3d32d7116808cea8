"""Items of test sets inside documents."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from kith import _kith
from kith._errors import UsageError
from kith._inputs import job_inputs
from kith._jobs import Inputs, _in_python, _option_words
from kith._options import ContaminationOptions, Progress
from kith._tables import is_memory, raising

if TYPE_CHECKING:
    from typing_extensions import Unpack


class Contamination:
    """What kith.contaminated has found: tables, and a report.

    hits: a row for every item in every document: suite, item, document, containment, shingles, and
    the passage with the words before and after. items: a row for every item that was found, with the
    number of its documents and the best one. report: a dict of counts, with one for each suite.
    """

    def __init__(self, found: tuple[_kith.Table, _kith.Table, str]) -> None:
        self.hits, self.items, report = found
        self.report: dict[str, Any] = json.loads(report)

    def __repr__(self) -> str:
        counts = self.report
        return (
            f"<kith.Contamination: {counts['contaminated']} of {counts['documents']} documents "
            "hold an item>"
        )


def contaminated(
    inputs: Inputs,
    evals: Inputs,
    *,
    progress: Progress | None = None,
    **options: Unpack[ContaminationOptions],
) -> Contamination:
    """Finds items of test sets inside documents: what `kith contaminated INPUTS --evals EVALS` does.

    inputs: as of cluster(). evals: files and folders of test sets, patterns, addresses or a list of
    these; Parquet and Arrow files too. suite: "NAME:KEY=VALUE,KEY=VALUE" or a list of such. write:
    a copy of the inputs without the documents that hold an item.

    All hits are in memory at the end. Raises kith.Error, and what `progress` raises.
    """
    if is_memory(evals):
        raise UsageError("evals: is a table in memory; write it to a file")
    with (
        _in_python("contaminated"),
        job_inputs(inputs, options) as (names, tables),
        job_inputs(evals, {}) as (suites, _),
        raising(tables.failures),
    ):
        given = {**options, "evals": suites}
        words = [
            word
            for name, value in given.items()
            for word in _option_words("--" + name.replace("_", "-"), value)
        ]
        return Contamination(_kith.contaminated([*words, "--", *names], tables, progress))
