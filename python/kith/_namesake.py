"""The name kith on PyPI is another project's: both have a package `kith`, and the one that is
installed last overwrites files of the other."""

import pathlib


def check() -> None:
    """Raises an ImportError where the other project is installed in the same folder."""
    folder = pathlib.Path(__file__).parents[1]
    if any(folder.glob("kith-*-info")):
        raise ImportError(
            f"{folder} also has another project's package 'kith', which overwrites files of this "
            "one: 'pip uninstall kith', then install kith-web again"
        )
