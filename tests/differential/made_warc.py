"""WARC files of many shapes, and damaged ones, from a generator of random numbers.

Every page has words that no other page has, so that they say whose payload was read.
"""

import gzip
import re
import struct
import zlib
from dataclasses import dataclass, field

import brotli

WORD = re.compile(rb"zq[a-z]+")
LETTERS = "bcdfghjklmnprstv"
INSERTED = [bytes(9), b"\r\n\r\n", b"WARC/1.0\r\n", b"\x1f\x8b\x08"]


@dataclass
class MadeFile:
    content: bytes = b""
    pages: dict[str, set[str]] = field(default_factory=dict)  # a page's words by its URL
    shape: set[str] = field(default_factory=set)  # what is odd in it


def words_of(payload: bytes) -> set[str]:
    return {word.decode() for word in WORD.findall(payload)}


class Maker:
    def __init__(self, random, number):
        self.random = random
        self.number = number  # of the file: no other one has its URLs and words
        self.words = number << 16
        self.oddities = {}
        self.file = MadeFile()

    def odd(self, oddity, share=.5):
        """Whether to be odd here: one file in ten has an oddity, at a share of the places where it could. The
        shape of the file notes it."""
        if oddity not in self.oddities:
            self.oddities[oddity] = self.random.random() < .1
        result = self.oddities[oddity] and self.random.random() < share
        if result:
            self.file.shape.add(oddity)
        return result

    def one_in(self, n):
        return self.random.randrange(n) == 0

    def word(self):
        self.words += 1
        return "zq" + "".join(LETTERS[self.words >> shift & 15] for shift in range(36, -1, -4)) + "a"

    def text(self):
        count = self.random.choice([1, 2, 5, 20, 100, 1000 if self.one_in(20) else 10])
        if self.odd("long pages", .1):
            count = self.random.randint(4000, 40000)  # beyond the blocks that readers take
        return self.random.choice([" ", "\n", "\r\n"]).join(self.word() for _ in range(count))

    def payload(self, is_html):
        if self.odd("a record in a page"):
            head = self.record_head("response", "http://quoted.example/", "application/http", b"1234567")
            record = b"\r\n\r\n" + head + b"HTTP/1.1 200 OK\r\n\r\n"
            return b"<p>" + self.text().encode() + record + self.text().encode()
        if not is_html:
            return self.text().encode()
        return self.random.choice([
            "<!DOCTYPE html><html><head><title>{}</title></head><body><p>{}</p></body></html>\n",
            "<html><p>{}<p>{}", "\n\n<HTML>{}<BR>{}\r\n\r\n",
        ]).format(self.word(), self.text()).encode()

    def header(self, fields, end, where):
        """Fields in the forms that RFC 9112 and the WARC standard allow."""
        lines = []
        for name, value in fields:
            if self.odd(f"{where} names in another case"):
                name = self.random.choice([str.lower, str.upper])(name)
            value = str(value)
            if " " in value and self.odd(f"{where} folded"):
                value = value.replace(" ", end + self.random.choice([" ", "\t", "   "]), 1)
            before, after = " ", ""
            if self.odd(f"{where} blanks"):
                before = self.random.choice(["", "  ", "\t"])
                after = self.random.choice(["", " ", "\t "])
            lines.append(f"{name}:{before}{value}{after}{end}")
        self.random.shuffle(lines)
        return "".join(lines)

    def chunked(self, body):
        """RFC 9112, 7.1, with extensions and trailers."""
        result = b""
        while body:
            size = self.random.choice([1, 7, 16, 255, 4096])
            piece, body = body[:size], body[size:]
            length = self.random.choice([b"%x", b"%X"]) % len(piece)
            result += (b"000" if self.odd("zeros before a chunk length") else b"") + length
            if self.odd("chunk extension"):
                result += self.random.choice([b";a=b", b' ; c="d"'])
            result += b"\r\n" + piece + b"\r\n"
        trailer = b"Expires: never\r\n" if self.odd("trailer") else b""
        last = b"000" if self.odd("zeros before a chunk length") else b"0"
        return result + last + b"\r\n" + trailer + b"\r\n"

    def coded(self, body):
        """A body with its content coding, and the name of that."""
        name = self.random.choice(["gzip", "gzip", "deflate", "identity"])
        for rare in ("x-gzip", "br", "gzip, br"):
            if self.odd(rare):
                name = rare
        for part in name.split(", "):
            if part.endswith("gzip"):
                half = len(body) // 2 if self.odd("several members in a body") else len(body)
                body = gzip.compress(body[:half]) + (gzip.compress(body[half:]) if half < len(body) else b"")
            elif part == "deflate":
                body = zlib.compress(body)
                if self.odd("raw deflate"):
                    body = body[2:-4]
            elif part == "br":
                body = brotli.compress(body, quality=3)
        return name, body

    def response(self, status, media_type, body):
        fields = [("Content-Type", media_type), ("Server", "made up of  words"), ("X-Empty", "")]
        if self.odd("letters in heads"):
            fields.append(("X-Letters", "größe of слово: a, b"))
        if self.one_in(3):
            name, body = self.coded(body)
            fields.append(("Content-Encoding", name))
        if self.one_in(3):
            fields.append(("Transfer-Encoding", "Chunked" if self.odd("Chunked") else "chunked"))
            body = self.chunked(body)
        elif not self.one_in(5):
            fields.append(("Content-Length", 3 if self.odd("wrong length in HTTP") else len(body)))
        if status == 301:
            fields.append(("Location", "http://elsewhere.example/"))
        end = "\n" if self.odd("LF in HTTP") else "\r\n"
        reason = "" if self.odd("no reason") else self.random.choice([" OK", " ", " It went so"])
        line = f"HTTP/{self.random.choice(['1.0', '1.1'])} {status}{reason}"
        return (line + end + self.header(fields, end, "HTTP") + end).encode() + body

    def record(self, number):
        url = f"http{self.random.choice(['', 's'])}://n{self.number}.host{number % 3}.example/page/{number}"
        kind = self.random.choice(["response"] * 6 + ["resource", "conversion", "request", "metadata", "revisit",
                                                      "warcinfo", "continuation"])
        is_html = not self.one_in(5)
        text_type = self.random.choice(["text/html", "application/xhtml+xml"]) if is_html else "text/plain"
        text_type += self.random.choice(["", "; charset=utf-8", ";charset=\"UTF-8\""])
        payload = b"" if self.odd("empty body") else self.payload(is_html)
        block, block_type, is_page = b"", "application/octet-stream", bool(payload)
        if kind == "response":
            status = self.random.choice([200, 200, 200, 200, 404, 301])
            media_type = text_type if not self.one_in(10) else "image/png"
            is_page = is_page and status == 200 and media_type == text_type
            block_type = self.random.choice(["application/http;msgtype=response", "application/http; msgtype=response"])
            block = self.response(status, media_type, payload)
        elif kind in ("resource", "conversion"):
            block_type, block = text_type, payload
        else:
            is_page = False
            block_type, block = {
                "request": ("application/http; msgtype=request", b"GET / HTTP/1.1\r\nHost: a\r\n\r\n"),
                "revisit": ("application/http; msgtype=response",
                            b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"),
            }.get(kind, ("application/warc-fields", b"a: b\r\nc: WARC/1.0\r\n"))
        if is_page:
            self.file.pages[url] = words_of(payload)
        return self.record_head(kind, url, block_type, block) + block

    def record_head(self, kind, url, block_type, block):
        version = self.random.choice(["1.0", "1.0", "1.1", "0.18", "0.17"])
        self.file.shape.add(f"WARC/{version}")
        length = f"{len(block):010}" if self.odd("zeros before the length") else len(block)
        target = f"<{url}>" if self.odd("angle brackets") else url
        fields = [("WARC-Type", kind), ("WARC-Date", "2020-01-01T00:00:00Z"), ("Content-Length", length),
                  ("WARC-Record-ID", f"<urn:uuid:{self.random.getrandbits(128):032x}>"),
                  ("Content-Type", block_type), ("X-Note", "text of a note")]
        if kind != "warcinfo":
            fields.append(("WARC-Target-URI", target))
        if self.odd("letters in heads"):
            fields.append(("X-Letters", "größe of слово: a, b"))
        if block_type == "application/http; msgtype=response" and self.odd("no type of a response"):
            fields = [one for one in fields if one[0] != "Content-Type"]
        end = "\n" if self.odd("LF in WARC") else "\r\n"
        return f"WARC/{version}{end}{self.header(fields, end, 'WARC')}{end}".encode()

    def member(self, content):
        """A gzip member (RFC 1952), perhaps with the optional parts of its header."""
        flags, extra = 0, b""
        if self.odd("gzip header"):
            flags |= 4
            extra += struct.pack("<H", 8) + b"sl\x04\x00abcd"
        if self.odd("gzip header"):
            flags |= 8
            extra += b"name.warc\x00"
        packer = zlib.compressobj(self.random.choice([0, 1, 6, 9]), wbits=-15)
        packed = packer.compress(content) + packer.flush()
        return (b"\x1f\x8b\x08" + bytes([flags]) + bytes(5) + b"\x03" + extra + packed +
                struct.pack("<II", zlib.crc32(content), len(content) & 0xffffffff))

    def make_file(self, damage_records=False):
        packing = self.random.choice(["plain", "gzip per record", "gzip per record", "one gzip", "several per gzip"])
        self.file.shape.add(packing)
        records = [self.record(number) for number in range(self.random.choice([1, 2, 4, 8, 16]))]
        end = b"\r\n\r\n"
        if self.odd("odd ends of records"):
            # Without a line break only the end of a member tells where a record ends.
            end = self.random.choice([b"\n\n", b"\r\n", b"\r\n\r\n\r\n\r\n"] + [b""] * (packing == "gzip per record"))
        records = [record + end for record in records]
        if self.odd("no break at the end"):
            records[-1] = records[-1].removesuffix(end)
        if damage_records:
            records = damaged(self.random, records)
        self.file.content = self.pack(packing, records)
        return self.file

    def pack(self, packing, records):
        if packing == "plain":
            return b"".join(records)
        if packing == "one gzip":
            return self.member(b"".join(records))
        content = b""
        while records:
            count = 1 if packing == "gzip per record" else self.random.randint(1, 4)
            content += self.member(b"".join(records[:count]))
            records = records[count:]
            if self.odd("empty member"):
                content += self.member(b"")
        if self.odd("zeros at the end"):
            content += bytes(self.random.choice([1, 512]))
        return content


def damaged(random, parts):
    """Bytes flipped, cut, spliced, or a number changed, in one to three places."""
    parts = list(parts)
    for _ in range(random.choice([1, 1, 2, 3])):
        which = random.randrange(len(parts))
        part = parts[which]
        at = random.randrange(len(part) + 1)
        to = min(len(part), at + random.choice([1, 2, 10, 100, 1000]))
        kind = random.choice(["flip", "cut", "drop", "splice", "insert", "number", "swap", "random"])
        if kind == "flip" and at < len(part):
            part = part[:at] + bytes([part[at] ^ 1 << random.randrange(8)]) + part[at + 1:]
        elif kind == "cut":
            part = part[:at]
        elif kind == "drop":
            part = part[:at] + part[to:]
        elif kind == "splice":
            other = random.choice(parts)
            part = part[:at] + other[random.randrange(len(other) + 1):]
        elif kind == "insert":
            part = part[:at] + random.choice([*INSERTED, part[at:to]]) + part[at:]
        elif kind == "number":
            part = with_another_number(random, part)
        elif kind == "swap":
            other = random.randrange(len(parts))
            parts[which], parts[other] = parts[other], part
            continue
        elif kind == "random":
            part = part[:at] + random.randbytes(to - at) + part[to:]
        parts[which] = part
    return parts


def with_another_number(random, part):
    """One of the lengths, or another number of the record, becomes a wrong one."""
    numbers = list(re.finditer(rb"\b[0-9]+\b", part[:2000]))
    if not numbers:
        return part
    lengths = [n for n in numbers if part[:n.start()].lower().rstrip(b" \t").endswith(b"content-length:")]
    number = random.choice(lengths or numbers)
    value = int(number.group())
    near = [max(value - 1, 0), value + 1, value + 4]
    new = random.choice([0, 1, *near, value // 2, value * 10, 1 << 31, 1 << 63, 1 << 70])
    return part[:number.start()] + str(new).encode() + part[number.end():]
