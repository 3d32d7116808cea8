#include "jobs/dedup/families/whole_parts.h"

#include <algorithm>
#include <string_view>

namespace kith::jobs {
namespace {

constexpr std::string_view members_section = "part_members";
constexpr std::string_view ends_section = "part_ends";
// With two writers a full buffer is sorted by the thread that appends, which may be inside a job of
// the pool here.
constexpr unsigned from_jobs = 2;

}  // namespace

WholePartWriter::WholePartWriter(const DedupResources& resources, uint64_t memory)
    : sort_(resources.fs, resources.pool,
            {.scratch = resources.scratch + "/parts", .memory = memory, .writers = from_jobs}) {}

Status WholePartWriter::add(uint64_t name, std::span<const uint32_t> documents) {
  for (const uint32_t id : documents) KITH_TRY(sort_.append({name, id}));
  return Status::ok();
}

void WholePartWriter::end_part() {
  const uint64_t size = members_ - (ends_.empty() ? 0 : ends_.back());
  if (size == 0) return;
  ends_.push_back(members_);
  largest_ = std::max(largest_, size);
  pairs_ += size * (size - 1) / 2;
}

Status WholePartWriter::write_members(storage::SectionWriter& file) {
  KITH_ASSIGN(storage::SortedRecords sorted, sort_.finish());
  std::vector<uint32_t> block;
  KeyId last{0, UINT32_MAX};
  for (;;) {
    KITH_ASSIGN(const std::span<const KeyId> records, sorted.next());
    if (records.empty()) break;
    block.clear();
    for (const KeyId& record : records) {
      if (record.key != last.key) end_part();
      if (record.key == last.key && record.id == last.id) continue;
      last = record;
      block.push_back(record.id);
      ++members_;
    }
    KITH_TRY(file.append_array(std::span<const uint32_t>(block)));
  }
  end_part();
  return Status::ok();
}

Status WholePartWriter::write(storage::SectionWriter& file) {
  KITH_TRY(file.begin(members_section));
  KITH_TRY(write_members(file));
  return file.write_array(ends_section, ends_);
}

Result<WholeParts> WholeParts::open(const storage::SectionFile& file,
                                    std::span<const uint32_t> representative) {
  WholeParts parts;
  KITH_ASSIGN(parts.members_, file.array<uint32_t>(members_section));
  KITH_ASSIGN(parts.ends_, file.array<uint64_t>(ends_section));
  constexpr uint64_t block = 1 << 18;  // members that are resident at a time
  uint64_t begin = 0;
  for (const uint64_t end : parts.ends_) {
    if (end > parts.members_.size() || end < begin + 2) {
      return file.corrupt("holds a part without members");
    }
    for (uint64_t i = begin; i < end; ++i) {
      if (i % block == 0) file.release();
      const uint32_t id = parts.members_[i];
      if (id >= representative.size() || representative[id] != id ||
          (i > begin && parts.members_[i - 1] >= id)) {
        return file.corrupt("holds a part that is not in order");
      }
    }
    begin = end;
  }
  if (begin != parts.members_.size()) return file.corrupt("holds members of no part");
  file.release();
  return parts;
}

bool WholeParts::contains(size_t part, uint32_t document) const {
  return std::ranges::binary_search(members(part), document);
}

}  // namespace kith::jobs
