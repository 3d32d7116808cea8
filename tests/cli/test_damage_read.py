"""What commands that only read a run say of one that is damaged: an error that names the file, or the truth."""

import os
import random
import shutil
import subprocess
import unittest

from kith_case import DATA, KITH, KithCase

READERS = {
    "clusters": (),
    "clusters --summary": (),
    "bags": (),
    "pairs": ("--memory", "64M"),
    "related": ("PAGE",),
    "related --other-sites": ("PAGE",),
    "related --why": ("PAGE",),
    "topics --format tsv": (),
    "info": (),
}


class DamageReadTest(KithCase):
    def setUp(self):
        super().setUp()
        self.kith("cluster", os.path.join(DATA, "crawl", "sample.warc.gz"), "-o", "run", "--engine", "lsh")
        self.page = self.kith("clusters", "run")[0].splitlines()[1].split("\t")[1]
        self.expected = {}
        for reader in READERS:
            out, err, code = self.read(reader)
            self.assertEqual((err, code), (b"", 0), reader)
            self.assertGreater(out.count(b"\n"), 0, reader)
            self.expected[reader] = out
        os.rename(self.path("run"), self.path("sound"))

    def read(self, reader):
        flags = [self.page if flag == "PAGE" else flag for flag in READERS[reader]]
        name, *more = reader.split()
        result = subprocess.run([KITH, name, "run", *more, *flags], cwd=self.folder, capture_output=True, timeout=60)
        return result.stdout, result.stderr, result.returncode

    def damage(self, rng, path):
        with open(path, "rb") as file:
            data = bytearray(file.read())
        kind = rng.randrange(10)
        place = rng.randrange(len(data))
        if kind < 6:
            data[place] ^= 1 << rng.randrange(8)
        elif kind == 6:
            data[place : place + 100] = bytes(len(data[place : place + 100]))
        elif kind == 7:
            data = data[:place]
        elif kind == 8:
            data += b"more"
        os.remove(path)
        if kind < 9:
            with open(path, "wb") as file:
                file.write(data)

    def test_nothing_wrong_is_printed(self):
        rng = random.Random(5)
        names = sorted(name for name in os.listdir(self.path("sound")) if name != "manifest.json")
        readers = list(READERS)
        refused = 0
        for number in range(25 * len(names)):
            name = names[number % len(names)]
            reader = readers[number // len(names) % len(readers)]
            shutil.copytree(self.path("sound"), self.path("run"))
            self.damage(rng, self.path("run/" + name))
            out, err, code = self.read(reader)
            shutil.rmtree(self.path("run"))
            if code == 0:
                self.assertEqual(out, self.expected[reader], (name, reader, number))
                continue
            refused += 1
            self.assertIn(("run/" + name).encode(), err)
            self.assertTrue(self.expected[reader].startswith(out), (name, reader, number))
        self.assertGreater(refused, 30)


if __name__ == "__main__":
    unittest.main()
