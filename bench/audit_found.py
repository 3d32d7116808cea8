#!/usr/bin/python3
"""Makes a crawl of pages without content in the words of other programs, in many languages.

    bench/audit_found.py -o build/audit
    bench/audit.py build/audit/found.warc.gz build/audit/found.tsv

The words are those of Debian's packages apache2-data, dokuwiki, mediawiki and squid-langpack (by apt-get): error pages,
pages that do not exist, pages that only some may see. Of each page and language a host has some pages of content, and
the page at addresses of many patterns. Written are found.warc.gz and found.tsv as by audit_pages.py.
"""

import argparse
import glob
import hashlib
import html
import json
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tools"))

from audit_pages import Site
from audit_words import CONTENT
from debian_crawl import gzip_member, response_record

PACKAGES = ("apache2-data", "dokuwiki", "mediawiki", "squid-langpack")
LANGUAGES = ("en", "de", "fr", "es", "ja", "ru", "it", "pt", "nl", "pl", "zh", "sv", "cs", "tr", "ko", "uk")


def unpack(cache):
    os.makedirs(cache, exist_ok=True)
    for package in PACKAGES:
        if not glob.glob(os.path.join(cache, package + "_*.deb")):
            subprocess.run(["apt-get", "download", package], cwd=cache, check=True, stdout=subprocess.DEVNULL)
    root = os.path.join(cache, "audit")
    for package in PACKAGES:
        subprocess.run(["dpkg-deb", "-x", glob.glob(os.path.join(cache, package + "_*.deb"))[0], root], check=True)
    return os.path.join(root, "usr", "share")


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def squid(share, lang):
    for name in ("ERR_ACCESS_DENIED", "ERR_DNS_FAIL", "ERR_CONNECT_FAIL", "ERR_INVALID_URL", "ERR_READ_TIMEOUT",
                 "ERR_CACHE_ACCESS_DENIED", "ERR_ZERO_SIZE_OBJECT"):
        path = os.path.join(share, "squid-langpack", lang, name)
        if not os.path.exists(path):
            continue
        page = read(path)

        def make(site, url, page=page):
            parts = {"U": url, "u": url, "H": site.host, "h": "proxy.test", "T": "Mon, 01 Jan 2024 10:00:00 GMT",
                     "w": "webmaster", "c": name, "i": "192.0.2.7", "s": "squid", "B": "ftp", "z": "DNS", "E": "(111)"}
            return re.sub(r"%([A-Za-z])", lambda found: parts.get(found[1], ""), page)
        yield "squid-" + name.lower(), make


def apache(share, lang):
    for name in ("HTTP_NOT_FOUND", "HTTP_GONE", "HTTP_FORBIDDEN", "HTTP_INTERNAL_SERVER_ERROR", "HTTP_UNAUTHORIZED",
                 "HTTP_SERVICE_UNAVAILABLE"):
        text = read(os.path.join(share, "apache2", "error", name + ".html.var"))
        found = re.search(rf"^Body:----------{lang}(?:-\w+)?--\n(.*?)^----------", text, re.S | re.M)
        if not found:
            continue
        title = re.search(r'var="TITLE"\s+value="([^"]*)"', found[1])[1]
        body = re.sub(r"<!--#else.*?endif -->", "", found[1], flags=re.S)
        body = re.sub(r"<!--.*?-->", "", body, flags=re.S)
        yield "apache-" + name.lower(), lambda site, url, title=title, body=body: (
            f'<html lang="{lang}"><head><title>{title}</title></head><body><h1>{title}</h1><p>{body}</p>'
            f"<h2>Error 000</h2><address>{site.host}<br><span>Apache</span></address></body></html>")


def dokuwiki(share, lang):
    for name in ("newpage", "denied", "norev", "login"):
        path = os.path.join(share, "dokuwiki", "inc", "lang", lang, name + ".txt")
        if not os.path.exists(path):
            continue
        text = read(path)
        title = re.search(r"=+ *(.*?) *=+", text)[1]
        body = re.sub(r"[*/\\\[\]]{2}", "", text[text.index("\n"):])
        form = '<form><input name=u><input type=password name=p><button>OK</button></form>' if name == "login" else ""
        yield "dokuwiki-" + name, lambda site, url, title=title, body=body, form=form: site.wrap(
            url.rpartition("/")[2], f"<h1>{html.escape(title)}</h1><p>{html.escape(body)}</p>{form}")


def mediawiki(share, lang):
    code = {"zh": "zh-hans", "pt": "pt"}.get(lang, lang)
    words = json.loads(read(os.path.join(share, "mediawiki", "languages", "i18n", code + ".json")))
    for name, title, text in (("missing", "nosuchspecialpage", "nosuchspecialpagetext"),
                              ("bad", "badtitle", "badtitletext"),
                              ("login", "exception-nologin", "exception-nologin-text"),
                              ("internal", "internalerror", "laggedslavemode"),
                              ("permission", "permissionserrors", "badaccess-group0")):
        if title not in words or text not in words:
            continue
        body = re.sub(r"\[\[(?:[^|\]]*\|)?([^\]]*)\]\]|'''?|<[^>]*>|\{\{[^}]*\}\}", r"\1", words[text])
        yield "mediawiki-" + name, lambda site, url, title=words[title], body=body: site.wrap(
            title, f"<h1>{html.escape(title)}</h1><p>{html.escape(body)}</p>")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", required=True, help="the folder to write to")
    parser.add_argument("--cache", default="build/debs")
    parser.add_argument("--few", action="store_true", help="four addresses of each that differ in a number alone")
    args = parser.parse_args()
    share = unpack(args.cache)
    pages, rows = [], []
    for lang in LANGUAGES:
        for source in (squid, apache, dokuwiki, mediawiki):
            for kind, make in source(share, lang):
                name = kind.replace("_", "-")
                site = Site(f"{name}-{lang}.found.test", lang if lang in CONTENT else "en", "found", kind + lang)
                site.articles(6)
                site.has_few = args.few
                for path in site.paths(8):
                    url = f"https://{site.host}{path}"
                    site.add(path, make(site, url), "no_content", kind, kind)
                pages += site.pages
                rows += site.rows
    pages.sort(key=lambda page: hashlib.sha256(page[0].encode()).digest())
    os.makedirs(args.output, exist_ok=True)
    with open(os.path.join(args.output, "found.warc.gz"), "wb") as warc:
        for url, page in pages:
            warc.write(gzip_member(response_record(url, page.encode()), 6))
    with open(os.path.join(args.output, "found.tsv"), "w", encoding="utf-8") as labels:
        labels.write("url\tfamily\tlabel\tkind\n")
        labels.writelines("\t".join(row) + "\n" for row in rows)
    print(len(pages), "pages,", len({row[1] for row in rows if row[2] == "no_content"}), "families")


if __name__ == "__main__":
    main()
