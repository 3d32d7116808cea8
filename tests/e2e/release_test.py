"""The version stands in CMakeLists.txt, and all else that names one agrees."""

import importlib.util
import json
import os
import re
import unittest

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")


def text_of(*path):
    with open(os.path.join(ROOT, *path), encoding="utf-8") as file:
        return file.read()


def found(pattern, text):
    return re.search(pattern, text, re.M).group(1)


class Version(unittest.TestCase):
    def setUp(self):
        self.version = found(r"^project\(kith VERSION ([0-9.]+)", text_of("CMakeLists.txt"))

    def test_of_the_change_log(self):
        self.assertEqual(found(r"^## ([0-9.]+)", text_of("CHANGELOG.md")), self.version)

    def test_of_the_citation(self):
        self.assertEqual(found(r"^version: (\S+)", text_of("CITATION.cff")), self.version)

    def test_of_the_interface_of_the_server(self):
        interface = json.loads(text_of("apps", "server", "openapi.json"))
        self.assertEqual(interface["info"]["version"], self.version)

    def test_of_the_outside_project(self):
        minor = ".".join(self.version.split(".")[:2])
        self.assertIn(f"find_package(kith {minor} ", text_of("tests", "install", "outside", "CMakeLists.txt"))
        self.assertIn(f"find_package(kith {minor} ", text_of("docs", "library.md"))


class BillOfMaterials(unittest.TestCase):
    def setUp(self):
        place = os.path.join(ROOT, "tools", "sbom.py")
        module = importlib.util.spec_from_file_location("sbom", place)
        self.sbom = importlib.util.module_from_spec(module)
        module.loader.exec_module(self.sbom)

    def test_licences_of_debian_become_those_of_spdx(self):
        for text, licence in (
                ("Files: *\nLicense: Expat\n\nLicense: Expat\n the text\n", "MIT"),
                ("Files: *\nLicense: BSD-3-clause\n\nFiles: a\nLicense: Apache-2.0 or Expat\n",
                 "(Apache-2.0 OR MIT) AND BSD-3-Clause"),
                ("Files: *\nLicense: ISC\n\nFiles: debian/*\nLicense: GPL-2+\n", "ISC"),
                ("Files: *\nLicense: GPL-2+\n\nFiles: a\nLicense: made-up\n", "NOASSERTION"),
                ("all rights", "NOASSERTION")):
            self.assertEqual(self.sbom.licence_of(self.sbom.debian_licences(text)), licence)

    def test_packages_to_build(self):
        debian, pypi = self.sbom.packages_to_build()
        self.assertIn("libicu-dev", debian)
        self.assertEqual(pypi, ["stopwordsiso"])
        self.assertFalse([name for name in debian if ":" in name])

    def test_packages_of_the_page(self):
        names = [name for name, _, _ in self.sbom.packages_of_the_page(ROOT)]
        self.assertIn("d3-force", names)
        self.assertNotIn("esbuild", names)


if __name__ == "__main__":
    unittest.main()
