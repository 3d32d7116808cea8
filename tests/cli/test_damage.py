"""A damaged file of a run is found by its checksum and named; only the stage that made it is run again."""

import json
import os
import shutil
import unittest

from resume_case import COMMANDS, ResumeCase, all_files

STAGES = {
    "bags": ("urls.kith", "titles.kith", "terms.kith", "bags.kith", "aliases.kith"),
    "sketch": ("signatures.kith",),
    "pairs": ("neighbours.kith", "other_sites.kith", "pairs.kith"),
    "smooth": ("smoothed.kith", "smoothed_sites.kith"),
    "cluster": ("clusters.kith",),
    "topics": ("topics.kith",),
    "shard": ("shard.kith", "shard_signatures.kith"),
    "documents": ("documents.kith", "names.kith", "shingles.kith", "sketches.kith", "common.kith", "inlinks.kith",
                  "title_words.kith"),
    "against": ("against.kith",),
    "matches": ("matches.kith", "fingerprints.kith"),
    "groups": ("groups.kith",),
}


def changed(content):
    middle = len(content) // 2
    return content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1:]


# What a file then holds; None: it is gone.
DAMAGES = {
    "a changed bit": changed,
    "cut": lambda content: content[:len(content) // 2],
    "empty": lambda content: b"",
    "missing": lambda content: None,
}


class Damaged(ResumeCase):
    PAGES = 36
    BAGS = 100

    def damage(self, name, content):
        """Puts other bytes in the place of a file; what has the same bytes by a hard link keeps them."""
        os.remove(self.path(name))
        if content is not None:
            self.write(name, content)

    def check(self, args, name, stage, content, expected):
        self.damage("run/" + name, content)
        _, err = self.kith(*args)
        notes = [line for line in err.splitlines() if "is run again" in line]
        self.assertEqual(len(notes), 1, err)
        self.assertRegex(notes[0], f"run/{name}: .*; the {stage} stage is run again$")
        with open(self.path("run/report.json"), "rb") as report:
            done = json.load(report)["stages"]
        self.assertEqual([row["stage"] for row in done if not row["reused"]], [stage])
        self.assert_same(all_files(self.path("run")), expected)

    def test_every_file_of_every_command(self):
        stage_of = {name: stage for stage, names in STAGES.items() for name in names}
        tried = set()
        for command in COMMANDS:
            args = (*COMMANDS[command], "-o", "run")
            self.kith(*args)
            expected = all_files(self.path("run"))
            for name in sorted(name for name in expected if name.endswith(".kith")):
                tried.add(name)
                for how, damage in DAMAGES.items():
                    with self.subTest(command, file=name, damage=how):
                        self.check(args, name, stage_of[name], damage(expected[name]), expected)
            shutil.rmtree(self.path("run"))
        self.assertEqual(tried, set(stage_of))

    def test_verify_finds_a_sound_file_of_another_run(self):
        self.kith(*COMMANDS["exact engine"], "-o", "run")
        self.kith("cluster", "run", "-o", "other", "--similarity", "0.9")
        shutil.copy(self.path("other/clusters.kith"), self.path("run/clusters.kith"))
        self.fails("info", "run", "--verify", says=["run/clusters.kith: is not the file that this run has made",
                                                    "the kith command that made it"])


if __name__ == "__main__":
    unittest.main()
