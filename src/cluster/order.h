// Scan orders: in which order CENTER meets the ids. It decides more than the algorithm does
// (docs/algorithms/center.md).
//
// A scan order is an array of ids, each at most once: order[rank] = id. It may leave ids out;
// those get no center. All functions are pure; those that take a pool are deterministic for
// any number of threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "kith/options.h"
#include "kith/status.h"

#include "base/memory.h"
#include "base/parallel/thread_pool.h"
#include "sketch/bag.h"
#include "sketch/signature.h"
#include "storage/file_system.h"

namespace kith::cluster {

// What `automatic` means: degree with the exact engine, which has the pairs at hand, and mass
// with the tables.
constexpr Order resolve_order(Order order, bool exact_engine) {
  if (order != Order::automatic) return order;
  return exact_engine ? Order::degree : Order::mass;
}

// Ids by key, the largest first, ties by id. For degree, LSH mass (lsh_buckets.h), in-links.
// Memory: 32 bytes per id while it works.
std::vector<uint32_t> order_by_key(std::span<const uint64_t> keys, ThreadPool& pool);

// 0, 1, ..., n - 1: by URL, since ids are given in URL order.
std::vector<uint32_t> order_by_id(size_t n);

// A uniform permutation (Fisher-Yates). With it CENTER is the Pivot algorithm, a
// 3-approximation of correlation clustering (Ailon, Charikar, Newman 2008).
std::vector<uint32_t> random_order(size_t n, uint64_t seed);

// Bags and signatures in an order that is not that of their ids, streamed: the scan order of
// CENTER, or cluster by cluster.
struct Row {
  uint32_t id;
  sketch::Bag bag;
  std::span<const uint16_t> signature;  // empty when the rows were made without
};

// Where rows go when they are too many for the memory.
struct RowSpill {
  storage::FileSystem* fs = nullptr;  // null: the rows stay where they are, and nothing else counts
  ThreadPool* pool = nullptr;         // deals the rows out and reads them; not null
  std::string folder;                 // exists; the files in it go with the OrderedRows
  uint64_t part_bytes = 0;            // of the part that is in memory at a time; > 0
  size_t part_rows = SIZE_MAX;        // of a part, at most; > 0
};

// The rows of `order`, position by position. Without a spill they are views of the bags and
// signatures wherever these lie. With one, they are copied: the bags are read once in the order of
// ids and dealt out to files, one for each part of the order that fits part_bytes, and load()
// brings one part at a time into memory. Thread-safe between two calls of load().
class OrderedRows {
 public:
  // `order`: ids, each at most once; it, and what the bags and signatures are views of, must
  // outlive this object. `signatures` may be empty.
  static Result<OrderedRows> make(const sketch::BagCollection& bags,
                                  const sketch::Signatures& signatures,
                                  std::span<const uint32_t> order, const RowSpill& spill);
  ~OrderedRows();
  OrderedRows(OrderedRows&& other) noexcept;
  OrderedRows& operator=(OrderedRows&&) = delete;

  size_t size() const { return order_.size(); }
  std::span<const uint32_t> order() const { return order_; }
  // Whether the rows stay where they are, and are views of what outlives this object.
  bool stay() const { return fs_ == nullptr; }
  // Bytes of the average row of such a collection.
  static double mean_bytes(const sketch::BagCollection& bags, const sketch::Signatures& signatures);

  // Makes rows from `position` on readable, and no others; returns the position behind the last
  // of them. Free when they are readable already. REQUIRES: position < size().
  Result<size_t> load(size_t position);

  // A row that the last load() has made readable; a view until the next.
  Row operator[](size_t position) const;
  // Whether its bag is empty; the row itself is not read.
  bool is_empty(size_t position) const;
  // Have no effect but that the next access may be faster, and none for a row that is not readable.
  void prefetch_signature(size_t position) const;
  void prefetch_bag(size_t position) const;

 private:
  OrderedRows(const sketch::BagCollection& bags, const sketch::Signatures& signatures,
              std::span<const uint32_t> order)
      : bags_(bags), signatures_(signatures), order_(order) {}

  // Of the loaded part: where a row begins in it, and how many entries its bag has.
  struct Place {
    uint64_t begin;
    uint32_t entries;
  };

  uint64_t row_bytes(uint32_t id) const;
  size_t part_of(size_t position) const;
  std::span<const uint16_t> signature_of(uint32_t id) const;
  bool is_readable(size_t position) const;
  const Place& place(size_t position) const { return places_[position - part_begin_[loaded_]]; }
  const std::byte* row_at(size_t position) const { return bytes_.data() + place(position).begin; }
  // Where the parts begin.
  void divide(const RowSpill& spill);
  Status deal_out(const RowSpill& spill);
  Status read_part(size_t part);
  Status read_bytes(size_t part);
  std::string part_path(size_t part) const;
  Error damaged(size_t part) const;

  sketch::BagCollection bags_;
  sketch::Signatures signatures_;
  std::span<const uint32_t> order_;

  storage::FileSystem* fs_ = nullptr;
  ThreadPool* pool_ = nullptr;
  std::string folder_;
  std::vector<size_t> part_begin_;  // positions, and one past the end; empty without a spill
  size_t loaded_ = SIZE_MAX;        // part
  LargeVector<std::byte> bytes_;    // of it
  std::vector<Place> places_;       // of its rows, by position in it
};

}  // namespace kith::cluster
