"""Pages of a run that are no content."""

from __future__ import annotations

import os
import pathlib

from kith import _kith
from kith._options import Progress, StrPath
from kith._runs import DedupRun, Run
from kith._tables import Tables


class Audit:
    """What kith.audit has found: tables, and counts of pages.

    families: a row per family, the largest first, with its reasons. urls: every URL of them; of a
    session trap one stays. hosts: those that have some, with their share. pages: that were looked
    at; no_content: of these, without those that stay.
    """

    def __init__(self, found: tuple[_kith.Table, _kith.Table, _kith.Table, int, int, str]) -> None:
        self.families, self.urls, self.hosts, self.pages, self.no_content, self._list = found

    def write_exclude_list(self, path: StrPath) -> None:
        """Writes the URLs to leave out, one in a line, for the option exclude_list of the jobs."""
        pathlib.Path(path).write_text(self._list, encoding="utf-8")

    def __repr__(self) -> str:
        return f"<kith.Audit: {self.no_content} of {self.pages} pages are no content>"


def audit(
    run: StrPath | Run | DedupRun,
    *,
    min_pages: int = 3,
    min_score: float = 1,
    memory: int = 0,
    threads: int = 0,
    progress: Progress | None = None,
) -> Audit:
    """Finds families of pages that are no content: what `kith audit RUN` does.

    run: a finished run of kith.cluster or kith.dedup, or its directory. Its input is read again.
    min_pages: the least size of a family. min_score: less finds more, and errs more. memory: bytes,
    0 for three quarters of the machine. threads: 0 for one per processor. Raises NotFoundError when
    there is no run, or its input is not where it was; UsageError when it cannot be read again.
    """
    directory = run.directory if isinstance(run, (Run, DedupRun)) else os.fspath(run)
    return Audit(
        _kith.audit(directory, min_pages, min_score, memory, threads, Tables(), progress)
    )
