#include "jobs/paper/signature_file.h"

#include <algorithm>
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

}  // namespace kith::jobs
