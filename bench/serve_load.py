#!/usr/bin/python3
"""The load that kith serve bears: wrk asks for the related pages of random URLs of a run.

    bench/serve_load.py RUN [--kith PROGRAM] [--seconds 10] [--connections 32] [--urls 100000]
                        [--question '/api/related?n=10&url=']

Needs wrk. Prints requests per second, the percentiles of the latency, answers that are no 200, and
the memory of the server before and after. Server and wrk share the processors of the machine.
"""

import argparse
import os
import random
import re
import subprocess
import tempfile
import urllib.parse

LUA = """
local targets = {}
for line in io.lines("%s") do targets[#targets + 1] = line end
local threads = 0
function setup(thread)
  threads = threads + 1
  thread:set("seed", threads)
end
function init(args) math.randomseed(seed) end
function request() return wrk.format("GET", targets[math.random(#targets)]) end
function done(summary, latency, requests)
  local seconds = summary.duration / 1e6
  io.write(string.format("requests/s\\t%%.0f\\n", summary.requests / seconds))
  for _, p in pairs({50, 90, 99, 99.9}) do
    io.write(string.format("p%%g ms\\t%%.2f\\n", p, latency:percentile(p) / 1000))
  end
  local e = summary.errors
  io.write(string.format("failed\\t%%d\\n", e.connect + e.read + e.write + e.status + e.timeout))
end
"""


def drawn_urls(kith, run, count):
    """Random URLs of the run, by reservoir sampling."""
    draw = random.Random(1)
    urls = []
    with subprocess.Popen([kith, "clusters", run], stdout=subprocess.PIPE, text=True) as lines:
        next(lines.stdout)
        for number, line in enumerate(lines.stdout):
            url = line.split("\t")[1]
            if len(urls) < count:
                urls.append(url)
            elif (place := draw.randrange(number + 1)) < count:
                urls[place] = url
    return urls


def resident_mb(pid):
    with open(f"/proc/{pid}/status", encoding="ascii") as status:
        return int(re.search(r"RssAnon:\s+(\d+)", status.read()).group(1)) / 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run")
    parser.add_argument("--kith", default="build/bench/bin/kith")
    parser.add_argument("--seconds", type=int, default=10)
    parser.add_argument("--connections", type=int, default=32)
    parser.add_argument("--urls", type=int, default=100000)
    parser.add_argument("--question", default="/api/related?n=10&url=")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="kith-bench-") as folder:
        targets = os.path.join(folder, "targets")
        with open(targets, "w", encoding="ascii") as file:
            for url in drawn_urls(args.kith, args.run, args.urls):
                file.write(args.question + urllib.parse.quote(url, safe="") + "\n")
        script = os.path.join(folder, "random.lua")
        with open(script, "w", encoding="ascii") as file:
            file.write(LUA % targets)
        server = subprocess.Popen([args.kith, "serve", args.run, "--port", "0"],
                                  stderr=subprocess.PIPE, text=True)
        try:
            port = int(server.stderr.readline().rsplit(":", 1)[1].strip("/\n"))
            wrk = ["wrk", "--threads", "2", "--connections", str(args.connections), "--script",
                   script, f"http://127.0.0.1:{port}"]
            # The first second maps the files of the run into memory.
            subprocess.run([*wrk, "--duration", "1s"], check=True, stdout=subprocess.DEVNULL)
            before = resident_mb(server.pid)
            done = subprocess.run([*wrk, "--duration", f"{args.seconds}s"], check=True, text=True,
                                  stdout=subprocess.PIPE)
            figures = re.search(r"requests/s\t.*", done.stdout, re.DOTALL)
            print(figures.group(0), end="")
            print(f"MB of its own before\t{before:.1f}\nMB of its own after\t"
                  f"{resident_mb(server.pid):.1f}")
        finally:
            server.terminate()
            server.wait()
            server.stderr.close()


if __name__ == "__main__":
    main()
