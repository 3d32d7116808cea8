#include "bags/copies.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/bytes.h"
#include "base/parallel/thread_pool.h"

namespace kith::bags {
namespace {

constexpr size_t spill_block = 1 << 20;

// What a page brings to its group goes by the group and the slot; behind all slots, that the page
// has anchors at all.
constexpr uint32_t has_anchors = UINT32_MAX;

KeyId record_of(uint32_t group, uint32_t slot, uint32_t count) {
  return {uint64_t{group} << 32 | slot, count};
}
uint32_t group_of(const KeyId& record) {
  return static_cast<uint32_t>(record.key >> 32);
}
uint32_t slot_of(const KeyId& record) {
  return static_cast<uint32_t>(record.key);
}

bool is_anchor(Slots slots, uint32_t slot) {
  return slots.part(slot) == static_cast<unsigned>(BagPart::anchor);
}

// The pages of groups in some runs, by one worker.
class CopyCollector {
 public:
  // frequencies: says which slots there are.
  CopyCollector(const CopyGroups& groups, const DocumentFrequencies& frequencies,
                storage::ExternalSort& sort, unsigned writer)
      : groups_(&groups), frequencies_(&frequencies), sort_(&sort), writer_(writer) {}

  Status read(RunReader run) {
    for (;;) {
      KITH_ASSIGN(const bool more, run.next());
      if (!more) return Status::ok();
      RunRecord record;
      if (!read_record(run.record(), record)) return run.damaged();
      const std::optional<uint32_t> group = groups_->find(record.content);
      if (!group) continue;
      if (!read_record(run.record(), record, terms_) || !knows_terms()) return run.damaged();
      KITH_TRY(add(*group));
    }
  }

 private:
  // They ascend, so that the last one tells.
  bool knows_terms() const {
    return terms_.empty() || frequencies_->slots().term(terms_.back().term) < frequencies_->terms();
  }

  Status add(uint32_t group) {
    bool has = false;
    for (const TermCount& entry : terms_) {
      if (!is_anchor(frequencies_->slots(), entry.term)) continue;
      has = true;
      KITH_TRY(sort_->append(record_of(group, entry.term, entry.count), writer_));
    }
    return has ? sort_->append(record_of(group, has_anchors, 1), writer_) : Status::ok();
  }

  const CopyGroups* groups_;
  const DocumentFrequencies* frequencies_;
  storage::ExternalSort* sort_;
  unsigned writer_;
  std::vector<TermCount> terms_;
};

// Equal records of a sorted stream, one behind the other.
class RecordStream {
 public:
  explicit RecordStream(storage::SortedRecords sorted) : sorted_(std::move(sorted)) {}

  struct Sum {
    uint64_t key = 0;
    uint32_t records = 0;
    uint32_t count = 0;  // capped at UINT32_MAX
  };
  // The records of the next key; nothing at the end.
  Result<std::optional<Sum>> next() {
    std::optional<Sum> sum;
    for (;;) {
      if (block_.empty()) {
        KITH_ASSIGN(block_, sorted_.next());
      }
      if (block_.empty() || (sum && block_.front().key != sum->key)) return sum;
      if (!sum) sum = Sum{block_.front().key, 0, 0};
      ++sum->records;
      sum->count += std::min(block_.front().id, UINT32_MAX - sum->count);
      block_ = block_.subspan(1);
    }
  }

 private:
  storage::SortedRecords sorted_;
  std::span<const KeyId> block_;
};

}  // namespace

Result<CopyGroups> CopyGroups::read(storage::SortedRecords sorted) {
  CopyGroups groups;
  RecordStream contents(std::move(sorted));
  for (;;) {
    KITH_ASSIGN(const auto content, contents.next());
    if (!content) return groups;
    if (content->records < 2) continue;
    groups.contents_.push_back(content->key);
    groups.pages_.push_back(content->records);
  }
}

uint64_t CopyGroups::all_pages() const {
  return std::accumulate(pages_.begin(), pages_.end(), uint64_t{0});
}

std::optional<uint32_t> CopyGroups::find(uint64_t content) const {
  const auto found = std::ranges::lower_bound(contents_, content);
  if (content == 0 || found == contents_.end() || *found != content) return std::nullopt;
  return static_cast<uint32_t>(found - contents_.begin());
}

Result<CopyAnchors> CopyAnchors::gather(storage::FileSystem& fs, ThreadPool& pool,
                                        std::span<const std::string> runs, CopyGroups groups,
                                        const CopyOptions& options,
                                        DocumentFrequencies& frequencies, CollapseCounts& counts) {
  CopyAnchors anchors;
  anchors.fs_ = &fs;
  anchors.path_ = options.scratch + "anchors";
  anchors.slots_ = frequencies.slots();
  anchors.groups_ = std::move(groups);
  if (anchors.groups_.size() == 0) return anchors;
  // Writers append from inside a job of the pool, which one alone may not.
  const unsigned writers = std::max(2u, pool.size());
  storage::ExternalSort sort(
      fs, pool, {options.scratch + "sort", options.memory.bytes(Share::copy_sorting), writers});
  const size_t read_block = std::clamp<size_t>(
      options.memory.bytes(Share::copy_reading) / pool.size(), 64 << 10, 1 << 20);
  const auto collect = [&](size_t run, unsigned worker) -> Status {
    KITH_ASSIGN(auto reader, RunReader::open(fs, runs[run], read_block));
    CopyCollector collector(anchors.groups_, frequencies, sort, worker);
    return collector.read(std::move(reader));
  };
  KITH_TRY(pool.try_each(runs.size(), collect));
  KITH_ASSIGN(storage::SortedRecords sorted, sort.finish());
  KITH_TRY(anchors.write(std::move(sorted), frequencies, counts));
  if (anchors.ends_.back() <= options.memory.bytes(Share::copied_anchors)) {
    KITH_ASSIGN(anchors.bytes_, storage::read_file(fs, anchors.path_));
  }
  return anchors;
}

Status CopyAnchors::write(storage::SortedRecords sorted, DocumentFrequencies& frequencies,
                          CollapseCounts& counts) {
  KITH_ASSIGN(const auto file, fs_->create(path_));
  std::string buffer;
  uint64_t written = 0;
  uint32_t last_group = UINT32_MAX;
  uint32_t last_slot = 0;  // of the group
  ends_.assign(groups_.size(), 0);
  RecordStream records(std::move(sorted));
  for (;;) {
    KITH_ASSIGN(const auto sum, records.next());
    if (!sum) break;
    const KeyId record{sum->key, sum->count};
    const uint32_t group = group_of(record);
    const uint32_t slot = slot_of(record);
    const uint32_t others = groups_.pages(group) - sum->records;  // pages that gain it
    if (std::exchange(last_group, group) != group) last_slot = 0;
    if (slot == has_anchors) {
      counts.with_part[static_cast<unsigned>(BagPart::anchor)] += others;
    } else {
      frequencies.add(slot, others);
      append_varint(buffer, slot - last_slot);
      append_varint(buffer, sum->count);
      last_slot = slot;
    }
    ends_[group] = written + buffer.size();
    if (buffer.size() < spill_block) continue;
    KITH_TRY(file->append(as_bytes(buffer)));
    written += buffer.size();
    buffer.clear();
  }
  KITH_TRY(file->append(as_bytes(buffer)));
  // A group of pages without anchors has no bytes.
  for (size_t group = 1; group < ends_.size(); ++group) {
    ends_[group] = std::max(ends_[group], ends_[group - 1]);
  }
  return file->close();
}

Result<std::string_view> CopyAnchors::read(uint32_t group, std::string& buffer) const {
  const uint64_t begin = group == 0 ? 0 : ends_[group - 1];
  const auto size = static_cast<size_t>(ends_[group] - begin);
  if (!bytes_.empty()) return std::string_view(bytes_).substr(begin, size);
  buffer.resize(size);
  const std::span<char> out(buffer);
  KITH_ASSIGN(const size_t got,
              storage::read_block(*fs_, path_, begin, std::as_writable_bytes(out)));
  if (got < size) return damaged_partition();
  return std::string_view(buffer);
}

Status CopyAnchors::remove() {
  return groups_.size() == 0 ? Status::ok() : fs_->remove(path_);
}

Status CopyReader::replace_anchors(uint64_t content, std::vector<TermCount>& counts) {
  const std::optional<uint32_t> group = anchors_->groups().find(content);
  if (!group) return Status::ok();
  KITH_ASSIGN(const std::string_view bytes, anchors_->read(*group, buffer_));
  const Slots slots = anchors_->slots();
  std::erase_if(counts, [&](const TermCount& entry) { return is_anchor(slots, entry.term); });
  merged_.clear();
  auto own = counts.begin();
  uint32_t slot = 0;
  for (Cursor cursor(bytes); !cursor.at_end();) {
    slot += static_cast<uint32_t>(cursor.varint());
    const auto count = static_cast<uint32_t>(cursor.varint());
    if (cursor.failed() || count == 0) return damaged_partition();
    while (own != counts.end() && own->term < slot) merged_.push_back(*own++);
    merged_.push_back({slot, count});
  }
  merged_.insert(merged_.end(), own, counts.end());
  counts.swap(merged_);
  return Status::ok();
}

}  // namespace kith::bags
