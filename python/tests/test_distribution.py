"""What pip installs: the distribution kith-web and its program; not with another project's kith."""

from __future__ import annotations

import importlib.metadata
import pathlib
import subprocess
import sys

import kith
import pytest


def run(folder: pathlib.Path, code: str) -> subprocess.CompletedProcess[str]:
    """Python that finds kith in `folder` first."""
    return subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(folder)!r}); {code}"],
        capture_output=True,
        text=True,
        check=False,
    )


def test_distribution_has_the_version_of_the_package() -> None:
    assert importlib.metadata.version("kith-web") == kith.__version__


def test_program_is_that_of_the_module() -> None:
    (program,) = importlib.metadata.distribution("kith-web").entry_points.select(name="kith")
    assert program.group == "console_scripts"
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            f"import sys; sys.argv = ['kith', '--version']; "
            f"from {program.module} import {program.attr}; {program.attr}()",
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.startswith(f"kith {kith.__version__}")


@pytest.mark.parametrize("about", ["kith-0.1.0.dist-info", "kith-0.1.0-py3.11.egg-info"])
def test_another_project_of_the_name_is_named(tmp_path: pathlib.Path, about: str) -> None:
    package = pathlib.Path(str(kith.__file__)).parent
    (tmp_path / "kith").mkdir()
    for file in package.iterdir():
        (tmp_path / "kith" / file.name).symlink_to(file)
    assert run(tmp_path, "import kith; kith.tune(0.8)").returncode == 0
    (tmp_path / about).mkdir()
    refused = run(tmp_path, "import kith")
    assert refused.returncode == 1
    assert "ImportError: " in refused.stderr.splitlines()[-1]
    assert "pip uninstall kith" in refused.stderr and str(tmp_path) in refused.stderr
