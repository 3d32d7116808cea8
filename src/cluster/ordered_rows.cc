#include "cluster/ordered_rows.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"
#include "base/prefetch.h"

namespace kith::cluster {
namespace {

// A row in a part's file: its position in the part, the number of entries, the entries, the
// signature; padded to what an entry is aligned to.
struct RowHeader {
  uint32_t position;
  uint32_t entries;
};
static_assert(sizeof(RowHeader) % alignof(BagEntry) == 0);
constexpr size_t row_alignment = alignof(uint64_t);

constexpr size_t padded(size_t bytes) {
  return (bytes + row_alignment - 1) / row_alignment * row_alignment;
}

// The files of the parts, while rows are dealt out to them. All buffers together take a quarter of
// a part.
class PartWriters {
 public:
  PartWriters(storage::FileSystem& fs, std::span<const std::string> paths, uint64_t part_bytes)
      : fs_(fs), block_(std::clamp<size_t>(part_bytes / 4 / paths.size(), 16 << 10, 1 << 20)) {
    for (const std::string& path : paths) {
      parts_.push_back({path, {}, false});
      parts_.back().buffer.reserve(block_);
    }
  }

  Status add(size_t part, uint32_t position, const Row& row) {
    std::string& buffer = parts_[part].buffer;
    append_fixed<uint32_t>(buffer, position);
    append_fixed<uint32_t>(buffer, static_cast<uint32_t>(row.bag.size()));
    buffer += as_text(std::as_bytes(row.bag));
    buffer += as_text(std::as_bytes(row.signature));
    buffer.resize(padded(buffer.size()));
    return buffer.size() < block_ ? Status::ok() : flush(parts_[part]);
  }

  Status finish() {
    for (Part& part : parts_) KITH_TRY(flush(part));
    return Status::ok();
  }

 private:
  struct Part {
    std::string path;
    std::string buffer;
    bool is_begun;
  };

  Status flush(Part& part) {
    KITH_TRY(storage::append_block(fs_, part.path, as_bytes(part.buffer), !part.is_begun));
    part.is_begun = true;
    part.buffer.clear();
    return Status::ok();
  }

  storage::FileSystem& fs_;
  const size_t block_;
  std::vector<Part> parts_;
};

}  // namespace

Result<OrderedRows> OrderedRows::make(const BagCollection& bags, const Signatures& signatures,
                                      std::span<const uint32_t> order, const RowSpill& spill) {
  KITH_CHECK(bags.size() < UINT32_MAX && order.size() <= bags.size());
  OrderedRows rows(bags, signatures, order);
  if (spill.fs != nullptr) KITH_TRY(rows.deal_out(spill));
  return rows;
}

OrderedRows::OrderedRows(OrderedRows&& other) noexcept
    : bags_(other.bags_),
      signatures_(other.signatures_),
      order_(other.order_),
      fs_(std::exchange(other.fs_, nullptr)),
      folder_(std::move(other.folder_)),
      part_begin_(std::move(other.part_begin_)),
      loaded_(other.loaded_),
      bytes_(std::move(other.bytes_)),
      room_(std::exchange(other.room_, 0)),
      row_at_(std::move(other.row_at_)) {}

OrderedRows::~OrderedRows() {
  if (fs_ == nullptr) return;
  for (size_t part = 0; part + 1 < part_begin_.size(); ++part) {
    // Left over, it goes with the run's other temporary files.
    static_cast<void>(fs_->remove(part_path(part)));
  }
}

uint64_t OrderedRows::row_bytes(uint32_t id) const {
  return padded(sizeof(RowHeader) + bags_[id].size_bytes() +
                signatures_.lanes() * sizeof(uint16_t));
}

double OrderedRows::mean_bytes(const BagCollection& bags, const Signatures& signatures) {
  const auto count = static_cast<double>(std::max<size_t>(1, bags.size()));
  return static_cast<double>(bags.entries().size_bytes()) / count +
         static_cast<double>(sizeof(RowHeader) + signatures.lanes() * sizeof(uint16_t));
}

std::string OrderedRows::part_path(size_t part) const {
  return fmt::format("{}/rows-{}", folder_, part);
}

Error OrderedRows::damaged(size_t part) const {
  return {ErrorKind::corrupt,
          fmt::format("{}: has changed while it was in use; run the same command again",
                      part_path(part))};
}

Status OrderedRows::deal_out(const RowSpill& spill) {
  KITH_CHECK(spill.part_bytes > 0);
  fs_ = spill.fs;
  folder_ = spill.folder;
  std::vector<uint32_t> position(bags_.size(), UINT32_MAX);  // by id
  std::vector<std::string> paths;
  uint64_t bytes = 0;
  for (size_t i = 0; i < order_.size(); ++i) {
    position[order_[i]] = static_cast<uint32_t>(i);
    const uint64_t row = row_bytes(order_[i]);
    if (i == 0 || bytes + row > spill.part_bytes) {
      part_begin_.push_back(i);
      paths.push_back(part_path(paths.size()));
      bytes = 0;
    }
    bytes += row;
  }
  part_begin_.push_back(order_.size());
  if (paths.empty()) return Status::ok();

  PartWriters writers(*fs_, paths, spill.part_bytes);
  constexpr double block_bytes = 4 << 20;
  const auto block = static_cast<size_t>(block_bytes / mean_bytes(bags_, signatures_)) + 1;
  BagBuffer buffer;
  for (size_t first = 0; first < bags_.size(); first += block) {
    const size_t last = std::min(first + block, bags_.size());
    const BagBlock some = bags_.block(first, last, buffer);
    for (size_t id = first; id < last; ++id) {
      if (position[id] == UINT32_MAX) continue;
      const auto part = std::ranges::upper_bound(part_begin_, position[id]) - part_begin_.begin();
      const size_t begin = part_begin_[static_cast<size_t>(part - 1)];
      const Row row{static_cast<uint32_t>(id), some[id],
                    signatures_.lanes() == 0 ? std::span<const uint16_t>() : signatures_[id]};
      KITH_TRY(writers.add(static_cast<size_t>(part - 1),
                           position[id] - static_cast<uint32_t>(begin), row));
    }
    if (signatures_.lanes() > 0) signatures_.release(first, last);
  }
  return writers.finish();
}

Result<size_t> OrderedRows::load(size_t position) {
  KITH_CHECK(position < size());
  if (fs_ == nullptr) return size();
  const auto after = std::ranges::upper_bound(part_begin_, position);
  const auto part = static_cast<size_t>(after - part_begin_.begin()) - 1;
  if (part != loaded_) KITH_TRY(read_part(part));
  return *after;
}

Status OrderedRows::read_part(size_t part) {
  loaded_ = SIZE_MAX;
  KITH_ASSIGN(const auto file, fs_->open(part_path(part)));
  const uint64_t size = file->size();
  // The pages of memory that is asked for anew would have to be cleared each time.
  if (size > room_) {
    room_ = 0;
    bytes_.reset();
    bytes_ = std::make_unique_for_overwrite<std::byte[]>(size);
    room_ = size;
  }
  KITH_ASSIGN(const size_t got, file->read_at(0, std::span(bytes_.get(), size)));
  const size_t rows = part_begin_[part + 1] - part_begin_[part];
  row_at_.assign(rows, UINT64_MAX);
  uint64_t at = 0;
  for (size_t row = 0; row < rows; ++row) {
    if (got - at < sizeof(RowHeader)) return damaged(part);
    RowHeader header;
    std::memcpy(&header, bytes_.get() + at, sizeof(header));
    if (header.position >= rows || row_at_[header.position] != UINT64_MAX) return damaged(part);
    row_at_[header.position] = at;
    const uint64_t row_size = padded(sizeof(header) + header.entries * sizeof(BagEntry) +
                                     signatures_.lanes() * sizeof(uint16_t));
    if (got - at < row_size) return damaged(part);
    at += row_size;
  }
  loaded_ = part;
  return Status::ok();
}

void OrderedRows::prefetch_signature(size_t position) const {
  if (fs_ != nullptr) return;  // the rows lie side by side
  prefetch(signatures_[order_[position]]);
}

void OrderedRows::prefetch_bag(size_t position) const {
  if (fs_ == nullptr) prefetch(bags_[order_[position]]);
}

Row OrderedRows::operator[](size_t position) const {
  const uint32_t id = order_[position];
  if (fs_ == nullptr) {
    return {id, bags_[id],
            signatures_.lanes() == 0 ? std::span<const uint16_t>() : signatures_[id]};
  }
  const std::byte* const row = bytes_.get() + row_at_[position - part_begin_[loaded_]];
  RowHeader header;
  std::memcpy(&header, row, sizeof(header));
  const auto* const entries = reinterpret_cast<const BagEntry*>(row + sizeof(header));
  const auto* const signature = reinterpret_cast<const uint16_t*>(entries + header.entries);
  return {id, {entries, header.entries}, {signature, signatures_.lanes()}};
}

}  // namespace kith::cluster
