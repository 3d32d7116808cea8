"""Titles of kith dedup, beside CENTER over all pairs of documents with titles as sets of words."""

import collections
import itertools
import json
import random
import re
import unittest

from kith_case import KithCase, dictionaries

LETTERS = "abcdefghijklmnoprstuvw"


def word(rng):
    return "".join(rng.choices(LETTERS, k=6))


def page(url, title, words, heading=""):
    head = f"<title>{title}</title>" if title else ""
    heading = f"<h1>{heading}</h1>" if heading else ""
    return {"url": url, "html": f"<html>{head}<body>{heading}<p>{' '.join(words)}</p></body></html>"}


def families(rng):
    """Families of nearly equal pages on three hosts: titles are of the site and of few words, with words added, with
    digits, or missing."""
    pages = []
    for family in range(40):
        body = [word(rng) for _ in range(200)]
        subjects = [word(rng) for _ in range(3)]
        for i in range(6):
            words = list(body)
            if rng.random() < 0.8:
                words[rng.randrange(200)] = word(rng)
            heading = rng.choice(["", subjects[1], subjects[2], f"{subjects[0]} 4.2"])
            subject = rng.choice([*subjects, f"{subjects[1]} {subjects[2]}",
                                  f"{subjects[0].upper()} {rng.randrange(9)}", f"Print version: {subjects[1]}",
                                  f"{subjects[0]} 4.2", f"{subjects[0]}5", ""])
            host = rng.choice("abc")
            title = f"{subject} - the site of {host}{host}" if subject else ""
            pages.append(page(f"https://{host}.example/{family}/{i}", title, words, heading))
    rng.shuffle(pages)
    return pages


def words_and_numbers(text):
    numbers = "[0-9]+(?:[.-][0-9]+)*"
    return set(re.findall(numbers, text)) | set(re.findall("[a-z]+", re.sub(numbers, "", text.lower())))


def title_keys(pages):
    """Of each page, word to whether a heading has it."""
    titles = [words_and_numbers("".join(re.findall("<title>(.*)</title>", one["html"]))) for one in pages]
    headings = [words_and_numbers("".join(re.findall("<h1>(.*)</h1>", one["html"]))) for one in pages]
    titles = [{word for word in title if word.isalpha() or word in heading} for title, heading in zip(titles, headings)]
    hosts = [one["url"].split("/")[2] for one in pages]
    titled = collections.Counter(host for host, title in zip(hosts, titles) if title)
    have = collections.Counter((host, one) for host, title in zip(hosts, titles) for one in title)

    def is_common(host, one):
        return titled[host] >= 8 and 10 * have[host, one] >= 9 * titled[host]

    return [{one: one in heading for one in title if not is_common(host, one)}
            for host, title, heading in zip(hosts, titles, headings)]


def body(one):
    return " ".join(re.sub("<[^>]*>", " ", one["html"].split("<body>")[1]).split())


def shingles(one):
    words = body(one).split()
    return {tuple(words[i:i + 5]) for i in range(len(words) - 4)}


def differ(a, b):
    """Each has a word that the other has not, or one of them one that its heading has."""
    own = [[sure for word, sure in one.items() if word not in other] for one, other in ((a, b), (b, a))]
    return bool(a and b and (all(own) or any(map(any, own))))


def titles_by_text(pages):
    """The titles of title_keys(), those of equal texts that of the first of them."""
    keys, first = title_keys(pages), {}
    return [keys[first.setdefault(body(one), i)] for i, one in enumerate(pages)]


def kept_by_twin(pages, distinct):
    """By URL, the URL of what is kept: documents of equal shingles, and titles where these count, go where the first of
    them goes."""
    sets, keys, kept = [shingles(one) for one in pages], titles_by_text(pages), {}
    for i, one in enumerate(pages):
        first = next(j for j in range(i + 1) if sets[j] == sets[i] and (not distinct or set(keys[j]) == set(keys[i])))
        if first < i:
            kept[one["url"]] = kept[pages[first]["url"]]
            continue
        kept[one["url"]] = one["url"]
        for j in range(i):
            if kept[pages[j]["url"]] != pages[j]["url"] or distinct and differ(keys[i], keys[j]):
                continue
            if len(sets[i] & sets[j]) >= 0.8 * len(sets[i] | sets[j]):
                kept[one["url"]] = pages[j]["url"]
                break
    return kept


class Titles(KithCase):
    def setUp(self):
        super().setUp()
        self.pages = families(random.Random(3))
        self.write("in.jsonl", "".join(json.dumps(one) + "\n" for one in self.pages))

    def kept(self, run):
        """By URL of all pages, what is kept for it."""
        with open(self.path(f"{run}/groups.tsv"), encoding="utf-8") as file:
            rows = dictionaries(file.read())
        kept = {one["url"]: one["url"] for one in self.pages}
        for _, group in itertools.groupby(rows, lambda row: row["group"]):
            group = list(group)
            keeper = next(row["url"] for row in group if row["role"] == "kept")
            kept.update({row["url"]: keeper for row in group})
        return kept

    def report(self, run):
        return json.loads(self.kith("info", run, "--json")[0])

    def test_groups_are_those_of_the_twin(self):
        for run, flags in (("apart", []), ("all", ["--no-distinct-titles"])):
            with self.subTest(run):
                self.kith("dedup", "in.jsonl", "-o", run, *flags, "--recall", "0.9999")
                expected = kept_by_twin(self.pages, not flags)
                self.assertEqual(self.kept(run), expected)
                keys = dict(zip((one["url"] for one in self.pages), title_keys(self.pages)))
                groups = self.report(run)["groups"]
                others = sum(bool(keys[url] and keys[kept] and set(keys[url]) != set(keys[kept]))
                             for url, kept in expected.items())
                self.assertEqual(groups["other_title"], others)
                self.assertEqual(self.report(run)["check"]["recall"], 1)
        self.assertNotEqual(self.kept("apart"), self.kept("all"))

    def test_every_method_keeps_other_titles_apart(self):
        keys = dict(zip((one["url"] for one in self.pages), titles_by_text(self.pages)))
        sets = {one["url"]: shingles(one) for one in self.pages}
        for method in (("simhash", "--distance", "7"), ("supershingle",), ("containment",)):
            with self.subTest(method[0]):
                self.kith("dedup", "in.jsonl", "-o", method[0], "--method", *method)
                with open(self.path(f"{method[0]}/pairs.tsv"), encoding="utf-8") as file:
                    pairs = list(dictionaries(file.read()))
                self.assertTrue(pairs)
                names = list(pairs[0])[:2]
                for pair in pairs:
                    a, b = (pair[name] for name in names)
                    self.assertFalse(differ(keys[a], keys[b]), (a, b))

    def test_against_keeps_other_titles(self):
        words = [word(random.Random(i)) for i in range(100)]
        changed = [[*words[:-1], last] for last in ("one", "two", "three")]
        self.write("old.jsonl", json.dumps(page("https://a.example/old", "Red things", words)) + "\n")
        new = [page("https://a.example/same", "red THINGS 2", changed[0]),
               page("https://a.example/other", "Blue things", changed[1]),
               page("https://a.example/equal", "Blue things", words),
               page("https://a.example/none", "", changed[2])]
        self.write("new.jsonl", "".join(json.dumps(one) + "\n" for one in new))
        self.kith("dedup", "old.jsonl", "-o", "old")
        self.kith("dedup", "new.jsonl", "-o", "new", "--against", "old")
        with open(self.path("new/keep.tsv"), encoding="utf-8") as file:
            self.assertEqual([row["url"] for row in dictionaries(file.read())], ["https://a.example/other"])
        self.assertEqual(self.report("new")["against"]["check"]["recall"], 1)

    def test_same_bytes_for_any_threads_and_memory(self):
        files = []
        for threads, memory in (("1", "4G"), ("2", "150M"), ("5", "1G")):
            self.kith("dedup", "in.jsonl", "-o", threads, "--threads", threads, "--memory", memory)
            files.append(self.files_of(threads))
        self.assertEqual(files[0], files[1])
        self.assertEqual(files[0], files[2])


if __name__ == "__main__":
    unittest.main()
