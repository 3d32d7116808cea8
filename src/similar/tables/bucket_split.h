// Splits buckets that are too large to compare, and remembers how.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>

#include "base/hash.h"
#include "base/parallel/thread_pool.h"
#include "similar/tables/block_rows.h"
#include "sketch/lsh/tables.h"

namespace kith::similar {

// A bucket of more distinct bags than this may be split (bucket_scan.h raises the bound where
// comparing takes little), so that what a bag is compared with does not grow with the collection.
inline constexpr uint32_t largest_bucket = 512;

// The key by which a table sorts: 32 bits of sketch::Tables::key(). Two that are equal by chance
// put strangers into one bucket, where the comparison of lanes tells them apart.
inline uint32_t bucket_key(uint64_t table_key) {
  return static_cast<uint32_t>(table_key >> 32);
}

// Which rows of a bucket over the bound stay together as a whole part, however many they are: those
// that agree with a pivot, a row to which many of the bucket are near. In equal values of a row;
// near <= tight. docs/algorithms/near-duplicates.md, "Large buckets".
struct PivotRule {
  uint32_t tight = 0;  // what similar rows reach but for few; 0: there are no whole parts
  uint32_t near = 0;   // and rows of which each is similar to some third one
};

// What becomes of whole parts once they are told.
enum class WholePartUse : uint8_t {
  kept,      // an id is in a part with all others of it
  compared,  // they are given out as other parts are, and may be larger than any bound
  sampled,  // they are divided into parts of at most 64, of four tables for each id: enough to find
            // some that are near to it
};

// That of pairs of a similarity in (0, 1], by signatures of so many lanes: rows of a part are
// similar to the pivot, or nearly so.
PivotRule pivot_rule(double similarity, uint32_t lanes);
// Likewise, but rows of a part are similar to each other: 1 - similarity is a metric, so that those
// at most half as far from the pivot are.
PivotRule close_pivot_rule(double similarity, uint32_t lanes);

// Of the rows of a bucket, those that would be in whole parts if these were all of it; at most 64
// are asked for pivots.
using BucketRows = std::span<const std::span<const uint16_t>>;
size_t rows_in_whole_parts(BucketRows rows, const PivotRule& rule);

// A row of whole parts, and of how many of the values a row of its part has at least.
struct Pivot {
  std::vector<uint16_t> values;
  uint32_t min_equal = 0;

  bool is_near(std::span<const uint16_t> row) const;
};

// Where an id is in a table.
struct BucketPlace {
  uint64_t part = 0;      // as of BucketSplits::part()
  bool is_whole = false;  // the part is a whole one, and its pairs are not compared
  bool is_split = false;  // the bucket has several parts
};

// Where ids are in the tables, some of whose buckets were split. Thread-safe.
class BucketPlaces {
 public:
  virtual ~BucketPlaces() = default;
  // Whether any bucket of the table was split.
  virtual bool any(uint32_t table) const = 0;
  // Of a row, by its key in the table.
  virtual BucketPlace place(uint32_t table, uint64_t table_key, const SignatureRows& rows,
                            uint32_t row) const = 0;
};

// A bucket over the bound is divided by the value of one more coordinate after the other until its
// parts are within the bound. The coordinates of a table are fixed: first all lanes, in an order
// of the table's own, then bits of a hash of the id, which part even equal signatures. So a table
// with split buckets is a set of trees, and what is remembered are their inner nodes: the part
// that an id is in follows from its signature and the id alone, whatever else is in memory.
// With a rule for pivots, what is near to one leaves the bucket, or the part of it, before that is
// divided: so families of similar rows are not torn, and only what is in none of them is.
class BucketSplits final : public BucketPlaces {
 public:
  // Receives a part: rows, ascending.
  using Visit = std::function<void(std::span<uint32_t> rows)>;
  // Receives a whole part, by its name, which no other part has.
  using VisitWhole = std::function<void(uint64_t part, std::span<const uint32_t> rows)>;

  // Holds no reference to the tables. largest: the bound of every table, at least 2.
  // ids: above all ids, where whole parts are sampled.
  explicit BucketSplits(const sketch::Tables& tables, size_t largest = largest_bucket,
                        PivotRule pivots = {}, WholePartUse use = WholePartUse::kept,
                        uint32_t ids = 0);

  // The bound of a table.
  size_t largest(uint32_t table) const { return largest_[table]; }
  // REQUIRES: no bucket of the table was split.
  void set_largest(uint32_t table, size_t largest);
  // Larger buckets are given to split(): those over the bound, and with pivots those that may hold
  // a whole part.
  size_t largest_unsplit(uint32_t table) const {
    return pivots_rule_.tight == 0 ? largest_[table] : std::min(largest_[table], smallest_whole_);
  }
  bool any(uint32_t table) const override {
    return !nodes_[table].empty() || !pivots_[table].empty();
  }

  // The name of the whole part of a node, which no other part of any table has.
  static uint64_t whole_name(uint32_t table, uint64_t node) {
    return mix64(node ^ mix64(table + 1));
  }

  // Divides the rows of a bucket, ascending (reordering them), remembers how, and calls visit(part)
  // for each part of at least two that is within the bound, and whole(name, part) for each whole
  // part; the parts that were visited stay where they are in `members`. Returns how many rows were
  // divided by coordinates. pool: works on this bucket alone; null from inside a job. Thread-safe,
  // but not against the const functions for the same table.
  size_t split(uint32_t table, uint32_t key, const SignatureRows& rows, std::span<uint32_t> members,
               const Visit& visit, const VisitWhole& whole = nullptr, ThreadPool* pool = nullptr);

  // The part that an id is in, by its key in the table: the key itself where its bucket was not
  // split, else 64 well-mixed bits, which two parts share with a chance of 2^-64.
  uint64_t part(uint32_t table, uint64_t table_key, uint32_t id,
                std::span<const uint16_t> signature) const {
    return place_of(
               table, table_key, id, [&](uint32_t lane) { return signature[lane]; },
               [&] { return signature; })
        .part;
  }
  BucketPlace place(uint32_t table, uint64_t table_key, const SignatureRows& rows,
                    uint32_t row) const override {
    std::vector<uint16_t> buffer;
    return place_of(
        table, table_key, rows.id(row), [&](uint32_t lane) { return rows.value(row, lane); },
        [&] {
          buffer.resize(lanes());
          return rows.values(row, buffer);
        });
  }

 private:
  using Nodes = boost::unordered_flat_set<uint64_t>;
  using Pivots = boost::unordered_flat_map<uint64_t, std::vector<Pivot>>;  // by node
  // Coordinates are 16 bits; behind them come the parts of pivots.
  static constexpr uint32_t first_pivot = 1 << 16;
  static constexpr size_t smallest_whole_ = largest_bucket;  // of whole parts; they are larger
  static constexpr size_t largest_sampled_ = 64;             // of parts of sampled ones

  // In which tables an id is one of the samples: the first four where it is in a whole part.
  // Thread-safe for different ids.
  class Turns {
   public:
    explicit Turns(size_t ids) : turns_(ids) {}
    // To be called once for a table and id, in the order of tables.
    bool take(uint32_t table, uint32_t id) {
      uint16_t& turn = turns_[id];
      if (turn >= full) return false;
      turn = ++turn == most ? static_cast<uint16_t>(full + table) : turn;
      return true;
    }
    // REQUIRES: the id was in a whole part of the table.
    bool has_had(uint32_t table, uint32_t id) const {
      return turns_[id] < full || table + full <= turns_[id];
    }

   private:
    static constexpr uint16_t most = 4;
    static constexpr uint16_t full = 8;  // and the last table
    std::vector<uint16_t> turns_;
  };

  class Splitter;

  // A node is named by its key and the values on the way to it; a root by its key.
  static uint64_t child_of(uint64_t node, uint32_t value);

  template <class Value>
  uint32_t coordinate(uint32_t table, uint32_t depth, uint32_t id, const Value& value) const {
    return depth < lanes() ? value(lane(table, depth)) : id_bit(table, depth - lanes(), id);
  }
  uint32_t lanes() const { return static_cast<uint32_t>(lane_order_.size()); }
  // Each table starts at another place of the order, so that a pair which one table separates is
  // not separated by the same lanes in the next.
  uint32_t lane(uint32_t table, uint32_t depth) const {
    return lane_order_[(depth + 7 * table) % lanes()];
  }
  static uint32_t id_bit(uint32_t table, uint32_t depth, uint32_t id);

  template <class Value, class Values>
  BucketPlace place_of(uint32_t table, uint64_t table_key, uint32_t id, const Value& value,
                       const Values& values) const {
    const Nodes& nodes = nodes_[table];
    uint64_t node = bucket_key(table_key);
    if (!any(table) || !is_split(table, node)) return {.part = table_key};
    for (uint32_t depth = 0;; ++depth) {
      if (const auto pivots = pivots_[table].find(node); pivots != pivots_[table].end()) {
        const std::span<const uint16_t> row = values();
        const auto near = std::ranges::find_if(
            pivots->second, [&](const Pivot& pivot) { return pivot.is_near(row); });
        if (near != pivots->second.end()) {
          const auto number = static_cast<uint32_t>(near - pivots->second.begin());
          node = child_of(node, first_pivot + number);
          if (whole_part_use_ == WholePartUse::sampled)
            return sampled_place(table, node, id, value);
          return {node, whole_part_use_ == WholePartUse::kept, true};
        }
      }
      if (!nodes.contains(node)) return {depth == 0 ? table_key : node, false, true};
      node = child_of(node, coordinate(table, depth, id, value));
    }
  }
  // In the whole part of a node, which is sampled.
  template <class Value>
  BucketPlace sampled_place(uint32_t table, uint64_t node, uint32_t id, const Value& value) const {
    if (!turns_.has_had(table, id)) return {mix64(node + id), true, true};
    for (uint32_t depth = 0; nodes_[table].contains(node); ++depth) {
      node = child_of(node, sample_coordinate(table, depth, id, value));
    }
    return {node, false, true};
  }
  // By lanes in every other table, so that the nearest meet; else at random, so that all meet some.
  template <class Value>
  uint32_t sample_coordinate(uint32_t table, uint32_t depth, uint32_t id,
                             const Value& value) const {
    return table % 2 == 0 ? coordinate(table, depth, id, value) : id_bit(table, depth, id);
  }
  bool is_split(uint32_t table, uint64_t node) const {
    return nodes_[table].contains(node) || pivots_[table].contains(node);
  }

  std::vector<size_t> largest_;       // by table
  std::vector<uint16_t> lane_order_;  // a permutation of the lanes
  PivotRule pivots_rule_;
  WholePartUse whole_part_use_;
  Turns turns_;
  std::vector<Nodes> nodes_;    // by table
  std::vector<Pivots> pivots_;  // by table
  // Of nodes_ and pivots_, for split().
  std::unique_ptr<std::mutex> mutex_ = std::make_unique<std::mutex>();
};

}  // namespace kith::similar
