// The dictionary: which terms it has, in which order, and in which form each is shown.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kith/options.h"
#include "kith/status.h"

#include "bags/run.h"
#include "bags/vocabulary/vocabulary.h"
#include "bags/weights.h"
#include "base/budget.h"
#include "base/parallel/thread_pool.h"
#include "storage/file_system.h"
#include "storage/section_file.h"

namespace kith::bags {

// Of every stem of a spooled vocabulary the form met most often. Internal to this folder.

// Sorts a file of surfaces (append_surface) by term and word in runs, and merges these as it is
// asked. Not thread-safe.
class BestForms {
 public:
  // There is no file when `bytes` is 0. `fs` must outlive this object.
  static Result<BestForms> open(storage::FileSystem& fs, const std::string& path, uint64_t bytes,
                                const Budget& memory);

  // Of the forms of a term the one met most often, of several the first in byte order; empty when
  // there is none. REQUIRES: terms are asked for in ascending order. Valid until the next call.
  Result<std::string_view> of(uint32_t term);
  // Removes the runs.
  Status remove();

 private:
  explicit BestForms(storage::FileSystem& fs) : fs_(&fs) {}
  Status sort(const std::string& path, uint64_t bytes, size_t chunk);
  Status write_run(std::string_view surfaces, const std::string& path, size_t& read);

  storage::FileSystem* fs_;
  std::vector<std::string> runs_;
  std::unique_ptr<RunMerger> merger_;
  std::string key_;
  std::string best_;
};

// Terms in the order in which files have them, by falling count and then by the bytes of the stem,
// sorted on the disk where they do not fit the memory. Internal to src/bags.
struct RankedTerm {
  uint64_t count = 0;
  std::string_view stem;
  std::string_view form;  // empty: none is known
  uint32_t number = 0;
};

using TakeTerm = std::function<Status(const RankedTerm& term)>;

// Sorts terms into run files. Not thread-safe.
class TermSorter {
 public:
  // Files are named after `prefix`. Memory: about `memory` bytes. `fs` must outlive this object.
  TermSorter(storage::FileSystem& fs, std::string prefix, uint64_t memory)
      : fs_(&fs), prefix_(std::move(prefix)), memory_(memory) {}

  Status add(const RankedTerm& term);
  // Writes what is left and frees the memory: the run files, of which there may be none.
  Result<std::vector<std::string>> finish();

 private:
  struct Entry {
    uint64_t inverted_count;
    uint64_t begin;  // of its bytes
    uint32_t stem_size;
    uint32_t size;  // of its bytes: the stem, then the rest of its record
  };
  Status write_run();

  storage::FileSystem* fs_;
  std::string prefix_;
  uint64_t memory_;
  std::string bytes_;
  std::vector<Entry> entries_;
  std::vector<std::string> runs_;
};

// Merges runs of TermSorter into one file at `path` and removes them. take() is called for every
// term in order. Memory: about `memory`, but 4 KiB per run at least.
Status merge_terms(storage::FileSystem& fs, std::span<const std::string> runs,
                   const std::string& path, const Budget& memory, const TakeTerm& take);

// Calls take() for every term of a file of merge_terms(), in order.
Status for_each_term(storage::FileSystem& fs, const std::string& path, const TakeTerm& take);

// Two sections, as every file of strings has them: `name`, the bytes of text(term) of all terms of
// such a file, and `name`_at, their offsets.
Status write_term_strings(storage::FileSystem& fs, const std::string& path,
                          storage::SectionWriter& file, const std::string& name,
                          const std::function<std::string_view(const RankedTerm& term)>& text);

// From provisional term ids to the dictionary of a run: the limits on document frequency, the final
// ids, the surface forms (docs/algorithms/bags.md).

// Both limits are about the bags of each part by themselves.
struct DictionaryOptions {
  Weighting weighting = Weighting::tf_idf;
  uint32_t min_df = 2;
  double max_df = 0.25;  // a share of the bags, but never fewer than min_max_df of them
};
// In a small crawl a word in a quarter of the bags may still be a topic.
inline constexpr uint64_t min_max_df = 100;

// How a term counts in one part of the bags.
class TermFactor {
 public:
  TermFactor() = default;
  // factor: > 0
  TermFactor(double factor, bool is_frequent) : value_(is_frequent ? -factor : factor) {}

  bool is_rare() const { return value_ == 0; }     // below the lower limit
  bool is_frequent() const { return value_ < 0; }  // above the upper limit
  double factor() const { return value_ < 0 ? -value_ : value_; }

 private:
  double value_ = 0;
};

// What the merge needs to know of every term.
struct Dictionary {
  Slots slots;
  std::vector<uint32_t> final_id;        // by provisional id; no_term for a rare word
  std::vector<uint32_t> provisional_id;  // by final id
  std::array<std::vector<TermFactor>, max_parts>
      factors;                // of the parts that there are, by final id
  uint32_t frequent = 0;      // terms that are frequent in one part and count in none
  uint64_t dropped_rare = 0;  // words below min_df in all parts

  size_t terms() const { return factors[0].size(); }
};

// The number of bags whose part has at least one term, by part.
using PartCounts = std::array<uint64_t, max_parts>;

// Final ids go by falling document frequency, ties by byte order of the stem: the same for
// any order of reading. `n`: that many bags have the part.
Dictionary make_dictionary(const DictionaryOptions& options,
                           std::span<const std::string_view> stems,
                           const DocumentFrequencies& frequencies, const PartCounts& n);

// The terms of a dictionary, most frequent first, to what the merge needs to know. `ids` are their
// provisional ids, in this order.
Dictionary number_terms(const DictionaryOptions& options, std::vector<uint32_t> ids,
                        const DocumentFrequencies& frequencies, const PartCounts& n);

// Of every stem the form met most often, ties by byte order. `surfaces` is sorted in place.
std::vector<std::string_view> max_frequent_forms(std::vector<SurfaceCount>& surfaces,
                                                 size_t vocabulary_size);

// A term as it stands in the terms file.
struct TermRow {
  std::string_view stem;
  std::string_view form;
  uint32_t document_frequency = 0;  // of the content in bags of both kinds
};

// Writes the terms file (tables.h): row(0) to row(count - 1), each asked for several times.
Status write_terms(storage::FileSystem& fs, const std::string& path, size_t count,
                   const std::function<TermRow(size_t i)>& row);

// The terms of a vocabulary that did not fit the memory: what stands in the files of its spool
// brought together. Internal to src/bags.
//
//   stems with ids, by shard -> one number per stem -> document frequencies by number (collapse.h)
//   -> the terms that are frequent enough, with their forms -> dictionary and terms file

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
