#!/usr/bin/python3
"""Lays out the pages of the site: the documents as they are, and a page for each file or folder that they link to.

    tools/site/stage.py FOLDER [STUB]      # makes FOLDER/pages and FOLDER/python, which mkdocs reads (tools/site.sh)

STUB is that of the compiled module, without which the Python reference has no classes of it.
"""

import ast
import json
import pathlib
import re
import shutil
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
LINK = re.compile(r"(?<=\]\()([^)#\s:]+)(?=[)#])")
INDENT = re.compile(r"^ {2,3}(?=\S)", re.MULTILINE)  # of what belongs to an item of a list
CODE = re.compile(r"(^```.*?^```|`[^`\n]+`)", re.MULTILINE | re.DOTALL)
LANGUAGES = {".cc": "cpp", ".h": "cpp", ".py": "python", ".json": "json"}
PYTHON = {
    "kith": "# The package kith\n\nHow it is used: [Python](../docs/python.md).\n\n::: kith\n",
    "kith.spark": "# The package kith.spark\n\nWhat runs where: [Spark](../docs/spark.md).\n\n::: kith.spark\n",
}
CPP = """# The headers

How the library is used: [the library](../docs/library.md). [All classes](cpp/annotated.html),
[all functions](cpp/namespacemembers_func.html).

| header | what it is for |
|---|---|
"""


def heading(path):
    """The title of a document, or the first sentence of a source, without where it is defined."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".md":
        return re.search(r"^# (.+)$", text, re.MULTILINE)[1]
    if path.suffix == ".py":
        return re.search(r'"""(.+?)(?:\.?"""|\.?\n)', text)[1]
    comment = re.match(r"(?://.*\n)+", text)[0].replace("//", "").split("\n\n")[0]
    sentence = re.split(r"(?<=[^.]\.)\s|:$", " ".join(comment.split()))[0]
    return re.sub(r"\s\([^()]*docs/[^()]*\)|\.$", "", sentence.removesuffix(".")).replace("|", "\\|")


def page_of_folder(folder):
    rows = [f"- [{heading(path) if path.suffix == '.md' else path.name}]({path.name})"
            f"{'' if path.suffix == '.md' else ': ' + heading(path)}"
            for path in sorted(folder.iterdir()) if path.suffix in {".md", ".cc", ".py"}]
    return f"# {folder.name.capitalize()}\n\n" + "\n".join(rows) + "\n"


def page_of_file(path):
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".ipynb":
        return "\n\n".join("".join(cell["source"]) if cell["cell_type"] == "markdown" else
                           "```python\n" + "".join(cell["source"]) + "\n```" for cell in json.loads(text)["cells"])
    return f"# {path.name}\n\n````{LANGUAGES.get(path.suffix, 'text')}\n{text}````\n"


def with_implementations(stub):
    """A stub in which an implementation, with the first docstring, follows overloads: mkdocstrings shows no others."""
    tree = ast.parse(stub)
    for scope in [tree, *(node for node in tree.body if isinstance(node, ast.ClassDef))]:
        last = {node.name: node for node in scope.body if isinstance(node, ast.FunctionDef) and node.decorator_list and
                ast.unparse(node.decorator_list[0]).endswith("overload")}
        for name, node in last.items():
            documented = next(each for each in scope.body if getattr(each, "name", "") == name)
            made = ast.parse(f"def {name}(*args, **kwargs):\n    {(ast.get_docstring(documented) or '')!r}").body
            scope.body[scope.body.index(node) + 1:scope.body.index(node) + 1] = made
    return ast.unparse(tree)


class Stage:
    def __init__(self, output):
        self.output = output
        self.done = set()

    def add(self, path):
        """Adds what a document or a link names; returns what to add to the link."""
        ending = "/index.md" if path.is_dir() else "" if path.suffix in (".md", ".png") else ".md"
        if path in self.done:
            return ending
        self.done.add(path)
        target = self.output / f"{path.relative_to(ROOT)}{ending}"
        target.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix == ".png":
            shutil.copyfile(path, target)
        else:
            text = page_of_folder(path) if path.is_dir() else page_of_file(path) if ending else path.read_text("utf-8")
            target.write_text(self.linked(text, path if path.is_dir() else path.parent), encoding="utf-8")
        return ending

    def linked(self, text, folder):
        """The text, with links to files that are no documents leading to their pages, and indented as mkdocs wants."""
        def target(link):
            path = (folder / link[1]).resolve()
            return link[1].rstrip("/") + (self.add(path) if path.is_relative_to(ROOT) and path.exists() else "")
        return "".join(part if number % 2 else LINK.sub(target, INDENT.sub("    ", part))
                       for number, part in enumerate(CODE.split(text)))


def main(folder, stub=None):
    shutil.copytree(ROOT / "python/kith", folder / "python/kith")
    if stub:
        text = with_implementations(pathlib.Path(stub).read_text(encoding="utf-8"))
        (folder / "python/kith/_kith.pyi").write_text(text, encoding="utf-8")
    output = folder / "pages"
    stage = Stage(output)
    stage.add(ROOT / "README.md")
    for path in sorted(ROOT.glob("docs/**/*.md")):
        stage.add(path)
    reference = output / "reference"
    reference.mkdir()
    rows = [f"| [{path.name}](cpp/{path.stem.replace('_', '__')}_8h.html) | {heading(path)} |"
            for path in sorted(ROOT.glob("include/kith/*.h"))]
    (reference / "cpp.md").write_text(CPP + "\n".join(rows) + "\n", encoding="utf-8")
    for name, text in PYTHON.items():
        (reference / f"{name}.md").write_text(text, encoding="utf-8")
    shutil.copyfile(ROOT / "tools/site/site.css", output / "site.css")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]), *sys.argv[2:])
