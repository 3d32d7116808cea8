// The topics stage: the tree of topics of the neighbours and the bags.
#pragma once

#include <cstdint>
#include <string>

#include "kith/report.h"
#include "kith/status.h"

#include "bags/tables.h"
#include "index/neighbours.h"
#include "pairs/duplicates.h"
#include "parallel/thread_pool.h"
#include "sketch/bag.h"
#include "storage/file_system.h"

namespace kith::pipeline {

struct TopicStageInputs {
  const BagCollection& bags;
  const pairs::DuplicateGroups& groups;
  const bags::UrlTable& urls;
  const bags::TermTable& terms;
  uint32_t list_length = 0;  // K of the neighbours
  uint64_t memory = 0;       // bytes that the whole program may take
  uint32_t min_words = 1;    // of a bag that is in a topic
};

// What the whole program would need for the topics, when that is more than it may take; 0: it may
// take enough.
uint64_t missing_topic_memory(const TopicStageInputs& inputs, unsigned threads);

// Writes the topics file. REQUIRES: no memory is missing.
Result<TopicCounts> write_topic_tree(storage::FileSystem& fs, const std::string& path,
                                     const index::Neighbours& neighbours,
                                     const TopicStageInputs& inputs, ThreadPool& pool);

}  // namespace kith::pipeline
