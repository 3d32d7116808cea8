#include "cluster/leader_tables.h"

#include <algorithm>

#include <sys/mman.h>

#include "base/check.h"

namespace kith::cluster {
namespace {

constexpr size_t huge_page = size_t{2} << 20;

}  // namespace

void LeaderTables::reset(size_t ids) {
  for (auto& lists : overflow_) lists.clear();
  buckets_.reset();  // give the old memory back before asking for the new
  per_table_ = ids * 100 / (slots * fill_percent) + 1;
  KITH_CHECK(per_table_ < (uint64_t{1} << 32));
  capacity_ = per_table_ * slots * fill_percent / 100;

  // Every look-up misses the cache l times; with pages of 4 KiB it would miss the page tables
  // as well. Where there are no huge pages, the advice does no harm.
  const bool large = bytes() >= huge_page;
  const std::align_val_t alignment{large ? huge_page : alignof(Bucket)};
  void* const memory = ::operator new(bytes(), alignment);
  if (large) ::madvise(memory, bytes(), MADV_HUGEPAGE);
  buckets_ = std::unique_ptr<Bucket[], Free>(static_cast<Bucket*>(memory), Free{alignment});
  std::uninitialized_default_construct_n(buckets_.get(), tables_ * per_table_);
}

void LeaderTables::clear() {
  for (auto& lists : overflow_) lists.clear();
  std::fill_n(buckets_.get(), tables_ * per_table_, Bucket{});
}

}  // namespace kith::cluster
