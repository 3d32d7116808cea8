#include "jobs/paper/signature.h"

#include <algorithm>

#include "base/check.h"
#include "base/rng.h"

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

}  // namespace kith::jobs
