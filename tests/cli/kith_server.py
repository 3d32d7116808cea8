"""A server of runs for tests, and pages for it."""

import http.client
import json
import resource
import socket
import subprocess
import urllib.parse

from kith_case import KITH, TOPICS


def pages():
    return [{"url": f"https://{topic}.example/{number}",
             "html": f"<title>{topic} {number}</title><p>" +
                     " ".join(f"{word}{number % 3}" if i % 4 == 0 else word
                              for i, word in enumerate(TOPICS[topic].split()))}
            for topic in ("music", "cooking") for number in range(12)]


class Server:
    """A server of a run on a free port; `space`: bytes of address space that it may use."""

    def __init__(self, folder, *arguments, space=None):
        limit = space and (lambda: resource.setrlimit(resource.RLIMIT_AS, (space, space)))
        self.process = subprocess.Popen([KITH, "serve", *arguments, "--port", "0"], cwd=folder, preexec_fn=limit,
                                        stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
        line = self.process.stderr.readline()
        self.port = int(line.rsplit(":", 1)[1].strip("/\n"))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.process.stderr.close()

    def request(self, target, method="GET", body=None, headers=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        try:
            usual = {"Content-Type": "application/x-ndjson"} if method == "POST" else {}
            connection.request(method, target, body, {**usual, **(headers or {})})
            answer = connection.getresponse()
            return answer.status, answer.read(), dict(answer.getheaders())
        finally:
            connection.close()

    def get(self, path, **parameters):
        query = "?" + urllib.parse.urlencode(parameters) if parameters else ""
        status, body, _ = self.request(path + query)
        return status, json.loads(body)

    def raw(self, data, seconds=10):
        """What comes back for these bytes, until the server closes."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=seconds) as client:
            client.sendall(data)
            answer = b""
            while more := client.recv(1 << 16):
                answer += more
            return answer

    def own_mb(self):
        """Memory of its own, without files that are mapped."""
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as status:
            return next(int(line.split()[1]) / 1024 for line in status if line.startswith("RssAnon"))
