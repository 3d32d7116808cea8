// Which units of which documents are repeated: by external sorts of what stands for them
// (docs/algorithms/passages.md).
//
//   anchors of all documents -> those of more than M documents -> units with such an anchor
//     -> units of more than M documents, with how many -> in the order of documents
#pragma once

#include <bit>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kith/passages.h"
#include "kith/progress.h"
#include "kith/status.h"

#include "base/budget.h"
#include "base/parallel/thread_pool.h"
#include "jobs/passages/texts.h"
#include "storage/external_sort.h"
#include "storage/file_system.h"

namespace kith::jobs {

// Where and within what the job works.
struct PassageResources {
  storage::FileSystem& fs;
  std::string folder;   // of the run
  std::string scratch;  // a folder for temporary files
  Budget memory;        // of the whole process
  ThreadPool& pool;
  const ProgressCallback& progress;
};

// A sort in the scratch folder, of a share of the memory for sorting.
storage::ExternalSortOptions sort_options(const PassageResources& resources, const char* name,
                                          Share share, unsigned writers);

// The key of a document and a number in it.
constexpr uint64_t place_key(uint32_t document, uint32_t number) {
  return uint64_t{document} << 32 | number;
}

// Memory for what is not counted by document.
Budget passage_memory(const PassageResources& resources, uint32_t documents);

// A repeated unit. As a record of a sort: the place is the key.
struct RepeatedUnit {
  uint32_t document = 0;
  uint32_t unit = 0;       // its number
  uint32_t documents = 0;  // that it stands in
  bool is_first = false;   // the occurrence that PassageMode::first keeps
  uint32_t hash = 0;       // of the unit

  static constexpr uint32_t max_documents = UINT32_MAX >> 1;
  WideKeyId record() const {
    const uint64_t count = documents < max_documents ? documents : max_documents;
    return {place_key(document, unit), uint64_t{is_first} << 63 | count << 32 | hash};
  }
  static RepeatedUnit of(const WideKeyId& record) {
    return {static_cast<uint32_t>(record.key >> 32), static_cast<uint32_t>(record.key),
            static_cast<uint32_t>(record.id >> 32) & max_documents, record.id >> 63 != 0,
            static_cast<uint32_t>(record.id)};
  }
};

// What reading has left.
struct PassageInput {
  std::unique_ptr<PassageTexts> texts;
  std::unique_ptr<storage::WideExternalSort> anchors;  // key: the anchor, id: its place
  uint64_t max_units = 0;                              // of a document
  std::vector<std::string> files;                      // of the input, by number
};

// Finds the repeated units of all documents: RepeatedUnit::record(), in the order of their places.
// Consumes the anchors.
Result<storage::WideSortedRecords> find_repeated(PassageInput& input, const PassageOptions& options,
                                                 const PassageResources& resources,
                                                 PassageCounts& counts);

}  // namespace kith::jobs
