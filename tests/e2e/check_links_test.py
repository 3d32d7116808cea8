"""tools/check_links.py on small trees of documents."""

import unittest

from tree_case import TreeCase

GUIDE = "# Guide\n## How to: `kith serve` & more\n```\n# no heading\n```\n## Again\n## Again\n"


class CheckLinksTest(TreeCase):
    tool = "check_links.py"

    def assert_right(self, link):
        self.assertEqual(self.check({"docs/guide.md": GUIDE, "docs/a/b.md": f"see [it]({link})\n"}), (0, []))

    def assert_wrong(self, link):
        self.assertEqual(self.check({"docs/guide.md": GUIDE, "docs/a/b.md": f"see [it]({link})\n"}),
                         (1, [f"docs/a/b.md: {link}: no such file or heading"]))

    def test_files_and_folders(self):
        for link in ("../guide.md", "b.md", "../../docs", "https://example.org/none.md", "mailto:a@example.org"):
            self.assert_right(link)
        for link in ("guide.md", "../gide.md", "../../src"):
            self.assert_wrong(link)

    def test_headings(self):
        for anchor in ("guide", "how-to-kith-serve--more", "again", "again-1"):
            self.assert_right(f"../guide.md#{anchor}")
        for anchor in ("no-heading", "how-to", "again-2", "Guide"):
            self.assert_wrong(f"../guide.md#{anchor}")
        self.assertEqual(self.check({"a.md": "# One\n[x](#one)\n"}), (0, []))
        self.assertEqual(self.check({"a.md": "# One\n[x](#two)\n"})[0], 1)

    def test_links_in_code_are_none(self):
        self.assertEqual(self.check({"a.md": "`[x](none.md)`\n```\n[x](none.md)\n```\n"}), (0, []))

    def test_sources_name_documents_that_exist(self):
        files = {"docs/guide.md": GUIDE, "src/a/x.h": "// docs/guide.md\n// https://a.org/docs/none.md\n"}
        self.assertEqual(self.check(files), (0, []))
        files["src/a/y.py"] = '"""docs/gide.md says."""\n'
        self.assertEqual(self.check(files), (1, ["src/a/y.py: docs/gide.md: no such file or heading"]))

    def test_nothing_to_check_is_a_failure(self):
        self.assertEqual(self.check({"x.h": ""})[0], 1)


if __name__ == "__main__":
    unittest.main()
