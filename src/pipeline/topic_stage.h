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
  const index::Neighbours& neighbours;
  const pairs::DuplicateGroups& groups;
  const bags::UrlTable& urls;
  const bags::TermTable& terms;
  uint64_t memory = 0;  // bytes that the whole program may take
};

// Writes the topics file. An error of kind usage when the memory is too small for the graph; it
// names the minimum.
Result<TopicCounts> write_topic_tree(storage::FileSystem& fs, const std::string& path,
                                     const TopicStageInputs& inputs, ThreadPool& pool);

}  // namespace kith::pipeline
