// How well a finished run agrees with labels that are known from elsewhere, such as a directory of
// the web (docs/algorithms/evaluate.md).
//
//   kith::EvaluateOptions options;
//   options.run = "my-run";
//   options.labels = "labels.tsv";
//   const auto found = kith::evaluate_clusters(options);
//   if (found) { ... found->levels.back().all.ari ... }
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kith/status.h"

#pragma GCC visibility push(default)

namespace kith {

struct EvaluateOptions {
  std::string run;     // a finished run directory
  std::string labels;  // a TSV file with a header line, or "-" for standard input
  // The columns whose values, joined with '/', are the label of a row. The column "url" ("id" where
  // there is none) names the page.
  std::vector<std::string> columns = {"label"};
};

// What was read of the file of labels, and what of it the run has.
struct LabelCounts {
  uint64_t rows = 0;          // behind the header
  uint64_t skipped_rows = 0;  // without a page or a label
  uint64_t urls = 0;          // different names of pages that have a label
  uint64_t missing = 0;       // of these, not in the run
  uint64_t labels = 0;        // different ones
  uint64_t pages = 0;         // of the run
  uint64_t labelled = 0;      // of these, with a label
  uint64_t several = 0;       // of these, with more than one label
};

// How well a partition of pages agrees with their labels. All measures are 1 where the two are
// equal, and where there are no pages. B-cubed takes all labels of a page, as do the pairs of
// PairAgreement; the others take the first.
struct Agreement {
  uint64_t pages = 0;     // that were counted
  uint64_t clusters = 0;  // that hold at least one of them
  uint64_t labels = 0;    // different first labels of them
  double ari = 1;         // adjusted Rand index (Hubert and Arabie 1985), [-0.5, 1]
  double nmi = 1;         // mutual information / arithmetic mean of the entropies, [0, 1]
  double ami = 1;         // the same, adjusted for chance (Vinh, Epps and Bailey 2010), at most 1
  double purity = 1;      // share of pages with the most frequent label of their cluster, (0, 1]
  // Of the pairs of pages in one cluster, the share with one label; of the pairs with one label,
  // the share in one cluster; [0, 1], and 1 where there is no such pair.
  double pair_precision = 1;
  double pair_recall = 1;
  // Extended B-cubed (Amigo et al. 2009), [0, 1]; of the first two the harmonic mean.
  double bcubed_precision = 1;
  double bcubed_recall = 1;
  double bcubed_f1 = 1;
};

struct PrecisionAt {
  uint32_t k = 0;
  // Mean over pages of the share of the first min(k, length) neighbours that share a label with the
  // page, [0, 1]; nothing where no page has a neighbour.
  std::optional<double> precision;
  uint64_t full = 0;  // pages with k neighbours or more
};

// Precision of the lists of related pages. Neighbours without a label are left out of the lists.
struct RankingPrecision {
  uint64_t pages = 0;    // with at least one neighbour in the list: the mean is over these
  uint64_t without = 0;  // with none
  std::vector<PrecisionAt> at;
};

// Goodman and Kruskal's gamma of two orderings, (agree - disagree) / (agree + disagree), over pairs
// of neighbours of one page; [-1, 1], nothing without a pair.
struct OrderAgreement {
  uint64_t agree = 0;     // pairs that both order alike
  uint64_t disagree = 0;  // pairs that they order the other way round
  std::optional<double> gamma;
};

// The order of related pages beside that by familial distance in the tree of labels (Haveliwala,
// Gionis, Klein and Indyk 2002).
struct FamilialOrder {
  OrderAgreement all;        // pairs of different distance
  OrderAgreement sibling;    // of these, one of the class of the page, the other of a sibling class
  OrderAgreement cousin;     // one of the class of the page, the other of a cousin class
  OrderAgreement unrelated;  // one of the class of the page, the other with only the root in common
};

// Labels cut after `depth` of their parts: Science/Biology/Genes is Science at depth 1.
struct LevelEvaluation {
  uint32_t depth = 0;
  Agreement all;                 // of all labelled pages; one that is alone is a cluster of its own
  Agreement clustered;           // of labelled pages in clusters of two and more
  RankingPrecision neighbours;   // all of them
  RankingPrecision other_hosts;  // neighbours on another host than the page
};

// A cut of the tree of topics, whose topics are the clusters.
struct TopicCutEvaluation {
  uint32_t depth = 0;   // of the topics; 0: TopicTree::cut() to about as many as there are labels
  uint64_t topics = 0;  // of the cut, with and without labelled pages
  Agreement agreement;  // a page without a topic is a cluster of its own
};

// The tree of topics beside labels cut after `label_depth` of their parts.
struct TopicEvaluation {
  uint32_t label_depth = 0;
  // The mean over pairs of pages that share their first label of the share of pages with that label
  // in the smallest topic that has both (Heller and Ghahramani 2005), (0, 1]; nothing where no two
  // share one.
  std::optional<double> dendrogram_purity;
  std::vector<TopicCutEvaluation> cuts;  // by depth from 1, and last that of depth 0
};

struct ClusterEvaluation {
  LabelCounts labels;
  uint64_t alone = 0;       // labelled pages in clusters of one
  uint32_t neighbours = 0;  // that the run keeps of a page; with 0 nothing is said of related pages
  std::vector<LevelEvaluation> levels;  // depth 1, 2, ...: the last one has whole labels
  FamilialOrder order;                  // by whole labels
  std::vector<TopicEvaluation> topics;  // by depth of labels; none where the run has no topics
};

// Pairs of documents beside the pairs that share a label.
struct PairAgreement {
  uint64_t found = 0;               // pairs of labelled documents that the run found
  uint64_t correct = 0;             // of these, share a label
  uint64_t truth = 0;               // pairs of labelled documents that share a label
  std::optional<double> precision;  // correct / found; nothing where none was found
  std::optional<double> recall;     // correct / truth; nothing where there is none
};

struct DedupEvaluation {
  LabelCounts labels;
  uint64_t alone = 0;      // labelled documents that are in no group
  PairAgreement verified;  // equal documents, and those joined by a pair of the list of pairs
  PairAgreement grouped;   // documents of one group
  Agreement groups;        // a document in no group is a group of its own
};

// The deepest level of a label: what is below it belongs to the name of its last part.
inline constexpr uint32_t max_label_depth = 16;

// Compares the clusters and related pages of a finished run of cluster() with labels. Labels name
// URLs in any spelling. Errors: no such run or file of labels; a file that lacks the columns (kind
// usage; the message lists those it has), or has no label of a page of the run (kind not_found);
// damage (corrupt). Deterministic; takes memory in proportion to the file of labels and to the
// pages. Thread-safe.
Result<ClusterEvaluation> evaluate_clusters(const EvaluateOptions& options);

// Compares the pairs and groups of a finished run of dedup() with labels: documents with the same
// label are duplicates. Labels name documents by URL, in any spelling, or by id, as the input
// does. What an earlier run has removed (DedupOptions::against) is in no group. Otherwise like
// evaluate_clusters().
Result<DedupEvaluation> evaluate_dedup(const EvaluateOptions& options);

}  // namespace kith

#pragma GCC visibility pop
