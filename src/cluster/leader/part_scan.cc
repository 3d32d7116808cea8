#include "cluster/leader/part_scan.h"

#include <algorithm>
#include <type_traits>
#include <utility>
#include <vector>

#include "cluster/leader/rows.h"
#include "similar/tables/bucket_split.h"
#include "sketch/signature.h"

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

// Lists by row, side by side: of row i the values [begins[i], begins[i + 1]).
template <class Value>
struct RowLists {
  std::vector<size_t> begins;
  std::vector<Value> values;

  std::span<const Value> operator[](size_t row) const {
    return std::span(values).subspan(begins[row], begins[row + 1] - begins[row]);
  }
};

template <class Item, class RowOf, class ValueOf>
RowLists<std::invoke_result_t<ValueOf, Item>> lists_by_row(size_t rows, std::span<const Item> items,
                                                           const RowOf& row_of,
                                                           const ValueOf& value_of) {
  RowLists<std::invoke_result_t<ValueOf, Item>> lists;
  lists.begins.resize(rows + 2);
  for (const Item& item : items) ++lists.begins[row_of(item) + 2];
  for (size_t row = 2; row < lists.begins.size(); ++row) lists.begins[row] += lists.begins[row - 1];
  lists.values.resize(items.size());
  for (const Item& item : items) lists.values[lists.begins[row_of(item) + 1]++] = value_of(item);
  lists.begins.pop_back();
  return lists;
}

// The parts by numbers from 0.
class PartNumbers {
 public:
  explicit PartNumbers(std::span<const similar::PartMember> members) {
    for (const similar::PartMember& member : members) names_.push_back(member.part);
    std::ranges::sort(names_);
    names_.erase(std::unique(names_.begin(), names_.end()), names_.end());
  }

  size_t size() const { return names_.size(); }
  uint32_t of(uint64_t name) const {
    return static_cast<uint32_t>(std::ranges::lower_bound(names_, name) - names_.begin());
  }

 private:
  std::vector<uint64_t> names_;
};

class PartScan {
 public:
  explicit PartScan(const PartScanInput& input)
      : input_(input),
        numbers_(input.members),
        pairs_(lists_by_row(
            input.rows, input.pairs, [](const RowPair& pair) { return pair.b; },
            [](const RowPair& pair) { return pair; })),
        parts_(lists_by_row(
            input.bags.size(), input.members,
            [](const similar::PartMember& member) { return member.bag; },
            [this](const similar::PartMember& member) { return numbers_.of(member.part); })),
        centers_(numbers_.size()),
        clustering_(input.rows) {}

  Clustering run() {
    uint32_t bag = 0;  // the first that is not before the row
    for (uint32_t row = 0; row < clustering_.size(); ++row) {
      const bool has_bag = bag < input_.bags.size() && input_.rows_of_bags[bag] == row;
      Earliest found = earliest_of_pairs(row);
      if (has_bag) found = earliest_in_parts(bag, found);
      if (found.sum_of_minima > 0) {
        clustering_.join(row, found.center, found.sum_of_minima);
      } else {
        clustering_.make_center(row);
        if (has_bag) add_center(bag);
      }
      if (has_bag) ++bag;
    }
    if (input_.assign == Assign::best) move_to_best();
    return std::move(clustering_);
  }

 private:
  struct Earliest {
    uint32_t center;
    uint32_t sum_of_minima = 0;  // 0: there is none
  };

  Earliest earliest_of_pairs(uint32_t row) const {
    Earliest found{row};
    for (const RowPair& pair : pairs_[row]) {
      if (pair.a < found.center && clustering_.is_center(pair.a)) {
        found = {pair.a, pair.sum_of_minima};
      }
    }
    return found;
  }

  // Members go to their most similar center, of equally similar ones to the earliest.
  void move_to_best() {
    for (const RowPair& pair : input_.pairs) {
      offer(pair.a, pair.b, pair.sum_of_minima);
      offer(pair.b, pair.a, pair.sum_of_minima);
    }
    for (uint32_t bag = 0; bag < input_.bags.size(); ++bag) {
      const uint32_t row = input_.rows_of_bags[bag];
      if (clustering_.is_center(row)) continue;
      matcher_.set(input_.bags[bag]);
      for (const uint32_t part : parts_[bag]) {
        for (const uint32_t center : centers_[part]) {
          if (sketch::count_equal(input_.plane[bag], input_.plane[center]) < input_.plane_bar)
            continue;
          const uint32_t sum = matcher_.sum_of_minima(input_.bags[center]);
          if (sum >= input_.min_sum) offer(row, input_.rows_of_bags[center], sum);
        }
      }
    }
  }

  void offer(uint32_t row, uint32_t center, uint32_t sum) {
    if (!clustering_.is_center(center) || clustering_.is_center(row)) return;
    const uint32_t own = clustering_.sum_of_minima[row];
    if (sum > own || (sum == own && center < clustering_.center[row])) {
      clustering_.join(row, center, sum);
    }
  }

  void add_center(uint32_t bag) {
    for (const uint32_t part : parts_[bag]) centers_[part].push_back(bag);
  }

  // Or an earlier one than `found`, among those that have a part in common with the bag.
  Earliest earliest_in_parts(uint32_t bag, Earliest found) {
    bool is_set = false;
    for (const uint32_t part : parts_[bag]) {
      for (const uint32_t center : centers_[part]) {
        const uint32_t row = input_.rows_of_bags[center];
        if (row >= found.center) break;
        if (sketch::count_equal(input_.plane[bag], input_.plane[center]) < input_.plane_bar)
          continue;
        if (!is_set) matcher_.set(input_.bags[bag]);
        is_set = true;
        const uint32_t sum = matcher_.sum_of_minima(input_.bags[center]);
        if (sum < input_.min_sum) continue;
        found = {row, sum};
        break;
      }
    }
    return found;
  }

  const PartScanInput& input_;
  const PartNumbers numbers_;
  const RowLists<RowPair> pairs_;               // by the later row
  const RowLists<uint32_t> parts_;              // by bag
  std::vector<std::vector<uint32_t>> centers_;  // by part, bags, ascending
  Clustering clustering_;
  BagMatcher matcher_;
};

}  // namespace

Clustering scan_parts(const PartScanInput& input) {
  return PartScan(input).run();
}

}  // namespace kith::cluster
