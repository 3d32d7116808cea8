#include "jobs/paper/signature_file.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"
#include "base/hash.h"
#include "base/random.h"

namespace kith::jobs {
namespace {

constexpr uint64_t prime = (uint64_t{1} << 61) - 1;  // of Mersenne: mod is a shift and an add
constexpr uint32_t max_copies = 200;                 // 100 of weight 1, or 200 of weight 0.5
constexpr uint64_t copies_of_word = 128;             // numbers per word and its copies apart

// a x + b mod p, for a, b < p and x < 2^62.
uint64_t linear(uint64_t a, uint64_t b, uint64_t x) {
  __extension__ using Wide = unsigned __int128;
  const Wide value = static_cast<Wide>(a) * x + b;
  const uint64_t sum = static_cast<uint64_t>(value & prime) + static_cast<uint64_t>(value >> 61);
  return sum >= prime ? sum - prime : sum;
}

}  // namespace

bool has_paper_copies(sketch::Bag bag) {
  return std::ranges::any_of(
      bag, [](const sketch::BagEntry& entry) { return paper_copies(entry.weight) > 0; });
}

PaperSketcher::PaperSketcher(uint64_t seed) {
  Rng rng(seed);
  for (Linear& function : functions_) function = {1 + rng.below(prime - 1), rng.below(prime)};
}

void PaperSketcher::sketch(sketch::Bag bag, std::span<uint32_t> minima) const {
  KITH_CHECK(minima.size() == paper_lanes);
  std::array<uint64_t, max_copies> copies;
  size_t count = 0;
  for (const sketch::BagEntry& entry : bag) {
    const uint32_t end = paper_copies(entry.weight);
    KITH_CHECK(count + end <= max_copies);
    for (uint32_t copy = 0; copy < end; ++copy)
      copies[count++] = entry.term * copies_of_word + copy;
  }
  KITH_CHECK(count > 0);
  constexpr uint32_t kept = (uint32_t{1} << (8 * paper_value_bytes)) - 1;
  for (uint32_t lane = 0; lane < paper_lanes; ++lane) {
    const auto [a, b] = functions_[lane];
    uint64_t least = prime;
    for (size_t i = 0; i < count; ++i) least = std::min(least, linear(a, b, copies[i]));
    minima[lane] = static_cast<uint32_t>(least) & kept;
  }
}

namespace {

// The minima lie in pieces of so many rows, a piece lane by lane: a round reads 96 KiB at a time.
constexpr size_t piece_rows = size_t{1} << 15;
constexpr size_t row_bytes = size_t{paper_lanes} * paper_value_bytes;

uint32_t value_at(const uint8_t* bytes) {
  return bytes[0] | static_cast<uint32_t>(bytes[1]) << 8 | static_cast<uint32_t>(bytes[2]) << 16;
}

// A piece as it is written.
struct Piece {
  std::vector<uint8_t> minima;  // lane by lane
  std::vector<uint8_t> bytes;   // row by row

  void resize(size_t rows) {
    minima.resize(rows * row_bytes);
    bytes.resize(rows * paper_lanes);
  }
  void set(size_t row, size_t rows, std::span<const uint32_t> signature) {
    for (size_t lane = 0; lane < paper_lanes; ++lane) {
      uint8_t* const at = &minima[(lane * rows + row) * paper_value_bytes];
      at[0] = static_cast<uint8_t>(signature[lane]);
      at[1] = static_cast<uint8_t>(signature[lane] >> 8);
      at[2] = static_cast<uint8_t>(signature[lane] >> 16);
      bytes[row * paper_lanes + lane] = at[0];
    }
  }
};

// The ids of the bags of which rounding leaves something.
std::vector<uint32_t> with_copies(const sketch::BagCollection& bags,
                                  std::span<const uint32_t> ids) {
  std::vector<uint32_t> rows;
  sketch::BagBuffer buffer;
  const size_t piece_bags = bags.bags_in(1 << 20);
  for (size_t first = 0; first < ids.size(); first += piece_bags) {
    const auto piece = ids.subspan(first, std::min(piece_bags, ids.size() - first));
    const sketch::BagBlock block = bags.block(piece.front(), piece.back() + 1, buffer);
    std::ranges::copy_if(piece, std::back_inserter(rows),
                         [&](uint32_t id) { return has_paper_copies(block[id]); });
  }
  return rows;
}

Status read_all(const storage::ReadableFile& file, const std::string& path, uint64_t offset,
                std::span<uint8_t> out) {
  KITH_ASSIGN(const size_t got, file.read_at(offset, std::as_writable_bytes(out)));
  if (got == out.size()) return Status::ok();
  return Error{ErrorKind::corrupt,
               fmt::format("{} ends at byte {}, before its size; something else wrote to it", path,
                           offset + got)};
}

}  // namespace

Result<PaperSignatureFile> PaperSignatureFile::create(storage::FileSystem& fs,
                                                      const std::string& scratch,
                                                      const sketch::BagCollection& bags,
                                                      std::span<const uint32_t> ids, uint64_t seed,
                                                      ThreadPool& pool) {
  PaperSignatureFile file;
  file.path_ = scratch;
  file.ids_ = with_copies(bags, ids);
  const PaperSketcher sketcher(seed);
  KITH_ASSIGN(const auto minima, fs.create(scratch + ".minima"));
  KITH_ASSIGN(const auto bytes, fs.create(scratch + ".bytes"));
  Piece piece;
  std::vector<sketch::BagBuffer> buffers(pool.size());
  for (size_t first = 0; first < file.size(); first += piece_rows) {
    const size_t rows = std::min(piece_rows, file.size() - first);
    piece.resize(rows);
    pool.for_chunks(rows, 256, [&](size_t begin, size_t end, unsigned worker) {
      const sketch::BagBlock block =
          bags.block(file.id(first + begin), file.id(first + end - 1) + 1, buffers[worker]);
      std::array<uint32_t, paper_lanes> signature;
      for (size_t row = begin; row < end; ++row) {
        sketcher.sketch(block[file.id(first + row)], signature);
        piece.set(row, rows, signature);
      }
    });
    KITH_TRY(minima->append(as_bytes(std::span<const uint8_t>(piece.minima))));
    KITH_TRY(bytes->append(as_bytes(std::span<const uint8_t>(piece.bytes))));
  }
  KITH_TRY(minima->close());
  KITH_TRY(bytes->close());
  KITH_ASSIGN(file.minima_, fs.open(scratch + ".minima"));
  KITH_ASSIGN(file.bytes_, fs.open(scratch + ".bytes"));
  return file;
}

Status PaperSignatureFile::keys(const PaperLanes& lanes,
                                const std::function<Status(std::span<const KeyId>)>& take) const {
  std::array<std::vector<uint8_t>, paper_per_key> values;
  std::vector<KeyId> keys;
  for (size_t first = 0; first < size(); first += piece_rows) {
    const size_t rows = std::min(piece_rows, size() - first);
    for (size_t i = 0; i < paper_per_key; ++i) {
      values[i].resize(rows * paper_value_bytes);
      const uint64_t at = first * row_bytes + lanes[i] * values[i].size();
      KITH_TRY(read_all(*minima_, path_ + ".minima", at, values[i]));
    }
    keys.resize(rows);
    for (size_t row = 0; row < rows; ++row) {
      const size_t at = row * paper_value_bytes;
      const uint64_t two = uint64_t{value_at(&values[0][at])} << 24 | value_at(&values[1][at]);
      keys[row] = {mix64(mix64(two) + value_at(&values[2][at])),
                   static_cast<uint32_t>(first + row)};
    }
    KITH_TRY(take(keys));
  }
  return Status::ok();
}

Status PaperSignatureFile::low_bytes(size_t first, std::span<uint8_t> bytes) const {
  KITH_CHECK(bytes.size() % paper_lanes == 0 && first + bytes.size() / paper_lanes <= size());
  return read_all(*bytes_, low_bytes_path(), first * paper_lanes, bytes);
}

namespace {

constexpr size_t max_pending = size_t{1} << 16;

// Adds the time of its life to a number of seconds.
class Timer {
 public:
  explicit Timer(double& seconds) : seconds_(seconds) {}
  ~Timer() {
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start_;
    seconds_ += time.count();
  }
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

 private:
  double& seconds_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace

PaperFilter::PaperFilter(storage::FileSystem& fs, const PaperSignatureFile& signatures,
                         PaperFilterOptions options, ThreadPool& pool, Sink sink)
    : fs_(&fs),
      signatures_(&signatures),
      options_(std::move(options)),
      pool_(&pool),
      sink_(std::move(sink)) {
  const size_t rows = std::max<size_t>(1, signatures.size());
  block_rows_ = rows;
  if (rows * paper_lanes > options_.memory.bytes()) {
    // Of the two blocks of a pass.
    block_rows_ =
        std::max<size_t>(1, options_.memory.share(Share::paper_rows).each(2).bytes() / paper_lanes);
  }
  blocks_ = (rows + block_rows_ - 1) / block_rows_;
}

Result<PaperFilter> PaperFilter::create(storage::FileSystem& fs,
                                        const PaperSignatureFile& signatures,
                                        PaperFilterOptions options, ThreadPool& pool, Sink sink) {
  PaperFilter filter(fs, signatures, std::move(options), pool, std::move(sink));
  if (filter.blocks_ == 1) KITH_TRY(filter.load(0, filter.left_));
  return filter;
}

Status PaperFilter::load(size_t block, Plane& plane) const {
  plane.first = block * block_rows_;
  const size_t rows = std::min(block_rows_, signatures_->size() - plane.first);
  plane.bytes.resize(rows * paper_lanes);
  return signatures_->low_bytes(plane.first, plane.bytes);
}

Status PaperFilter::add(uint32_t row_a, uint32_t row_b) {
  ++candidates_;
  if (blocks_ > 1) return defer({row_a, row_b});
  pending_.push_back({row_a, row_b});
  return pending_.size() < max_pending ? Status::ok() : test_pending(left_, left_);
}

Status PaperFilter::end_round() {
  if (blocks_ == 1) return test_pending(left_, left_);
  return deferred_ ? run_passes() : Status::ok();
}

Status PaperFilter::test_pending(const Plane& left, const Plane& right) {
  const Timer timer(seconds_);
  const sketch::CountEqualKernel count_equal = sketch::count_equal_kernel();
  equal_.resize(pending_.size());
  pool_->for_chunks(pending_.size(), 4096, [&](size_t begin, size_t end, unsigned) {
    for (size_t i = begin; i < end; ++i) {
      const auto [a, b] = pending_[i];
      equal_[i] = static_cast<uint8_t>(count_equal(left.row(a), right.row(b), paper_lanes));
    }
  });
  for (size_t i = 0; i < pending_.size(); ++i) {
    if (equal_[i] < paper_min_equal) continue;
    KITH_TRY(sink_(pending_[i].a, pending_[i].b, equal_[i]));
  }
  pending_.clear();
  return Status::ok();
}

// Sorted by the blocks of its rows, all pairs of a pass come one after the other.
Status PaperFilter::defer(Candidate candidate) {
  if (!deferred_) {
    deferred_ = std::make_unique<storage::ExternalSort>(
        *fs_, *pool_,
        storage::ExternalSortOptions{.scratch = options_.scratch,
                                     .memory = options_.memory.bytes(Share::paper_passes),
                                     .block = options_.block});
  }
  const uint64_t pass = candidate.a / block_rows_ * blocks_ + candidate.b / block_rows_;
  return deferred_->append({pass << 32 | candidate.a, candidate.b});
}

Status PaperFilter::run_passes() {
  KITH_ASSIGN(auto sorted, deferred_->finish());
  uint64_t pass = UINT64_MAX;
  size_t left_block = SIZE_MAX;
  for (;;) {
    KITH_ASSIGN(const auto block, sorted.next());
    if (block.empty()) break;
    for (const KeyId& candidate : block) {
      const uint64_t next = candidate.key >> 32;
      if (next != pass || pending_.size() == max_pending) KITH_TRY(test_pending(left_, right_));
      if (next != pass) {
        if (next / blocks_ != left_block) KITH_TRY(load(next / blocks_, left_));
        KITH_TRY(load(next % blocks_, right_));
        left_block = next / blocks_;
        pass = next;
      }
      pending_.push_back({static_cast<uint32_t>(candidate.key), candidate.id});
    }
  }
  KITH_TRY(test_pending(left_, right_));
  deferred_.reset();
  return Status::ok();
}

}  // namespace kith::jobs
