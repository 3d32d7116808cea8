"""How kith is packed and released: one list of packages, one version, and scripts that are there."""

import os
import re
import shutil
import subprocess
import unittest

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
FORMULA = os.path.join(ROOT, "packaging", "homebrew", "kith.rb")
RECIPE = os.path.join(ROOT, "packaging", "conda", "recipe.yaml")
WORKFLOWS = os.path.join(ROOT, ".github", "workflows")


def text_of(*path):
    with open(os.path.join(ROOT, *path), encoding="utf-8") as file:
        return file.read()


def printed(*command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def sections():
    return re.findall(r"^\[(\w+)\]", text_of("tools", "packages.txt"), re.M)


class Packages(unittest.TestCase):
    """tools/packages.txt is the only list of packages."""

    def test_of_the_container(self):
        lines = text_of("Dockerfile").replace("\\\n", " ").splitlines()
        asked = [line for line in lines if line.startswith("RUN") and "install" in line]
        self.assertEqual(len(asked), 2)
        self.assertRegex(asked[0], r"^RUN tools/install_packages.sh( \w+)+$")
        for section in asked[0].split()[2:]:
            self.assertIn(section, sections())
        # The second stage has the package of Debian, and so what that needs.
        named = re.search(r"apt-get install ([^&]*)", asked[1]).group(1).split()
        self.assertEqual([word for word in named if not word.startswith("-")], ["/tmp/kith_*.deb"])

    def test_of_scripts(self):
        for name in os.listdir(os.path.join(ROOT, "tools")):
            if not name.endswith(".sh"):
                continue
            for line in re.findall(r"tools/install_packages\.sh([ a-z]+?)(?:#|\n)", text_of("tools", name)):
                for section in line.split():
                    self.assertIn(section, sections(), name)


class Files(unittest.TestCase):
    def test_version_of_the_recipe(self):
        version = re.search(r"^project\(kith VERSION ([0-9.]+)", text_of("CMakeLists.txt"), re.M).group(1)
        with open(RECIPE, encoding="utf-8") as file:
            self.assertIn(f'  version: "{version}"\n', file.read())

    def test_formula(self):
        formula = text_of("packaging", "homebrew", "kith.rb")
        filled = text_of(".github", "workflows", "release.yml")
        for place in set(re.findall(r"@[A-Z0-9]+@", formula)):
            self.assertIn(f"s,{place},", filled)
        if shutil.which("ruby"):
            self.assertEqual(printed("ruby", "-c", FORMULA), (0, "Syntax OK\n"))

    def test_container_has_no_findings(self):
        if not shutil.which("hadolint"):
            self.skipTest("hadolint is not installed")
        self.assertEqual(printed("hadolint", os.path.join(ROOT, "Dockerfile")), (0, ""))

    def test_workflows_are_such(self):
        if not shutil.which("check-jsonschema"):
            self.skipTest("check-jsonschema is not installed")
        files = [os.path.join(WORKFLOWS, name) for name in sorted(os.listdir(WORKFLOWS))]
        code, text = printed("check-jsonschema", "--builtin-schema", "vendor.github-workflows", *files)
        self.assertEqual(code, 0, text)

    def test_scripts_of_workflows_are_there(self):
        for name in os.listdir(WORKFLOWS):
            for script in re.findall(r"\btools/\w+\.\w+", text_of(".github", "workflows", name)):
                self.assertTrue(os.access(os.path.join(ROOT, script), os.R_OK), f"{name}: {script}")

    def test_yaml(self):
        try:
            import yaml
        except ImportError:
            self.skipTest("yaml is not installed")
        for path in [RECIPE, *(os.path.join(WORKFLOWS, name) for name in os.listdir(WORKFLOWS))]:
            with open(path, encoding="utf-8") as file:
                self.assertIsInstance(yaml.safe_load(file), dict)


if __name__ == "__main__":
    unittest.main()
