// The stage that makes topics, and which words may name them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kith/options.h"
#include "kith/report.h"
#include "kith/status.h"

#include "bags/tables.h"
#include "base/budget.h"
#include "base/parallel/thread_pool.h"
#include "run/index_files.h"
#include "similar/duplicates.h"
#include "sketch/bag.h"
#include "storage/file_system.h"

namespace kith::jobs {

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
