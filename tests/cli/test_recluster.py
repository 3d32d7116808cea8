"""kith cluster RUN -o OTHER: the bags of an earlier run as input."""

import json
import os
import unittest

from kith_case import KithCase, jsonl, topic_pages


class Recluster(KithCase):
    def setUp(self):
        super().setUp()
        self.write("crawl.jsonl", jsonl(topic_pages()))
        self.kith("cluster", "crawl.jsonl", "-o", "first", "--bags", "content", "--min-df", "1")

    def test_gives_what_reading_the_crawl_again_would(self):
        self.kith("cluster", "crawl.jsonl", "-o", "read", "--bags", "content", "--min-df", "1", "--similarity", "0.6")
        self.kith("cluster", "first", "-o", "again", "--similarity", "0.6")
        self.assertEqual(self.files_of("again"), self.files_of("read"))
        self.assertNotEqual(self.files_of("again")["clusters.kith"], self.files_of("first")["clusters.kith"])

    def test_the_report_is_that_of_the_crawl_and_of_its_options(self):
        self.kith("cluster", "first", "-o", "again", "--engine", "lsh", "--similarity", "0.5")
        first = json.loads(self.kith("info", "first", "--json")[0])
        again = json.loads(self.kith("info", "again", "--json")[0])
        for part in ("crawl", "text", "bags"):
            self.assertEqual(again[part], first[part])
        self.assertEqual((again["options"]["bags"], again["options"]["min_df"]), ("content", 1))
        self.assertEqual(again["options"]["inputs"], ["first"])

    def test_the_first_run_may_go(self):
        self.kith("cluster", "first", "-o", "again")
        rows = self.rows("clusters", "again")
        for name in os.listdir(self.path("first")):
            os.remove(os.path.join(self.path("first"), name))
        self.assertEqual(self.rows("clusters", "again"), rows)

    def test_goes_on_after_the_first_run_was_looked_at_again(self):
        self.kith("cluster", "first", "-o", "again")
        before = self.files_of("again")
        self.kith("cluster", "crawl.jsonl", "-o", "first", "--bags", "content", "--min-df", "1")
        self.kith("cluster", "first", "-o", "again")
        self.assertEqual(self.files_of("again"), before)

    def test_what_the_bags_hold_cannot_be_changed(self):
        self.fails("cluster", "first", "-o", "again", "--window", "3", code=2,
                   says=["first: its bags were made with --window 8;", "read the crawl again"])
        self.assertFalse(os.path.exists(self.path("again")))
        self.kith("cluster", "first", "-o", "same", "--min-df", "1", "--bags", "content")

    def test_links_that_nobody_counted_give_no_order(self):
        self.fails("cluster", "first", "-o", "again", "--order", "inlinks", code=2, says="first did not count them")

    def test_is_the_only_input(self):
        self.fails("cluster", "crawl.jsonl", "first", "-o", "again", code=2, says="first: is a run of kith")

    def test_a_run_without_bags_is_none(self):
        manifest = os.path.join(self.path("first"), "manifest.json")
        with open(manifest) as file:
            content = json.load(file)
        content["stages"] = []
        with open(manifest, "w") as file:
            json.dump(content, file)
        self.fails("cluster", "first", "-o", "again", says="first: the run is not finished")

    def test_a_folder_with_the_manifest_of_another_program_is_a_folder(self):
        self.write("folder/crawl.jsonl", jsonl(topic_pages()))
        self.write("folder/manifest.json", '{"files": []}')
        self.kith("cluster", "folder", "-o", "again", "--bags", "content", "--min-df", "1")
        self.assertEqual(self.files_of("again"), self.files_of("first"))

    def test_damaged_bags_are_an_error_and_leave_nothing(self):
        with open(os.path.join(self.path("first"), "bags.kith"), "r+b") as file:
            file.truncate(100)
        self.fails("cluster", "first", "-o", "again", says="bags.kith")


if __name__ == "__main__":
    unittest.main()
