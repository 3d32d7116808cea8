// The cluster stage: order, CENTER by the leader index, labels, and the clusters file; and the
// stage that makes topics of its pages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kith/options.h"
#include "kith/progress.h"
#include "kith/report.h"
#include "kith/status.h"

#include "bags/tables.h"
#include "base/budget.h"
#include "base/parallel/thread_pool.h"
#include "cluster/clustering.h"
#include "cluster/order.h"
#include "cluster/plan/similarity_plan.h"
#include "jobs/cluster/pair_stage.h"
#include "run/index_files.h"
#include "similar/duplicates.h"
#include "sketch/bag.h"
#include "sketch/signature.h"
#include "storage/file_system.h"

namespace kith::jobs {

struct ClusterInputs {
  const sketch::BagCollection* bags = nullptr;
  const cluster::SimilarityPlan* plan = nullptr;
  const SignatureTable* signatures = nullptr;  // may be null when needs_signatures() is false
  const bags::UrlTable* urls = nullptr;
  const run::Neighbours* neighbours = nullptr;  // null unless needs_pairs()
  uint32_t terms = 0;                           // term ids are below this
  Budget memory = {};                           // of the whole program
  storage::FileSystem* fs = nullptr;
  std::string scratch;  // a folder for temporary files, which exists
};

// An error of kind usage when the memory is too small for the tables of the plan. Needs no
// signatures.
Status check_table_memory(const ClusterInputs& inputs);

Result<ClusterCounts> write_clusters(const std::string& path, const ClusterInputs& inputs,
                                     const SimilarityOptions& options, ThreadPool& pool,
                                     const ProgressCallback& progress);

// Rows in an order that is not that of their ids, and where they lie.

// What the cluster stage has to work with.
Budget memory_of(const ClusterInputs& inputs);

struct PlacedRows {
  cluster::OrderedRows rows;
  uint64_t resident;  // bytes
};

// The rows of `order`: as they are where all of the collection fits beside `others` bytes (rows in
// any order bring in most of what they lie among), else in files of at most part_rows each. `order`
// must outlive them.
Result<PlacedRows> place_rows(const ClusterInputs& inputs, const sketch::Signatures& signatures,
                              std::span<const uint32_t> order, uint64_t others, ThreadPool& pool,
                              size_t part_rows = SIZE_MAX);

// The part of the cluster stage that comes after CENTER, however it was found: labels, and
// clusters.kith.

// Needs of `inputs` all but plan and signatures. The order, the phases and the URLs with few words
// in the counts are left as they are by default.
Result<ClusterCounts> write_clustering(const std::string& path,
                                       const cluster::Clustering& clustering,
                                       const ClusterInputs& inputs, ThreadPool& pool);

// The stage that makes topics, and which words may name them.

// Words that say what a topic is about where they stand alone.

// True for words of three ASCII letters or more, and for others of two letters or more that are not
// written in hiragana only, as particles and endings are; a single Han character is usually only a
// part of a word. `word`: lower-cased UTF-8.
bool may_be_label(std::string_view word);

// By term: whether the word as it is shown may be a label.
std::vector<bool> label_words(const bags::TermTable& terms);

// The topics stage: the tree of topics of the neighbours and the bags.

// What decides how much memory topics take.
struct TopicSize {
  uint64_t nodes = 0;    // different bags of enough words
  uint64_t entries = 0;  // of their lists, as far as these may be edges
};
TopicSize measure_topics(const run::Neighbours& neighbours, const sketch::BagCollection& bags,
                         const similar::DuplicateGroups& groups, uint32_t min_words);

struct TopicStageInputs {
  const sketch::BagCollection& bags;
  const similar::DuplicateGroups& groups;
  const bags::UrlTable& urls;
  const bags::TermTable& terms;
  uint32_t list_length = 0;  // K of the neighbours
  TopicSize size{};          // measure_topics() of these
  Budget memory = {};        // of the whole program
  uint32_t min_words = 1;    // of a bag that is in a topic
  TopicGraph graph = TopicGraph::full;
  uint64_t clusters = 0;  // of CENTER, those of one URL among them
};

// Bytes that the whole program needs for the topics with a graph of this kind.
uint64_t topic_memory(const TopicStageInputs& inputs, TopicGraph graph, unsigned threads);

// Writes the topics file. clusters: of the run. REQUIRES: the memory holds its graph.
Result<TopicCounts> write_topic_tree(storage::FileSystem& fs, const std::string& path,
                                     const run::Neighbours& neighbours,
                                     const run::Clusters& clusters, const TopicStageInputs& inputs,
                                     ThreadPool& pool);

}  // namespace kith::jobs
