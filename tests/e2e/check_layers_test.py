"""tools/check_layers.py on small trees that break one rule each."""

import os
import unittest

from tree_case import ROOT, TreeCase


class CheckLayersTest(TreeCase):
    tool = "check_layers.py"

    def assert_allowed(self, path, include):
        self.assertEqual(self.check({path: f"#include {include}\n"}), (0, []))

    def assert_forbidden(self, path, include, reason):
        status, lines = self.check({path: f"#pragma once\n#  include {include}\n"})
        self.assertEqual(status, 1)
        self.assertEqual(len(lines), 1)
        self.assertTrue(lines[0].startswith(f"{path}:2: "), lines[0])
        self.assertIn(reason, lines[0])

    def test_own_folder_public_header_and_lower_layers(self):
        for include in ('"sketch/lsh/a.h"', '"kith/status.h"', '"base/b.h"', '"sketch/s.h"', "<vector>"):
            self.assert_allowed("src/sketch/lsh/x.cc", include)

    def test_later_and_unlisted_stages(self):
        self.assert_forbidden("src/base/x.h", '"text/words/words.h"', "base may not include text/")
        self.assert_forbidden("src/sketch/x.cc", '"similar/pairs.h"', "it may include: kith, sketch, base")
        self.assert_forbidden("src/run/x.cc", '"cluster/a.h"', "run may not include cluster/")

    def test_departures(self):
        self.assert_allowed("src/cluster/x.cc", '"similar/neighbour.h"')
        for room in ("crawl", "text", "bags", "run"):
            self.assert_allowed("src/jobs/cluster/x.cc", f'"{room}/a.h"')

    def test_folder_must_be_named(self):
        self.assert_forbidden("src/text/x.cc", '"words.h"', 'write "<folder>/words.h"')

    def test_unknown_folder(self):
        status, lines = self.check({"src/misc/x.h": ""})
        self.assertEqual(status, 1)
        self.assertIn("misc is not in the table", lines[0])

    def test_public_headers(self):
        self.assert_allowed("include/kith/a.h", '"kith/b.h"')
        self.assert_allowed("include/kith/a.h", "<string_view>")
        self.assert_forbidden("include/kith/a.h", '"base/check.h"', "public headers")
        self.assert_forbidden("include/kith/a.h", "<fmt/format.h>", "this library")
        self.assert_forbidden("include/kith/a.h", "<unistd.h>", "public headers")

    def test_public_headers_show_what_they_declare(self):
        text = "{}namespace kith {{\n}}\n{}"
        shown = text.format("#pragma GCC visibility push(default)\n", "#pragma GCC visibility pop\n")
        self.assertEqual(self.check({"include/kith/a.h": shown}), (0, []))
        status, lines = self.check({"include/kith/a.h": text.format("", "")})
        self.assertEqual(status, 1)
        self.assertIn("visibility push(default)", lines[0])

    def test_apps(self):
        self.assert_allowed("apps/cli/main.cc", '"kith/pipeline.h"')
        self.assert_allowed("apps/cli/main.cc", '"output.h"')
        self.assert_allowed("apps/cli/main.cc", "<CLI/CLI.hpp>")
        self.assert_allowed("apps/cli/main.cc", "<iostream>")
        self.assert_forbidden("apps/cli/main.cc", '"answers/run.h"', "apps/cli may include only")

    def test_the_server(self):
        self.assert_allowed("apps/cli/main.cc", '"server/serve_job.h"')
        self.assert_allowed("apps/server/x.cc", "<boost/beast/http.hpp>")
        self.assert_allowed("apps/server/x.cc", "<thread>")
        self.assert_forbidden("apps/server/x.cc", '"cli/console.h"', "apps/server may include only")
        self.assert_forbidden("apps/cli/x.cc", "<boost/beast/http.hpp>", "boost/beast/http.hpp")
        self.assert_forbidden("apps/cli/x.cc", "<thread>", "threads are for")

    def test_python(self):
        for include in ('"kith/run.h"', '"cli/job_options.h"', '"distributed/page_words.h"', '"run/guarded.h"'):
            self.assert_allowed("python/src/x.cc", include)
        self.assert_forbidden("python/src/x.cc", '"bags/run.h"', "python may include only")

    def test_threads_and_locks(self):
        self.assert_allowed("src/base/parallel/x.h", "<thread>")
        self.assert_forbidden("src/crawl/x.h", "<thread>", "threads are for base/parallel and apps/server only")
        self.assert_allowed("src/storage/x.h", "<mutex>")
        self.assert_forbidden("src/base/x.h", "<thread>", "use base/parallel/")
        self.assert_forbidden("src/text/x.h", "<shared_mutex>", "rooms that use threads")
        self.assert_forbidden("src/text/x.h", '"base/parallel/thread_pool.h"', "no threads there")

    def test_pure_folders_have_no_files(self):
        self.assert_allowed("src/storage/x.cc", "<fcntl.h>")
        self.assert_forbidden("src/text/x.cc", "<fstream>", "no files there")
        self.assert_forbidden("src/sketch/lsh/x.cc", "<sys/mman.h>", "no files there")

    def test_third_party(self):
        self.assert_allowed("src/crawl/x.cc", "<zlib.h>")
        self.assert_forbidden("src/storage/x.cc", "<zlib.h>", "it is for: crawl")
        self.assert_forbidden("src/bags/x.cc", "<absl/hash/hash.h>", "unknown library")
        self.assert_forbidden("src/base/x.cc", "<iostream>", "only apps may print")

    def test_table_of_the_document(self):
        with open(os.path.join(ROOT, "ARCHITECTURE.md"), encoding="utf-8") as file:
            table = file.read()
        source = {"src/sketch/x.cc": "#include <vector>\n"}
        self.assertEqual(self.check(source | {"ARCHITECTURE.md": table}), (0, []))
        for right, wrong in ((" | sketch similar |", " | sketch bags |"), ("| all - topics answers", "| all - answers"),
                             ("| `answers` |", "| `questions` |")):
            self.assertIn(right, table)
            status, lines = self.check(source | {"ARCHITECTURE.md": table.replace(right, wrong, 1)})
            self.assertEqual(status, 1)
            self.assertTrue(all(line.startswith("ARCHITECTURE.md:") for line in lines), lines)

    def test_nothing_to_check_is_a_failure(self):
        self.assertEqual(self.check({"README": ""})[0], 1)


if __name__ == "__main__":
    unittest.main()
