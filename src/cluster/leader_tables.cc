#include "cluster/leader_tables.h"

#include "base/check.h"

namespace kith::cluster {
namespace {

// At 8 of 10 slots taken, 9 of 100 buckets are full: a look-up reads 1.1 cache lines.
constexpr size_t fill_percent = 80;

}  // namespace

void LeaderTables::reset(size_t ids) {
  per_table_ = ids * 100 / (slots * fill_percent) + 1;
  KITH_CHECK(per_table_ < (uint64_t{1} << 32));
  capacity_ = per_table_ * slots * fill_percent / 100;
  buckets_ = {};  // give the old memory back before asking for the new
  buckets_.resize(tables_ * per_table_);
}

}  // namespace kith::cluster
