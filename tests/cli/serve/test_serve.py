"""kith serve: answers, errors, limits, and clients that behave badly."""

import concurrent.futures
import json
import os
import resource
import signal
import socket
import time
import unittest

from kith_case import KithCase, jsonl
from kith_server import Server, pages


class Serve(KithCase):
    def setUp(self):
        super().setUp()
        self.write("pages.jsonl", jsonl(pages()))
        self.kith("cluster", "pages.jsonl", "-o", "run", "--bags", "content", "--boilerplate", "keep",
                  "--max-df", "1", "--min-df", "1")

    def serve(self, *arguments):
        return Server(self.folder, "run", *arguments)

    def test_answers_are_those_of_the_commands(self):
        url = "https://music.example/1"
        with self.serve() as server:
            status, answer = server.get("/api/related", url=url, n=5, words=3)
            self.assertEqual(status, 200)
            rows = self.rows("related", "run", url, "-n", "5", "--per-site", "0")
            self.assertEqual([row["url"] for row in answer["related"]], [row["url"] for row in rows])
            self.assertEqual(answer["lookup"], {"asked": url, "found": url, "exact": True})
            self.assertTrue(all(len(row["words"]) == 3 for row in answer["related"]))
            status, answer = server.get("/api/page", url="music.example/1/", terms=4)
            self.assertEqual(answer["lookup"]["found"], url)
            self.assertFalse(answer["lookup"]["exact"])
            self.assertEqual((answer["page"]["title"], len(answer["page"]["bag"])), ("music 1", 4))
            self.assertEqual(set(answer["page"]["bag"][0]), {"term", "word", "weight"})
            clusters = self.rows("clusters", "run")
            own = [row for row in clusters if row["url"] == url][0]["cluster"]
            self.assertEqual(answer["page"]["cluster"]["number"], int(own))
            status, answer = server.get("/api/cluster", url=url, size=3)
            members = [row["url"] for row in clusters if row["cluster"] == own]
            self.assertEqual([row["url"] for row in answer["members"]], members[:3])
            self.assertEqual(answer["list"]["rows"], len(members))
            status, again = server.get("/api/cluster", number=int(own), size=3)
            self.assertEqual(again["cluster"], answer["cluster"])
            status, answer = server.get("/api/clusters")
            summary = self.rows("clusters", "run", "--summary")
            self.assertEqual([row["size"] for row in answer["clusters"]], [int(row["size"]) for row in summary])
            status, smallest = server.get("/api/clusters", sort="smallest")
            self.assertEqual(smallest["clusters"], answer["clusters"][::-1])
            status, answer = server.get("/api/compare", a=url, b="https://music.example/2")
            self.assertGreater(answer["similarity"], 0)
            status, answer = server.get("/api/runs")
            self.assertEqual([run["name"] for run in answer["runs"]], ["run"])
            status, answer = server.get("/api/run")
            self.assertEqual(answer["report"]["bags"]["urls"], 24)
            self.assertEqual(sum(size * count for size, count in answer["distributions"]["cluster_sizes"]), 24)

    def test_search(self):
        with self.serve() as server:
            kinds = lambda q, **more: [row["kind"] for row in server.get("/api/search", q=q, **more)[1]["results"]]
            self.assertEqual(kinds("https://music.example/1"), ["url", "url", "url"])  # 1, 10, 11
            self.assertEqual(kinds("music.example/11"), ["url"])
            self.assertIn("host", kinds("USIC"))
            self.assertEqual(kinds("cook", n=100).count("title"), 12)
            self.assertEqual(kinds("ook"), ["host"])
            self.assertEqual(server.get("/api/search", q="<script>")[1], {"results": [], "complete": True})

    def test_topics(self):
        with self.serve() as server:
            status, answer = server.get("/api/topics")
            rows = self.rows("topics", "run", "--format", "tsv", "--depth", "1")
            self.assertEqual([row["path"] for row in answer["topics"]], [row["topic"] for row in rows])
            if rows:
                status, answer = server.get("/api/topic/" + rows[0]["topic"], size=2)
                self.assertEqual((status, answer["list"]["rows"]), (200, int(rows[0]["pages"])))
                self.assertEqual(answer["topic"]["language"], rows[0]["language"])
            self.assertEqual(server.get("/api/topic/9.9.9")[0], 404)

    def test_errors_are_json_with_a_message(self):
        with self.serve() as server:
            for target, status, says in (
                    ("/api/related", 400, "'url' is missing"),
                    ("/api/related?url=https://nowhere.example/", 404, "does not know"),
                    ("/api/related?url=127.0.0.1", 404, "does not know"),
                    ("/api/related?url=https://music.example/1&n=0", 400, "n=0"),
                    ("/api/related?url=https://music.example/1&n=1&n=2", 400, "twice"),
                    ("/api/related?url=mailto:me", 400, ""),
                    ("/api/related?url=https://music.example/1&typo=1", 400, "typo"),
                    ("/api/related?url=https://music.example/1&run=other", 404, "no run 'other'"),
                    ("/api/clusters?sort=best", 400, "largest, smallest"),
                    ("/api/cluster?number=99999", 400, "number=99999"),
                    ("/api/nothing", 404, "openapi"),
                    ("/../../etc/passwd", 404, ""),
                    ("/%2e%2e/%2e%2e/etc/passwd", 404, ""),
                    ("/api/page?url=%ff%fe", 400, "")):
                got, body, headers = server.request(target)
                self.assertEqual(got, status, target)
                self.assertEqual(headers["Content-Type"], "application/json")
                error = json.loads(body)["error"]
                self.assertEqual(error["status"], status)
                self.assertIn(says, error["message"])
            self.assertEqual(server.request("/api/runs", "POST", b"x")[0], 405)
            status, _, fields = server.request("/api/runs", "DELETE")
            self.assertEqual((status, fields["Allow"]), (405, "GET, HEAD"))
            self.assertEqual(server.request("/api/runs", headers={"Host": "evil.example"})[0], 421)
            status, body, headers = server.request("/api/runs", "HEAD")
            self.assertEqual((status, body), (200, b""))
            self.assertGreater(int(headers["Content-Length"]), 10)

    def test_the_description_names_every_question(self):
        with self.serve() as server:
            status, answer = server.get("/api/openapi.json")
            self.assertEqual(answer["openapi"], "3.1.0")
            for path in answer["paths"]:
                target = path.replace("{path}", "1")
                for method in answer["paths"][path]:
                    got, body, _ = server.request(target, method.upper())
                    self.assertIn(got, (200, 400, 404), path)
                    self.assertNotIn(b"there is nothing at this path", body)

    def test_links_of_the_page_lead_to_an_archive(self):
        with self.serve() as server:
            self.assertNotIn("replay", server.get("/api/runs")[1])
        with self.serve("--replay", "https://web.archive.org/web/") as server:
            self.assertEqual(server.get("/api/runs")[1]["replay"], "https://web.archive.org/web/")
        self.fails("serve", "run", "--replay", "javascript:alert(1)//", code=2,
                   says="javascript:alert(1)//: does not begin with http:// or https://")

    def test_metrics_count(self):
        with self.serve() as server:
            for _ in range(3):
                server.get("/api/runs")
            server.get("/nowhere")
            text = server.request("/metrics")[1].decode()
            self.assertIn('kith_requests_total{route="/api/runs",status="200"} 3', text)
            self.assertIn('kith_requests_total{route="other",status="404"} 1', text)
            self.assertIn('kith_request_seconds_count{route="/api/runs"} 3', text)
            self.assertEqual(server.get("/healthz"), (200, {"status": "ok"}))

    def test_clients_that_behave_badly_disturb_nobody(self):
        with self.serve("--timeout", "2", "--max-connections", "40") as server:
            long_head = b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * 20000 + b"\r\n\r\n"
            self.assertIn(b" 431 ", server.raw(long_head).split(b"\r\n")[0])
            long_body = b"POST /api/runs HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2000000\r\n\r\n"
            self.assertIn(b" 413 ", server.raw(long_body).split(b"\r\n")[0])
            chunks = b"POST /api/runs HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
            chunks += (b"10000\r\n" + b"x" * 0x10000 + b"\r\n") * 20
            self.assertIn(b" 413 ", server.raw(chunks).split(b"\r\n")[0])
            self.assertIn(b" 400 ", server.raw(b"\x16\x03\x01 nothing that is HTTP\r\n\r\n").split(b"\r\n")[0])
            half_open = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(20)]
            for client in half_open:
                client.sendall(b"GET /api/runs HT")
            start = time.monotonic()
            for _ in range(20):
                self.assertEqual(server.get("/healthz")[0], 200)
            self.assertLess(time.monotonic() - start, 10)
            for client in half_open:  # they are cut off
                client.settimeout(20)
                self.assertEqual(client.recv(100), b"")
                client.close()

    def test_silent_clients_keep_nobody_out(self):
        with self.serve("--max-connections", "40", "--max-per-address", "30") as server:
            silent = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(200)]
            for client in silent[::2]:
                client.sendall(b"GET /api/runs HTTP/1.1\r\n")
            start = time.monotonic()
            for _ in range(10):
                self.assertEqual(server.get("/healthz")[0], 200)
            self.assertLess(time.monotonic() - start, 5)
            # Clients that are being answered keep their places, and further ones are sent away.
            busy = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(30)]
            for client in busy:
                client.sendall(b"POST /api/runs HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n12")
            for _ in range(100):
                answer = server.raw(b"")
                if answer:
                    break
            self.assertTrue(answer.startswith(b"HTTP/1.1 503 "), answer)
            self.assertIn(b"\r\nRetry-After: ", answer)
            for client in silent + busy:
                client.close()
            self.assertEqual(server.get("/healthz")[0], 200)

    def test_every_byte_of_a_connection_has_a_limit(self):
        with self.serve("--memory", "64M") as server:
            before = server.own_mb()
            head = b"POST /api/runs HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
            for begin, part in ((b"1;", b"x=y;" * (1 << 14)), (b"1\r\na\r\n0\r\n", b"X-a: yyyy\r\n" * (1 << 12))):
                with socket.create_connection(("127.0.0.1", server.port), timeout=20) as client:
                    client.sendall(head + begin)
                    answer = b""
                    client.settimeout(0.001)
                    for _ in range(2000):
                        try:
                            client.sendall(part)
                            answer = client.recv(1000)
                            break
                        except TimeoutError:
                            continue
                self.assertTrue(answer.startswith(b"HTTP/1.1 431 "), answer)
            self.assertLess(server.own_mb(), before + 8)

    def test_requests_that_mean_several_things_are_refused(self):
        with self.serve() as server:
            line = b"GET /api/runs HTTP/1.1\r\nConnection: close\r\n"
            host = b"Host: localhost\r\n"
            for fields, status in ((host, b"200"), (b"Host: LOCALHOST.\r\n", b"200"), (b"", b"400"),
                                   (host + host, b"400"), (b"Host: localhost:evil.com\r\n", b"400"),
                                   (b"Host: evil.com\r\n", b"421"), (host + b"X: a\r\n b\r\n", b"400"),
                                   (host + b"Transfer-Encoding: identity\r\n", b"501"),
                                   (host + b"Transfer-Encoding: xchunked\r\n", b"501"),
                                   (host + b"Transfer-Encoding: gzip, chunked\r\n", b"501"),
                                   (host + b"Transfer-Encoding: chunked, identity\r\n", b"400")):
                answer = server.raw(line + fields + b"\r\n")
                self.assertEqual(answer.split(b" ")[1], status, fields)
                self.assertIn(b"Content-Type: application/json", answer)

    def test_many_clients_at_a_time(self):
        with self.serve("--threads", "3") as server:
            ask = lambda number: server.get("/api/related", url=f"https://cooking.example/{number % 12}")
            with concurrent.futures.ThreadPoolExecutor(8) as clients:
                answers = list(clients.map(ask, range(200)))
            for number, (status, answer) in enumerate(answers):
                self.assertEqual(status, 200)
                self.assertEqual(answer["page"]["url"], f"https://cooking.example/{number % 12}")

    def test_it_ends_by_a_signal(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            with self.serve() as server:
                idle = socket.create_connection(("127.0.0.1", server.port))
                server.get("/healthz")
                server.process.send_signal(number)
                self.assertEqual(server.process.wait(timeout=10), 0)
                idle.close()

    def test_access_log(self):
        with self.serve("--access-log", "log.jsonl") as server:
            server.get("/api/related", url="https://music.example/1")
            server.get("/nowhere")
            server.process.terminate()
            server.process.wait()
        with open(self.path("log.jsonl"), encoding="utf-8") as log:
            lines = [json.loads(line) for line in log]
        self.assertEqual([(line["method"], line["status"]) for line in lines], [("GET", 200), ("GET", 404)])
        self.assertEqual(lines[1]["target"], "/nowhere")

    def test_pages_for_a_stream(self):
        self.kith("stream", "state", "--width", "2", stdin=b"")
        text = "the cat sat on the mat and looked at the rain"
        page = lambda name, words: json.dumps({"url": f"https://{name}.example/", "text": words})
        with Server(self.folder, "--stream", "state") as server:
            post = lambda body, query="": server.request("/api/documents" + query, "POST", body.encode())
            status, body, _ = post(page("a", text) + "\n" + page("b", text) + "\n{broken\n")
            answer = json.loads(body)
            self.assertEqual([(row["document"], row["role"]) for row in answer["decisions"]],
                             [("https://a.example/", "leader"), ("https://b.example/", "duplicate")])
            self.assertEqual(answer["skipped"]["lines"], 1)
            self.assertEqual(len(answer["skipped"]["examples"]), 1)
            # More than other requests may bring.
            blanks = "\n" * (3 << 20)
            self.assertEqual(post(blanks, "?dry_run=1")[0], 200)
            self.assertEqual(server.request("/api/related", "POST", blanks.encode())[0], 413)
            # Asked only, and so asked again with the same answer.
            for _ in range(2):
                status, body, _ = post(page("c", text) + "\n" + page("a", "of nothing that was there"), "?dry_run=1")
                pages = json.loads(body)["pages"]
                self.assertEqual([row["known"] for row in pages], [False, True])
                self.assertEqual([[match["leader"] for match in row["matches"]] for row in pages],
                                 [["https://a.example/"], []])
            self.assertEqual(server.get("/api/stream")[1]["documents"], 2)
            self.assertEqual(post("", "?dry=1")[0], 400)
            self.assertEqual(server.request("/api/documents")[0], 405)
            self.assertEqual(server.get("/api/runs")[1], {"runs": []})
            self.assertEqual(server.get("/api/related", url="a.example")[0], 404)
            with concurrent.futures.ThreadPoolExecutor(4) as clients:
                answers = list(clients.map(lambda i: post(page(f"p{i}", text + f" {i}"))[0], range(40)))
            self.assertEqual(set(answers), {200})
            # One process at a time.
            self.fails("stream", "state", "--width", "2", code=2, says="state", stdin=b"")
            server.process.terminate()
            self.assertEqual(server.process.wait(timeout=20), 0)
        rows = self.rows("clusters", "state")
        self.assertEqual(len(rows), 42)
        # What was answered survives kill -9.
        with Server(self.folder, "--stream", "state") as server:
            self.assertEqual(server.request("/api/documents", "POST", page("late", text).encode())[0], 200)
            server.process.kill()
            server.process.wait()
        with Server(self.folder, "--stream", "state") as server:
            self.assertEqual(server.get("/api/stream")[1]["documents"], 43)

    def test_pages_of_others_give_no_pages(self):
        self.kith("stream", "state", stdin=b"")
        line = b'{"url": "https://a.example/", "text": "a few words"}'
        foreign = {"Origin": "http://evil.example", "Sec-Fetch-Site": "cross-site"}
        with Server(self.folder, "--stream", "state") as server:
            for headers, status, says in (({"Content-Type": "text/plain"}, 415, "application/x-ndjson"),
                                          ({"Content-Type": "text/plain", **foreign}, 403, "cross-site"),
                                          (foreign, 403, "cross-site"), ({"Origin": "null"}, 403, "null"),
                                          ({"Sec-Fetch-Site": "same-site"}, 403, "same-site"),
                                          ({"Content-Encoding": "gzip"}, 415, "Content-Encoding"),
                                          ({"Origin": f"http://127.0.0.1:{server.port}"}, 200, "decisions")):
                got, body, _ = server.request("/api/documents", "POST", line, headers)
                self.assertEqual(got, status, headers)
                self.assertIn(says, body.decode())
            self.assertEqual(server.get("/api/stream")[1]["pages"], 1)

    def test_a_full_disk_that_has_room_again(self):
        self.kith("stream", "state", "--width", "2", stdin=b"")
        page = lambda name, number: {"url": f"https://{name}.example/{number}",
                                     "text": f"the cat sat on mat {name} {number}"}
        body = lambda name, count: "".join(json.dumps(page(name, number)) + "\n" for number in range(count)).encode()
        with Server(self.folder, "--stream", "state") as server:
            post = lambda name, count: server.request("/api/documents", "POST", body(name, count))
            self.assertEqual(post("before", 10)[0], 200)
            limits = resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE)
            log = next(name for name in os.listdir(self.path("state")) if name.endswith(".log"))
            full = os.path.getsize(self.path("state/" + log)) + 1000
            resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (full, limits[1]))
            for _ in range(3):
                status, answer, _ = post("full", 200)
                self.assertEqual(status, 500)
                self.assertIn("lines of the body", json.loads(answer)["error"]["message"])
            self.assertEqual(server.get("/healthz")[0], 200)
            resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, limits)
            status, answer, _ = post("full", 200)
            self.assertEqual(status, 200)
            self.assertEqual(json.loads(answer)["taken"]["lines"], 200)
            self.assertEqual(server.get("/api/stream")[1]["documents"], 210)
            server.process.terminate()
            self.assertEqual(server.process.wait(timeout=20), 0)
        self.assertEqual(len(self.rows("clusters", "state")), 210)

    @unittest.skipIf(os.environ.get("KITH_SANITIZE"), "sanitizers need address space of their own")
    def test_memory_that_is_short_for_a_moment(self):
        self.kith("stream", "state", stdin=b"")
        with Server(self.folder, "--stream", "state", "--threads", "2") as server:
            blanks = (b" " * 1023 + b"\n") * (48 << 10)
            self.assertEqual(server.request("/api/documents", "POST", b"\n" * 1000)[0], 200)
            limits = resource.prlimit(server.process.pid, resource.RLIMIT_AS)
            with open(f"/proc/{server.process.pid}/statm", encoding="ascii") as statm:
                used = int(statm.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
            resource.prlimit(server.process.pid, resource.RLIMIT_AS, (used + (16 << 20), limits[1]))
            status, _, headers = server.request("/api/documents", "POST", blanks)
            self.assertEqual(status, 503)
            self.assertIn("Retry-After", headers)
            self.assertEqual(server.get("/healthz")[0], 200)
            resource.prlimit(server.process.pid, resource.RLIMIT_AS, limits)
            self.assertEqual(server.request("/api/documents", "POST", blanks)[0], 200)
            server.process.terminate()
            self.assertEqual(server.process.wait(timeout=20), 0)

    @unittest.skipIf(os.environ.get("KITH_SANITIZE"), "sanitizers need address space of their own")
    def test_threads_that_cannot_start(self):
        with Server(self.folder, "run", "--threads", "1000", space=2 << 30) as server:
            with open(f"/proc/{server.process.pid}/status", encoding="ascii") as status:
                threads = next(int(line.split()[1]) for line in status if line.startswith("Threads"))
            self.assertLess(threads, 2000)
            self.assertEqual(server.get("/healthz")[0], 200)
            self.assertEqual(server.get("/api/related", url="https://music.example/1")[0], 200)
            self.assertEqual(server.get("/api/search", q="music")[0], 200)
            server.process.terminate()
            self.assertEqual(server.process.wait(timeout=20), 0)

    def test_a_token_is_needed(self):
        self.kith("stream", "state", stdin=b"")
        self.write("token", "a token of some length\n")
        self.write("short", "short\n")
        with Server(self.folder, "--stream", "state", "--token-file", "token") as server:
            line = b'{"url": "https://a.example/", "text": "a few words"}'
            for header, status in ((None, 401), ("Bearer another token of it", 401), ("a token of some length", 401),
                                   ("Bearer a token of some length", 200)):
                headers = {"Authorization": header} if header else {}
                self.assertEqual(server.request("/api/documents", "POST", line, headers)[0], status, header)
            # Who has it is no page of another site.
            headers = {"Authorization": "Bearer a token of some length", "Content-Type": "text/plain",
                       "Origin": "https://editor.example", "Sec-Fetch-Site": "cross-site"}
            self.assertEqual(server.request("/api/documents", "POST", line, headers)[0], 200)
            # Without it no long body is read.
            head = b"POST /api/documents HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2000000\r\n\r\n"
            self.assertIn(b" 413 ", server.raw(head).split(b"\r\n")[0])
        self.fails("serve", "--stream", "state", "--token-file", "short", code=2, says="16 characters")
        self.fails("serve", "--stream", "state", "--address", "0.0.0.0", code=2, says="--token-file")
        self.fails("serve", "run", "--token-file", "token", code=2, says="--stream")
        self.fails("serve", "--stream", "nothing", code=1, says="nothing")
        self.fails("serve", code=2, says="run directory")

    def test_usage(self):
        self.fails("serve", "nothing", code=1, says="nothing")
        self.fails("serve", "run", "--address", "here", code=2, says="--address here")
        self.fails("serve", "run", "--memory", "63M", code=2, says="at least 64M")
        self.fails("serve", "run", "--memory", "some", code=2, says="--memory")
        self.fails("serve", "run", "--stream", "state", "--memory", "127M", code=2, says="128M")
        self.fails("serve", "run", "--host", "localhost:x", code=2, says="--host localhost:x")
        self.fails("serve", "run", "--access-log", "no/such/folder", code=1, says="no/such/folder")
        with self.serve() as server:
            self.fails("serve", "run", "--port", str(server.port), code=1, says="cannot be listened on")


if __name__ == "__main__":
    unittest.main()
