#include "similar/tables/bucket_split.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/check.h"
#include "base/hash.h"
#include "base/parallel/radix_sort.h"
#include "base/random.h"

namespace kith::similar {

namespace {

// Where so much of a bucket as this part of its sample is near to one row, that is a pivot.
constexpr size_t sample_rows = 64;
constexpr uint32_t min_followers = 4;
constexpr size_t max_pivots = 8;

// A row of the sample that none before it is near to, and how many are near to it.
struct Leader {
  size_t row;
  uint32_t near = 1;
  uint32_t tight = 1;
};

std::vector<Leader> find_leaders(std::span<const uint16_t> sample, size_t lanes,
                                 const PivotRule& rule) {
  std::vector<Leader> leaders;
  for (size_t row = 0; row < sample.size() / lanes; ++row) {
    bool is_near = false;
    for (Leader& leader : leaders) {
      const uint32_t equal = sketch::count_equal(sample.subspan(row * lanes, lanes),
                                                 sample.subspan(leader.row * lanes, lanes));
      if (equal < rule.near) continue;
      is_near = true;
      ++leader.near;
      leader.tight += equal >= rule.tight ? 1 : 0;
      break;
    }
    if (!is_near) leaders.push_back({row});
  }
  return leaders;
}

// The wide part where most of it is similar to the pivot, so that few of it become centers; else
// the narrow one.
std::vector<Pivot> choose_pivots(std::span<const uint16_t> sample, size_t lanes,
                                 const PivotRule& rule) {
  std::vector<Pivot> pivots;
  for (const Leader& leader : find_leaders(sample, lanes, rule)) {
    if (leader.tight < min_followers || pivots.size() == max_pivots) continue;
    const std::span<const uint16_t> row = sample.subspan(leader.row * lanes, lanes);
    pivots.push_back(
        {{row.begin(), row.end()}, 2 * leader.tight >= leader.near ? rule.near : rule.tight});
  }
  return pivots;
}

}  // namespace

PivotRule pivot_rule(double similarity, uint32_t lanes) {
  constexpr uint32_t value_bits = 16;
  constexpr double miss = 1e-4;
  const double near = similarity - (1 - similarity) / 2;
  return {std::max(1u, sketch::min_equal(similarity, lanes, value_bits, miss)),
          std::max(1u, sketch::min_equal(std::max(0.0, near), lanes, value_bits, miss))};
}

PivotRule close_pivot_rule(double similarity, uint32_t lanes) {
  const double close = (1 + similarity) / 2;
  const double deviation = std::sqrt(lanes * close * (1 - close));
  const auto equal = static_cast<uint32_t>(std::ceil(lanes * close + deviation));
  return {.tight = std::min(lanes, equal), .near = std::min(lanes, equal)};
}

size_t rows_in_whole_parts(BucketRows rows, const PivotRule& rule) {
  if (rows.empty()) return 0;
  const size_t sampled = std::min(sample_rows, rows.size());
  std::vector<uint16_t> sample;
  for (size_t i = 0; i < sampled; ++i) {
    const std::span<const uint16_t> row = rows[i * rows.size() / sampled];
    sample.insert(sample.end(), row.begin(), row.end());
  }
  const std::vector<Pivot> pivots = choose_pivots(sample, rows.front().size(), rule);
  return static_cast<size_t>(std::ranges::count_if(rows, [&](std::span<const uint16_t> row) {
    return std::ranges::any_of(pivots, [&](const Pivot& pivot) { return pivot.is_near(row); });
  }));
}

bool Pivot::is_near(std::span<const uint16_t> row) const {
  return sketch::count_equal(values, row) >= min_equal;
}

BucketSplits::BucketSplits(const sketch::Tables& tables, size_t largest, PivotRule pivots,
                           WholePartUse use, uint32_t ids)
    : largest_(tables.params().tables, largest),
      lane_order_(tables.params().lanes),
      pivots_rule_(pivots),
      whole_part_use_(use),
      turns_(ids),
      nodes_(tables.params().tables),
      pivots_(tables.params().tables) {
  KITH_CHECK(largest >= 2);
  std::iota(lane_order_.begin(), lane_order_.end(), uint16_t{0});
  Rng rng(tables.params().seed);
  for (size_t i = lane_order_.size(); i > 1; --i) {
    std::swap(lane_order_[i - 1], lane_order_[rng.below(i)]);
  }
}

void BucketSplits::set_largest(uint32_t table, size_t largest) {
  KITH_CHECK(largest >= 2 && !any(table));
  largest_[table] = largest;
}

uint64_t BucketSplits::child_of(uint64_t node, uint32_t value) {
  return mix64(node + golden * (uint64_t{value} + 1));
}

uint32_t BucketSplits::id_bit(uint32_t table, uint32_t depth, uint32_t id) {
  return static_cast<uint32_t>(mix64(id ^ mix64(table + 1)) >> (depth % 64) & 1);
}

// One bucket on its way to its parts.
class BucketSplits::Splitter {
 public:
  Splitter(BucketSplits& splits, uint32_t table, const SignatureRows& rows,
           std::span<uint32_t> members, const Visit& visit, const VisitWhole& whole,
           ThreadPool* pool)
      : splits_(splits),
        table_(table),
        rows_(rows),
        members_(members),
        all_(members.begin(), members.end()),
        order_(all_.size()),
        visit_(visit),
        whole_(whole),
        pool_(pool) {
    std::iota(order_.begin(), order_.end(), 0u);
  }

  size_t run(uint32_t key) {
    size_t divided = 0;
    // 64 bits of a bijective hash part any two ids, so the depth is bounded.
    std::vector<Part> todo{{0, all_.size(), key, 0, false}};
    while (!todo.empty()) {
      Part part = todo.back();
      todo.pop_back();
      if (part.size() > smallest_whole_ && splits_.pivots_rule_.tight > 0 && !part.is_whole) {
        take_whole(part, todo);
      }
      if (part.size() <= (part.is_whole ? largest_sampled_ : splits_.largest_[table_])) {
        give(part);
        continue;
      }
      if (part.depth == 0 && !part.is_whole) divided += part.size();
      divide(part, todo);
    }
    return divided;
  }

 private:
  struct Part {
    size_t begin;  // of the order
    size_t end;
    uint64_t node;
    uint32_t depth;
    bool is_whole;  // or of a whole one, which is sampled
    size_t size() const { return end - begin; }
  };

  // Calls work(begin, end, buffer for a row) for all of [0, n), in stretches.
  template <class Work>
  void for_stretches(size_t n, const Work& work) const {
    constexpr size_t stretch = 1 << 12;
    const auto with_buffer = [&](size_t begin, size_t end) {
      std::vector<uint16_t> buffer(rows_.lanes());
      work(begin, end, std::span(buffer));
    };
    if (pool_ == nullptr) return with_buffer(0, n);
    pool_->for_chunks(n, stretch,
                      [&](size_t begin, size_t end, unsigned) { with_buffer(begin, end); });
  }
  // Calls visit(i, row) for the members of a part, which lie all over the rows.
  template <class Visit>
  void for_each_row(const Part& part, const Visit& visit) const {
    constexpr size_t ahead = 8;
    for_stretches(part.size(), [&](size_t begin, size_t end, std::span<uint16_t> buffer) {
      for (size_t i = begin; i < end; ++i) {
        if (i + ahead < end) rows_.prefetch(all_[order_[part.begin + i + ahead]]);
        visit(i, rows_.read(all_[order_[part.begin + i]], buffer));
      }
    });
  }

  void give(const Part& part) {
    if (part.size() < 2) return;
    visit_(rows_of(part.begin, part.end));
  }
  std::span<uint32_t> rows_of(size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) members_[i] = all_[order_[i]];
    return members_.subspan(begin, end - begin);
  }

  std::vector<uint16_t> sample(const Part& part) {
    const size_t count = std::min(sample_rows, part.size());
    std::vector<uint16_t> rows;
    std::vector<uint16_t> buffer(rows_.lanes());
    for (size_t i = 0; i < count; ++i) {
      const auto row = rows_.read(all_[order_[part.begin + i * part.size() / count]], buffer);
      rows.insert(rows.end(), row.begin(), row.end());
    }
    return rows;
  }

  // The pivot of every member, or pivots.size(), and how many each has.
  std::vector<size_t> assign(const Part& part, const std::vector<Pivot>& pivots) {
    pivot_of_.resize(part.size());
    for_each_row(part, [&](size_t i, std::span<const uint16_t> row) {
      const auto near =
          std::ranges::find_if(pivots, [&](const Pivot& pivot) { return pivot.is_near(row); });
      pivot_of_[i] = static_cast<uint8_t>(near - pivots.begin());
    });
    std::vector<size_t> counts(pivots.size() + 1);
    for (size_t i = 0; i < part.size(); ++i) ++counts[pivot_of_[i]];
    return counts;
  }

  // Takes the whole parts away from the front of a part; the samples of them are still to do.
  void take_whole(Part& part, std::vector<Part>& todo) {
    std::vector<Pivot> pivots = choose_pivots(sample(part), rows_.lanes(), splits_.pivots_rule_);
    if (pivots.empty()) return;
    std::vector<size_t> counts = assign(part, pivots);
    // The members of a pivot that has too few may be near to another one.
    std::vector<Pivot> enough;
    for (size_t i = 0; i < pivots.size(); ++i) {
      if (counts[i] > smallest_whole_) enough.push_back(std::move(pivots[i]));
    }
    if (enough.empty()) return;
    if (enough.size() < pivots.size()) counts = assign(part, enough);
    order_by_pivot(part, counts);
    for (uint32_t i = 0; i < enough.size(); ++i) {
      const uint64_t node = child_of(part.node, first_pivot + i);
      const size_t end = part.begin + counts[i];
      if (splits_.whole_part_use_ == WholePartUse::compared) {
        visit_(rows_of(part.begin, end));
      } else if (whole_) {
        whole_(whole_name(table_, node), rows_of(part.begin, end));
      }
      if (splits_.whole_part_use_ == WholePartUse::sampled) {
        todo.push_back({part.begin, take_turns(part.begin, end), node, 0, true});
      }
      part.begin = end;
    }
    const std::lock_guard lock(*splits_.mutex_);
    splits_.pivots_[table_].emplace(part.node, std::move(enough));
  }

  // Moves those that are samples in this table to the front, and tells where they end.
  size_t take_turns(size_t begin, size_t end) {
    const auto first = order_.begin() + static_cast<ptrdiff_t>(begin);
    const auto others = std::stable_partition(
        first, order_.begin() + static_cast<ptrdiff_t>(end),
        [&](uint32_t member) { return splits_.turns_.take(table_, rows_.id(all_[member])); });
    return begin + static_cast<size_t>(others - first);
  }

  // The members of the first pivot first, those of none last; else in their order.
  void order_by_pivot(const Part& part, std::span<const size_t> counts) {
    std::vector<size_t> next(counts.size());
    for (size_t i = 1; i < counts.size(); ++i) next[i] = next[i - 1] + counts[i - 1];
    std::vector<uint32_t> ordered(part.size());
    for (size_t i = 0; i < part.size(); ++i) {
      ordered[next[pivot_of_[i]]++] = order_[part.begin + i];
    }
    std::ranges::copy(ordered, order_.begin() + static_cast<ptrdiff_t>(part.begin));
  }

  // The values of the first coordinates of all members are read at once: a member's lie side by
  // side, and the rows all over.
  void gather() {
    constexpr size_t max_values = 1 << 23;
    constexpr size_t max_depths = 16;
    depths_ = static_cast<uint32_t>(std::clamp<size_t>(
        max_values / all_.size(), 1, std::min<size_t>(splits_.lanes(), max_depths)));
    values_.resize(all_.size() * depths_);
    for_each_row({0, all_.size(), 0, 0, false}, [&](size_t i, std::span<const uint16_t> row) {
      for (uint32_t depth = 0; depth < depths_; ++depth) {
        values_[order_[i] * size_t{depths_} + depth] = row[splits_.lane(table_, depth)];
      }
    });
  }

  // Of all members of a part, into by_value_.
  void read_coordinates(const Part& part) {
    by_value_.resize(part.size());
    if (!part.is_whole && values_.empty()) gather();
    if (!part.is_whole && part.depth < depths_) {
      for (size_t i = 0; i < part.size(); ++i) {
        const uint32_t member = order_[part.begin + i];
        by_value_[i] = {values_[member * size_t{depths_} + part.depth], member};
      }
      return;
    }
    for_each_row(part, [&](size_t i, std::span<const uint16_t> row) {
      const uint32_t member = order_[part.begin + i];
      const uint32_t id = rows_.id(all_[member]);
      const auto value = [&](uint32_t lane) { return row[lane]; };
      by_value_[i] = {part.is_whole ? splits_.sample_coordinate(table_, part.depth, id, value)
                                    : splits_.coordinate(table_, part.depth, id, value),
                      member};
    });
  }

  // By the value of one more coordinate. Members of a part ascend, before and after.
  void divide(const Part& part, std::vector<Part>& todo) {
    {
      const std::lock_guard lock(*splits_.mutex_);
      splits_.nodes_[table_].insert(part.node);
    }
    read_coordinates(part);
    scratch_.resize(part.size());
    if (pool_ != nullptr) {
      radix_sort(by_value_, scratch_, *pool_);
    } else {
      radix_sort(by_value_, scratch_);
    }
    for (size_t begin = 0, end = 0; begin < by_value_.size(); begin = end) {
      while (end < by_value_.size() && by_value_[end].key == by_value_[begin].key) {
        order_[part.begin + end] = by_value_[end].id;
        ++end;
      }
      todo.push_back({part.begin + begin, part.begin + end,
                      child_of(part.node, by_value_[begin].key), part.depth + 1, part.is_whole});
    }
  }

  BucketSplits& splits_;
  const uint32_t table_;
  const SignatureRows& rows_;
  const std::span<uint32_t> members_;
  const std::vector<uint32_t> all_;
  std::vector<uint16_t> values_;   // of the first coordinates; empty: not read yet
  uint32_t depths_ = 0;            // how many these are
  std::vector<uint32_t> order_;    // numbers of members, part by part
  std::vector<uint8_t> pivot_of_;  // of the members of a part
  std::vector<ShortKeyId> by_value_;
  std::vector<ShortKeyId> scratch_;
  const Visit& visit_;
  const VisitWhole& whole_;
  ThreadPool* const pool_;
};

size_t BucketSplits::split(uint32_t table, uint32_t key, const SignatureRows& rows,
                           std::span<uint32_t> members, const Visit& visit, const VisitWhole& whole,
                           ThreadPool* pool) {
  return Splitter(*this, table, rows, members, visit, whole, pool).run(key);
}

}  // namespace kith::similar
