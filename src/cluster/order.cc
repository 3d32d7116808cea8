#include "cluster/order.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <limits>
#include <mutex>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "base/budget_shares.h"
#include "base/check.h"
#include "base/memory.h"
#include "base/parallel/radix_sort.h"
#include "base/parallel/thread_pool.h"
#include "base/random.h"

namespace kith::cluster {

std::vector<uint32_t> order_by_id(size_t n) {
  KITH_CHECK(n < std::numeric_limits<uint32_t>::max());
  std::vector<uint32_t> order(n);
  std::iota(order.begin(), order.end(), 0u);
  return order;
}

std::vector<uint32_t> order_by_key(std::span<const uint64_t> keys, ThreadPool& pool) {
  LargeArray<KeyId> sorted(keys.size());
  constexpr size_t grain = 1 << 14;
  pool.for_chunks(keys.size(), grain, [&](size_t begin, size_t end, unsigned) {
    for (size_t id = begin; id < end; ++id) sorted[id] = {~keys[id], static_cast<uint32_t>(id)};
  });
  {
    LargeArray<KeyId> scratch(keys.size());
    radix_sort(sorted.span(), scratch.span(), pool);
  }
  std::vector<uint32_t> order(keys.size());
  std::ranges::transform(sorted.span(), order.begin(), &KeyId::id);
  return order;
}

std::vector<uint32_t> random_order(size_t n, uint64_t seed) {
  std::vector<uint32_t> order = order_by_id(n);
  Rng rng(seed);
  for (size_t i = n; i > 1; --i) std::swap(order[i - 1], order[rng.below(i)]);
  return order;
}

namespace {

// A row in a part's file: its position in the part, the number of entries, the signature, padded to
// what an entry is aligned to, the entries. What most rows are asked for comes first.
struct RowHeader {
  uint32_t position;
  uint32_t entries;
};

constexpr size_t entries_at(size_t lanes) {
  constexpr size_t unit = alignof(sketch::BagEntry);
  static_assert(sizeof(sketch::BagEntry) % unit == 0);
  return (sizeof(RowHeader) + lanes * sizeof(uint16_t) + unit - 1) / unit * unit;
}

// The files of the parts, while rows are dealt out to them by several workers at once. All buffers
// together take a share of a part.
class PartWriters {
 public:
  PartWriters(storage::FileSystem& fs, std::span<const std::string> paths, uint64_t part_bytes,
              unsigned workers)
      : fs_(fs),
        block_(std::clamp<size_t>(part_of(part_bytes, Share::row_buffers) / paths.size() / workers,
                                  16 << 10, 1 << 20)),
        buffers_(workers, std::vector<std::string>(paths.size())) {
    for (const std::string& path : paths) files_.emplace_back(path);
  }

  // Each worker by one thread at a time.
  Status add(unsigned worker, size_t part, uint32_t position, const Row& row) {
    std::string& buffer = buffers_[worker][part];
    const size_t size = entries_at(row.signature.size()) + row.bag.size_bytes();
    if (buffer.size() + size > block_) KITH_TRY(flush(files_[part], buffer));
    if (buffer.empty()) buffer.reserve(block_);
    const size_t entries = buffer.size() + entries_at(row.signature.size());
    append_fixed<uint32_t>(buffer, position);
    append_fixed<uint32_t>(buffer, static_cast<uint32_t>(row.bag.size()));
    buffer += as_text(std::as_bytes(row.signature));
    buffer.resize(entries);
    buffer += as_text(std::as_bytes(row.bag));
    return Status::ok();
  }

  // REQUIRES: the workers are done.
  Status finish() {
    for (std::vector<std::string>& buffers : buffers_) {
      for (size_t part = 0; part < files_.size(); ++part) {
        KITH_TRY(flush(files_[part], buffers[part]));
      }
    }
    return Status::ok();
  }

 private:
  struct File {
    explicit File(const std::string& where) : path(where) {}
    const std::string path;
    std::mutex mutex;
    bool is_begun = false;  // guarded by mutex
  };

  Status flush(File& file, std::string& buffer) {
    if (buffer.empty()) return Status::ok();
    const std::lock_guard lock(file.mutex);
    KITH_TRY(storage::append_block(fs_, file.path, as_bytes(buffer), !file.is_begun));
    file.is_begun = true;
    buffer.clear();
    return Status::ok();
  }

  storage::FileSystem& fs_;
  const size_t block_;
  std::deque<File> files_;                         // by part
  std::vector<std::vector<std::string>> buffers_;  // by worker, by part
};

}  // namespace

Result<OrderedRows> OrderedRows::make(const sketch::BagCollection& bags,
                                      const sketch::Signatures& signatures,
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
      pool_(other.pool_),
      folder_(std::move(other.folder_)),
      part_begin_(std::move(other.part_begin_)),
      loaded_(other.loaded_),
      bytes_(std::move(other.bytes_)),
      places_(std::move(other.places_)) {}

OrderedRows::~OrderedRows() {
  if (fs_ == nullptr) return;
  for (size_t part = 0; part + 1 < part_begin_.size(); ++part) {
    // Left over, it goes with the run's other temporary files.
    clean_up([&] { return fs_->remove(part_path(part)); });
  }
}

uint64_t OrderedRows::row_bytes(uint32_t id) const {
  return entries_at(signatures_.lanes()) + bags_[id].size_bytes();
}

std::span<const uint16_t> OrderedRows::signature_of(uint32_t id) const {
  return signatures_.lanes() == 0 ? std::span<const uint16_t>() : signatures_[id];
}

double OrderedRows::mean_bytes(const sketch::BagCollection& bags,
                               const sketch::Signatures& signatures) {
  const auto count = static_cast<double>(std::max<size_t>(1, bags.size()));
  return static_cast<double>(bags.entries().size_bytes()) / count +
         static_cast<double>(entries_at(signatures.lanes()));
}

std::string OrderedRows::part_path(size_t part) const {
  return fmt::format("{}/rows-{}", folder_, part);
}

Error OrderedRows::damaged(size_t part) const {
  return {ErrorKind::corrupt,
          fmt::format("{}: has changed while it was in use; run the same command again",
                      part_path(part))};
}

void OrderedRows::divide(const RowSpill& spill) {
  uint64_t bytes = 0;
  for (size_t i = 0; i < order_.size(); ++i) {
    const uint64_t row = row_bytes(order_[i]);
    const bool full = i == 0 || i - part_begin_.back() == spill.part_rows;
    if (full || bytes + row > spill.part_bytes) {
      part_begin_.push_back(i);
      bytes = 0;
    }
    bytes += row;
  }
  part_begin_.push_back(order_.size());
}

Status OrderedRows::deal_out(const RowSpill& spill) {
  KITH_CHECK(spill.pool != nullptr && spill.part_bytes > 0 && spill.part_rows > 0);
  fs_ = spill.fs;
  pool_ = spill.pool;
  folder_ = spill.folder;
  if (order_.empty()) return Status::ok();
  divide(spill);
  std::vector<std::string> paths;
  for (size_t part = 0; part + 1 < part_begin_.size(); ++part) paths.push_back(part_path(part));
  std::vector<uint32_t> position(bags_.size(), UINT32_MAX);  // by id
  for (uint32_t i = 0; i < order_.size(); ++i) position[order_[i]] = i;

  PartWriters writers(*fs_, paths, spill.part_bytes, pool_->size());
  std::vector<sketch::BagBuffer> buffers(pool_->size());
  const double block_bytes = static_cast<double>(4 << 20) / pool_->size();
  const auto block = static_cast<size_t>(block_bytes / mean_bytes(bags_, signatures_)) + 1;
  const auto write = [&](size_t first, size_t last, unsigned worker) -> Status {
    const sketch::BagBlock some = bags_.block(first, last, buffers[worker]);
    for (size_t i = first; i < last; ++i) {
      if (position[i] == UINT32_MAX) continue;
      const auto id = static_cast<uint32_t>(i);
      const size_t part = part_of(position[i]);
      const auto in_part = position[i] - static_cast<uint32_t>(part_begin_[part]);
      KITH_TRY(writers.add(worker, part, in_part, {id, some[i], signature_of(id)}));
    }
    if (signatures_.lanes() > 0) signatures_.release(first, last);
    return Status::ok();
  };
  KITH_TRY(pool_->try_chunks(bags_.size(), block, write));
  return writers.finish();
}

size_t OrderedRows::part_of(size_t position) const {
  const auto after = std::ranges::upper_bound(part_begin_, position);
  return static_cast<size_t>(after - part_begin_.begin()) - 1;
}

Result<size_t> OrderedRows::load(size_t position) {
  KITH_CHECK(position < size());
  if (fs_ == nullptr) return size();
  const size_t part = part_of(position);
  if (part != loaded_) KITH_TRY(read_part(part));
  return part_begin_[part + 1];
}

Status OrderedRows::read_part(size_t part) {
  loaded_ = SIZE_MAX;
  KITH_TRY(read_bytes(part));
  const size_t rows = part_begin_[part + 1] - part_begin_[part];
  places_.assign(rows, {UINT64_MAX, 0});
  uint64_t at = 0;
  for (size_t row = 0; row < rows; ++row) {
    if (bytes_.size() - at < sizeof(RowHeader)) return damaged(part);
    RowHeader header;
    std::memcpy(&header, bytes_.data() + at, sizeof(header));
    if (header.position >= rows || places_[header.position].begin != UINT64_MAX) {
      return damaged(part);
    }
    places_[header.position] = {at, header.entries};
    const uint64_t row_size =
        entries_at(signatures_.lanes()) + header.entries * sizeof(sketch::BagEntry);
    if (bytes_.size() - at < row_size) return damaged(part);
    at += row_size;
  }
  loaded_ = part;
  return Status::ok();
}

Status OrderedRows::read_bytes(size_t part) {
  KITH_ASSIGN(const auto file, fs_->open(part_path(part)));
  bytes_.clear();
  const std::span<std::byte> bytes = bytes_.grow(file->size());
  constexpr size_t grain = 4 << 20;
  const auto read = [&](size_t begin, size_t end, unsigned) -> Status {
    KITH_ASSIGN(const size_t got, file->read_at(begin, bytes.subspan(begin, end - begin)));
    return got < end - begin ? damaged(part) : Status::ok();
  };
  return pool_->try_chunks(bytes.size(), grain, read);
}

bool OrderedRows::is_readable(size_t position) const {
  if (fs_ == nullptr) return position < size();
  return loaded_ != SIZE_MAX && part_begin_[loaded_] <= position &&
         position < part_begin_[loaded_ + 1];
}

void OrderedRows::prefetch_signature(size_t position) const {
  if (!is_readable(position)) return;
  if (fs_ == nullptr) {
    prefetch(signature_of(order_[position]));
  } else {
    prefetch(std::span(row_at(position), entries_at(signatures_.lanes())));
  }
}

void OrderedRows::prefetch_bag(size_t position) const {
  if (is_readable(position)) prefetch((*this)[position].bag);
}

bool OrderedRows::is_empty(size_t position) const {
  return fs_ == nullptr ? bags_[order_[position]].empty() : place(position).entries == 0;
}

Row OrderedRows::operator[](size_t position) const {
  const uint32_t id = order_[position];
  if (fs_ == nullptr) return {id, bags_[id], signature_of(id)};
  const std::byte* const row = row_at(position);
  const size_t lanes = signatures_.lanes();
  const auto* const signature = reinterpret_cast<const uint16_t*>(row + sizeof(RowHeader));
  const auto* const entries = reinterpret_cast<const sketch::BagEntry*>(row + entries_at(lanes));
  return {id, {entries, place(position).entries}, {signature, lanes}};
}

}  // namespace kith::cluster
