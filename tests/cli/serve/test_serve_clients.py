"""kith serve under clients of mixed behaviour, drawn from a seed: slow, silent, with huge heads, with
several requests at once, with wrong codings, and some that only ask.

KITH_CLIENT_SEED says which (1), KITH_CLIENT_SECONDS for how long (6). Whatever they do, /healthz
answers within a second, the memory stays flat, and pages that were taken are there.
"""

import http.client
import json
import os
import random
import socket
import threading
import time
import unittest

from kith_case import KithCase, jsonl
from kith_server import Server, pages

SEED = int(os.environ.get("KITH_CLIENT_SEED", "1"))
SECONDS = float(os.environ.get("KITH_CLIENT_SECONDS", "6"))
CLIENTS = 24
GROWTH_MB = 40  # of 128M: a quarter for connections, and what the allocator needs
POST = b"POST /api/documents HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-ndjson\r\n"
CHUNKED = POST + b"Transfer-Encoding: chunked\r\n\r\n"


def statuses(answers):
    """The statuses of what a server has sent, one after the other."""
    found = []
    while answers.startswith(b"HTTP/1."):
        head, _, rest = answers.partition(b"\r\n\r\n")
        found.append(int(head.split()[1]))
        length = [int(line.split(b":")[1]) for line in head.lower().split(b"\r\n")
                  if line.startswith(b"content-length:")]
        answers = rest[length[0] if length else 0:]
    return found


class Client:
    """One that behaves in a way that is drawn again and again."""

    def __init__(self, server, number, end):
        self.server, self.end = server, end
        self.draw = random.Random(SEED * 1000 + number)
        self.number = number
        self.taken = 0
        self.done = {}
        self.wrong = []

    def run(self):
        ways = [self.be_silent, self.be_slow, self.send_a_huge_head, self.send_several, self.send_wrong_codings,
                self.send_extensions, self.send_trailers, self.take_nothing, self.stop_in_a_body, self.give_pages,
                self.be_a_foreign_page, self.ask]
        while time.monotonic() < self.end:
            way = self.draw.choice(ways)
            try:
                way()
            except (OSError, http.client.HTTPException):
                pass  # sent away, or cut off: what others need counts more
            except Exception as error:  # a thread that ends so says nothing by itself
                self.wrong.append((way.__name__, repr(error)))
            self.done[way.__name__] = self.done.get(way.__name__, 0) + 1

    def connect(self):
        return socket.create_connection(("127.0.0.1", self.server.port), timeout=10)

    def send(self, data, allowed):
        """Sends all, and looks at the answers; none at all means that the server needed the place."""
        with self.connect() as client:
            client.sendall(data)
            client.shutdown(socket.SHUT_WR)
            answers = b""
            while more := client.recv(1 << 16):
                answers += more
        got = statuses(answers)
        if not set(got) <= set(allowed) | {503}:
            self.wrong.append((data[:200], got, answers[:300]))
        return got

    def flood(self, begin, part, allowed):
        """Sends the part until the server says something."""
        with self.connect() as client:
            client.sendall(begin)
            client.settimeout(0.002)
            answer = b""
            for _ in range(2000):
                try:
                    client.sendall(part)
                    answer = client.recv(1 << 16)
                    break
                except TimeoutError:
                    continue
            else:
                self.wrong.append((begin[-100:], "never refused"))
        if not set(statuses(answer)) <= set(allowed) | {503}:
            self.wrong.append((begin[-100:], answer[:300]))

    def be_silent(self):
        clients = [self.connect() for _ in range(self.draw.randrange(1, 20))]
        time.sleep(self.draw.random() / 2)
        for client in clients:
            client.close()

    def be_slow(self):
        with self.connect() as client:
            for byte in b"GET /api/runs HTTP/1.1\r\nHost: localhost\r\n"[:self.draw.randrange(1, 30)]:
                client.sendall(bytes([byte]))
                time.sleep(0.02)

    def send_a_huge_head(self):
        field = self.draw.choice([b"X: " + b"y" * 20000 + b"\r\n", b"a:\r\n" * 200, b"a:\r\n" * 20000])
        self.send(b"GET /api/runs HTTP/1.1\r\nHost: localhost\r\n" + field + b"\r\n", [431])

    def send_several(self):
        targets = [b"/api/runs", b"/healthz", b"/nowhere", b"/api/search?q=music", b"/api/topics"]
        some = [self.draw.choice(targets) for _ in range(self.draw.randrange(1, 40))]
        got = self.send(b"".join(b"GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n" % target for target in some), [200, 404])
        expected = [404 if target == b"/nowhere" else 200 for target in some]
        if 503 not in got and got and got != expected[:len(got)]:
            self.wrong.append(("several", some, got))

    def send_wrong_codings(self):
        coding = self.draw.choice([b"xchunked", b"identity", b"gzip, chunked", b"chunked, identity",
                                   b"chunked, chunked"])
        self.send(POST + b"Transfer-Encoding: " + coding + b"\r\n\r\n0\r\n\r\n", [400, 501])
        self.send(CHUNKED + self.draw.randbytes(self.draw.randrange(5000)), [200, 400, 413, 431])

    def send_extensions(self):
        self.flood(CHUNKED + b"1;", b"x=y;" * (1 << 14), [431])
        self.flood(CHUNKED, b"1;" + b"x" * 2000 + b"\r\n\n\r\n", [431])

    def send_trailers(self):
        self.flood(CHUNKED + b"1\r\n\n\r\n0\r\n", b"X-a: yyyy\r\n" * (1 << 12), [431])

    def take_nothing(self):
        with self.connect() as client:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            client.sendall(b"GET /api/openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n" * 50)
            time.sleep(self.draw.random())

    def stop_in_a_body(self):
        with self.connect() as client:
            client.sendall(POST + b"Content-Length: 60000000\r\n\r\n" + b"\n" * self.draw.randrange(3 << 20))
            time.sleep(self.draw.random() / 4)

    def give_pages(self):
        lines = [json.dumps({"url": f"https://{self.number}.example/{self.draw.randrange(500)}",
                             "text": " ".join(self.draw.choices("cat mat rain roof moon star leaf".split(), k=9))})
                 for _ in range(self.draw.randrange(1, 60))]
        status, body, _ = self.server.request("/api/documents", "POST", "\n".join(lines).encode())
        if status == 200:
            self.taken += len(lines)
        if status not in (200, 503) or status == 200 and json.loads(body)["taken"]["lines"] != len(lines):
            self.wrong.append(("pages", status, body[:300]))

    def be_a_foreign_page(self):
        headers = self.draw.choice([{"Content-Type": "text/plain"}, {"Origin": "http://evil.example"},
                                    {"Sec-Fetch-Site": "cross-site"}])
        status, body, _ = self.server.request("/api/documents", "POST", b'{"url": "x", "deleted": true}', headers)
        if status not in (403, 415, 503):
            self.wrong.append((headers, status, body[:300]))

    def ask(self):
        target = self.draw.choice(["/api/related?url=https://music.example/1", "/api/search?q=cook", "/api/stream",
                                   "/api/clusters", "/metrics", "/api/page?url=https://cooking.example/2"])
        status, body, _ = self.server.request(target)
        if status not in (200, 503):
            self.wrong.append((target, status, body[:300]))


class Clients(KithCase):
    def setUp(self):
        super().setUp()
        self.write("pages.jsonl", jsonl(pages()))
        self.kith("cluster", "pages.jsonl", "-o", "run", "--bags", "content", "--boilerplate", "keep",
                  "--max-df", "1", "--min-df", "1")
        self.kith("stream", "state", "--width", "2", stdin=b"")

    def test_of_mixed_behaviour(self):
        with Server(self.folder, "run", "--stream", "state", "--timeout", "3", "--memory", "128M",
                    "--max-connections", "80", "--max-per-address", "60") as server:
            before = server.own_mb()
            clients = [Client(server, number, time.monotonic() + SECONDS) for number in range(CLIENTS)]
            threads = [threading.Thread(target=client.run) for client in clients]
            for thread in threads:
                thread.start()
            most, health = before, []
            while any(thread.is_alive() for thread in threads):
                most = max(most, server.own_mb())
                health.append(self.health(server))
                time.sleep(0.05)
            taken = sum(client.taken for client in clients)
            done = {}
            for client in clients:
                self.assertEqual(client.wrong, [], f"KITH_CLIENT_SEED={SEED}")
                for way, count in client.done.items():
                    done[way] = done.get(way, 0) + count
            self.assertEqual(len(done), 12, done)
            answered = [seconds for seconds in health if seconds is not None]
            if os.environ.get("KITH_CLIENT_SECONDS"):
                print(done, f"pages {taken}; MB {before:.1f} to {most:.1f}; /healthz {len(answered)} of {len(health)}, "
                            f"at most {max(answered):.3f} s")
            # A place may be lost to others, for a moment.
            self.assertGreater(len(answered), 0.9 * len(health))
            if not os.environ.get("KITH_SANITIZE"):
                self.assertLess(max(answered), 1)
                self.assertLess(most, before + GROWTH_MB)
            self.assertEqual(server.get("/healthz")[0], 200)
            self.assertEqual(server.get("/api/stream")[1]["pages"], taken)
            server.process.terminate()
            self.assertEqual(server.process.wait(timeout=60), 0)

    def health(self, server):
        """Seconds until /healthz has answered; None where the server had no place for it."""
        start = time.monotonic()
        try:
            return time.monotonic() - start if server.get("/healthz")[0] == 200 else None
        except (OSError, http.client.HTTPException):
            return None


if __name__ == "__main__":
    unittest.main()
