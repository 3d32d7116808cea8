#include "cluster/batch_probe.h"

#include <algorithm>
#include <cstring>

#include "lsh/buckets.h"

namespace kith::cluster {
namespace {

constexpr size_t tile = 256;  // leaders whose planes stay in the first caches
constexpr size_t ahead = 8;   // rows that are fetched before they are needed

// Copies the rows of `ids` side by side.
void gather(const SignaturePlane& plane, std::span<const uint32_t> ids,
            std::vector<uint8_t>& rows) {
  const size_t size = plane.lanes();
  rows.resize(ids.size() * size);
  for (size_t i = 0; i < ids.size(); ++i) {
    if (i + ahead < ids.size()) __builtin_prefetch(plane[ids[i + ahead]].data());
    std::memcpy(&rows[i * size], plane[ids[i]].data(), size);
  }
}

}  // namespace

BatchProbe::BatchProbe(const lsh::Tables& tables, const PlaneBars& bars)
    : tables_(tables),
      bars_(bars),
      lanes_(tables.params().lanes),
      kernels_(row_kernels()),
      count_equal_(count_equal_kernel()) {}

void BatchProbe::run(const LeaderTables& hashed, const LeaderRows& leaders, const OrderedRows& rows,
                     std::span<const size_t> positions, ThreadPool& pool) {
  workers_.resize(pool.size());
  for (Worker& worker : workers_) worker.found.clear();
  take_rows(rows, positions, pool);
  if (leaders.size() > 0) {
    pool.for_chunks(tables_.params().tables, 1, [&](size_t begin, size_t end, unsigned worker) {
      for (size_t table = begin; table < end; ++table) {
        probe_table(static_cast<uint32_t>(table), hashed, leaders, workers_[worker]);
      }
    });
  }
  sort_found(pool);
}

void BatchProbe::take_rows(const OrderedRows& rows, std::span<const size_t> positions,
                           ThreadPool& pool) {
  constexpr size_t grain = 256;
  const uint32_t tables = tables_.params().tables;
  count_ = positions.size();
  keys_.resize(count_ * tables);
  planes_.resize(count_ * lanes_);
  pool.for_chunks(count_, grain, [&](size_t begin, size_t end, unsigned) {
    std::vector<uint64_t> keys(tables);
    for (size_t i = begin; i < end; ++i) {
      const auto signature = rows[positions[i]].signature;
      tables_.keys(signature, keys);
      for (size_t table = 0; table < tables; ++table) keys_[table * count_ + i] = keys[table];
      low_bytes(signature, std::span(planes_).subspan(i * lanes_, lanes_));
    }
  });
}

void BatchProbe::probe_table(uint32_t table, const LeaderTables& hashed, const LeaderRows& leaders,
                             Worker& worker) const {
  worker.entries.resize(count_);
  worker.scratch.resize(count_);
  for (uint32_t i = 0; i < count_; ++i) worker.entries[i] = {keys_[table * count_ + i], i};
  radix_sort(worker.entries, worker.scratch);
  const std::span<const KeyId> sorted = worker.entries;
  for (size_t begin = 0; begin < count_;) {
    if (begin + ahead < count_) hashed.prefetch(table, sorted[begin + ahead].key);
    const size_t size = lsh::first_bucket_size(sorted.subspan(begin));
    worker.leaders.clear();
    hashed.find(table, sorted[begin].key,
                [&](uint32_t leader) { worker.leaders.push_back(leader); });
    if (!worker.leaders.empty()) compare(sorted.subspan(begin, size), leaders, worker);
    begin += size;
  }
}

// Every row that asks against the leaders of their key, tile by tile.
void BatchProbe::compare(std::span<const KeyId> asking, const LeaderRows& leaders,
                         Worker& worker) const {
  worker.compared += asking.size() * worker.leaders.size();
  const size_t first_size = bars_.first_lanes;
  const size_t second_size = lanes_ - first_size;
  for (std::span<const uint32_t> rest = worker.leaders; !rest.empty();) {
    const auto part = rest.first(std::min(tile, rest.size()));
    rest = rest.subspan(part.size());
    gather(leaders.first_plane(), part, worker.first);
    if (second_size > 0) gather(leaders.second_plane(), part, worker.second);
    worker.selected.resize(tile);
    for (const KeyId& entry : asking) {
      const uint8_t* const row = &planes_[entry.id * size_t{lanes_}];
      const size_t passed = kernels_.select(row, worker.first.data(), first_size, part.size(),
                                            bars_.first, worker.selected.data());
      for (size_t i = 0; i < passed; ++i) {
        const size_t which = worker.selected[i];
        uint32_t equal = count_equal_(row, &worker.first[which * first_size], first_size);
        if (second_size > 0) {
          equal += count_equal_(row + first_size, &worker.second[which * second_size], second_size);
        }
        if (equal >= bars_.all) worker.found.push_back({entry.id, part[which]});
      }
    }
  }
}

// By row, then by leader, each pair once.
void BatchProbe::sort_found(ThreadPool& pool) {
  found_.clear();
  for (const Worker& worker : workers_) {
    found_.insert(found_.end(), worker.found.begin(), worker.found.end());
  }
  std::vector<ShortKeyId> scratch(found_.size());
  radix_sort(found_, scratch, pool);
  found_at_.assign(count_ + 1, 0);
  size_t kept = 0;
  size_t next = 0;
  for (size_t row = 0; row < count_; ++row) {
    const size_t begin = next;
    while (next < found_.size() && found_[next].key == row) ++next;
    const auto run = std::span(found_).subspan(begin, next - begin);
    std::ranges::sort(run, {}, &ShortKeyId::id);
    for (size_t i = 0; i < run.size(); ++i) {
      if (i == 0 || run[i].id != run[i - 1].id) scratch[kept++] = run[i];
    }
    found_at_[row + 1] = kept;
  }
  scratch.resize(kept);
  found_.swap(scratch);
}

uint64_t BatchProbe::compared() const {
  uint64_t sum = 0;
  for (const Worker& worker : workers_) sum += worker.compared;
  return sum;
}

}  // namespace kith::cluster
