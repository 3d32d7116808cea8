"""kith related: pages of the own site and of others, limits by site, and the words in common."""

import json
import os
import unittest

from kith_case import TOPICS, KithCase, jsonl

WORDS = TOPICS["music"].split()
SITES = ("one", "two", "three", "four")
PLAIN = ("--related", "plain")


def pages(sites=SITES, per_site=6):
    """Pages about music on several sites; those of a site are most alike."""
    return [{"url": f"https://{site}.example/{i}",
             "html": f"<title>{site} {i}</title><p>{' '.join(WORDS[(i + j) % 10] for j in range(6))} "
                     + f"{site}ish {site}er {site}ly " * 2}
            for site in sites for i in range(per_site)]


class RelatedPages(KithCase):
    OPTIONS = ("--bags", "content", "--boilerplate", "keep", "--max-df", "1")
    PAGE = "https://one.example/1"

    def cluster(self, *options, run="run", sites=SITES):
        self.write("pages.jsonl", jsonl(pages(sites)))
        return self.kith("cluster", "pages.jsonl", "-o", run, *self.OPTIONS, *options)

    def sites_of(self, *options, run="run"):
        rows = self.rows("related", run, self.PAGE, *options)
        similarities = [float(row["similarity"]) for row in rows]
        self.assertEqual(similarities, sorted(similarities, reverse=True))
        return [row["url"].split("/")[2].split(".")[0] for row in rows]

    def test_at_most_three_of_a_site(self):
        self.cluster()
        sites = self.sites_of()
        self.assertEqual(len(sites), 10)
        self.assertEqual(sites[:3], ["one"] * 3)
        for site in SITES:
            self.assertLessEqual(sites.count(site), 3)
        self.assertEqual(sorted(self.sites_of("--per-site", "1")), sorted(SITES))
        self.assertEqual(self.sites_of("--per-site", "0")[:5], ["one"] * 5)

    def test_other_sites_only(self):
        self.cluster()
        sites = self.sites_of("--other-sites")
        self.assertEqual(len(sites), 10)
        self.assertNotIn("one", sites)
        self.assertEqual(len(self.sites_of("--other-sites", "-n", "4")), 4)
        self.fails("related", "run", self.PAGE, "--other-sites", "--per-site", "2", code=2, says="--per-site")
        self.fails("related", "run", self.PAGE, "--per-site", "-1", code=2, says=["--per-site", "-1"])

    def test_brute_force_shows_what_the_index_missed(self):
        self.cluster(*PLAIN)
        rows = self.rows("related", "run", self.PAGE, "--brute-force", "-n", "8")
        self.assertEqual([row["scan"] for row in rows], [str(rank) for rank in range(1, 9)])
        self.assertEqual([row["index"] for row in rows], [row["scan"] for row in rows])
        # Tables that find next to nothing: the index lacks pages that the scan has.
        self.cluster(*PLAIN, "--engine", "lsh", "--similarity", "0.999", "--neighbours", "4", run="few")
        rows, err = self.kith("related", "few", self.PAGE, "--brute-force", "-n", "8")
        rows = [line.split("\t") for line in rows.splitlines()[1:]]
        missed = [row for row in rows if row[4] == ""]
        self.assertGreaterEqual(len(missed), 4)
        self.assertIn(f"the index has {len(rows) - len(missed)} of the 8 nearest of all URLs", err)
        self.fails("related", "run", self.PAGE, "--brute-force", "--why", code=2, says="--why")

    def test_other_spellings_of_a_url(self):
        self.cluster()
        expected = self.rows("related", "run", self.PAGE)
        for spelling in ("one.example/1", "http://one.example/1", "https://www.one.example/1/"):
            out, err = self.kith("related", "run", spelling)
            self.assertEqual(len(out.splitlines()) - 1, len(expected), spelling)
            self.assertEqual("the run has https://one.example/1" in err, spelling != "one.example/1")
        self.fails("related", "run", "https://one.example/none", code=1, says="does not know")

    def test_threshold_does_not_apply(self):
        self.cluster("--similarity", "1")
        self.assertEqual(len(self.sites_of("--other-sites")), 10)

    def test_both_engines_have_the_same_lists_where_tables_miss_nothing(self):
        self.cluster("--engine", "exact", run="exact")
        self.cluster("--engine", "lsh", "--similarity", "0.05", run="lsh")
        exact = self.rows("related", "exact", self.PAGE, "--other-sites", "-n", "3")
        self.assertEqual(self.rows("related", "lsh", self.PAGE, "--other-sites", "-n", "3"), exact)

    def test_why(self):
        self.cluster()
        rows = self.rows("related", "run", self.PAGE, "--why")
        out, _ = self.kith("related", "run", self.PAGE, "--why", "--format", "jsonl")
        for row, line in zip(rows, out.splitlines(), strict=True):
            words = json.loads(line)["words"]
            self.assertEqual(row["words"], ", ".join(words))
            self.assertTrue(0 < len(words) <= 8)
            self.assertLessEqual(set(words), {*WORDS, "oneish", "oneer", "onely"})
        self.assertNotIn("words", self.rows("related", "run", self.PAGE)[0])

    def test_no_lists_of_other_sites(self):
        self.cluster("--other-sites", "0")
        self.assertFalse(os.path.exists(self.path("run/other_sites.kith")))
        self.fails("related", "run", self.PAGE, "--other-sites", "-n", "7", code=2,
                   says=["made with --other-sites 0", "'kith cluster run -o OTHER --other-sites 7'"])
        self.assertEqual(self.sites_of()[:5], ["one"] * 5)
        self.kith("cluster", "run", "-o", "again", *self.OPTIONS[:2])
        self.assertEqual(len(self.sites_of("--other-sites", run="again")), 10)

    def test_one_host_pays_nothing(self):
        self.cluster(sites=("one",))
        self.assertFalse(os.path.exists(self.path("run/other_sites.kith")))
        self.assertEqual(self.sites_of(), ["one"] * 5)
        out, err = self.kith("related", "run", self.PAGE, "--other-sites")
        self.assertEqual(out.count("\n"), 1)
        self.assertIn("all URLs of the run are on one host", err)
        self.kith("cluster", "pages.jsonl", "-o", "without", *self.OPTIONS, "--other-sites", "0")
        self.assertEqual(self.files_of("run"), self.files_of("without"))

    def test_more_than_is_kept(self):
        self.cluster("--other-sites", "2")
        self.assertEqual(len(self.sites_of("--other-sites")), 2)
        _, err = self.kith("related", "run", self.PAGE, "--other-sites")
        self.assertIn("keeps 2 pages of other sites a URL, fewer than -n 10; 'kith cluster run -o OTHER "
                      "--other-sites 10'", err)

    def test_evaluate_takes_the_lists_of_other_sites(self):
        self.cluster("--neighbours", "5")
        label_of = {page["url"]: page["url"].split("/")[3] for page in pages()}
        self.write("labels.tsv", "url\tlabel\n" + "".join(f"{url}\t{label}\n" for url, label in label_of.items()))
        found = json.loads(self.kith("evaluate", "run", "labels.tsv", "--json")[0])["levels"][0]["other_hosts"]
        right = 0
        for url, label in label_of.items():
            rows = self.rows("related", "run", url, "--other-sites", "-n", "5")
            right += sum(label_of[row["url"]] == label for row in rows)
        self.assertEqual(found["without"], 0)
        at = {at["k"]: at for at in found["at"]}
        self.assertEqual(at[10]["full"], len(label_of))
        self.assertAlmostEqual(at[5]["precision"], right / (5 * len(label_of)))

    def test_neighbours_and_clusters_do_not_depend_on_it(self):
        self.cluster()
        self.cluster("--other-sites", "0", run="without")
        files = self.files_of("run")
        del files["smoothed_sites.kith"]
        self.assertEqual(files, self.files_of("without"))


if __name__ == "__main__":
    unittest.main()
