#include "topics/group_means.h"

#include <algorithm>
#include <atomic>

#include "similar/neighbour.h"
#include "topics/vectors.h"

namespace kith::topics {
namespace {

constexpr size_t term_grain = 1024;
constexpr size_t group_grain = 8;
// Copies are read again, a few times, in less time than the system takes for new memory.
uint64_t most_of_copies(uint64_t bytes) {
  return std::max(uint64_t{32} << 20, bytes / 2);
}

// The sum of the vectors of one group at some terms, cleared by what was entered.
class GroupSum {
 public:
  GroupSum(uint32_t begin, uint32_t end) : begin_(begin), end_(end), sum_(end - begin) {}

  void add(Vector vector, uint64_t pages) {
    if (used_.size() < size_ + vector.size() + 1) used_.resize(2 * (size_ + vector.size()) + 1);
    uint32_t* const used = used_.data();
    uint64_t* const sums = sum_.data();
    size_t size = size_;
    const auto first = std::ranges::lower_bound(vector, begin_, {}, &Coordinate::term);
    for (auto c = first; c != vector.end() && c->term < end_; ++c) {
      uint64_t& sum = sums[c->term - begin_];
      used[size] = c->term;
      size += static_cast<size_t>(sum == 0);
      sum += pages * c->value;
    }
    size_ = size;
  }

  // Calls visit(term, sum) for all terms with a sum, which are 0 then.
  template <class Visit>
  void take(const Visit& visit) {
    for (size_t i = 0; i < size_; ++i) {
      visit(used_[i], sum_[used_[i] - begin_]);
      sum_[used_[i] - begin_] = 0;
    }
    size_ = 0;
  }

 private:
  const uint32_t begin_;
  const uint32_t end_;
  std::vector<uint64_t> sum_;   // by term
  std::vector<uint32_t> used_;  // terms with a sum, the first size_
  size_t size_ = 0;
};

}  // namespace

GroupMeans::GroupMeans(const TopicVectors& vectors, const NodeGroups& groups, ThreadPool& pool)
    : vectors_(vectors), groups_(groups), pool_(pool), nodes_(vectors.terms()) {
  std::vector<std::vector<uint32_t>> counts(pool.size());
  pool.for_chunks(vectors.size(), TopicVectors::grain,
                  [&](size_t begin, size_t end, unsigned worker) {
                    std::vector<uint32_t>& count = counts[worker];
                    count.resize(vectors.terms());
                    TopicVectors::Stretch stretch(vectors, begin, end);
                    for (size_t i = begin; i < end; ++i) {
                      if (groups.group[i] == similar::no_id) continue;
                      for (const Coordinate& c : stretch[i]) ++count[c.term];
                    }
                  });
  for (const std::vector<uint32_t>& count : counts) {
    for (size_t term = 0; term < count.size(); ++term) nodes_[term] += count[term];
  }
  if (vectors.is_copied()) {
    members_ = members_of(groups.group, static_cast<uint32_t>(groups.pages.size()));
  }
}

// Whether values of all groups take no more than parts.
bool GroupMeans::has_all(uint32_t term) const {
  return uint64_t{nodes_[term]} * sizeof(GroupPart) >= groups_.pages.size() * sizeof(GroupValue);
}

uint64_t GroupMeans::bytes_of(uint32_t term) const {
  return sizeof(Place) + (has_all(term) ? groups_.pages.size() * sizeof(GroupValue)
                                        : nodes_[term] * sizeof(GroupPart));
}

// Of values, and of parts that are added to, all are 0 then.
void GroupMeans::make_room(uint64_t values, uint64_t parts) {
  if (values <= all_.size()) {
    std::ranges::fill(all_.span().first(values), GroupValue());
  } else {
    all_ = {};
    all_ = LargeArray<GroupValue>(values);
  }
  if (parts <= some_.size() && vectors_.is_copied()) return;
  some_ = {};
  some_ = LargeArray<GroupPart>(parts);
}

uint32_t GroupMeans::find_places(uint32_t begin, uint64_t memory) {
  places_.clear();
  begin_ = begin;
  uint64_t all = 0;
  uint64_t some = 0;
  uint64_t bytes = 0;
  uint32_t end = begin;
  for (; end < nodes_.size(); ++end) {
    bytes += bytes_of(end);
    if (bytes > memory && end > begin) break;
    places_.push_back({has_all(end) ? all : some, 0});
    if (has_all(end)) {
      all += groups_.pages.size();
    } else {
      some += nodes_[end];
    }
  }
  make_room(all, some);
  return end;
}

template <class Value>
Value GroupMeans::add_to(Value& sum, Value value) const {
  if (pool_.size() > 1) return std::atomic_ref(sum).fetch_add(value, std::memory_order_relaxed);
  sum += value;
  return sum - value;
}

// Of a frequent term that of the group; of another one that of a new part.
GroupValue& GroupMeans::value_of(uint32_t term, uint32_t group) {
  Place& place = places_[term - begin_];
  if (has_all(term)) return all_[place.begin + group];
  GroupPart& part = some_[place.begin + add_to(place.size, uint32_t{1})];
  part.group = group;
  return part.value;
}

// What a sum is divided by for a mean.
double GroupMeans::unit_of(uint32_t group) const {
  return vector_one * static_cast<double>(groups_.pages[group]);
}

// Of a term without a value for every group.
void GroupMeans::sort_parts(uint32_t term) {
  const Place& place = places_[term - begin_];
  if (has_all(term)) return;
  std::ranges::sort(some_.span().subspan(place.begin, place.size), {}, &GroupPart::group);
}

// Sums become means, one for each group.
void GroupMeans::finish_sums(uint32_t term) {
  Place& place = places_[term - begin_];
  if (has_all(term)) {
    for (uint32_t g = 0; g < groups_.pages.size(); ++g) {
      GroupValue& value = all_[place.begin + g];
      value.set_mean(as_double(value.sum()) / unit_of(g));
    }
    return;
  }
  const auto parts = some_.span().subspan(place.begin, place.size);
  uint32_t kept = 0;
  for (size_t i = 0; i < parts.size();) {
    const uint32_t group = parts[i].group;
    uint64_t sum = 0;
    for (; i < parts.size() && parts[i].group == group; ++i) sum += parts[i].value.sum();
    parts[kept].group = group;
    parts[kept++].value.set_mean(as_double(sum) / unit_of(group));
  }
  place.size = kept;
}

void GroupMeans::add_by_group(uint32_t begin, uint32_t end) {
  std::vector<GroupSum> sums(pool_.size(), GroupSum(begin, end));
  pool_.for_chunks(groups_.pages.size(), group_grain,
                   [&](size_t first, size_t last, unsigned worker) {
                     GroupSum& sum = sums[worker];
                     TopicVectors::Buffer buffer;
                     for (size_t g = first; g < last; ++g) {
                       const auto group = static_cast<uint32_t>(g);
                       for (const uint32_t node : members_[g]) {
                         sum.add(vectors_.read(node, buffer), vectors_.pages(node));
                       }
                       const double unit = unit_of(group);
                       sum.take([&](uint32_t term, uint64_t value) {
                         value_of(term, group).set_mean(as_double(value) / unit);
                       });
                     }
                   });
}

void GroupMeans::add_by_node(uint32_t begin, uint32_t end) {
  pool_.for_chunks(vectors_.size(), TopicVectors::grain, [&](size_t first, size_t last, unsigned) {
    TopicVectors::Stretch stretch(vectors_, first, last);
    for (size_t i = first; i < last; ++i) {
      const uint32_t group = groups_.group[i];
      if (group == similar::no_id) continue;
      const uint64_t pages = vectors_.pages(i);
      for (const Coordinate& c : stretch[i]) {
        if (c.term >= end) break;
        if (c.term >= begin) add_to(value_of(c.term, group).sum(), pages * c.value);
      }
    }
  });
}

uint32_t GroupMeans::make(uint32_t begin, uint64_t memory) {
  const bool by_group = vectors_.is_copied();
  if (by_group) memory = std::min(memory, most_of_copies(vectors_.copied_bytes()));
  const uint32_t end = find_places(begin, memory);
  if (by_group) {
    add_by_group(begin, end);
    // One thread has added group after group.
    if (pool_.size() == 1) return end;
  } else {
    add_by_node(begin, end);
  }
  pool_.for_chunks(end - begin, term_grain, [&](size_t first, size_t last, unsigned) {
    for (size_t i = first; i < last; ++i) {
      const uint32_t term = begin + static_cast<uint32_t>(i);
      sort_parts(term);
      if (!by_group) finish_sums(term);
    }
  });
  return end;
}

TermMeans GroupMeans::operator[](uint32_t term) const {
  const Place& place = places_[term - begin_];
  if (has_all(term)) return {all_.span().subspan(place.begin, groups_.pages.size()), {}};
  return {{}, some_.span().subspan(place.begin, place.size)};
}

namespace {

// So many rows of a matrix stay in the cache of a thread.
constexpr size_t rows_of_block = 64;

// Every so many-th row of the upper half of a matrix of products, from `first` on: all of these
// have some long rows and some short ones. What is added to a value comes by ascending term.
class ProductRows {
 public:
  ProductRows(SimilarityMatrix& matrix, size_t first, size_t step)
      : matrix_(matrix), first_(first), step_(step), rounded_(matrix.size()) {}

  // `mean` is that of all pages.
  void add(const TermMeans& means, double mean) {
    if (means.all.empty()) {
      add_some(means.some, mean);
    } else {
      add_all(means.all, mean);
    }
  }

 private:
  // What a mean counts as a factor of another.
  static double rounded(double mean) { return static_cast<double>(static_cast<float>(mean)); }

  void add_some(std::span<const GroupPart> parts, double mean) {
    for (size_t i = 0; i < parts.size(); ++i) rounded_[i] = rounded(parts[i].value.mean());
    const double* const others = rounded_.data();
    for (size_t i = 0; i < parts.size(); ++i) {
      const size_t a = parts[i].group;
      if (step_ > 1 && a % step_ != first_) continue;
      const double own = parts[i].value.mean();
      double* const row = matrix_.row(a).data();
      row[a] += own * mean;
      for (size_t j = i + 1; j < parts.size(); ++j) row[parts[j].group] += own * others[j];
    }
  }

  void add_all(std::span<const GroupValue> values, double mean) {
    for (size_t b = first_; b < values.size(); ++b) rounded_[b] = rounded(values[b].mean());
    const double* const others = rounded_.data();
    for (size_t a = first_; a < values.size(); a += step_) {
      const double own = values[a].mean();
      if (own == 0) continue;
      double* const row = matrix_.row(a).data();
      row[a] += own * mean;
      for (size_t b = a + 1; b < values.size(); ++b) row[b] += own * others[b];
    }
  }

  SimilarityMatrix& matrix_;
  const size_t first_;
  const size_t step_;
  std::vector<double> rounded_;  // of the other groups; no more than there are groups
};

}  // namespace

SimilarityMatrix centred_averages(const TopicVectors& vectors, const NodeGroups& groups,
                                  std::span<const uint64_t> sum, uint64_t memory,
                                  ThreadPool& pool) {
  const size_t n = groups.pages.size();
  const double all = vector_one * static_cast<double>(vectors.total_pages());
  // The products; in the diagonal those with the mean of all pages, mu.S_A / n_A.
  SimilarityMatrix matrix(n);
  GroupMeans means(vectors, groups, pool);
  const size_t steps = pool.size() == 1 ? 1 : std::max<size_t>(pool.size(), n / rows_of_block);
  for (uint32_t begin = 0; begin < vectors.terms();) {
    const uint32_t end = means.make(begin, memory);
    pool.for_chunks(steps, 1, [&](size_t first, size_t, unsigned) {
      ProductRows rows(matrix, first, steps);
      for (uint32_t term = begin; term < end; ++term) {
        rows.add(means[term], as_double(sum[term]) / all);
      }
    });
    begin = end;
  }
  const double square = mean_square(sum, vectors.total_pages());
  for (size_t a = 0; a < n; ++a) {
    for (size_t b = a + 1; b < n; ++b) {
      matrix.at(a, b) += square - matrix.at(a, a) - matrix.at(b, b);
      matrix.at(b, a) = matrix.at(a, b);
    }
  }
  for (size_t a = 0; a < n; ++a) matrix.at(a, a) = 0;
  return matrix;
}

}  // namespace kith::topics
