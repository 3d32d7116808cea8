#!/usr/bin/python3
"""Makes crawls with families of pages that are no content, and of pages that are, with labels.

    bench/audit_pages.py -o build/audit

writes for each half of the hosts, tune and measure: HALF.warc.gz, and HALF.tsv with the columns url,
family, label, kind. Labels: no_content; content; stays (of the pages of a session trap any one may
stay). The halves share no host, no wording and no template. The same arguments give the same bytes.
"""

import argparse
import hashlib
import html
import os
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tools"))

from audit_words import CONTENT, DAYS, LANGUAGES, MENU, MONTHS, WORDS
from debian_crawl import gzip_member, response_record

HALVES = ("tune", "measure")


class Site:
    """A host with a language and a template, and the pages made for it."""

    def __init__(self, host, lang, half, seed):
        self.host, self.lang, self.half = host, lang, half
        self.random = random.Random(seed)
        self.pages, self.rows = [], []
        self.style = self.random.randrange(4)
        self.words = CONTENT[lang].split()
        # What makes families harder to find: a text beside each page, other pages that are praised on each, and few
        # addresses, which say nothing.
        self.sidebar = f"<aside><h3>{self.phrase(2)}</h3><p>{self.text(140)}</p></aside>" if self.chance(.4) else ""
        self.teasers = [(self.phrase(3), self.text(14)) for _ in range(12)] if self.chance(.15) else []
        self.has_few = self.chance(.3)

    def chance(self, share):
        return self.random.random() < share

    def text(self, count):
        joint = "" if self.lang == "ja" else " "
        sentences = []
        while count > 0:
            size = min(count, self.random.randint(6, 14))
            words = [self.random.choice(self.words) for _ in range(size)]
            sentence = joint.join(words)
            sentences.append(sentence[0].upper() + sentence[1:] + ("。" if self.lang == "ja" else "."))
            count -= size
        return joint.join(sentences)

    def phrase(self, count=2):
        return ("" if self.lang == "ja" else " ").join(self.random.sample(self.words, count))

    def slug(self):
        latin = [w for w in self.words if w.isascii()] or CONTENT["en"].split()
        return "-".join(self.random.sample(latin, 3)).lower()

    def token(self, size=24):
        return hashlib.md5(self.random.randbytes(8)).hexdigest()[:size]

    def wrap(self, title, body, head="", bare=False):
        menu = ""
        footer = ""
        if not bare:
            body += self.sidebar + "".join(
                f'<div><a href="/n{self.random.randrange(99)}">{name}</a><p>{text}</p></div>'
                for name, text in self.random.sample(self.teasers, min(3, len(self.teasers))))
        if not bare and self.style != 3:
            items = "".join(f'<li><a href="/m{i}">{name}</a></li>' for i, name in enumerate(MENU[self.lang]))
            menu = f"<header><ul>{items}</ul></header>" if self.style < 2 else f"<nav><ul>{items}</ul></nav>"
            footer = f"<footer>© 2024 {self.host}</footer>" if self.style else "<footer>© 2024</footer>"
        tag = ("main", "div class='content'", "article", "section")[self.style]
        site = "" if bare or self.style == 2 else " | " + self.host.split(".")[0].title()
        return (f'<!DOCTYPE html><html lang="{self.lang}"><head><meta charset="utf-8"><title>'
                f"{html.escape(title + site)}</title>{head}</head><body>{menu}<{tag}>{body}"
                f"</{tag.split()[0]}>{footer}</body></html>")

    def add(self, path, page, label, family, kind):
        url = f"https://{self.host}{path}"
        self.pages.append((url, page))
        self.rows.append((url, f"{self.host}/{family}", label, kind))

    def article(self, path, words=160, label="content", family="articles", kind="article", extra=""):
        title = self.phrase(3)
        body = f"<h1>{title}</h1>" + "".join(f"<p>{self.text(words // 3)}</p>" for _ in range(3)) + extra
        self.add(path, self.wrap(title, body), label, family, kind)

    def articles(self, count, extra=""):
        for _ in range(count):
            self.article(f"/{self.random.choice(['news', 'blog', 'guide'])}/{self.slug()}", extra=extra)

    def paths(self, count):
        """Addresses of many patterns, as dead links have them."""
        if self.has_few:
            return [f"/item/{self.random.randint(1000, 99999)}" for _ in range(4)]
        made = []
        for i in range(count):
            made.append(self.random.choice([
                f"/{self.slug()}", f"/old/{self.slug()}.html", f"/news/20{10 + i % 9}/{1 + i % 12:02}/{self.slug()}",
                f"/product.php?id={self.random.randint(100, 99999)}", f"/tag/{self.slug()}",
                f"/{self.slug()}/{self.slug()}", f"/de/{self.slug()}.aspx", f"/p/{self.random.randint(1, 9999)}"]))
        return list(dict.fromkeys(made))


# --- pages without content --------------------------------------------------------------------


def said(site, kind, path):
    title, heading, text = WORDS[kind][site.lang][HALVES.index(site.half)]
    url = f"https://{site.host}{path}"
    parts = {"url": url, "host": site.host, "path": path, "id": site.token(16),
             "word": path.partition("q=")[2].partition("&")[0] or site.phrase(1),
             "time": f"2024-0{site.random.randint(1, 9)}-1{site.random.randint(0, 9)} 12:{site.random.randint(10, 59)}"}
    return [part.format(**parts) for part in (title, heading, text)]


def simple(site, kind, count=10, head="", extra=None, bare=False, paths=None, status_words=True):
    for path in paths or site.paths(count):
        title, heading, text = said(site, kind, path)
        more = extra(path) if extra else ""
        top = f"<h1>{html.escape(heading)}</h1>" if heading else ""
        body = f"{top}<p>{html.escape(text)}</p>{more}"
        site.add(path, site.wrap(title, body, head, bare), "no_content", kind, kind)


def soft_404(site):
    def suggestions(_):
        if site.style != 1:
            return ""
        links = "".join(f'<li><a href="/x{site.random.randrange(99)}">{site.phrase(3)}</a></li>' for _ in range(5))
        return f"<ul>{links}</ul>"
    simple(site, "soft_404", 14, extra=suggestions)


def gone_item(site):
    simple(site, "gone_item", paths=[f"/item/{site.random.randint(1000, 99999)}/{site.slug()}" for _ in range(9)])


def no_results(site):
    simple(site, "no_results", paths=[f"/search?q={site.phrase(1)}&x={i}" for i in range(8)]
           if site.lang != "ja" else [f"/search?q={site.token(6)}" for i in range(8)])


def server_error(site):
    simple(site, "server_error", 8, bare=site.style > 1)


def login_wall(site):
    def form(path):
        return ('<form method="post" action="/session"><input name="u"><input type="password" name="p">'
                f'<input type="hidden" name="csrf" value="{site.token()}"><button>OK</button></form>')
    simple(site, "login_wall", 10, extra=form)


def sso_wall(site):
    simple(site, "sso_wall", 9, extra=lambda path: f'<form action="/sso"><button>SSO</button></form>')


def cookie_wall(site):
    simple(site, "cookie_wall", 10, extra=lambda path: "<button>OK</button><button>…</button>", bare=site.style > 1)


def age_wall(site):
    simple(site, "age_wall", 8, bare=site.style != 1)


def bot_check(site):
    def challenge(_):
        if site.style % 2 == 0:
            return f'<div class="g-recaptcha" data-sitekey="{site.token()}"></div>'
        return f'<script>window.k="{site.token()}"</script>'
    simple(site, "bot_check", 9, extra=challenge, bare=True)


def denied(site):
    simple(site, "denied", 8, bare=True)


def parked(sites):
    for site in sites:
        simple(site, "parked", paths=["/", f"/{site.slug()}"][:1 + site.style % 2], bare=True,
               extra=lambda path: '<a href="https://ads.broker.test/?d=1">…</a>')
        for i, row in enumerate(site.rows):
            site.rows[i] = (row[0], f"parked-{site.lang}-{site.half}", row[2], row[3])


def placeholder(site):
    simple(site, "placeholder", paths=["/", "/index.html", f"/{site.slug()}", "/blog/"], bare=True)


def empty_app(site):
    for path in site.paths(10):
        title, _, text = said(site, "empty_app", path)
        body = ('<div id="root"></div><script src="/static/main.js"></script>' if site.style % 2 else
                '<app-root></app-root><script src="/runtime.js"></script><script src="/main.js"></script>')
        page = site.wrap(title, body + f"<noscript>{text}</noscript>", bare=True)
        site.add(path, page, "no_content", "empty_app", "empty_app")


def loading_app(site):
    for path in site.paths(9):
        page = site.wrap(site.host, '<div id="app"><span class="spinner">…</span></div><script src="/a.js"></script>',
                         bare=True)
        site.add(path, page, "no_content", "loading_app", "empty_app")


def redirect(site):
    for path in site.paths(8):
        title, _, text = said(site, "redirect", path)
        target = f"/{site.slug()}"
        head = f'<meta http-equiv="refresh" content="{0 if site.style % 2 else 3}; url={target}">'
        page = site.wrap(title, f'<p>{html.escape(text)}</p><a href="{target}">{target}</a>', head, True)
        site.add(path, page, "no_content", "redirect", "redirect")


def month_page(site, year, month, events=False):
    name = MONTHS[site.lang].split()[month - 1]
    head = "".join(f"<th>{day}</th>" for day in DAYS[site.lang].split())
    cells = ""
    for day in range(1, 32):
        event = f"<p>{site.text(12)}</p>" if events and site.random.random() < .3 else ""
        cells += f"<td>{day}{event}</td>" + ("</tr><tr>" if day % 7 == 0 else "")
    title = f"{name} {year}"
    return site.wrap(title, f'<h2>{title}</h2><a href="?m={month - 1}">«</a> <a href="?m={month + 1}">»</a>'
                     f"<table><tr>{head}</tr><tr>{cells}</tr></table>")


def calendar(site):
    for i in range(18):
        year, month = 2030 + i // 12, i % 12 + 1
        path = f"/calendar?year={year}&month={month}" if site.style % 2 else f"/calendar/{year}/{month:02}"
        site.add(path, month_page(site, year, month), "no_content", "calendar", "calendar_trap")


def day_view(site):
    for i in range(24):
        year, month, day = 2031, i % 12 + 1, i % 27 + 1
        name = MONTHS[site.lang].split()[month - 1]
        title, heading, text = said(site, "no_events", "")
        body = f"<h1>{heading}: {day} {name} {year}</h1><p>{text}</p>"
        site.add(f"/events/{year}-{month:02}-{day:02}", site.wrap(title, body), "no_content", "day_view",
                 "calendar_trap")


def trap(site, kind, urls):
    page = site.wrap(site.phrase(3), f"<h1>{site.phrase(4)}</h1><p>{site.text(140)}</p>")
    for path in urls:
        site.add(path, page, "stays", kind, "session_trap")


def session_trap(site):
    base = f"/shop/{site.slug()}"
    sessions = [site.token(32).upper() for _ in range(7)]
    made = ([f"{base};jsessionid={s}" for s in sessions], [f"{base}?cat=4&PHPSESSID={s.lower()}" for s in sessions],
            [f"/(S({s[:24].lower()}))/list.aspx" for s in sessions], [f"{base}?visitor={s.lower()}" for s in sessions])
    trap(site, "session_trap", made[site.style])


def parameter_trap(site):
    base = f"/list/{site.slug()}"
    made = [f"{base}?sort={s}&dir={d}" for s in ("name", "price", "date") for d in ("up", "down")]
    if site.style % 2:
        made = ["/docs/" + "images/" * n + site.slug() + ".html" for n in range(3, 9)]
    trap(site, "parameter_trap", made)


# --- content that looks alike -----------------------------------------------------------------


def content(site, name, count, make):
    for i in range(count):
        path, title, body = make(i)
        site.add(path, site.wrap(title, body), "content", name, name)


def products(site):
    def make(i):
        name = site.phrase(2)
        return (f"/product/{site.random.randint(1000, 9999)}", name, f"<h1>{name}</h1><p>{site.text(18)}</p><b>"
                f"{site.random.randint(5, 900)},99</b><button>+</button><img src='/i/{i}.jpg'>")
    content(site, "products", 14, make)


def tiny_products(site):
    def make(i):
        name = site.phrase(2)
        return f"/p/{i + 300}", name, f"<h1>{name}</h1><b>{site.random.randint(5, 900)},00</b><img src='/p{i}.png'>"
    content(site, "tiny_products", 12, make)


def tables(site):
    head = "".join(f"<th>{site.phrase(1)}</th>" for _ in range(4))
    title = site.phrase(2)

    def make(i):
        rows = "".join("<tr>" + "".join(f"<td>{site.random.randint(1, 9999)}</td>" for _ in range(4)) + "</tr>"
                       for _ in range(12))
        return f"/results/{2000 + i}", f"{title} {2000 + i}", f"<h1>{title} {2000 + i}</h1><table>{head}{rows}</table>"
    content(site, "tables", 12, make)


def weather(site):
    title = site.phrase(2)

    def make(i):
        rows = "".join(f"<tr><td>{day}</td><td>{site.random.randint(-9, 30)},{site.random.randint(0, 9)}</td><td>"
                       f"{site.random.randint(0, 60)}</td></tr>" for day in range(1, 31))
        return f"/climate/{2010 + i // 12}/{i % 12 + 1:02}", title, f"<h1>{title}</h1><table>{rows}</table>"
    content(site, "weather", 14, make)


def phone_list(site):
    def make(i):
        rows = "".join(f"<li>{site.phrase(1)} 0{site.random.randint(100, 999)} {site.random.randint(10000, 99999)}</li>"
                       for _ in range(9))
        return f"/phones/{chr(97 + i)}", site.phrase(1), f"<ul>{rows}</ul>"
    content(site, "phones", 10, make)


def poems(site):
    def make(i):
        title = site.phrase(2)
        lines = "<br>".join(site.phrase(count) for count in (5, 6, 5))
        return f"/poem/{site.slug()}", title, f"<h1>{title}</h1><p>{lines}"
    content(site, "poems", 10, make)


def copies(site):
    title, text, slug = site.phrase(3), site.text(150), site.slug()
    body = f"<h1>{title}</h1><p>{text}</p>"
    content(site, "copies", 4, lambda i: (("/news/", "/print/", "/archive/", "/amp/")[i] + slug, title, body))


def short_copies(site):
    title, text = site.phrase(3), site.text(40)
    slug = "-".join(w for w in title.lower().split() if w.isascii()) or site.slug()
    body = f"<h1>{title}</h1><p>{text}</p>"
    content(site, "short_copies", 4, lambda i: (("/quote/", "/print/", "/daily/", "/m/")[i] + slug, title, body))


def forum(site):
    login = '<form><input name="u"><input type="password" name="p"><button>OK</button></form>'

    def make(i):
        title = site.phrase(3)
        posts = "".join(f"<div><b>{site.phrase(1)}</b><p>{site.text(25)}</p></div>" for _ in range(3))
        return f"/thread/{i + 4000}", title, f"{login}<h1>{title}</h1>{posts}"
    content(site, "forum", 12, make)


def forum_index(site):
    login = '<form><input name="u"><input type="password" name="p"><button>OK</button></form>'

    def make(i):
        links = "".join(f'<li><a href="/t/{site.random.randrange(9999)}">{site.phrase(4)}</a></li>' for _ in range(15))
        return f"/forum/{i}", MENU[site.lang][1], f"{login}<ul>{links}</ul>"
    content(site, "forum_index", 10, make)


def about_walls(site):
    """Articles about log-ins, cookies, missing pages: content, in a few copies."""
    for number, kind in enumerate(("login_wall", "cookie_wall", "soft_404", "bot_check")):
        title, heading, text = said(site, kind, "/help")
        body = f"<h1>{title}</h1><p>{text}</p><p>{site.text(160)}</p>"
        for place in ("help", "support", "kb"):
            site.add(f"/{place}/article-{number}", site.wrap(title, body), "content", f"about_{kind}", "about")


def gallery(site):
    title = site.phrase(2)
    content(site, "gallery", 12, lambda i: (f"/photo/{i + 1}", title, f"<img src='/photos/{site.token(8)}.jpg'>"
                                            f"<a href='/photo/{i}'>«</a><a href='/photo/{i + 2}'>»</a>"))


def link_lists(site):
    def make(i):
        links = "".join(f'<li><a href="/d/{site.random.randrange(9999)}">{site.phrase(3)}</a></li>' for _ in range(30))
        return f"/tag/{site.slug()}", MENU[site.lang][6], f"<ul>{links}</ul>"
    content(site, "link_lists", 10, make)


def full_calendar(site):
    for i in range(12):
        site.add(f"/program/2024/{i + 1:02}", month_page(site, 2024, i + 1, True), "content", "full_calendar",
                 "full_calendar")


def definitions(site):
    def make(i):
        word = site.random.choice(site.words)
        return f"/word/{i}-{site.token(4)}", word, f"<h1>{word}</h1><p>{site.text(8)}</p>"
    content(site, "definitions", 14, make)


def banners(site):
    """Short pages with a cookie banner on each."""
    _, heading, text = said(site, "cookie_wall", "/")

    def make(i):
        title = site.phrase(2)
        banner = f"<div class=banner><b>{heading}</b><p>{text}</p><button>OK</button></div>"
        return f"/note/{site.slug()}", title, f"{banner}<h1>{title}</h1><p>{site.text(30)}</p>"
    content(site, "banners", 10, make)


def comments(site):
    form = '<form><textarea></textarea><div class="h-captcha"></div><button>OK</button></form>'
    site.articles(8, form)


def real_results(site):
    def make(i):
        hits = "".join(f'<li><a href="/d/{site.random.randrange(999)}">{site.phrase(3)}</a><p>{site.text(12)}</p></li>'
                       for _ in range(5))
        return f"/search?q={site.token(5)}", "Search", f"<h1>{MENU[site.lang][6]}</h1><ul>{hits}</ul>"
    content(site, "real_results", 10, make)


def session_content(site):
    def make(i):
        title = site.phrase(3)
        return f"/doc?id={site.token(32)}", title, f"<h1>{title}</h1><p>{site.text(60)}</p>"
    content(site, "session_content", 8, make)


def sold_out(site):
    """Products that are there, and say what is not in stock."""
    text = WORDS["gone_item"][site.lang][HALVES.index(site.half)][2]

    def make(i):
        title = site.phrase(2)
        return f"/shop/{site.slug()}", title, f"<h1>{title}</h1><p>{site.text(40)}</p><i>{text}</i>"
    content(site, "sold_out", 9, make)


def server_apps(site):
    """Pages of an application that are filled, with a text for visitors without scripts."""
    text = WORDS["empty_app"][site.lang][HALVES.index(site.half)][2]

    def make(i):
        title = site.phrase(2)
        return (f"/app/{site.slug()}", title, f"<div id=root><h1>{title}</h1><p>{site.text(30)}</p></div>"
                f"<script src=/main.js></script><noscript>{text}</noscript>")
    content(site, "server_apps", 9, make)


NO_CONTENT = (soft_404, gone_item, no_results, server_error, login_wall, sso_wall, cookie_wall, age_wall, bot_check,
              denied, placeholder, empty_app, loading_app, redirect, calendar, day_view, session_trap, parameter_trap)
CONTENT_KINDS = (products, tiny_products, tables, weather, phone_list, poems, copies, short_copies, forum,
                 forum_index, about_walls, gallery, link_lists, full_calendar, definitions, banners, comments,
                 real_results, session_content, sold_out, server_apps)


def legal(half, lang):
    """One text about cookies on many hosts, each at the address that says so."""
    first = Site(f"legal0-{lang}.{half}.test", lang, half, f"legal{half}{lang}")
    text = first.text(200)
    title, heading, wall = said(first, "cookie_wall", "/cookie-policy")
    sites = []
    for i in range(4):
        site = Site(f"legal{i}-{lang}.{half}.test", lang, half, f"legal{i}{half}{lang}")
        site.add("/cookie-policy", first.wrap(title, f"<h1>{heading}</h1><p>{wall}</p><p>{text}</p>"), "content",
                 "legal", "legal")
        site.rows[-1] = (site.rows[-1][0], f"legal-{lang}-{half}", "content", "legal")
        site.articles(6)
        sites.append(site)
    return sites


def make_half(half, seed):
    sites = []
    for lang in LANGUAGES:
        for number, make in enumerate((*NO_CONTENT, *CONTENT_KINDS)):
            name = make.__name__.replace("_", "-")
            site = Site(f"{name}-{lang}.{half}.test", lang, half, f"{seed}{half}{lang}{number}")
            if make not in (placeholder,):
                site.articles(site.random.randint(4, 14))
            make(site)
            sites.append(site)
        group = [Site(f"{lang}{i}-{random.Random(f'{half}{lang}{i}').randrange(999)}.{half}-parked.test", lang, half,
                      f"{seed}{half}{lang}p{i}") for i in range(6)]
        parked(group)
        sites += group
        sites += legal(half, lang)
    return sites


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", required=True, help="the folder to write to")
    parser.add_argument("--seed", default="1")
    args = parser.parse_args()
    os.makedirs(args.output, exist_ok=True)
    for half in HALVES:
        sites = make_half(half, args.seed)
        pages = [page for site in sites for page in site.pages]
        pages.sort(key=lambda page: hashlib.sha256(page[0].encode()).digest())
        with open(os.path.join(args.output, half + ".warc.gz"), "wb") as warc:
            for url, page in pages:
                warc.write(gzip_member(response_record(url, page.encode()), 6))
        with open(os.path.join(args.output, half + ".tsv"), "w", encoding="utf-8") as labels:
            labels.write("url\tfamily\tlabel\tkind\n")
            for site in sites:
                for row in site.rows:
                    labels.write("\t".join(row) + "\n")
        print(half, len(pages), "pages", len(sites), "hosts", len({r[1] for s in sites for r in s.rows}), "families")


if __name__ == "__main__":
    main()
