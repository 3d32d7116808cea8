// What lsh_leaders() takes.
#include <algorithm>

#include "cluster/leader/index.h"
#include "cluster/leader/part_lists.h"
#include "cluster/leader/rows.h"
#include "cluster/leader/scan.h"
#include "cluster/leader/tables.h"

namespace kith::cluster {

uint64_t leader_bytes(double row_bytes, const LshBuckets& buckets, size_t ids) {
  double entries = 0;
  for (const uint64_t sharing : buckets.sharing) entries += static_cast<double>(sharing);
  entries /= static_cast<double>(std::max<size_t>(ids, 1));
  return LeaderRows::bytes_of_one(buckets.tables.params().lanes) +
         static_cast<uint64_t>(row_bytes + entries * double{LeaderTables::bytes_of_entry()});
}

uint64_t directory_bytes(const LshBuckets& buckets) {
  uint64_t bytes = 0;
  for (uint32_t table = 0; table < buckets.sharing.size(); ++table) {
    bytes += LeaderTables::bytes_of_directory(buckets.short_parts(table));
  }
  return bytes;
}

uint64_t asking_bytes(const sketch::TableParams& tables) {
  return PartLists::bytes_per_row(tables.tables) + LeaderRows::bytes_of_one(tables.lanes) +
         sizeof(Inquiry) + sizeof(similar::Neighbour);
}

}  // namespace kith::cluster
