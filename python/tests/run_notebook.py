"""Runs the code cells of a notebook as one program, in the folder of the notebook, and draws its
figures. Jupyter is not needed, and so cells may hold Python only.

    python run_notebook.py NOTEBOOK
"""

from __future__ import annotations

import importlib
import io
import json
import os
import pathlib
import sys
from typing import Any


def main() -> None:
    notebook = pathlib.Path(sys.argv[1]).resolve()
    os.chdir(notebook.parent)
    pyplot: Any = importlib.import_module("matplotlib.pyplot")
    names: dict[str, Any] = {"__name__": "__main__"}
    for number, cell in enumerate(json.loads(notebook.read_text(encoding="utf-8"))["cells"]):
        if cell["cell_type"] == "code":
            exec(compile("".join(cell["source"]), f"cell {number}", "exec"), names)
    for figure in pyplot.get_fignums():
        pyplot.figure(figure).savefig(io.BytesIO(), format="png")
    print("figures:", len(pyplot.get_fignums()))


if __name__ == "__main__":
    main()
