#!/usr/bin/python3
"""Builds a web crawl from the documentation packages of Debian.

    tools/debian_crawl.py --set demo -o build/demo/demo.warc.gz --labels build/demo/labels.tsv

The packages stand in tools/debian_docs.tsv, each with the address at which its pages are
published. A package's pages are its regular files named *.html or *.html.gz (kept
uncompressed, under the name without .gz); symbolic links are left out, for they repeat a page.

A page's URL
    below `root`     base_url + its path below root
    anywhere else    https://PACKAGE.debdocs.test/ + its path below usr/share, where '.' and '+'
                     of the package's name become '-'
so relative links between the pages of a package lead where they should.

The crawl is WARC/1.1, a gzip member per record. The records of all sites are interleaved: they
stand in the order of the SHA-256 of their URLs. The same packages give the same bytes, whatever
the number of processes. The labels file is TSV: url, package, topic, path in the package.

--max-pages-per-site N keeps N pages of a package that has more: of its paths in byte order
number 0, n/N, 2n/N, ... (rounded down), so that every part of the site is represented.

Needs apt-get, dpkg-deb and python3 as Debian ships them.
"""

import argparse
import base64
import csv
import glob
import gzip
import hashlib
import os
import subprocess
import sys
import tarfile
import tempfile
import urllib.parse
import uuid
import zlib
from concurrent.futures import ProcessPoolExecutor

TABLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "debian_docs.tsv")
# One date for all records: the release of Debian 12, whose packages these are.
WARC_DATE = "2023-06-10T00:00:00Z"
# What the URL standard leaves as it is in a path (beside letters and digits), '%' excepted.
PATH_SAFE = "/~!$&'()*+,;=:@-._|[]"


class CrawlError(Exception):
    """Something a person has to put right; the text is the message."""


def warn(message):
    print(f"debian_crawl: warning: {message}", file=sys.stderr)


# --- packages ---------------------------------------------------------------------------------


def read_table(path):
    with open(path, encoding="utf-8", newline="") as table:
        return list(csv.DictReader(table, delimiter="\t"))


def choose_packages(rows, set_name, names):
    if names:
        by_name = {row["package"]: row for row in rows}
        unknown = [name for name in names if name not in by_name]
        if unknown:
            raise CrawlError(f"not in debian_docs.tsv: {', '.join(unknown)}")
        return [by_name[name] for name in dict.fromkeys(names)]
    if set_name == "all":
        return rows
    return [row for row in rows if set_name in row["set"].split(",")]


def version_of(deb):
    """The version in a file name as apt-get writes it: NAME_VERSION_ARCH.deb, with %3a for ':'."""
    return urllib.parse.unquote(os.path.basename(deb).split("_")[1])


def find_deb(cache, row):
    """The package's file in the cache: the listed version before any other, or None."""
    debs = sorted(glob.glob(os.path.join(glob.escape(cache), row["package"] + "_*.deb")))
    listed = [deb for deb in debs if version_of(deb) == row["version"]]
    return (listed or debs or [None])[-1]


def download(cache, names):
    print(f"debian_crawl: downloading {len(names)} packages to {cache}", file=sys.stderr)
    os.makedirs(cache, exist_ok=True)
    command = ["apt-get", "-q", "-o", "Dpkg::Use-Pty=0"]
    if os.geteuid() == 0:  # or apt complains that its own user cannot write to the cache
        command += ["-o", "APT::Sandbox::User=root"]
    try:
        done = subprocess.run(command + ["download"] + names, cwd=cache, stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, text=True, check=False)
    except FileNotFoundError:
        raise CrawlError("apt-get is missing: the packages can only be downloaded on Debian")
    if done.returncode != 0:
        raise CrawlError(f"apt-get download failed: {done.stderr.strip()}\n"
                         "debian_crawl: if packages were not found, run 'apt-get update' as root")


def get_debs(cache, rows):
    """Downloads what the cache lacks; returns a file for every row, checked."""
    missing = [row["package"] for row in rows if not find_deb(cache, row)]
    if missing:
        download(cache, missing)
    debs = []
    for row in rows:
        deb = find_deb(cache, row)
        if not deb:
            raise CrawlError(f"{row['package']} was not downloaded to {cache}")
        if version_of(deb) != row["version"]:
            warn(f"{row['package']} is {version_of(deb)}, listed is {row['version']}: taken as it is")
        else:
            check_sha256(deb, row["sha256"])
        debs.append(deb)
    return debs


def check_sha256(path, expected):
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    if digest.hexdigest() != expected:
        raise CrawlError(f"{path} is damaged (its SHA-256 is not the listed one): delete it")


# --- pages ------------------------------------------------------------------------------------


def read_files(deb):
    """Yields (path, tar, member) for every entry of the package; the tar is read as a stream."""
    with subprocess.Popen(["dpkg-deb", "--fsys-tarfile", deb], stdout=subprocess.PIPE) as process:
        with tarfile.open(fileobj=process.stdout, mode="r|", errors="surrogateescape") as tar:
            for member in tar:
                yield member.name.removeprefix("./"), tar, member
        process.stdout.read()
    if process.returncode != 0:
        raise CrawlError(f"dpkg-deb could not read {deb}")


def is_page(path, member):
    return member.isreg() and path.lower().endswith((".html", ".html.gz"))


def page_url(row, path):
    if path.lower().endswith(".gz"):
        path = path[: -len(".gz")]
    prefix = row["root"] + "/"
    if row["root"] and path.startswith(prefix):
        base, path = row["base_url"], path.removeprefix(prefix)
    else:
        host = row["package"].replace(".", "-").replace("+", "-")
        base, path = f"https://{host}.debdocs.test/", path.removeprefix("usr/share/")
    return base + urllib.parse.quote(os.fsencode(path), safe=PATH_SAFE)


def sample(paths, limit):
    """At most `limit` of the paths, spread evenly over their byte order."""
    paths = sorted(paths, key=os.fsencode)
    if not limit or len(paths) <= limit:
        return paths
    return [paths[i * len(paths) // limit] for i in range(limit)]


def read_body(tar, member, path):
    body = tar.extractfile(member).read()
    return gzip.decompress(body) if path.lower().endswith(".gz") else body


def gzip_member(data, level):
    # A header of zeros: no time stamp, no name, so the bytes depend on the data only.
    packer = zlib.compressobj(level, zlib.DEFLATED, 16 + zlib.MAX_WBITS, 9)
    return packer.compress(data) + packer.flush()


def warc_record(kind, fields, content_type, block):
    lines = ["WARC/1.1", f"WARC-Type: {kind}", f"WARC-Date: {WARC_DATE}"]
    lines += [f"{name}: {value}" for name, value in fields]
    lines += [f"Content-Type: {content_type}", f"Content-Length: {len(block)}"]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + block + b"\r\n\r\n"


def response_record(url, body):
    digest = base64.b32encode(hashlib.sha1(body).digest()).decode()
    http = (f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {len(body)}\r\n\r\n")
    fields = [("WARC-Record-ID", f"<urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, url)}>"),
              ("WARC-Target-URI", url), ("WARC-Payload-Digest", f"sha1:{digest}")]
    return warc_record("response", fields, "application/http; msgtype=response",
                       http.encode() + body)


def warcinfo_record(file_name):
    record_id = uuid.uuid5(uuid.NAMESPACE_URL, "warcinfo:" + file_name)
    fields = [("WARC-Record-ID", f"<urn:uuid:{record_id}>"), ("WARC-Filename", file_name)]
    block = ("software: kith debian_crawl\r\nformat: WARC File Format 1.1\r\n"
             "description: pages of Debian documentation packages at their public addresses\r\n")
    return warc_record("warcinfo", fields, "application/warc-fields", block.encode())


def spool_package(row, deb, limit, level, spool):
    """Writes the compressed records of a package to the file `spool`, in the package's order.

    Returns the pages as (url, path, offset, length), the number of pages before sampling, the
    bytes of HTML, and the number of hard links left out.
    """
    listing = [(path, is_page(path, member), member.islnk())
               for path, _, member in read_files(deb)] if limit else None
    chosen = listing and set(sample([path for path, page, _ in listing if page], limit))
    pages, total, html_bytes, hard_links, offset = [], 0, 0, 0, 0
    with open(spool, "wb") as out:
        for path, tar, member in read_files(deb):
            hard_links += member.islnk() and path.lower().endswith(".html")
            if not is_page(path, member):
                continue
            total += 1
            if chosen is not None and path not in chosen:
                continue
            body, url = read_body(tar, member, path), page_url(row, path)
            record = gzip_member(response_record(url, body), level)
            out.write(record)
            pages.append((url, path, offset, len(record)))
            offset += len(record)
            html_bytes += len(body)
    return pages, total, html_bytes, hard_links


# --- the crawl --------------------------------------------------------------------------------


def spool_all(rows, debs, options, folder):
    """Spools every package, the largest first; returns the results in the order of the rows."""
    largest_first = sorted(range(len(rows)), key=lambda i: -os.path.getsize(debs[i]))
    results = [None] * len(rows)
    with ProcessPoolExecutor(options.jobs) as pool:
        tasks = {i: pool.submit(spool_package, rows[i], debs[i], options.max_pages_per_site,
                                options.gzip_level, os.path.join(folder, str(i)))
                 for i in largest_first}
        for i, task in tasks.items():
            results[i] = task.result()
    return results


def report(rows, debs, results):
    for row, deb, (_, total, _, hard_links) in zip(rows, debs, results):
        if version_of(deb) == row["version"] and total != int(row["html_pages"]):
            warn(f"{row['package']} has {total} pages, listed are {row['html_pages']}")
        if hard_links:
            warn(f"{row['package']}: {hard_links} hard links left out")


def interleave(results):
    """All pages as (url, row number, path, offset, length) in crawl order, each URL once."""
    pages = {}
    for number, (package_pages, *_) in enumerate(results):
        for url, path, offset, length in package_pages:
            if url in pages:
                warn(f"{url} appears twice, the first is kept")
            else:
                pages[url] = (url, number, path, offset, length)
    return sorted(pages.values(), key=lambda page: hashlib.sha256(page[0].encode()).digest())


def output_names(out, parts):
    if parts == 1:
        return [out]
    stem = out.removesuffix(".warc.gz")
    return [f"{stem}-{part:05}.warc.gz" for part in range(parts)]


def write_warcs(pages, folder, options):
    names = output_names(options.output, options.split)
    spools = {}
    for part, name in enumerate(names):
        share = pages[part * len(pages) // len(names):(part + 1) * len(pages) // len(names)]
        with open(name + ".part", "wb") as out:
            out.write(gzip_member(warcinfo_record(os.path.basename(name)), options.gzip_level))
            for _, number, _, offset, length in share:
                if number not in spools:
                    spools[number] = os.open(os.path.join(folder, str(number)), os.O_RDONLY)
                out.write(os.pread(spools[number], length, offset))
        os.replace(name + ".part", name)
    for spool in spools.values():
        os.close(spool)
    return names


def write_labels(pages, rows, path):
    with open(path + ".part", "w", encoding="utf-8", errors="surrogateescape") as out:
        out.write("url\tpackage\ttopic\tpath\n")
        for url, number, page_path, _, _ in pages:
            row = rows[number]
            out.write(f"{url}\t{row['package']}\t{row['topic']}\t{page_path}\n")
    os.replace(path + ".part", path)


def build(options):
    rows = choose_packages(read_table(options.table), options.set, options.packages)
    for path in (options.output, options.labels):
        if path:
            os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
    debs = get_debs(options.cache, rows)
    with tempfile.TemporaryDirectory(
            prefix=".debian_crawl-", dir=os.path.dirname(os.path.abspath(options.output))) as folder:
        results = spool_all(rows, debs, options, folder)
        report(rows, debs, results)
        pages = interleave(results)
        names = write_warcs(pages, folder, options)
    if options.labels:
        write_labels(pages, rows, options.labels)
    sites = len({urllib.parse.urlsplit(page[0]).hostname for page in pages})
    html_bytes = sum(result[2] for result in results)
    size = sum(os.path.getsize(name) for name in names)
    print(f"debian_crawl: {len(pages)} pages of {sites} sites in {len(rows)} packages, "
          f"{html_bytes / 1e6:.0f} MB of HTML, {size / 1e6:.0f} MB of WARC: {' '.join(names)}",
          file=sys.stderr)


def positive(text):
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return value


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--set", choices=["core", "demo", "all"], default="demo",
                      help="which packages of the table (default: %(default)s)")
    what.add_argument("--packages", type=lambda text: text.split(","), metavar="A,B,C",
                      help="these packages of the table")
    parser.add_argument("--max-pages-per-site", type=positive, metavar="N",
                        help="keep at most N pages of a package")
    parser.add_argument("--cache", default="build/debs", metavar="DIR",
                        help="where the packages lie or go (default: %(default)s)")
    parser.add_argument("-o", "--output", required=True, metavar="OUT.warc.gz")
    parser.add_argument("--labels", metavar="OUT.tsv")
    parser.add_argument("--split", type=positive, default=1, metavar="N",
                        help="write N files OUT-00000.warc.gz, ...")
    parser.add_argument("--gzip-level", type=int, choices=range(1, 10), default=6, metavar="1..9")
    parser.add_argument("--jobs", type=positive, default=os.cpu_count(), metavar="N",
                        help="processes (default: one per processor)")
    parser.add_argument("--table", default=TABLE, help="the list of packages (default: %(default)s)")
    return parser.parse_args(arguments)


def main(arguments):
    try:
        build(parse_arguments(arguments))
    except (CrawlError, OSError, tarfile.TarError, zlib.error) as error:
        print(f"debian_crawl: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
