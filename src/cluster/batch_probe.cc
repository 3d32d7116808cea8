#include "cluster/batch_probe.h"

#include <algorithm>
#include <cstring>

#include "lsh/buckets.h"

namespace kith::cluster {
namespace {

using Entries = std::span<const ShortKeyId>;

constexpr size_t tile = 128;     // leaders whose planes stay in the first cache
constexpr size_t waiting = 512;  // leaders whose planes are fetched together
constexpr size_t ahead = 8;      // rows that are fetched before they are needed

void prefetch(const uint8_t* row, size_t size) {
  constexpr size_t line = 64;
  for (size_t i = 0; i < size; i += line) __builtin_prefetch(row + i);
}

// Copies the rows of `ids` side by side.
void gather(const SignaturePlane& plane, std::span<const uint32_t> ids,
            std::vector<uint8_t>& rows) {
  const size_t size = plane.lanes();
  rows.resize(ids.size() * size);
  for (size_t i = 0; i < ids.size(); ++i) {
    if (i + ahead < ids.size()) prefetch(plane[ids[i + ahead]].data(), size);
    std::memcpy(&rows[i * size], plane[ids[i]].data(), size);
  }
}

}  // namespace

BatchProbe::BatchProbe(const LshBuckets& buckets, uint32_t plane_bar)
    : tables_(buckets.tables.params().tables),
      plane_bar_(plane_bar),
      lanes_(buckets.tables.params().lanes),
      kernels_(row_kernels()),
      lists_(buckets) {}

void BatchProbe::run(const LeaderTables& tables, const LeaderRows& leaders, const OrderedRows& rows,
                     std::span<const size_t> positions, ThreadPool& pool) {
  take_rows(rows, positions, pool);
  if (leaders.size() > 0) {
    const Asked asked{leaders.plane(), false};
    probe_tables(asked, pool, [&](uint32_t table, Entries rest, std::vector<uint32_t>& found) {
      if (ahead < rest.size()) tables.prefetch(table, rest[ahead].key);
      tables.find(table, rest.front().key, [&](uint32_t leader) { found.push_back(leader); });
    });
  }
  sort_found(pool);
}

void BatchProbe::run_among(const OrderedRows& rows, std::span<const size_t> positions,
                           ThreadPool& pool) {
  take_rows(rows, positions, pool);
  const Asked asked{{planes_, lanes_}, true};
  probe_tables(asked, pool, [](uint32_t, Entries rest, std::vector<uint32_t>& found) {
    const size_t size = lsh::first_bucket_size(rest);
    if (size < 2) return;
    for (const ShortKeyId& entry : rest.first(size)) found.push_back(entry.id);
  });
  sort_found(pool);
}

void BatchProbe::take_rows(const OrderedRows& rows, std::span<const size_t> positions,
                           ThreadPool& pool) {
  count_ = positions.size();
  planes_.clear();
  const std::span<uint8_t> planes = planes_.grow(count_ * lanes_);
  workers_.resize(pool.size());
  for (Worker& worker : workers_) worker.found.clear();
  lists_.fill(rows, positions, 0, pool, [&](size_t i, const Row& row) {
    low_bytes(row.signature, planes.subspan(i * lanes_, lanes_));
  });
}

template <class Find>
void BatchProbe::probe_tables(const Asked& asked, ThreadPool& pool, const Find& find) {
  pool.for_chunks(tables_, 1, [&](size_t begin, size_t end, unsigned number) {
    Worker& worker = workers_[number];
    for (size_t table = begin; table < end; ++table) {
      std::span<const ShortKeyId> rest = lists_.sorted(static_cast<uint32_t>(table), worker.lists);
      while (!rest.empty()) {
        const size_t size = lsh::first_bucket_size(rest);
        find(static_cast<uint32_t>(table), rest, worker.leaders);
        wait(rest.first(size), worker);
        if (worker.leaders.size() >= waiting) compare_waiting(asked, worker);
        rest = rest.subspan(size);
      }
      compare_waiting(asked, worker);
    }
  });
}

// Enters a meeting with the leaders that were found last. Most parts have few: those of many parts
// are fetched together, so that the memory works on many at a time.
void BatchProbe::wait(std::span<const ShortKeyId> asking, Worker& worker) const {
  const size_t met = worker.meetings.empty() ? 0 : worker.meetings.back().end;
  if (worker.leaders.size() == met) return;
  worker.meetings.push_back({asking, worker.leaders.size()});
  for (const ShortKeyId& entry : asking) prefetch(&planes_[entry.id * size_t{lanes_}], lanes_);
}

void BatchProbe::compare_waiting(const Asked& asked, Worker& worker) const {
  gather(asked.plane, worker.leaders, worker.planes);
  size_t begin = 0;
  for (const Meeting& meeting : worker.meetings) {
    for (size_t first = begin; first < meeting.end; first += tile) {
      for (size_t i = 0; i < meeting.asking.size(); ++i) {
        const size_t last = asked.among ? begin + i : meeting.end;
        if (first < last) {
          compare(meeting.asking[i].id, first, std::min(first + tile, last), asked.among, worker);
        }
      }
    }
    begin = meeting.end;
  }
  worker.leaders.clear();
  worker.meetings.clear();
}

// A row that asks against a tile of leaders; among the rows, the later of two asks the earlier.
void BatchProbe::compare(uint32_t asking, size_t begin, size_t end, bool among,
                         Worker& worker) const {
  worker.compared += end - begin;
  worker.selected.resize(tile);
  const size_t passed =
      kernels_.select(&planes_[asking * size_t{lanes_}], &worker.planes[begin * lanes_], lanes_,
                      end - begin, plane_bar_, worker.selected.data());
  for (size_t i = 0; i < passed; ++i) {
    const size_t which = begin + worker.selected[i];
    const uint32_t leader = worker.leaders[which];
    worker.found.push_back(among ? ShortKeyId{std::max(asking, leader), std::min(asking, leader)}
                                 : ShortKeyId{asking, leader});
  }
}

// By row, then by leader, each pair once: a row's candidates are at the front of its place.
void BatchProbe::sort_found(ThreadPool& pool) {
  found_.clear();
  for (const Worker& worker : workers_) {
    found_.insert(found_.end(), worker.found.begin(), worker.found.end());
  }
  scratch_.resize(found_.size());
  radix_sort(found_, scratch_, pool);
  places_.assign(count_, {});
  size_t next = 0;
  for (size_t row = 0; row < count_; ++row) {
    places_[row].begin = next;
    while (next < found_.size() && found_[next].key == row) ++next;
    places_[row].end = next;
  }
  constexpr size_t grain = 1024;
  pool.for_chunks(count_, grain, [&](size_t begin, size_t end, unsigned) {
    for (size_t row = begin; row < end; ++row) {
      const auto first = found_.begin() + static_cast<ptrdiff_t>(places_[row].begin);
      const auto last = found_.begin() + static_cast<ptrdiff_t>(places_[row].end);
      std::sort(first, last, [](const auto& a, const auto& b) { return a.id < b.id; });
      places_[row].end = static_cast<size_t>(std::unique(first, last) - found_.begin());
    }
  });
}

uint64_t BatchProbe::compared() const {
  uint64_t sum = 0;
  for (const Worker& worker : workers_) sum += worker.compared;
  return sum;
}

}  // namespace kith::cluster
