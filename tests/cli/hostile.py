"""Inputs made to cost more than their size: each is a function of n, and twice n is twice the bytes."""

import gzip
import json
import random

LINE = '{"url": "http://h.example/%d", "%s": %s}\n'


def record(url, content, content_type="application/http; msgtype=response", extra_length=0):
    head = (f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\nContent-Type: {content_type}\r\n"
            f"Content-Length: {len(content) + extra_length}\r\n\r\n")
    return head.encode() + content + b"\r\n\r\n"


def response(url, body, fields="Content-Type: text/html\r\n", status=200):
    return record(url, f"HTTP/1.1 {status} X\r\n{fields}\r\n".encode() + body)


def page(body):
    return response("http://h.example/", body)


def heads_without_end(n):
    return b"WARC/1.0\n" * n


def heads_of_invalid_length(n):
    return b"WARC/1.0\nContent-Length: x\n\n" * n


def lengths_that_are_wrong(n):
    return b"".join(record(f"http://h.example/{i}", b"<p>text", "text/html", 10) for i in range(n))


def lengths_over_the_end(n):
    return b"".join(record(f"http://h.example/{i}", b"HTTP/1.1 200", extra_length=10**9) for i in range(n))


def tiny_members(n):
    member = gzip.compress(b"", mtime=0)
    letter = gzip.compress(b"x", mtime=0)
    body = record("http://h.example/", b"<p>" + b"x" * n, "text/html")
    return gzip.compress(body[:-n - 4], mtime=0) + (letter + member) * n + gzip.compress(b"\r\n\r\n", mtime=0)


def tiny_chunks(n):
    body = b"1\r\nx\r\n" * n + b"0\r\n\r\n"
    return response("http://h.example/", body, "Content-Type: text/html\r\nTransfer-Encoding: chunked\r\n")


def markup(n):
    """A page for each construct that is opened again and again, and never closed."""
    opened = ["<div>", "<a href=x>", "<a ", "<!--", "<script>", "<svg>", "<svg><title>", "<title>", "</", "<![CDATA[",
              "&", "&#", "&amp", "&amp;&nonsense;", "<table><tr>", "<select>", "<template>", "<p", "<a href='",
              "<b><i>", "<math><mi>", "<plaintext>", "<textarea>", "<meta content='0;url=", "<base href=x>",
              "<link rel=canonical href=x>"]
    return b"".join(response(f"http://h.example/{i}", (text * (n // len(text))).encode())
                    for i, text in enumerate(opened))


def attributes(n):
    return page(b"<a " + b" ".join(b"x%d=y" % i for i in range(n)) + b" href=z>link</a>")


def words(n):
    """Long words, letters with marks without end, and scripts without blanks."""
    texts = ["x" * n, "e" + "\u0301" * (n // 2), "\u0e01" * (n // 3), "\u4e00" * (n // 3), "\u3042\u30a2" * (n // 6),
             "don't'" * (n // 6), "\u00ad" * (n // 2)]
    return b"".join(response(f"http://h.example/{i}", text.encode(), "Content-Type: text/html; charset=utf-8\r\n")
                    for i, text in enumerate(texts))


def colliding_words(n):
    """Words that differ only in bytes that a linear hash of their halves does not bring to a small table."""
    letters = "abcdefghijklmnopqrstuvwxyz"
    made = ("aaaaaa" + letters[i % 26] + letters[i // 26 % 26] + "bbbbbb" + letters[i // 676 % 26]
            for i in range(n))
    return page(" ".join(made).encode())


def long_base(n):
    links = b"".join(b"<a href=%d>x</a>" % i for i in range(n))
    return page(b'<base href="http://h.example/' + b"A" * (10 * n) + b'/">' + links)


def long_urls(n):
    links = [b"../" * (n // 3), b"a/" * (n // 2), b"\xe9" * n, b"http://" + b"a." * (n // 2), b"?" + b"&" * n,
             b"http://" + b"@" * n, b"\t" * n, b"%" * n, b"http://" + b"\xc3\xa9" * (n // 2)]
    return page(b"".join(b'<a href="' + link + b'">x</a>' for link in links))


def dotted_links(n):
    return page(b"".join(b'<a href="' + b"x/../" * 20 + b'%d">x</a>' % i for i in range(n)))


def captures_of_one_url(n):
    return b"".join(response("http://h.example/", b"<p>text") for _ in range(n))


def chain_of_aliases(n):
    return b"".join(response(f"http://h.example/{i}", b"", f"Location: /{i + 1}\r\n", 301)
                    for i in range(n)) + response(f"http://h.example/{n}", b"<p>text")


def ring_of_canonicals(n):
    return b"".join(response(f"http://h.example/{i}", b"<link rel=canonical href=/%d>x" % ((i + 1) % n))
                    for i in range(n))


def json_lines(n):
    deep = "[" * n + "]" * n
    keys = "{" + ", ".join(f'"k{i}": 1' for i in range(n // 8)) + "}"
    return (LINE % (0, "text", json.dumps("x " * n)) + LINE % (1, "text", '"' + "\\u0041" * n + '"') +
            LINE % (2, "other", deep) + LINE % (3, "other", keys) + "{" * n + "\n" + '"' * n + "\n" +
            "\n" * n).encode() + (LINE % (4, "text", '"QQ"')).encode().replace(b"QQ", b"\xff" * n)


def repeated_text(n):
    return b"a " * n


def alternating_text(n):
    return b" ".join(b"b" if i % 3 else b"a" for i in range(n))


def documents_of_one_shingle(n):
    return "".join(LINE % (i, "text", json.dumps("a " * 20)) for i in range(n)).encode()


def texts_with_passages(n):
    """What is joined without blanks, without letters, and never ends a sentence, twice each; a passage at every
    second word, and one in every text."""
    texts = ["a-b/c-" * (n // 6), "\u0e01\u0e32" * (n // 6), "\u4e00" * (n // 3), "-" * n + " x y z v " + "." * n,
             "a " * (n // 2), "one two three four " * (n // 19), "(" * n, "+" * n,
             " ".join(f"p q r s{i // 2}" for i in range(n // 8))]
    pages = [LINE % (i, "text", json.dumps(text, ensure_ascii=False)) for i, text in enumerate(texts * 2)]
    return "".join(pages).encode()


def made_words(draw, n):
    return ["".join(draw.choices("abcdefghijklmnopqrstuvwxyz", k=7)) for _ in range(n)]


def leaders_that_go(n):
    """Copies of a page but for one word, and then their deletions in the same order: the leader goes every time."""
    draw = random.Random(1)
    base = " ".join(made_words(draw, 60))
    pages = [LINE % (i, "text", json.dumps(f"{base} {made_words(draw, 1)[0]}")) for i in range(n)]
    return "".join(pages + [LINE % (i, "deleted", "true") for i in range(n)]).encode()


def template_below_the_threshold(n):
    """Pages of one template that resemble each other a little less than copies do."""
    draw = random.Random(1)
    base = made_words(draw, 60)
    lines = []
    for i in range(n):
        text = list(base)
        for _ in range(2):
            text[draw.randrange(len(base))] = made_words(draw, 1)[0]
        lines.append(LINE % (i, "text", json.dumps(" ".join(text + made_words(draw, 2)))))
    return "".join(lines).encode()
