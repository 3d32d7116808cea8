"""The command line: `kith cluster crawl.warc.gz -o run`, or `python -m kith` in place of `kith`."""

import signal
import sys

from kith._kith import run_command
from kith._tables import Tables


def main() -> None:
    """Runs the command that the arguments name, and ends with its exit code."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # the command says itself what Ctrl-C left
    sys.exit(run_command(sys.argv[1:], Tables()))


if __name__ == "__main__":
    main()
