// The terms of a vocabulary that did not fit the memory: what stands in the files of its spool
// brought together. Internal to src/bags.
//
//   stems with ids, by shard -> one number per stem -> document frequencies by number (collapse.h)
//   -> the terms that are frequent enough, with their forms -> dictionary and terms file
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "kith/status.h"

#include "bags/vocabulary/dictionary.h"
#include "bags/vocabulary/vocabulary_spool.h"
#include "base/budget.h"
#include "base/parallel/thread_pool.h"
#include "storage/file_system.h"

namespace kith::bags {

struct StemNumbers {
  std::vector<uint32_t> of;  // by id: the number of its stem
  uint32_t limit = 0;        // numbers are below it; some are nobody's
  uint64_t stems = 0;        // different ones
};

// Gives every stem one number, whatever ids it had, and leaves the stems of every shard in the
// order of their numbers in a file. `ids`: the ids are below it. Memory: 4 bytes per id, and about
// `memory` for all threads.
Result<StemNumbers> resolve_stems(storage::FileSystem& fs, const std::string& prefix,
                                  const VocabularySpool& spool, uint32_t ids, const Budget& memory,
                                  ThreadPool& pool);

// Calls take() for every surface of the spool, with the ids of their stems.
Status for_each_surface(storage::FileSystem& fs, const VocabularySpool& spool,
                        const std::function<Status(const Surface& surface)>& take);

// By what a stem of that number is ranked; 0: it is left out. Thread-safe.
using CountOf = std::function<uint64_t(uint32_t number)>;
// Of the forms of the stems of every shard; 0: there are none.
using FormBytes = std::array<uint64_t, VocabularySpool::shards>;

// Sorts the stems that resolve_stems() has left into a file (merge_terms) at `path`, each with its
// form, and calls take() for each in order. Memory: about `memory` for all threads.
Status rank_stems(storage::FileSystem& fs, const std::string& prefix, const CountOf& count_of,
                  const FormBytes& form_bytes, const Budget& memory, const std::string& path,
                  ThreadPool& pool, const TakeTerm& take);

// make_dictionary() and write_terms() of these stems; document frequencies are by number, and so is
// Dictionary::final_id; provisional_id is empty. numbers.of is freed. Memory: 4 bytes per number
// and 20 per term of the dictionary, 28 with two parts, and about `memory` for all threads.
Result<Dictionary> make_spooled_dictionary(storage::FileSystem& fs, const std::string& prefix,
                                           const VocabularySpool& spool, StemNumbers& numbers,
                                           const DictionaryOptions& options,
                                           const DocumentFrequencies& frequencies,
                                           const PartCounts& n, const std::string& terms_path,
                                           const Budget& memory, ThreadPool& pool);

}  // namespace kith::bags
