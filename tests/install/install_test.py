"""Installs into an empty folder, moves it, and builds an outside project with what is there.

With KITH_PREFIX it takes what is installed there, by the Debian package (tools/deb_alone.sh)."""

import os
import re
import shutil
import subprocess
import tempfile
import unittest

BUILD = os.environ.get("KITH_BUILD")
PREFIX = os.environ.get("KITH_PREFIX")
SOURCE = os.environ["KITH_SOURCE"]
CXX = os.environ["KITH_CXX"]
CMAKE = os.environ["KITH_CMAKE"]
OUTSIDE = os.path.join(SOURCE, "tests", "install", "outside")
SOURCES = [os.path.join(OUTSIDE, name) for name in sorted(os.listdir(OUTSIDE))
           if name.endswith(".cc")]


def run(*words, **settings):
    """What a command prints; its own words when it fails."""
    done = subprocess.run(words, capture_output=True, text=True, check=False, **settings)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(words)}\n{done.stdout}{done.stderr}")
    return done.stdout


class Install(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp()
        cls.prefix = PREFIX or os.path.join(cls.folder, "moved")
        if not PREFIX:
            first = os.path.join(cls.folder, "first")
            run(CMAKE, "--install", BUILD, "--prefix", first)
            # Nothing may depend on where it was installed.
            os.rename(first, cls.prefix)
        cls.libraries = next(
            folder for folder, _, names in os.walk(cls.prefix) if "libkith.so" in names)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def program_says(self, program):
        said = run(program, env={**os.environ, "LD_LIBRARY_PATH": self.libraries})
        self.assertTrue(said.startswith("kith "), said)

    def test_find_package(self):
        build = os.path.join(self.folder, "build")
        run(CMAKE, "-S", OUTSIDE, "-B", build, f"-DCMAKE_PREFIX_PATH={self.prefix}",
            f"-DCMAKE_CXX_COMPILER={CXX}")
        run(CMAKE, "--build", build, "--parallel", "2")
        # CMake has written where the library lies into the program.
        self.assertTrue(run(os.path.join(build, "outside")).startswith("kith "))

    def test_another_minor_version_is_refused(self):
        project = os.path.join(self.folder, "newer")
        shutil.copytree(OUTSIDE, project)
        listing = os.path.join(project, "CMakeLists.txt")
        with open(listing, encoding="utf-8") as file:
            text = file.read().replace("kith 0.1 ", "kith 0.2 ")
        with open(listing, "w", encoding="utf-8") as file:
            file.write(text)
        with self.assertRaisesRegex(AssertionError, 'version "0.2"'):
            run(CMAKE, "-S", project, "-B", project + "/build",
                f"-DCMAKE_PREFIX_PATH={self.prefix}", f"-DCMAKE_CXX_COMPILER={CXX}")

    def test_pkg_config(self):
        environment = {**os.environ, "PKG_CONFIG_PATH": os.path.join(self.libraries, "pkgconfig")}
        flags = run("pkg-config", "--cflags", "--libs", "kith", env=environment).split()
        program = os.path.join(self.folder, "by_pkg_config")
        run(CXX, "-std=c++20", "-Wall", "-Wextra", "-Wpedantic", "-Werror",
            *SOURCES, "-o", program, *flags)
        self.program_says(program)

    def test_only_the_public_headers_are_installed(self):
        found = {os.path.relpath(os.path.join(folder, name), self.prefix)
                 for folder, _, names in os.walk(os.path.join(self.prefix, "include", "kith"))
                 for name in names}
        public = {os.path.join("include/kith", name)
                  for name in os.listdir(os.path.join(SOURCE, "include", "kith"))}
        self.assertEqual(found, public)

    def test_manual_pages_and_completions_are_installed(self):
        program = os.path.join(self.prefix, "bin", "kith")
        environment = {**os.environ, "LD_LIBRARY_PATH": self.libraries}
        listed = run(program, "help", env=environment).split("Options:")[0].split("Jobs on a crawl:")[1]
        commands = re.findall(r"^  ([a-z]+) ", listed, re.M)
        self.assertIn("cluster", commands)
        share = os.path.join(self.prefix, "share")
        pages = {name.removesuffix(".gz")
                 for name in os.listdir(os.path.join(share, "man", "man1")) if name.startswith("kith")}
        self.assertEqual(pages, {"kith.1", *(f"kith-{command}.1" for command in commands)})
        for shell, path in (("bash", "bash-completion/completions/kith"),
                            ("fish", "fish/vendor_completions.d/kith.fish"),
                            ("zsh", "zsh/vendor-completions/_kith" if PREFIX == "/usr"
                             else "zsh/site-functions/_kith")):
            with open(os.path.join(share, path), encoding="utf-8") as file:
                self.assertEqual(file.read(), run(program, "completions", shell, env=environment))

    def test_every_header_of_values_is_used(self):
        with open(os.path.join(SOURCE, "docs", "library.md"), encoding="utf-8") as file:
            rows = [line.split("|") for line in file if line.startswith("| `")]
        of_values = {name for row in rows if row[3].strip() == "no"
                     for name in re.findall(r"`(\w+\.h)`", row[1])}
        self.assertGreater(len(of_values), 8)
        used = set()
        for source in SOURCES:
            with open(source, encoding="utf-8") as file:
                used |= set(re.findall(r"#include <kith/(\w+\.h)>", file.read()))
        self.assertEqual(of_values - used, set())

    def test_only_public_symbols_are_seen(self):
        library = os.path.join(self.libraries, "libkith.so")
        symbols = run("nm", "--dynamic", "--defined-only", "--demangle", library)
        self.assertIn("kith::estimate_similarity(", symbols)
        for room in sorted(os.listdir(os.path.join(SOURCE, "src"))):
            own = [line for line in symbols.splitlines()
                   if re.match(rf"kith::{room}::(?!(State|Opener)\b)", line.split(" ", 2)[-1])]
            self.assertEqual(own, [])


if __name__ == "__main__":
    unittest.main()
