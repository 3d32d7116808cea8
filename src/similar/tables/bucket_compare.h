// Compares the members of buckets in cache. Internal to this folder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/large_array.h"
#include "base/parallel/radix_sort.h"
#include "base/parallel/thread_pool.h"
#include "similar/tables/block_rows.h"
#include "similar/tables/bucket_split.h"
#include "sketch/lsh/subset_masks.h"
#include "sketch/lsh/tables.h"
#include "sketch/signature.h"

namespace kith::similar {

// What a join looks for.
struct CandidateRule {
  uint32_t min_count = 0;  // of equal low bytes, of a pair that is worth an exact sum
  // Rows before this one are of one block and the others of another, and only pairs across are
  // compared; 0: one block, all pairs.
  uint32_t border = 0;
};

// Takes bucket after bucket of one table and finds the candidates: the pairs that reach the count
// and did not meet in an earlier table. The rows of many small buckets are fetched together, so
// that the memory works on many at a time, and each once. One for a thread.
class alignas(worker_alignment) BucketComparer {
 public:
  // `places` may change meanwhile, but not those of the tables before the one at hand, and of that
  // one only if places_known is false: then its buckets come split already.
  BucketComparer(const BlockRows& rows, const sketch::Tables& tables,
                 const sketch::SubsetMasks& masks, const BucketPlaces& places, bool places_known,
                 CandidateRule rule);

  // Compares the members of a bucket, soon; finish() ends the table. Members ascend if there is a
  // border. REQUIRES: all buckets between two calls of finish() are of one table.
  void add(uint32_t table, std::span<const uint32_t> members);
  // Compares each of `left` with each of `right`, other members of the same bucket, now.
  void compare(uint32_t table, std::span<const uint32_t> left, std::span<const uint32_t> right);
  void finish();

  // The pairs so far: key is the smaller id, id the larger.
  std::vector<ShortKeyId>& candidates() { return candidates_; }
  uint64_t compared() const { return compared_; }
  uint64_t passed() const { return passed_; }

 private:
  void fetch();
  void compare(size_t begin, size_t end);
  void compare_across(size_t begin, size_t border, size_t end);
  void compare_row(size_t row, size_t begin, size_t end);
  bool first_meeting(size_t a, size_t b);
  // Of two rows whose values in the table's lanes are equal.
  enum class Meeting : uint8_t { none, in_bucket, in_whole_part };
  Meeting meeting(uint32_t table, uint32_t a, uint32_t b);

  const BlockRows& rows_;
  const sketch::Tables& tables_;
  const sketch::SubsetMasks& masks_;
  const BucketPlaces& places_;
  const bool places_known_;
  const CandidateRule rule_;
  const sketch::RowKernels& kernels_;
  const size_t lanes_;
  uint32_t table_ = 0;
  std::vector<uint32_t> members_;  // of the buckets that wait
  std::vector<size_t> ends_;       // of these
  LargeVector<uint8_t> low_;       // their rows
  LargeVector<uint8_t> high_;
  std::vector<uint32_t> selected_;
  std::vector<uint64_t> equal_;
  std::vector<uint64_t> equal_high_;
  std::vector<uint16_t> values_;
  std::vector<ShortKeyId> candidates_;
  uint64_t compared_ = 0;
  uint64_t passed_ = 0;
};

}  // namespace kith::similar
