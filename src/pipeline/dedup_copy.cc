#include "pipeline/dedup_copy.h"

#include <algorithm>
#include <ranges>
#include <vector>

namespace kith::pipeline {

Result<DedupCopy> write_kept(storage::FileSystem& fs, const crawl::CopyPlan& plan,
                             const DocumentTable& documents, const Groups& groups,
                             ThreadPool& pool) {
  // Documents are in the order of the input, and so those of a file are side by side.
  const auto ids = std::views::iota(uint32_t{0}, documents.size());
  const auto file_of = [&](uint32_t id) { return documents[id].file; };
  const auto removed = [&](uint32_t file) -> Result<std::vector<uint64_t>> {
    std::vector<uint64_t> records;
    for (const uint32_t id : std::ranges::equal_range(ids, file, {}, file_of)) {
      if (groups.kept()[id] != id) records.push_back(documents[id].record);
    }
    return records;
  };
  KITH_ASSIGN(const crawl::CopyReport report, crawl::write_copy(fs, pool, plan, removed));
  DedupCopy copy;
  copy.files = report.files;
  copy.bytes_in = report.bytes_in;
  copy.bytes_out = report.bytes_out;
  copy.removed = report.removed;
  copy.kept_by_damage = report.kept_by_damage;
  return copy;
}

}  // namespace kith::pipeline
