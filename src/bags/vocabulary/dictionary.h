// From provisional term ids to the dictionary of a run: the limits on document frequency, the final
// ids, the surface forms (docs/algorithms/bags.md).
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kith/options.h"
#include "kith/status.h"

#include "bags/document_frequencies.h"
#include "bags/vocabulary/vocabulary.h"
#include "storage/file_system.h"

namespace kith::bags {

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

}  // namespace kith::bags
