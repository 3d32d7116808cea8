#include "pairs/candidate_search.h"

#include <algorithm>
#include <array>
#include <bit>

namespace kith::pairs::internal {
namespace {

constexpr uint32_t group = 16;           // tables whose keys are made together
constexpr size_t partition_rows = 8192;  // on average: in cache with their sorted copy
constexpr unsigned most_partition_bits = 11;
constexpr size_t grain = 1 << 12;

unsigned partition_bits(size_t rows) {
  const auto bits = static_cast<unsigned>(std::bit_width(rows / partition_rows));
  return std::clamp(bits, 1u, most_partition_bits);
}

}  // namespace

SearchStats& SearchStats::operator+=(const SearchStats& more) {
  collisions += more.collisions;
  passed += more.passed;
  split_buckets += more.split_buckets;
  split_members += more.split_members;
  largest_split = std::max(largest_split, more.largest_split);
  return *this;
}

size_t CandidateSearch::bytes_a_row(uint32_t lanes) {
  return 2 * lanes + group * sizeof(uint32_t) + sizeof(ShortKeyId) + sizeof(uint32_t);
}

CandidateSearch::CandidateSearch(const BlockRows& rows, const lsh::Tables& tables,
                                 const lsh::SubsetMasks& masks, BucketSplits& splits,
                                 bool splits_known, CandidateRule rule, size_t most,
                                 ThreadPool& pool)
    : rows_(rows),
      tables_(tables),
      splits_(splits),
      splits_known_(splits_known),
      most_(most),
      pool_(pool),
      partition_bits_(partition_bits(rows.size())),
      keys_(rows.size() * std::min(group, tables.params().tables)),
      entries_(rows.size()),
      ends_(size_t{1} << partition_bits_) {
  for (unsigned i = 0; i < pool.size(); ++i) {
    workers_.push_back({BucketComparer(rows, masks, splits, splits_known, rule), {}, {}, {}, {}});
  }
}

Status CandidateSearch::run(const Take& take, const std::function<void(double share)>& progress) {
  const uint32_t tables = tables_.params().tables;
  for (uint32_t first = 0; first < tables; first += group) {
    const uint32_t count = std::min(group, tables - first);
    make_keys(first, count);
    for (uint32_t i = 0; i < count; ++i) {
      deal(i);
      KITH_TRY(compare_partitions(first + i, take));
      if (progress) progress((first + i + 1.0) / tables);
    }
  }
  for (Worker& worker : workers_) {
    worker.stats.collisions = worker.comparer.compared();
    worker.stats.passed = worker.comparer.passed();
    stats_ += worker.stats;
  }
  return give(take);
}

void CandidateSearch::make_keys(uint32_t first, uint32_t count) {
  pool_.for_chunks(rows_.size(), grain, [&](size_t begin, size_t end, unsigned) {
    std::vector<uint16_t> values(rows_.lanes());
    std::array<uint64_t, group> keys;
    for (size_t row = begin; row < end; ++row) {
      rows_.values(row, values);
      tables_.keys(first, values, std::span(keys).first(count));
      for (uint32_t i = 0; i < count; ++i) {
        uint32_t key = bucket_key(keys[i]);
        if (splits_known_ && splits_.any(first + i)) {
          key = splits_.part_key(first + i, key, rows_, static_cast<uint32_t>(row));
        }
        keys_[i * rows_.size() + row] = key;
      }
    }
  });
}

void CandidateSearch::deal(uint32_t table_in_group) {
  const size_t n = rows_.size();
  const uint32_t* const keys = keys_.data() + table_in_group * n;
  const unsigned shift = 32 - partition_bits_;
  const auto share = [&](unsigned worker) { return n * worker / pool_.size(); };
  pool_.run([&](unsigned worker) {
    std::vector<uint32_t>& counts = workers_[worker].ends;
    counts.assign(ends_.size(), 0);
    for (size_t row = share(worker); row < share(worker + 1); ++row) ++counts[keys[row] >> shift];
  });
  size_t sum = 0;
  for (size_t partition = 0; partition < ends_.size(); ++partition) {
    for (Worker& worker : workers_) {
      const uint32_t count = worker.ends[partition];
      worker.ends[partition] = static_cast<uint32_t>(sum);
      sum += count;
    }
    ends_[partition] = sum;
  }
  pool_.run([&](unsigned worker) {
    std::vector<uint32_t>& next = workers_[worker].ends;
    for (size_t row = share(worker); row < share(worker + 1); ++row) {
      entries_[next[keys[row] >> shift]++] = {keys[row], static_cast<uint32_t>(row)};
    }
  });
}

// Stops where enough candidates are held, gives them away and goes on.
Status CandidateSearch::compare_partitions(uint32_t table, const Take& take) {
  done_.assign(ends_.size(), 0);
  for (bool all = false; !all;) {
    pool_.for_chunks(ends_.size(), 1, [&](size_t partition, size_t, unsigned number) {
      if (done_[partition] || held_ >= most_) return;
      Worker& worker = workers_[number];
      const size_t before = worker.comparer.candidates().size();
      compare_partition(table, partition, worker);
      held_ += worker.comparer.candidates().size() - before;
      done_[partition] = 1;
    });
    all = std::ranges::all_of(done_, [](uint8_t done) { return done != 0; });
    if (held_ >= most_) KITH_TRY(give(take));
  }
  return Status::ok();
}

void CandidateSearch::compare_partition(uint32_t table, size_t partition, Worker& worker) {
  const size_t begin = partition == 0 ? 0 : ends_[partition - 1];
  const std::span<ShortKeyId> entries = entries_.span().subspan(begin, ends_[partition] - begin);
  if (worker.scratch.size() < entries.size()) worker.scratch.resize(entries.size());
  radix_sort(entries, worker.scratch);
  for (size_t first = 0, last = 0; first < entries.size(); first = last) {
    while (last < entries.size() && entries[last].key == entries[first].key) ++last;
    if (last - first < 2) continue;
    worker.members.clear();
    for (size_t i = first; i < last; ++i) worker.members.push_back(entries[i].id);
    if (last - first <= splits_.largest() || splits_known_) {
      worker.comparer.add(table, worker.members);
      continue;
    }
    worker.stats +=
        {.split_buckets = 1, .split_members = last - first, .largest_split = last - first};
    splits_.split(table, entries[first].key, rows_, worker.members,
                  [&](std::span<uint32_t> part) { worker.comparer.add(table, part); });
  }
  worker.comparer.finish();
}

Status CandidateSearch::give(const Take& take) {
  std::vector<std::vector<ShortKeyId>> candidates;
  for (Worker& worker : workers_) {
    candidates.push_back(std::move(worker.comparer.candidates()));
    worker.comparer.candidates().clear();
  }
  held_ = 0;
  return take(candidates);
}

}  // namespace kith::pairs::internal
