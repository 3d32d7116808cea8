"""The modularity of kith's communities beside igraph's Leiden on the same graph.

    igraph_twin.py DUMP_TOPIC_GRAPH RUN...    of runs that there are; without RUN of a small one
"""

import inspect
import os
import random
import statistics
import subprocess
import sys
import tempfile

import igraph

RESOLUTION = 2
MARGIN = 0.002


def beside_leiden(dump, run):
    """kith's modularity, and those of three runs of Leiden, which is random: ascending."""
    lines = subprocess.run([dump, run], check=True, capture_output=True, text=True).stdout.splitlines()
    total, reached = lines[0].split()
    edges = [tuple(map(int, line.split())) for line in lines[1:]]
    graph = igraph.Graph([edge[:2] for edge in edges])
    weights = [edge[2] for edge in edges]
    # igraph 0.10 and later ones have different names for it.
    names = inspect.signature(igraph.Graph.community_leiden).parameters
    gamma = "resolution" if "resolution" in names else "resolution_parameter"
    random.seed(1)  # of igraph, too
    others = []
    for _ in range(3):
        found = graph.community_leiden(objective_function="modularity", weights=weights, n_iterations=-1,
                                       **{gamma: RESOLUTION})
        others.append(modularity(edges, found.membership, int(total)))
    return float(reached), sorted(others)


def modularity(edges, membership, total):
    inside = sum(2 * weight for a, b, weight in edges if membership[a] == membership[b])
    degree = {}
    for a, b, weight in edges:
        degree[membership[a]] = degree.get(membership[a], 0) + weight
        degree[membership[b]] = degree.get(membership[b], 0) + weight
    return inside / total - RESOLUTION * sum((d / total) ** 2 for d in degree.values())


def make_run(folder):
    run = os.path.join(folder, "run")
    sample = os.path.join(os.environ["KITH_TEST_DATA"], "crawl", "sample.warc.gz")
    subprocess.run([os.environ["KITH"], "cluster", sample, "-o", run, "--bags", "content"],
                   check=True, capture_output=True)
    return run


def main(dump, runs):
    with tempfile.TemporaryDirectory(prefix="kith-igraph-") as folder:
        worse = 0
        for run in runs or [make_run(folder)]:
            reached, others = beside_leiden(dump, run)
            print(f"{run}: kith {reached:.5f}, Leiden {', '.join(f'{q:.5f}' for q in others)}")
            worse += reached < statistics.median(others) - MARGIN
    return worse > 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
