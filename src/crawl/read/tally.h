// Counts what was read and skipped, and keeps the first examples whatever the thread order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "crawl/read/page_reader.h"

namespace kith::crawl {

// Where a record lies: its file, and there as SkipExample::offset says.
struct Place {
  const std::string* file = nullptr;
  uint64_t offset = 0;
  uint32_t file_number = 0;  // see Page::file; the batch sets it
};

// The position of a record in the order of the input: its batch, and its number there.
struct Rank {
  uint64_t batch = 0;
  uint64_t record = 0;
  friend auto operator<=>(const Rank&, const Rank&) = default;
};

// Not thread-safe: each thread fills its own and merges it under a lock. The merged examples do
// not depend on the order of the merges.
class Tally {
 public:
  // Examples kept of each kind that has any.
  static constexpr size_t kExamples = 10;

  CrawlReport counts;  // its examples are left empty: see report()

  // Counts a skip; `reason` is kept when the kind is damaged or bad_url and few came before.
  void skip(Skip kind, Rank rank, Place place, std::string_view reason);

  void merge(const Tally& other);

  // The first damaged record among the examples; nullptr when there is none.
  const SkipExample* first_damage() const;

  // The counts with the first examples, in the order of the input.
  CrawlReport report() const;

 private:
  struct Ranked {
    Rank rank;
    SkipExample example;
  };
  void keep(Ranked example);

  std::vector<Ranked> examples_;  // sorted by rank
};

}  // namespace kith::crawl
