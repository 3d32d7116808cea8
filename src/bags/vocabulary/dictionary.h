// From provisional term ids to the dictionary of a run: the limits on document frequency, the final
// ids, the surface forms (docs/algorithms/bags.md).
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kith/options.h"
#include "kith/status.h"

#include "bags/vocabulary/vocabulary.h"
#include "storage/file_system.h"

namespace kith::bags {

struct DictionaryOptions {
  Weighting weighting = Weighting::tf_idf;
  uint32_t min_df = 2;
  double max_df = 0.25;  // a share of the bags, but never fewer than min_max_df of them
};
// In a small crawl a word in a quarter of the bags may still be a topic.
inline constexpr uint64_t min_max_df = 100;

// What the merge needs to know of every term.
struct Dictionary {
  std::vector<uint32_t> final_id;        // by provisional id; no_term for a word below min_df
  std::vector<uint32_t> provisional_id;  // by final id
  std::vector<double> factor;            // by final id: term_factor of its document frequency
  uint32_t frequent = 0;                 // final ids below this are above the upper limit
  uint64_t dropped_rare = 0;             // words below min_df
};

// Final ids go by falling document frequency, ties by byte order of the stem: the same for
// any order of reading. `n` is the number of bags with at least one term.
Dictionary make_dictionary(const DictionaryOptions& options,
                           std::span<const std::string_view> stems,
                           std::span<const uint32_t> document_frequency, uint64_t n);

// The terms of a dictionary, most frequent first, to what the merge needs to know. `ids` are their
// provisional ids, in this order, and below `limit`.
Dictionary number_terms(const DictionaryOptions& options, std::vector<uint32_t> ids, size_t limit,
                        std::span<const uint32_t> document_frequency, uint64_t n);

// Of every stem the form met most often, ties by byte order. `surfaces` is sorted in place.
std::vector<std::string_view> max_frequent_forms(std::vector<SurfaceCount>& surfaces,
                                                 size_t vocabulary_size);

// A term as it stands in the terms file.
struct TermRow {
  std::string_view stem;
  std::string_view form;
  uint32_t document_frequency = 0;
};

// Writes the terms file (tables.h): row(0) to row(count - 1), each asked for several times.
Status write_terms(storage::FileSystem& fs, const std::string& path, size_t count,
                   const std::function<TermRow(size_t i)>& row);

}  // namespace kith::bags
