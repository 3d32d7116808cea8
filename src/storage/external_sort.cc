#include "storage/external_sort.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "base/parallel/thread_pool.h"

namespace kith::storage {
namespace {

constexpr size_t largest_block = size_t{4} << 20;  // bytes; beyond that a disk gets no faster
constexpr size_t max_fan_in = 64;                  // runs that are open at a time
// Records for which there is room before the whole share; a small input asks for no more.
constexpr size_t first_room = size_t{1} << 10;
constexpr size_t second_room = size_t{1} << 16;

// Orders records of equal keys by id. REQUIRES: sorted by key.
void order_ties(std::span<KeyId> records) {
  for (size_t begin = 0; begin < records.size();) {
    size_t end = begin + 1;
    bool ascending = true;
    for (; end < records.size() && records[end].key == records[begin].key; ++end) {
      ascending &= records[end - 1].id <= records[end].id;
    }
    if (!ascending) std::sort(&records[begin], records.data() + end, precedes);
    begin = end;
  }
}

void order_ties(std::span<KeyId> records, ThreadPool& pool) {
  // Every worker gets whole groups of equal keys.
  std::vector<size_t> begins(pool.size() + 1, records.size());
  begins[0] = 0;
  for (unsigned worker = 1; worker < pool.size() && !records.empty(); ++worker) {
    const KeyId& first = records[records.size() * worker / pool.size()];
    const auto begin =
        std::lower_bound(records.begin(), records.end(), first.key,
                         [](const KeyId& record, uint64_t key) { return record.key < key; });
    begins[worker] = static_cast<size_t>(begin - records.begin());
  }
  pool.run([&](unsigned worker) {
    order_ties(records.subspan(begins[worker], begins[worker + 1] - begins[worker]));
  });
}

std::unique_ptr<KeyId[]> allocate(size_t n) {
  return std::make_unique_for_overwrite<KeyId[]>(n);
}

}  // namespace

Result<std::span<const KeyId>> SortedRecords::next() {
  if (only_) return only_->next_block();
  if (!merge_) return std::span<const KeyId>();
  KITH_ASSIGN(const size_t size, merge_->next(block_));
  return std::span<const KeyId>(block_).first(size);
}

ExternalSort::ExternalSort(FileSystem& fs, ThreadPool& pool, ExternalSortOptions options)
    : fs_(fs), pool_(pool), options_(std::move(options)), parts_(options_.writers) {
  options_.memory = std::max<uint64_t>(options_.memory, 3 * options_.block);
  share_ = std::max<size_t>(1, options_.memory / options_.writers / (2 * sizeof(KeyId)));
  fan_in_ = std::min<size_t>(options_.memory / options_.block - 1, max_fan_in);
}

Status ExternalSort::make_room(Part& part) {
  if (part.capacity == share_) return spill(part);
  // Two small rooms, then the whole share at once: its pages are touched as records come, and a
  // small input does not even ask for it.
  const size_t next = part.capacity < first_room    ? first_room
                      : part.capacity < second_room ? second_room
                                                    : share_;
  const size_t capacity = std::min(share_, next);
  std::unique_ptr<KeyId[]> values = allocate(capacity);
  std::copy_n(part.values.get(), part.size, values.get());
  part.values = std::move(values);
  part.capacity = capacity;
  return Status::ok();
}

void ExternalSort::sort(Part& part) {
  if (!part.scratch) part.scratch = allocate(part.capacity);
  const std::span<KeyId> records(part.values.get(), part.size);
  const std::span<KeyId> scratch(part.scratch.get(), part.size);
  if (parts_.size() == 1) {
    radix_sort(records, scratch, pool_);
    order_ties(records, pool_);
  } else {
    radix_sort(records, scratch);
    order_ties(records);
  }
}

Result<RunFile> ExternalSort::create_run() {
  const size_t number = created_.fetch_add(1, std::memory_order_relaxed);
  return RunFile::create(fs_, fmt::format("{}.{}", options_.scratch, number));
}

Status ExternalSort::spill(Part& part) {
  if (part.size == 0) return Status::ok();
  sort(part);
  KITH_ASSIGN(RunFile run, create_run());
  KITH_TRY(run.append({part.values.get(), part.size}));
  KITH_TRY(run.close());
  part.size = 0;
  const std::lock_guard lock(mutex_);
  runs_.push_back(std::move(run));
  return Status::ok();
}

Status ExternalSort::sort_in_memory(Part& part) {
  if (part.size > 0) sort(part);
  part.scratch.reset();
  return Status::ok();
}

Status ExternalSort::for_parts(Status (ExternalSort::*job)(Part&)) {
  if (parts_.size() == 1) return (this->*job)(parts_.front());
  return pool_.try_each(parts_.size(), [&](size_t i, unsigned) { return (this->*job)(parts_[i]); });
}

// Records of a block when so many runs and the output share the memory.
size_t ExternalSort::block_for(size_t runs) const {
  const uint64_t bytes =
      std::min<uint64_t>(options_.memory / (runs + 1), std::max(largest_block, options_.block));
  return bytes / sizeof(KeyId);
}

Result<RunMerge> ExternalSort::open(std::span<const RunFile> runs, size_t block) {
  std::vector<RunSource> sources;
  for (const RunFile& run : runs) {
    KITH_ASSIGN(RunSource source, run.open(block));
    sources.push_back(std::move(source));
  }
  return RunMerge::create(std::move(sources));
}

Result<RunFile> ExternalSort::merge(std::span<const RunFile> runs) {
  const size_t block = block_for(runs.size());
  KITH_ASSIGN(RunMerge merge, open(runs, block));
  KITH_ASSIGN(RunFile merged, create_run());
  std::vector<KeyId> out(block);
  for (;;) {
    KITH_ASSIGN(const size_t size, merge.next(out));
    if (size == 0) break;
    KITH_TRY(merged.append(std::span(out).first(size)));
  }
  KITH_TRY(merged.close());
  return merged;
}

// Merges runs, the oldest first because they are the shortest, until one merge can take the rest;
// the last time only as many as it must.
Status ExternalSort::reduce() {
  while (runs_.size() > fan_in_) {
    const size_t width = std::min(fan_in_, runs_.size() - fan_in_ + 1);
    KITH_ASSIGN(RunFile merged, merge(std::span(runs_).first(width)));
    runs_.erase(runs_.begin(), runs_.begin() + static_cast<ptrdiff_t>(width));
    runs_.push_back(std::move(merged));
  }
  return Status::ok();
}

Result<SortedRecords> ExternalSort::from_memory() {
  KITH_TRY(for_parts(&ExternalSort::sort_in_memory));
  SortedRecords result;
  std::vector<RunSource> sources;
  for (Part& part : parts_) {
    if (part.size == 0) continue;
    sources.emplace_back(std::span<const KeyId>(part.values.get(), part.size));
    result.buffers_.push_back(std::move(part.values));
  }
  if (sources.size() == 1) {
    result.only_ = std::move(sources.front());
  } else if (sources.size() > 1) {
    result.block_.resize(std::max<size_t>(1, block_for(sources.size())));
    KITH_ASSIGN(result.merge_, RunMerge::create(std::move(sources)));
  }
  return result;
}

Result<SortedRecords> ExternalSort::from_files() {
  KITH_TRY(for_parts(&ExternalSort::spill));
  parts_.clear();  // their memory goes to the merges
  KITH_TRY(reduce());
  SortedRecords result;
  const size_t block = block_for(runs_.size());
  // A run that was spilled made room for more, so there are two at least.
  result.block_.resize(block);
  KITH_ASSIGN(result.merge_, open(runs_, block));
  result.files_ = std::move(runs_);
  return result;
}

Result<SortedRecords> ExternalSort::finish() {
  return runs_.empty() ? from_memory() : from_files();
}

}  // namespace kith::storage
