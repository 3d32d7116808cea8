"""The scripts of tools/site on small pages and headers; tools/site.sh runs them with mkdocs and Doxygen."""

import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools" / "site"))
sys.dont_write_bytecode = True

import check_pages  # noqa: E402
import doxygen_comments  # noqa: E402
import stage  # noqa: E402


class PagesTest(unittest.TestCase):
    def offences(self, body):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "sub").mkdir()
            (folder / "a b.html").write_text('<h1 id="one">One</h1>', encoding="utf-8")
            page = folder / "sub" / "page.html"
            page.write_text(body, encoding="utf-8")
            return [offence.split(": ")[1] for offence in check_pages.offences(folder, page, body)]

    def test_links(self):
        for link in ("../a%20b.html", "../a%20b.html#one", "page.html", "#two", "/sub/page.html", "",
                     "https://example.org/none", "javascript:void(0)", "mailto:a@example.org"):
            self.assertEqual(self.offences(f'<a id="two" href="{link}">'), [], link)
        for link in ("a.html", "../a.html", "/page.html", ".."):
            self.assertEqual(self.offences(f'<a href="{link}">'), ["no such file"], link)
        for link in ("../a%20b.html#two", "#one"):
            self.assertEqual(self.offences(f'<a href="{link}">'), ["no such anchor"], link)

    def test_nothing_comes_from_other_servers(self):
        for tag in ('<script src="https://example.org/x.js">', '<link rel=stylesheet href="//example.org/x.css">',
                    '<img alt=x src="http://example.org/x.png">'):
            self.assertEqual(self.offences(tag), ["loaded from another server"], tag)
        self.assertEqual(self.offences('<img src="data:image/png;base64,AA==">'), [])


class StageTest(unittest.TestCase):
    def test_links_to_sources_and_folders_lead_to_pages(self):
        with tempfile.TemporaryDirectory() as name:
            pages = pathlib.Path(name)
            text = stage.Stage(pages).linked("[a](bench/peers.py) [b](examples/) [c](docs/glossary.md#x) "
                                             "`[d](LICENSE)` [e](https://example.org/LICENSE) [f](none.py)", ROOT)
            self.assertEqual(text, "[a](bench/peers.py.md) [b](examples/index.md) [c](docs/glossary.md#x) "
                             "`[d](LICENSE)` [e](https://example.org/LICENSE) [f](none.py)")
            self.assertEqual(stage.Stage(pages).linked("1. a\n\n   b\n```\n  c\n```\n", ROOT),
                             "1. a\n\n    b\n```\n  c\n```\n")
            self.assertIn("````python\n#!/usr/bin/", (pages / "bench/peers.py.md").read_text("utf-8"))
            self.assertIn("- [center.cc](center.cc.md)", (pages / "examples/index.md").read_text("utf-8"))
            self.assertTrue((pages / "examples/center.cc.md").exists())
            self.assertTrue((pages / "docs/glossary.md").exists())


    def test_overloads_are_followed_by_an_implementation(self):
        stub = ("import typing\n@typing.overload\ndef f(a: int) -> int:\n    'Says it.'\n"
                "@typing.overload\ndef f(a: str) -> str: ...\ndef g() -> int: ...")
        made = stage.with_implementations(stub)
        self.assertEqual(made.count("def f"), 3)
        self.assertIn("def f(*args, **kwargs):\n    \"\"\"Says it.\"\"\"\n\ndef g", made)


class CommentsTest(unittest.TestCase):
    def test_comments(self):
        self.assertEqual(list(doxygen_comments.documented(
            ["// A <set>, `a<b.` (docs/glossary.md).", "//", "//   set.f<1>();", "//", "// More.", "",
             "int a;  // at least \\0", "  // Two", "  //   lines", "}  // namespace", "  friend class B;"])),
            ["/// @file",
             "/// A \\<set\\>, <tt>a\\<b\\.</tt> (<a href=\"../../docs/glossary.html\">docs/glossary\\.md</a>).",
             "///", "/// @code{.cpp}", "///   set.f<1>();", "///", "/// @endcode", "/// More.", "",
             "int a;  ///< at least \\\\0", "  /// Two", "  ///   lines", "}  // namespace"])


if __name__ == "__main__":
    unittest.main()
