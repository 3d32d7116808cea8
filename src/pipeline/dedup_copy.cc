#include "pipeline/dedup_copy.h"

#include <vector>

namespace kith::pipeline {

Result<DedupCopy> write_kept(storage::FileSystem& fs, const crawl::CopyPlan& plan,
                             const DocumentTable& documents, const Against& against,
                             const Groups& groups, ThreadPool& pool) {
  // Documents are in the order of the input, and so those of a file are side by side.
  const auto first_of = [&](uint32_t file) {
    uint32_t begin = 0;
    for (uint32_t end = documents.size(); begin < end;) {
      const uint32_t middle = begin + (end - begin) / 2;
      if (documents[middle].file < file) {
        begin = middle + 1;
      } else {
        end = middle;
      }
    }
    return begin;
  };
  const auto removed = [&](uint32_t file) -> Result<std::vector<uint64_t>> {
    std::vector<uint64_t> records;
    for (uint32_t id = first_of(file); id < documents.size() && documents[id].file == file; ++id) {
      if (groups.kept()[id] != id || against.removed(id)) records.push_back(documents[id].record);
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
