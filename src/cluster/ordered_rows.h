// Bags and signatures in an order that is not that of their ids, streamed: the scan order of
// CENTER, or cluster by cluster.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kith/status.h"

#include "sketch/bag.h"
#include "sketch/signature.h"
#include "storage/file_system.h"

namespace kith::cluster {

struct Row {
  uint32_t id;
  Bag bag;
  std::span<const uint16_t> signature;  // empty when the rows were made without
};

// Where rows go when they are too many for the memory.
struct RowSpill {
  storage::FileSystem* fs = nullptr;  // null: the rows stay where they are
  std::string folder;                 // exists; the files in it go with the OrderedRows
  uint64_t part_bytes = 0;            // of the part that is in memory at a time; > 0
};

// The rows of `order`, position by position. Without a spill they are views of the bags and
// signatures wherever these lie. With one, they are copied: the bags are read once in the order of
// ids and dealt out to files, one for each stretch of the order that fits part_bytes, and load()
// brings one stretch at a time into memory and puts it in order. Thread-safe between two calls
// of load().
class OrderedRows {
 public:
  // `order`: ids, each at most once; it, and what the bags and signatures are views of, must
  // outlive this object. `signatures` may be empty.
  static Result<OrderedRows> make(const BagCollection& bags, const Signatures& signatures,
                                  std::span<const uint32_t> order, const RowSpill& spill);
  ~OrderedRows();
  OrderedRows(OrderedRows&& other) noexcept;
  OrderedRows& operator=(OrderedRows&&) = delete;

  size_t size() const { return order_.size(); }
  std::span<const uint32_t> order() const { return order_; }
  // Whether the rows stay where they are, and are views of what outlives this object.
  bool stay() const { return fs_ == nullptr; }
  // Bytes of the average row of such a collection.
  static double mean_bytes(const BagCollection& bags, const Signatures& signatures);

  // Makes rows from `position` on readable, and no others; returns the position behind the last
  // of them. Free when they are readable already. REQUIRES: position < size().
  Result<size_t> load(size_t position);

  // A row that the last load() has made readable; a view until the next.
  Row operator[](size_t position) const;
  // Have no effect but that the next access may be faster.
  void prefetch_signature(size_t position) const;
  void prefetch_bag(size_t position) const;

 private:
  OrderedRows(const BagCollection& bags, const Signatures& signatures,
              std::span<const uint32_t> order)
      : bags_(bags), signatures_(signatures), order_(order) {}

  uint64_t row_bytes(uint32_t id) const;
  Status deal_out(const RowSpill& spill);
  Status read_part(size_t part);
  std::string part_path(size_t part) const;
  Error damaged(size_t part) const;

  BagCollection bags_;
  Signatures signatures_;
  std::span<const uint32_t> order_;

  storage::FileSystem* fs_ = nullptr;
  std::string folder_;
  std::vector<size_t> part_begin_;      // positions, and one past the end; empty without a spill
  size_t loaded_ = SIZE_MAX;            // part
  std::unique_ptr<std::byte[]> bytes_;  // of it, in room for the largest so far
  uint64_t room_ = 0;
  std::vector<uint64_t> row_at_;  // of the loaded part: where a row begins in bytes_
};

}  // namespace kith::cluster
