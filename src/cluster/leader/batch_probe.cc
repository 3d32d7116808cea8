#include "cluster/leader/batch_probe.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <numeric>
#include <vector>

#include "base/memory.h"
#include "cluster/leader/rows.h"
#include "similar/tables/bucket_split.h"
#include "sketch/lsh/tables.h"

namespace kith::cluster {

void PartLists::fill(const OrderedRows& rows, std::span<const size_t> positions, ThreadPool& pool,
                     const std::function<void(size_t i, const Row& row)>& visit) {
  constexpr size_t ahead = 8;
  parts_.clear();
  parts_.grow((positions.size() + block - 1) / block * tables() * block);
  pool.for_chunks(positions.size(), block, [&](size_t begin, size_t end, unsigned) {
    const std::span<uint32_t> parts = parts_of_block(begin / block);
    std::ranges::fill(parts, no_part);
    std::vector<uint64_t> keys(tables());
    for (size_t i = begin; i < end; ++i) {
      if (i + ahead < end) {
        const size_t next = positions[i + ahead];
        buckets_.shared.prefetch(rows.order()[next]);
        rows.prefetch_signature(next);
      }
      const Row row = rows[positions[i]];
      buckets_.tables.keys(row.signature, keys);
      buckets_.shared.for_each(row.id, 0, tables(), [&](uint32_t table) {
        const uint64_t own = buckets_.classes.key(keys[table], row.id);
        const uint64_t part = buckets_.splits.part(table, own, row.id, row.signature);
        parts[table * block + i - begin] = buckets_.short_part(table, similar::bucket_key(part));
      });
      visit(i, row);
    }
  });
  lists_.resize(tables());
  std::vector<std::vector<ShortKeyId>> scratch(pool.size());
  pool.for_chunks(tables(), 1, [&](size_t begin, size_t end, unsigned worker) {
    for (auto table = static_cast<uint32_t>(begin); table < end; ++table) {
      make_list(table, positions.size(), scratch[worker]);
    }
  });
}

void PartLists::make_list(uint32_t table, size_t rows, std::vector<ShortKeyId>& scratch) {
  if (scratch.size() < rows) scratch.resize(rows);
  size_t size = 0;
  for (size_t begin = 0; begin < rows; begin += block) {
    const auto parts = parts_of_block(begin / block).subspan(table * block);
    const size_t end = std::min(begin + block, rows);
    for (size_t i = begin; i < end; ++i) {
      const uint32_t part = parts[i - begin];
      scratch[size] = {part, static_cast<uint32_t>(i)};
      size += part != no_part;
    }
  }
  std::vector<ShortKeyId>& list = lists_[table];
  list.assign(scratch.begin(), scratch.begin() + static_cast<ptrdiff_t>(size));
  radix_sort(list, scratch);
}

void PartLists::renumber(std::span<const uint32_t> numbers, ThreadPool& pool) {
  pool.for_chunks(tables(), 1, [&](size_t begin, size_t end, unsigned) {
    for (size_t table = begin; table < end; ++table) {
      size_t kept = 0;
      for (const ShortKeyId& entry : lists_[table]) {
        const uint32_t number = numbers[entry.id];
        lists_[table][kept] = {entry.key, number};
        kept += number != no_number;
      }
      lists_[table].resize(kept);
    }
  });
}

namespace {

using Entries = std::span<const ShortKeyId>;

constexpr size_t tile = 128;     // leaders whose planes stay in the first cache
constexpr size_t waiting = 512;  // leaders whose planes are fetched together
constexpr size_t ahead = 8;      // rows that are fetched before they are needed

// Those of a part that are rows in [begin, end).
Entries of_rows(Entries part, size_t begin, size_t end) {
  const auto below = [](size_t number) {
    return [number](const ShortKeyId& entry) { return entry.id < number; };
  };
  const auto first = std::partition_point(part.begin(), part.end(), below(begin));
  return {first, std::partition_point(first, part.end(), below(end))};
}

// Copies the rows of `ids` side by side. They have been on their way since they were found.
void gather(const sketch::SignaturePlane& plane, std::span<const uint32_t> ids,
            LargeVector<uint8_t>& gathered) {
  const size_t size = plane.lanes();
  gathered.clear();
  const std::span<uint8_t> rows = gathered.grow(ids.size() * size);
  for (size_t i = 0; i < ids.size(); ++i) {
    std::memcpy(&rows[i * size], plane[ids[i]].data(), size);
  }
}

// Those with the largest parts first: last, one of them would keep a thread long after the others
// are done.
std::vector<uint32_t> tables_by_work(const LshBuckets& buckets) {
  std::vector<uint32_t> tables(buckets.tables.params().tables);
  std::iota(tables.begin(), tables.end(), 0u);
  std::ranges::stable_sort(tables, std::greater<>(),
                           [&](uint32_t table) { return buckets.splits.largest(table); });
  return tables;
}

}  // namespace

BatchProbe::BatchProbe(const LshBuckets& buckets, uint32_t plane_bar)
    : plane_bar_(plane_bar),
      lanes_(buckets.tables.params().lanes),
      kernels_(sketch::row_kernels()),
      by_work_(tables_by_work(buckets)),
      lists_(buckets) {}

void BatchProbe::take(const OrderedRows& rows, std::span<const size_t> positions,
                      ThreadPool& pool) {
  asking_.clear();
  planes_.clear();
  const std::span<Row> asking = asking_.grow(positions.size());
  const std::span<uint8_t> planes = planes_.grow(positions.size() * lanes_);
  workers_.resize(pool.size());
  lists_.fill(rows, positions, pool, [&](size_t i, const Row& row) {
    asking[i] = row;
    sketch::low_bytes(row.signature, planes.subspan(i * lanes_, lanes_));
  });
}

void BatchProbe::ask_leaders(size_t begin, size_t end, const LeaderTables& tables,
                             const LeaderRows& leaders, ThreadPool& pool) {
  if (leaders.size() > 0) {
    probe_tables(leaders.plane(), pool, [&](uint32_t table, Entries rest, Worker& worker) {
      if (ahead < rest.size()) tables.prefetch(table, rest[ahead].key);
      const Entries part = rest.first(sketch::first_bucket_size(rest));
      const Entries asking = end - begin < size() ? of_rows(part, begin, end) : part;
      if (asking.empty()) return;
      tables.find(table, part.front().key, [&](uint32_t leader) {
        prefetch(leaders.plane()[leader]);
        worker.leaders.push_back(leader);
      });
      meet(asking, SIZE_MAX, worker);
    });
  }
  sort_found(pool);
}

void BatchProbe::ask_among(size_t begin, size_t end, std::span<const uint8_t> is_leader,
                           ThreadPool& pool) {
  probe_tables({planes_, lanes_}, pool, [&](uint32_t, Entries rest, Worker& worker) {
    const Entries part = rest.first(sketch::first_bucket_size(rest));
    if (part.size() < 2) return;
    const Entries asking = of_rows(part, begin, end);
    if (asking.empty()) return;
    for (auto entry = part.begin(); entry != asking.begin(); ++entry) {
      if (is_leader[entry->id] != 0) worker.leaders.push_back(entry->id);
    }
    const size_t own = worker.leaders.size();
    for (const ShortKeyId& entry : asking) worker.leaders.push_back(entry.id);
    meet(asking, own, worker);
  });
  sort_found(pool);
}

template <class NumberOf>
void BatchProbe::renumber(std::span<const uint32_t> numbers, const NumberOf& number_of,
                          ThreadPool& pool) {
  numbers_.assign(asking_.size(), PartLists::no_number);
  for (uint32_t i = 0; i < numbers.size(); ++i) numbers_[numbers[i]] = number_of(i);
  lists_.renumber(numbers_, pool);
}

void BatchProbe::keep(std::span<const uint32_t> numbers, ThreadPool& pool) {
  renumber(
      numbers, [&](uint32_t i) { return numbers[i]; }, pool);
}

void BatchProbe::enter(std::span<const uint32_t> numbers, uint32_t first, LeaderTables& tables,
                       ThreadPool& pool) {
  renumber(
      numbers, [&](uint32_t i) { return first + i; }, pool);
  pool.for_chunks(lists_.tables(), 1, [&](size_t begin, size_t end, unsigned) {
    for (auto table = static_cast<uint32_t>(begin); table < end; ++table) {
      tables.merge(table, lists_[table]);
    }
  });
}

uint64_t BatchProbe::pairs_in_parts() const {
  uint64_t pairs = 0;
  for (uint32_t table = 0; table < lists_.tables(); ++table) {
    sketch::for_each_bucket(lists_[table], [&](Entries part) {
      pairs += uint64_t{part.size()} * (part.size() - 1) / 2;
    });
  }
  return pairs;
}

template <class Meet>
void BatchProbe::probe_tables(const sketch::SignaturePlane& plane, ThreadPool& pool,
                              const Meet& meet) {
  pool.for_chunks(lists_.tables(), 1, [&](size_t begin, size_t, unsigned number) {
    Worker& worker = workers_[number];
    const uint32_t table = by_work_[begin];
    Entries rest = lists_[table];
    while (!rest.empty()) {
      meet(table, rest, worker);
      if (worker.leaders.size() >= waiting) compare_waiting(plane, worker);
      rest = rest.subspan(sketch::first_bucket_size(rest));
    }
    compare_waiting(plane, worker);
  });
}

// Most parts have few leaders: those of many parts are fetched together, so that the memory works
// on many at a time.
void BatchProbe::meet(std::span<const ShortKeyId> asking, size_t own, Worker& worker) const {
  const size_t met = worker.meetings.empty() ? 0 : worker.meetings.back().end;
  if (worker.leaders.size() == met) return;
  worker.meetings.push_back({asking, own, worker.leaders.size()});
  for (const ShortKeyId& entry : asking) prefetch(plane(entry.id));
}

void BatchProbe::compare_waiting(const sketch::SignaturePlane& plane, Worker& worker) const {
  gather(plane, worker.leaders, worker.planes);
  size_t begin = 0;
  for (const Meeting& meeting : worker.meetings) {
    for (size_t first = begin; first < meeting.end; first += tile) {
      const size_t end = std::min(first + tile, meeting.end);
      for (size_t i = 0; i < meeting.asking.size(); ++i) {
        const size_t last = meeting.own == SIZE_MAX ? end : std::min(end, meeting.own + i);
        if (first < last) compare(meeting.asking[i].id, first, last, worker);
      }
    }
    begin = meeting.end;
  }
  worker.leaders.clear();
  worker.meetings.clear();
}

// A row that asks against a tile of leaders.
void BatchProbe::compare(uint32_t asking, size_t begin, size_t end, Worker& worker) const {
  worker.compared += end - begin;
  worker.selected.resize(tile);
  const size_t passed = kernels_.select(plane(asking).data(), worker.planes.data() + begin * lanes_,
                                        lanes_, end - begin, plane_bar_, worker.selected.data());
  for (size_t i = 0; i < passed; ++i) {
    worker.found.push_back({asking, worker.leaders[begin + worker.selected[i]]});
  }
}

// By row, then by leader, each pair once: a row's candidates are at the front of its place.
void BatchProbe::sort_found(ThreadPool& pool) {
  gather_found(pool);
  places_.resize(asking_.size());
  constexpr size_t grain = 1024;
  const std::span<ShortKeyId> found = found_.span();
  // What the rows of every chunk have found, told apart before any of it is moved.
  std::vector<size_t> begins;
  for (size_t row = 0; row < asking_.size(); row += grain) {
    const auto first = std::ranges::lower_bound(found, row, {}, &ShortKeyId::key);
    begins.push_back(static_cast<size_t>(first - found.begin()));
  }
  begins.push_back(found.size());
  pool.for_chunks(asking_.size(), grain, [&](size_t begin, size_t end, unsigned) {
    const size_t chunk = begin / grain;
    const auto of_chunk = found.subspan(begins[chunk], begins[chunk + 1] - begins[chunk]);
    auto next = of_chunk.begin();
    for (size_t row = begin; row < end; ++row) {
      const auto first = next;
      while (next != of_chunk.end() && next->key == row) ++next;
      std::sort(first, next, [](const auto& a, const auto& b) { return a.id < b.id; });
      const auto last = std::unique(first, next);
      places_[row] = {begins[chunk] + static_cast<size_t>(first - of_chunk.begin()),
                      begins[chunk] + static_cast<size_t>(last - of_chunk.begin())};
    }
  });
}

// By row.
void BatchProbe::gather_found(ThreadPool& pool) {
  found_.clear();
  std::vector<std::span<ShortKeyId>> parts;
  size_t size = 0;
  for (const Worker& worker : workers_) size += worker.found.size();
  std::span<ShortKeyId> rest = found_.grow(size);
  for (const Worker& worker : workers_) {
    parts.push_back(rest.first(worker.found.size()));
    rest = rest.subspan(worker.found.size());
  }
  pool.run([&](unsigned worker) {
    std::vector<ShortKeyId>& found = workers_[worker].found;
    std::ranges::copy(found, parts[worker].begin());
    found.clear();  // the next question may find nothing
  });
  scratch_.clear();
  radix_sort(found_.span(), scratch_.grow(size), pool);
}

uint64_t BatchProbe::compared() const {
  uint64_t sum = 0;
  for (const Worker& worker : workers_) sum += worker.compared;
  return sum;
}

}  // namespace kith::cluster
