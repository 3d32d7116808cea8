#!/usr/bin/python3
"""kith audit: pages that were answered as pages, but are no content, and such that look like them."""

import json
import os
import random
import unittest

from kith_case import KithCase, jsonl, warc_gz

WORDS = ("amber basin cedar delta ember fjord grove heath inlet jetty knoll lagoon meadow north orchard prairie "
         "quarry ridge summit tundra upland valley willow yonder zenith").split()


def prose(seed, count=60):
    return " ".join(random.Random(seed).choices(WORDS, k=count))


def page(title, body, head=""):
    return f"<!DOCTYPE html><html><head><title>{title}</title>{head}</head><body>{body}</body></html>"


def article(host, name):
    return {"url": f"https://{host}/{name}", "html": page(name, f"<h1>{name}</h1><p>{prose(host + name)}</p>")}


def articles(host, count=6):
    return [article(host, f"{WORDS[i]}-{WORDS[i + 7]}") for i in range(count)]


def family(host, paths, html):
    return [{"url": f"https://{host}{path}", "html": html(path) if callable(html) else html} for path in paths]


DEAD = ["/old/lamp.html", "/shop/chair-red", "/news/2015/03/storm", "/team?id=77", "/de/stuhl.aspx", "/blog/tag/x"]
PASSWORD = '<form method="post"><input name="user"><input type="password" name="secret"><button>Go</button></form>'

# Of each kind a family, in English, German, French, Spanish and Japanese.
NO_CONTENT = {
    "soft_404": [
        page("Not found", "<h1>Nothing here</h1><p>This page has been removed or never existed.</p>"),
        page("Fehler", "<h1>Seite nicht gefunden</h1><p>Diesen Artikel gibt es nicht mehr.</p>"),
        page("Erreur", "<h1>Page introuvable</h1><p>Le document demandé n’existe pas.</p>"),
        page("Error", "<h1>No encontrado</h1><p>El artículo que buscas ya no está disponible.</p>"),
        page("エラー", "<h1>ページが見つかりません</h1><p>指定されたページは削除されました。</p>")],
    "login_wall": [
        page(title, f"<h1>{title}</h1><p>{text}</p>{PASSWORD}")
        for title, text in (("Sign in", "Sign in to read on."), ("Anmelden", "Bitte melden Sie sich an."),
                            ("Connexion", "Identifiez-vous pour lire la suite."),
                            ("Iniciar sesión", "Identifícate para continuar."), ("ログイン", "会員の方はこちら。"))],
    "consent_wall": [
        page(title, f"<h1>{title}</h1><p>{text}</p><button>OK</button>")
        for title, text in (("Cookies", "We store cookies. Accept them to go on, or choose your settings."),
                            ("Cookies", "Wir verwenden Cookies. Zustimmen oder Einstellungen."),
                            ("Cookies", "Nous utilisons des cookies. Accepter ou refuser."),
                            ("Cookies", "Usamos cookies. Aceptar o rechazar."),
                            ("クッキー", "クッキーの使用に同意してください。"))],
    "bot_check": [
        page(title, f'<h1>{title}</h1><p>{text}</p><div class="h-captcha"></div><script src="/c.js"></script>')
        for title, text in (("Security check", "Verify that you are human."), ("Prüfung", "Sind Sie ein Mensch?"),
                            ("Vérification", "Prouvez que vous êtes humain."), ("Verificación", "¿Eres humano?"),
                            ("確認", "ロボットではないことを確認します。"))],
    "empty_app": [
        page("App", f'<div id="root"></div><script src="/app.js"></script><noscript>{text}</noscript>')
        for text in ("This app needs JavaScript.", "Diese Anwendung braucht JavaScript.",
                     "Cette application a besoin de JavaScript.", "Esta aplicación necesita JavaScript.",
                     "JavaScriptを有効にしてください。")],
}
LANGUAGES = ("en", "de", "fr", "es", "ja")


def calendar(year, month):
    cells = "".join(f"<td>{day}</td>" for day in range(1, 31))
    return page("Calendar", f"<h1>{'January March May June'.split()[month % 4]} {year}</h1><table>{cells}</table>")


def traps():
    """By host: of a calendar, of sessions, of many addresses of a list, of stubs, and of parked hosts."""
    copy = page("Pots", f"<h1>Pots</h1><p>{prose('pots', 120)}</p>")
    return [
        *articles("cal.test"),
        *family("cal.test", [f"/cal?year={2040 + m // 12}&month={m % 12 + 1}" for m in range(20)],
                lambda path: calendar(2040, int(path.rpartition("=")[2]))),
        *articles("sid.test"),
        *family("sid.test", [f"/pots;jsessionid={seed << 98:032X}" for seed in (0xabc1, 0xbcd2, 0xcde3)], copy),
        *articles("sort.test"),
        *family("sort.test", [f"/list?sort={by}" for by in ("name", "price", "size", "date", "colour")], copy),
        *articles("stub.test"),
        *family("stub.test", ["/a", "/b", "/c/d", "/e"],
                lambda path: page("Redirecting", f'<a href="/new{path}">/new{path}</a>',
                                  f'<meta http-equiv="refresh" content="0; url=/new{path}">')),
        *(family(f"name{i}.test", ["/"], page(f"name{i}.test", f"<p>name{i}.test is for sale. Make an offer.</p>"))[0]
          for i in range(4)),
    ]


def content():
    """By host: what looks like it, and is not."""
    login = page("How to log in", f"<h1>How to log in</h1><p>You must sign in to go on. {prose('login', 200)}</p>")
    return [
        *family("shop.test", [f"/item/{i}" for i in range(12)],
                lambda path: page(WORDS[int(path[6:])], f"<h1>{WORDS[int(path[6:])]}</h1><b>{path[6:]}9,00</b>")),
        *family("table.test", [f"/results/{i}" for i in range(12)],
                lambda path: page("Results", "".join(f"<td>{random.Random(path + str(i)).randrange(9999)}</td>"
                                                     for i in range(40)))),
        *family("poem.test", [f"/poem/{i}" for i in range(9)], lambda path: page("Poem", f"<p>{prose(path, 12)}</p>")),
        *family("help.test", ["/help/log-in", "/support/log-in", "/kb/log-in"], login),
        *family("copy.test", ["/news/amber", "/print/amber", "/archive/amber"],
                page("Amber", f"<h1>Amber</h1><p>{prose('amber', 150)}</p>")),
        *family("forum.test", [f"/thread/{i}" for i in range(9)],
                lambda path: page("Thread", f"{PASSWORD}<p>{prose(path, 50)}</p>")),
        *family("photo.test", [f"/photo/{i}" for i in range(9)],
                lambda path: page("Photo", f'<img src="/jpg{path}.jpg"><script src="/a.js"></script>')),
        *family("note.test", [f"/note/{i}" for i in range(9)],
                lambda path: page(f"Note {WORDS[int(path[6:])]}", "<div>We use cookies. Accept them or go to settings."
                                  f"</div><p>{prose(path, 40)}</p>")),
    ]


class Audit(KithCase):
    def run_of(self, pages, job="dedup", name="run"):
        self.write(name + ".warc.gz", warc_gz(pages))
        self.kith("-q", job, name + ".warc.gz", "-o", name, "--no-check")
        return name

    def families(self, run, *options):
        out, err = self.kith("audit", run, "--format", "jsonl", *options)
        return [json.loads(line) for line in out.splitlines()], err

    def test_every_kind_in_five_languages(self):
        for kind, texts in NO_CONTENT.items():
            pages, expected = [], set()
            for lang, html in zip(LANGUAGES, texts):
                host = f"{lang}.{kind.replace('_', '-')}.test"
                pages += articles(host) + family(host, DEAD, html)
                expected |= {f"https://{host}{path}" for path in DEAD}
            run = self.run_of(pages, name=kind)
            rows = self.rows("audit", run, "--list", "urls")
            self.assertEqual({row["url"] for row in rows}, expected, kind)
            self.assertEqual({row["kind"] for row in rows}, {kind})
            self.assertEqual({row["stays"] for row in rows}, {"false"})

    def test_traps_stubs_and_parked_hosts(self):
        found, err = self.families(self.run_of(traps()))
        kinds = {family["host"]: (family["kind"], family["pages"]) for family in found}
        self.assertEqual(kinds, {"cal.test": ("calendar_trap", 20), "sid.test": ("session_trap", 3),
                                 "sort.test": ("session_trap", 5), "stub.test": ("redirect", 4),
                                 "name0.test": ("parked", 4)})
        self.assertEqual({family["hosts"] for family in found if family["kind"] == "parked"}, {4})
        self.assertTrue(all(family["reasons"] and family["score"] >= 1 for family in found))
        self.assertIn("session_trap", err)
        self.assertIn("a page under many addresses of one pattern", err)
        # Of a session trap one page stays.
        stays = [row["url"] for row in self.rows("audit", "run", "--list", "urls") if row["stays"] == "true"]
        self.assertEqual(len(stays), 2)

    def test_content_that_looks_alike_stays(self):
        self.assertEqual(self.families(self.run_of(content()))[0], [])

    def test_exclude_list_is_taken_by_other_commands(self):
        pages = traps() + content() + articles("dead.test") + family("dead.test", DEAD, NO_CONTENT["soft_404"][0])
        run = self.run_of(pages)
        out, err = self.kith("audit", run, "--exclude-list", "list.txt", "--list", "hosts", "--format", "jsonl")
        with open(self.path("list.txt"), encoding="utf-8") as file:
            urls = file.read().split()
        left = len(pages) - len(urls)
        hosts = {row["host"]: row for row in map(json.loads, out.splitlines())}
        self.assertEqual(sum(row["no_content"] for row in hosts.values()), len(urls))
        self.assertEqual((hosts["dead.test"]["pages"], hosts["dead.test"]["no_content"]), (12, 6))
        self.assertEqual(hosts["dead.test"]["share"], 0.5)
        self.assertIn(f"no content  {len(urls)} of {len(pages)} pages", err)
        for job in ("cluster", "dedup"):
            _, err = self.kith(job, "run.warc.gz", "-o", job, "--exclude-list", "list.txt", "--no-check")
            self.assertIn(f"{len(urls)} left out by a filter or a list", err)
            self.assertEqual(json.loads(self.kith("info", job, "--json")[0])["crawl"]["pages"], left)
            self.assertEqual(self.families(job)[0], [])  # the run knows its list
        out, err = self.kith("crawl", "run.warc.gz", "--exclude-list", "list.txt")
        self.assertEqual(len(out.splitlines()) - 1, left)
        # Another list is another run.
        self.write("list.txt", urls[0] + "\n")
        self.fails("dedup", "run.warc.gz", "-o", "dedup", "--exclude-list", "list.txt", "--no-check", code=2)
        self.fails("crawl", "run.warc.gz", "--exclude-list", "absent", says="cannot open absent")

    def test_all_runs_threads_and_memories_say_the_same(self):
        pages = traps() + content()
        expected = self.kith("audit", self.run_of(pages), "--list", "urls")[0]
        for options in (["--threads", "1"], ["--threads", "7"], ["--memory", "100M"]):
            self.assertEqual(self.kith("audit", "run", "--list", "urls", *options)[0], expected)
        for job, name in (("cluster", "cluster"), ("cluster", "bags-of-it")):
            source = "run.warc.gz" if name == "cluster" else "cluster"
            self.kith("-q", job, source, "-o", name, "--no-check", "--similarity", "0.5")
            self.assertEqual(self.kith("audit", name, "--list", "urls")[0], expected)
        for i in (1, 2):
            self.kith("-q", "dedup", "run.warc.gz", "run.warc.gz", "--captures", "first", "-o", f"s{i}",
                      "--shard", f"{i}/2")
        self.kith("-q", "merge", "s1", "s2", "-o", "merged")
        self.assertEqual(self.kith("audit", "merged", "--list", "urls")[0], expected)

    def test_texts_without_markup(self):
        rows = [{"url": f"https://text.test{path}", "text": "Page not found. The page you want does not exist."}
                for path in DEAD]
        rows += [{"id": f"doc-{i}", "text": "Access denied. You have been blocked."} for i in range(3)]
        rows += [{"id": f"own-{i}", "text": prose(i)} for i in range(3)]
        self.write("rows.jsonl", jsonl(rows))
        self.kith("-q", "dedup", "rows.jsonl", "-o", "run", "--no-check")
        found, _ = self.families("run")
        self.assertEqual([(family["kind"], family["pages"]) for family in found], [("soft_404", 6), ("bot_check", 3)])
        _, err = self.kith("audit", "run", "--exclude-list", "list.txt")
        self.assertIn("left out of list.txt: 3 documents without a URL", err)
        with open(self.path("list.txt"), encoding="utf-8") as file:
            self.assertEqual(len(file.read().split()), 6)

    def test_formats_and_thresholds(self):
        run = self.run_of(articles("dead.test") + family("dead.test", DEAD, NO_CONTENT["soft_404"][0]))
        out, _ = self.kith("audit", run, "--format", "csv", "-o", "families.csv")
        self.assertEqual(out, "")
        with open(self.path("families.csv"), encoding="utf-8") as file:
            self.assertEqual(file.readline(), "family,kind,pages,hosts,host,pattern,score,reasons,title,url\n")
            self.assertEqual(len(file.readlines()), 1)
        self.assertEqual(self.families(run, "--min-pages", "7")[0], [])
        self.assertEqual(self.families(run, "--min-score", "9")[0], [])
        self.fails("audit", run, "--min-pages", "1", code=2, says="--min-pages")
        self.fails("audit", run, "--min-score", "0", code=2, says="--min-score")
        self.fails("audit", run, "--list", "pages", code=2, says="families, urls, hosts")

    def test_what_cannot_be_read_is_said(self):
        pages = articles("dead.test") + family("dead.test", DEAD, NO_CONTENT["soft_404"][0])
        run = self.run_of(pages)
        self.fails("audit", "absent", says="absent")
        self.write("empty/x.txt", "")
        self.fails("audit", "empty", says="empty")
        whole = warc_gz(pages)
        self.write("run.warc.gz", whole[:len(whole) // 2])
        _, err = self.kith("audit", run)  # half of it is there
        self.assertIn("no content", err)
        os.remove(self.path("run.warc.gz"))
        self.fails("audit", run, says="run.warc.gz")
        self.kith("-q", "dedup", "-", "-o", "piped", "--no-check", stdin=jsonl(pages).encode())
        self.fails("audit", "piped", code=2, says="piped: was made of standard input")
        self.fails("audit", run, "--memory", "1M", code=2, says="memory")
        os.remove(self.path("run/manifest.json"))
        self.fails("audit", run, says="run")


if __name__ == "__main__":
    unittest.main()
