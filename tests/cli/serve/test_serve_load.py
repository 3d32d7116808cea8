"""kith serve under a mixed load: every question, good and bad clients, pages for a stream.

KITH_LOAD_SECONDS says how long (5). Under AddressSanitizer the end of the server also says whether
memory was lost.
"""

import json
import os
import random
import socket
import threading
import time
import unittest
import urllib.parse

from kith_case import KithCase, jsonl
from kith_server import Server, pages

SECONDS = float(os.environ.get("KITH_LOAD_SECONDS", "5"))
GROWTH_MB = 16  # more than allocators need for their own ends, and less than a leak of every answer

QUESTIONS = ["/api/related?words=4&url={}", "/api/page?url={}", "/api/cluster?url={}",
             "/api/compare?a={}&b=https://music.example/1", "/api/search?q={}", "/api/clusters",
             "/api/topics", "/api/topic/1", "/api/run", "/api/runs", "/metrics", "/healthz",
             "/api/stream", "/api/related?url=http://nowhere.example/{}", "/api/related?n=many", "/",
             "/api/openapi.json"]


class Load(KithCase):
    def setUp(self):
        super().setUp()
        self.write("pages.jsonl", jsonl(pages()))
        self.kith("cluster", "pages.jsonl", "-o", "run", "--bags", "content", "--boilerplate", "keep",
                  "--max-df", "1", "--min-df", "1")
        self.kith("stream", "state", "--width", "2", stdin=b"")

    def test_memory_stays_flat(self):
        with Server(self.folder, "run", "--stream", "state", "--timeout", "1") as server:
            end = time.monotonic() + SECONDS
            wrong = []
            counts = [0] * 5
            clients = [threading.Thread(target=client, args=(server, end, number, counts, wrong))
                       for number, client in enumerate([ask, ask, give_pages, be_half_open, send_noise])]
            for client in clients:
                client.start()
            time.sleep(SECONDS / 3)
            early = server.own_mb()
            for client in clients:
                client.join()
            late = server.own_mb()
            self.assertEqual(wrong, [])
            self.assertTrue(all(counts), counts)
            if os.environ.get("KITH_LOAD_SECONDS"):
                print(f"{sum(counts)} requests; MB of its own: {early:.1f}, then {late:.1f}")
            if not os.environ.get("KITH_SANITIZE"):
                self.assertLess(late, early + GROWTH_MB)
            server.process.terminate()
            self.assertEqual(server.process.wait(timeout=60), 0)


def until(end, number, counts, wrong, once):
    draw = random.Random(number)
    try:
        while time.monotonic() < end:
            once(draw)
            counts[number] += 1
    except Exception as error:  # a thread that ends so says nothing by itself
        wrong.append(repr(error))


def ask(server, end, number, counts, wrong):
    def once(draw):
        url = urllib.parse.quote(f"https://cooking.example/{draw.randrange(14)}", safe="")
        target = draw.choice(QUESTIONS).format(url)
        status, _, _ = server.request(target)
        if status not in (200, 400, 404):
            wrong.append((target, status))
    until(end, number, counts, wrong, once)


def give_pages(server, end, number, counts, wrong):
    def once(draw):
        words = " ".join(draw.choices("cat mat rain roof moon star leaf tree".split(), k=12))
        lines = "".join(json.dumps({"url": f"https://{draw.randrange(200)}.example/", "text": words}) + "\n"
                        for _ in range(5))
        target = "/api/documents" + draw.choice(["", "?dry_run=1"])
        status, _, _ = server.request(target, "POST", lines.encode())
        if status != 200:
            wrong.append((target, status))
    until(end, number, counts, wrong, once)


def be_half_open(server, end, number, counts, wrong):
    def once(draw):
        with socket.create_connection(("127.0.0.1", server.port), timeout=20) as client:
            client.sendall(b"GET /api/related?url=https://music.example/1 HTTP/1.1\r\nHost"[:draw.randrange(60)])
            time.sleep(0.02)
    until(end, number, counts, wrong, once)


def send_noise(server, end, number, counts, wrong):
    def once(draw):
        noise = draw.randbytes(draw.randrange(3000)) + b"\r\n\r\n"
        try:
            server.raw(draw.choice([b"", b"GET /", b"POST /api/documents HTTP/1.1\r\n"]) + noise)
        except ConnectionError:
            pass  # cut off while it still sent
    until(end, number, counts, wrong, once)


if __name__ == "__main__":
    unittest.main()
