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
template <class Record>
void order_ties(std::span<Record> records) {
  for (size_t begin = 0; begin < records.size();) {
    size_t end = begin + 1;
    bool ascending = true;
    for (; end < records.size() && records[end].key == records[begin].key; ++end) {
      ascending &= records[end - 1].id <= records[end].id;
    }
    if (!ascending) std::sort(&records[begin], records.data() + end, precedes<Record>);
    begin = end;
  }
}

template <class Record>
void order_ties(std::span<Record> records, ThreadPool& pool) {
  // Every worker gets whole groups of equal keys.
  std::vector<size_t> begins(pool.size() + 1, records.size());
  begins[0] = 0;
  for (unsigned worker = 1; worker < pool.size() && !records.empty(); ++worker) {
    const Record& first = records[records.size() * worker / pool.size()];
    const auto begin =
        std::lower_bound(records.begin(), records.end(), first.key,
                         [](const Record& record, uint64_t key) { return record.key < key; });
    begins[worker] = static_cast<size_t>(begin - records.begin());
  }
  pool.run([&](unsigned worker) {
    order_ties(records.subspan(begins[worker], begins[worker + 1] - begins[worker]));
  });
}

template <class Record>
std::unique_ptr<Record[]> allocate(size_t n) {
  return std::make_unique_for_overwrite<Record[]>(n);
}

}  // namespace

template <class Record>
Result<std::span<const Record>> BasicSortedRecords<Record>::next() {
  if (only_) return only_->next_block();
  if (!merge_) return std::span<const Record>();
  KITH_ASSIGN(const size_t size, merge_->next(block_));
  return std::span<const Record>(block_).first(size);
}

template <class Record>
BasicExternalSort<Record>::BasicExternalSort(FileSystem& fs, ThreadPool& pool,
                                             ExternalSortOptions options)
    : fs_(fs), pool_(pool), options_(std::move(options)), parts_(options_.writers) {
  options_.memory = std::max<uint64_t>(options_.memory, 3 * options_.block);
  share_ = std::max<size_t>(1, options_.memory / options_.writers / (2 * sizeof(Record)));
  fan_in_ = std::min<size_t>(options_.memory / options_.block - 1, max_fan_in);
}

template <class Record>
Status BasicExternalSort<Record>::make_room(Part& part) {
  if (part.capacity == share_) return spill(part);
  // Two small rooms, then the whole share at once: its pages are touched as records come, and a
  // small input does not even ask for it.
  const size_t next = part.capacity < first_room    ? first_room
                      : part.capacity < second_room ? second_room
                                                    : share_;
  const size_t capacity = std::min(share_, next);
  std::unique_ptr<Record[]> values = allocate<Record>(capacity);
  std::copy_n(part.values.get(), part.size, values.get());
  part.values = std::move(values);
  part.capacity = capacity;
  return Status::ok();
}

template <class Record>
void BasicExternalSort<Record>::sort(Part& part) {
  if (!part.scratch) part.scratch = allocate<Record>(part.capacity);
  const std::span<Record> records(part.values.get(), part.size);
  const std::span<Record> scratch(part.scratch.get(), part.size);
  if (parts_.size() == 1) {
    radix_sort(records, scratch, pool_);
    order_ties(records, pool_);
  } else {
    radix_sort(records, scratch);
    order_ties(records);
  }
}

template <class Record>
Result<BasicRunFile<Record>> BasicExternalSort<Record>::create_run() {
  const size_t number = created_.fetch_add(1, std::memory_order_relaxed);
  return BasicRunFile<Record>::create(fs_, fmt::format("{}.{}", options_.scratch, number));
}

template <class Record>
Status BasicExternalSort<Record>::spill(Part& part) {
  if (part.size == 0) return Status::ok();
  sort(part);
  KITH_ASSIGN(BasicRunFile<Record> run, create_run());
  KITH_TRY(run.append({part.values.get(), part.size}));
  KITH_TRY(run.close());
  part.size = 0;
  const std::lock_guard lock(mutex_);
  runs_.push_back(std::move(run));
  return Status::ok();
}

template <class Record>
Status BasicExternalSort<Record>::sort_in_memory(Part& part) {
  if (part.size > 0) sort(part);
  part.scratch.reset();
  return Status::ok();
}

template <class Record>
Status BasicExternalSort<Record>::for_parts(Status (BasicExternalSort::*job)(Part&)) {
  if (parts_.size() == 1) return (this->*job)(parts_.front());
  return pool_.try_each(parts_.size(), [&](size_t i, unsigned) { return (this->*job)(parts_[i]); });
}

// Records of a block when so many runs and the output share the memory.
template <class Record>
size_t BasicExternalSort<Record>::block_for(size_t runs) const {
  const uint64_t bytes =
      std::min<uint64_t>(options_.memory / (runs + 1), std::max(largest_block, options_.block));
  return bytes / sizeof(Record);
}

template <class Record>
Result<BasicRunMerge<Record>> BasicExternalSort<Record>::open(
    std::span<const BasicRunFile<Record>> runs, size_t block) {
  std::vector<BasicRunSource<Record>> sources;
  for (const BasicRunFile<Record>& run : runs) {
    KITH_ASSIGN(BasicRunSource<Record> source, run.open(block));
    sources.push_back(std::move(source));
  }
  return BasicRunMerge<Record>::create(std::move(sources));
}

template <class Record>
Result<BasicRunFile<Record>> BasicExternalSort<Record>::merge(
    std::span<const BasicRunFile<Record>> runs) {
  const size_t block = block_for(runs.size());
  KITH_ASSIGN(BasicRunMerge<Record> merge, open(runs, block));
  KITH_ASSIGN(BasicRunFile<Record> merged, create_run());
  std::vector<Record> out(block);
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
template <class Record>
Status BasicExternalSort<Record>::reduce() {
  while (runs_.size() > fan_in_) {
    const size_t width = std::min(fan_in_, runs_.size() - fan_in_ + 1);
    KITH_ASSIGN(BasicRunFile<Record> merged, merge(std::span(runs_).first(width)));
    runs_.erase(runs_.begin(), runs_.begin() + static_cast<ptrdiff_t>(width));
    runs_.push_back(std::move(merged));
  }
  return Status::ok();
}

template <class Record>
Result<BasicSortedRecords<Record>> BasicExternalSort<Record>::from_memory() {
  KITH_TRY(for_parts(&BasicExternalSort::sort_in_memory));
  BasicSortedRecords<Record> result;
  std::vector<BasicRunSource<Record>> sources;
  for (Part& part : parts_) {
    if (part.size == 0) continue;
    sources.emplace_back(std::span<const Record>(part.values.get(), part.size));
    result.buffers_.push_back(std::move(part.values));
  }
  if (sources.size() == 1) {
    result.only_ = std::move(sources.front());
  } else if (sources.size() > 1) {
    result.block_.resize(std::max<size_t>(1, block_for(sources.size())));
    KITH_ASSIGN(result.merge_, BasicRunMerge<Record>::create(std::move(sources)));
  }
  return result;
}

template <class Record>
Result<BasicSortedRecords<Record>> BasicExternalSort<Record>::from_files() {
  KITH_TRY(for_parts(&BasicExternalSort::spill));
  parts_.clear();  // their memory goes to the merges
  KITH_TRY(reduce());
  BasicSortedRecords<Record> result;
  const size_t block = block_for(runs_.size());
  // A run that was spilled made room for more, so there are two at least.
  result.block_.resize(block);
  KITH_ASSIGN(result.merge_, open(runs_, block));
  result.files_ = std::move(runs_);
  return result;
}

template <class Record>
Result<BasicSortedRecords<Record>> BasicExternalSort<Record>::finish() {
  return runs_.empty() ? from_memory() : from_files();
}

template class BasicSortedRecords<KeyId>;
template class BasicSortedRecords<WideKeyId>;
template class BasicExternalSort<KeyId>;
template class BasicExternalSort<WideKeyId>;

}  // namespace kith::storage
