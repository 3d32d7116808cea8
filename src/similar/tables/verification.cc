#include "similar/tables/verification.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "base/memory.h"

namespace kith::similar {
namespace {

constexpr size_t batch = 256;  // rows that are fetched together
constexpr size_t tile = 128;   // rows of low bytes that stay in the first cache

}  // namespace

BucketComparer::BucketComparer(const BlockRows& rows, const sketch::Tables& tables,
                               const sketch::SubsetMasks& masks, const BucketPlaces& places,
                               bool places_known, CandidateRule rule)
    : rows_(rows),
      tables_(tables),
      masks_(masks),
      places_(places),
      places_known_(places_known),
      rule_(rule),
      kernels_(sketch::row_kernels()),
      lanes_(rows.lanes()),
      selected_(tile),
      equal_(masks.words()),
      equal_high_(masks.words()),
      values_(lanes_) {}

void BucketComparer::add(uint32_t table, std::span<const uint32_t> members) {
  if (members.size() < 2) return;
  if (rule_.border > 0 && (members.front() >= rule_.border || members.back() < rule_.border)) {
    return;
  }
  table_ = table;
  members_.insert(members_.end(), members.begin(), members.end());
  ends_.push_back(members_.size());
  if (members_.size() >= batch) finish();
}

void BucketComparer::finish() {
  fetch();
  size_t begin = 0;
  for (const size_t end : ends_) {
    compare(begin, end);
    begin = end;
  }
  members_.clear();
  ends_.clear();
}

void BucketComparer::fetch() {
  constexpr size_t ahead = 8;
  const size_t count = members_.size();
  low_.clear();
  high_.clear();
  const std::span<uint8_t> low = low_.grow(count * lanes_);
  const std::span<uint8_t> high = high_.grow(count * lanes_);
  for (size_t i = 0; i < std::min(ahead, count); ++i) rows_.prefetch(members_[i]);
  for (size_t i = 0; i < count; ++i) {
    if (i + ahead < count) rows_.prefetch(members_[i + ahead]);
    std::memcpy(&low[i * lanes_], rows_.low(members_[i]), lanes_);
    std::memcpy(&high[i * lanes_], rows_.high(members_[i]), lanes_);
  }
}

void BucketComparer::compare(uint32_t table, std::span<const uint32_t> left,
                             std::span<const uint32_t> right) {
  finish();
  table_ = table;
  members_.assign(left.begin(), left.end());
  members_.insert(members_.end(), right.begin(), right.end());
  fetch();
  compare_across(0, left.size(), members_.size());
  members_.clear();
}

void BucketComparer::compare(size_t begin, size_t end) {
  if (rule_.border > 0) {
    const auto border =
        std::partition_point(members_.begin() + static_cast<ptrdiff_t>(begin),
                             members_.begin() + static_cast<ptrdiff_t>(end),
                             [&](uint32_t member) { return member < rule_.border; });
    return compare_across(begin, static_cast<size_t>(border - members_.begin()), end);
  }
  // Tile by tile, every row before it against the rows of the tile.
  for (size_t first = begin; first < end; first += tile) {
    const size_t last = std::min(end, first + tile);
    for (size_t row = begin; row < last; ++row) {
      compare_row(row, std::max(first, row + 1), last);
    }
  }
}

// The same of rows before the border against those behind it.
void BucketComparer::compare_across(size_t begin, size_t border, size_t end) {
  for (size_t first = border; first < end; first += tile) {
    const size_t last = std::min(end, first + tile);
    for (size_t row = begin; row < border; ++row) compare_row(row, first, last);
  }
}

void BucketComparer::compare_row(size_t row, size_t begin, size_t end) {
  const size_t count = end - begin;
  compared_ += count;
  const size_t found = kernels_.select(&low_[row * lanes_], &low_[begin * lanes_], lanes_, count,
                                       rule_.min_count, selected_.data());
  passed_ += found;
  for (size_t i = 0; i < found; ++i) {
    const size_t other = begin + selected_[i];
    if (!first_meeting(row, other)) continue;
    const uint32_t a = rows_.id(members_[row]);
    const uint32_t b = rows_.id(members_[other]);
    candidates_.push_back({std::min(a, b), std::max(a, b)});
  }
}

bool BucketComparer::first_meeting(size_t a, size_t b) {
  kernels_.equal_bits(&low_[a * lanes_], &low_[b * lanes_], lanes_, equal_.data());
  kernels_.equal_bits(&high_[a * lanes_], &high_[b * lanes_], lanes_, equal_high_.data());
  for (size_t word = 0; word < equal_.size(); ++word) equal_[word] &= equal_high_[word];
  if (!masks_.within(table_, equal_)) return false;  // a chance agreement of keys
  const auto met = [&](uint32_t table) { return meeting(table, members_[a], members_[b]); };
  for (uint32_t table = 0;; ++table) {
    table = masks_.first_within(equal_, table, table_);
    if (table == table_) return !places_known_ || met(table) == Meeting::in_bucket;
    if (met(table) != Meeting::none) return false;
  }
}

BucketComparer::Meeting BucketComparer::meeting(uint32_t table, uint32_t a, uint32_t b) {
  if (!places_.any(table)) return Meeting::in_bucket;
  for (const uint16_t lane : tables_.subset(table)) values_[lane] = rows_.value(a, lane);
  const uint64_t key = tables_.key(table, values_);
  const BucketPlace place = places_.place(table, key, rows_, a);
  if (place.is_split && place.part != places_.place(table, key, rows_, b).part) {
    return Meeting::none;
  }
  return place.is_whole ? Meeting::in_whole_part : Meeting::in_bucket;
}

namespace {

constexpr size_t pairs_per_chunk = 4096;

// Calls visit(begin, end, worker) for each run of equal keys; a chunk has the runs that begin in
// it, and so each run one worker.
template <class Entry, class Visit>
void for_each_run(std::span<const Entry> sorted, ThreadPool& pool, const Visit& visit) {
  pool.for_chunks(sorted.size(), pairs_per_chunk, [&](size_t first, size_t last, unsigned worker) {
    const auto run_end = [&](size_t begin) {
      size_t end = begin;
      while (end < sorted.size() && sorted[end].key == sorted[begin].key) ++end;
      return end;
    };
    size_t begin = first;
    if (begin > 0 && sorted[begin - 1].key == sorted[begin].key) begin = run_end(begin);
    while (begin < last) {
      const size_t end = run_end(begin);
      visit(begin, end, worker);
      begin = end;
    }
  });
}

void gather(std::vector<std::vector<ShortKeyId>>& by_worker, std::span<ShortKeyId> all) {
  auto next = all.begin();
  for (auto& part : by_worker) {
    next = std::copy(part.begin(), part.end(), next);
    free_memory(part);
  }
}

// The first n values of a type in memory for any.
template <class T>
std::span<T> values_in(LargeArray<std::byte>& memory, size_t n) {
  return {reinterpret_cast<T*>(memory.data()), n};
}

}  // namespace

Verification::Verification(const sketch::BagCollection& bags, const DuplicateGroups& groups,
                           const Classes& classes, uint32_t min_sum, bool similar_only,
                           uint64_t term_limit, ThreadPool& pool)
    : bags_(bags),
      groups_(groups),
      classes_(classes),
      min_sum_(min_sum),
      min_near_(similar_only ? min_sum : 1),
      term_limit_(term_limit),
      pool_(pool),
      weights_(pool.size()) {}

Status Verification::verify(std::vector<std::vector<ShortKeyId>>& by_worker, const Answers& answers,
                            const std::function<Status(std::span<const Pair>)>& similar) {
  size_t count = 0;
  for (const auto& part : by_worker) count += part.size();
  if (count == 0) return Status::ok();
  make_room(count);
  const auto candidates = values_in<ShortKeyId>(first_, count);
  gather(by_worker, candidates);
  radix_sort(candidates, values_in<ShortKeyId>(second_, count), pool_);
  const auto sums = values_in<ShortKeySum>(second_, count);
  add_up(candidates, sums);
  verified_ += count;
  keep(sums, answers);
  if (similar) KITH_TRY(give(sums, similar));
  for (ShortKeySum& sum : sums) std::swap(sum.key, sum.id);
  radix_sort(sums, values_in<ShortKeySum>(first_, count), pool_);
  keep(sums, answers);
  return Status::ok();
}

// Memory that is asked for anew for each batch would have to be cleared each time.
void Verification::make_room(size_t candidates) {
  const size_t bytes = candidates * sizeof(ShortKeySum);
  if (bytes <= first_.size()) return;
  free_batches();
  first_ = LargeArray<std::byte>(bytes);
  second_ = LargeArray<std::byte>(bytes);
}

void Verification::free_batches() {
  first_ = {};
  second_ = {};
}

void Verification::add_up(std::span<const ShortKeyId> sorted, std::span<ShortKeySum> sums) {
  constexpr size_t places_ahead = 24;
  constexpr size_t ahead = 12;
  for_each_run(sorted, pool_, [&](size_t begin, size_t end, unsigned worker) {
    QueryWeights& weights = weights_[worker];
    weights.set(bags_[sorted[begin].key], weights_pay(end - begin) ? term_limit_ : UINT64_MAX);
    for (size_t i = begin; i < end; ++i) {
      if (i + places_ahead < sorted.size()) bags_.prefetch_place(sorted[i + places_ahead].id);
      if (i + ahead < sorted.size()) bags_.prefetch_entries(sorted[i + ahead].id);
      const auto [key, id] = sorted[i];
      sums[i] = {key, id, weights.sum_with(bags_[id])};
    }
    weights.clear();
  });
}

void Verification::keep(std::span<const ShortKeySum> sorted, const Answers& answers) {
  std::atomic<uint64_t> similar = 0;
  for_each_run(sorted, pool_, [&](size_t begin, size_t end, unsigned) {
    const uint32_t id = sorted[begin].key;
    TopLists& lists = answers.of(id);
    uint32_t degree = 0;
    uint64_t pairs = 0;
    for (const ShortKeySum& found : sorted.subspan(begin, end - begin)) {
      if (found.sum < min_near_) continue;
      lists.offer(id, {found.id, found.sum});
      if (!is_similar(found.sum) || !classes_.share(id, found.id)) continue;
      degree += groups_.multiplicity[found.id];
      ++pairs;
    }
    if (answers.sites != nullptr) keep_elsewhere(sorted.subspan(begin, end - begin), answers);
    if (pairs == 0) return;
    answers.degree[id] += degree;
    similar += pairs;
  });
  similar_ends_ += similar;
}

void Verification::keep_elsewhere(std::span<const ShortKeySum> of_id,
                                  const Answers& answers) const {
  const uint32_t id = of_id.front().key;
  const IdRange site = answers.sites->site_of(id);
  TopLists& lists = answers.elsewhere(id);
  for (const ShortKeySum& found : of_id) {
    const uint32_t other = answers.sites->first_outside(found.id, site);
    if (found.sum >= min_near_ && other != no_id) lists.offer(id, {other, found.sum});
  }
}

Status Verification::give(std::span<const ShortKeySum> sums,
                          const std::function<Status(std::span<const Pair>)>& similar) const {
  std::vector<Pair> pairs;
  for (const ShortKeySum& found : sums) {
    if (is_similar(found.sum)) pairs.push_back({found.key, found.id, found.sum});
  }
  for (size_t begin = 0, end = 0; begin < pairs.size(); begin = end) {
    while (end < pairs.size() && pairs[end].a == pairs[begin].a) ++end;
    std::sort(pairs.begin() + static_cast<ptrdiff_t>(begin),
              pairs.begin() + static_cast<ptrdiff_t>(end));
  }
  return similar(pairs);
}

}  // namespace kith::similar
