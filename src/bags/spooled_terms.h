// The terms of a vocabulary that did not fit the memory: what stands in the files of its spool
// brought together. Internal to this folder.
//
//   stems with ids, by shard -> one number a stem -> document frequencies by number (collapse.h) ->
//   the terms that are frequent enough, with their forms -> dictionary and terms file
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "kith/status.h"

#include "bags/dictionary.h"
#include "bags/vocabulary_spool.h"
#include "parallel/thread_pool.h"
#include "storage/file_system.h"

namespace kith::bags {

struct StemNumbers {
  std::vector<uint32_t> of;  // by id: the number of its stem
  uint32_t limit = 0;        // numbers are below it; some are nobody's
  uint64_t stems = 0;        // different ones
};

// Gives every stem one number, whatever ids it had, and leaves the stems of every shard in the
// order of their numbers in a file. `ids`: the ids are below it. Memory: 4 bytes an id, and some MB
// a thread.
Result<StemNumbers> resolve_stems(storage::FileSystem& fs, const std::string& prefix,
                                  const VocabularySpool& spool, uint32_t ids, ThreadPool& pool);

// make_dictionary() and write_terms() of these stems; document frequencies are by number, and so is
// Dictionary::final_id; provisional_id is empty. Memory: some 60 bytes a term of the dictionary,
// and of one shard for each thread the words.
Result<Dictionary> make_spooled_dictionary(storage::FileSystem& fs, const std::string& prefix,
                                           const VocabularySpool& spool, const StemNumbers& numbers,
                                           const DictionaryOptions& options,
                                           std::span<const uint32_t> document_frequency, uint64_t n,
                                           const std::string& terms_path, ThreadPool& pool);

}  // namespace kith::bags
