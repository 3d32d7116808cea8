#include <algorithm>

#include "sketch/kernels/flatten.h"
#include "sketch/kernels/minima.h"

namespace kith::internal {
namespace {

struct Expand {
  static void run(Word word, uint32_t count, uint32_t* out) {
    for (uint32_t i = 0; i < count; ++i) out[i] = mix32(word.start + i * word.stride);
  }
};

size_t fill(const Flattening& flattening, Bag entries, Block& block) {
  return fill_block<Expand>(flattening, entries, block);
}

constexpr uint32_t width = 16;  // lanes that a compiler may keep in vectors over both loops

void update_lanes(const uint32_t* a, const uint32_t* b, const Block& block, uint32_t* minima) {
  for (size_t i = 0; i < block.whole_count; ++i) {
    for (uint32_t lane = 0; lane < width; ++lane) {
      minima[lane] = std::min(minima[lane], a[lane] * block.whole[i] + b[lane]);
    }
  }
  for (size_t i = 0; i < block.partial_count; ++i) {
    for (uint32_t lane = 0; lane < width; ++lane) {
      const uint32_t h = a[lane] * block.partial[i] + b[lane];
      const uint32_t candidate = (h & 0xffff) < block.limits[i] ? h : ~uint32_t{0};
      minima[lane] = std::min(minima[lane], candidate);
    }
  }
}

void update(const LaneHashes& hashes, const Block& block, uint32_t* minima) {
  for (uint32_t lane = 0; lane < hashes.lanes; lane += width) {
    uint32_t least[width];
    std::copy_n(minima + lane, width, least);
    update_lanes(hashes.multiplier + lane, hashes.addend + lane, block, least);
    std::copy_n(least, width, minima + lane);
  }
}

void fold(const uint32_t* minima, uint32_t lanes, uint16_t* signature) {
  std::transform(minima, minima + lanes, signature,
                 [](uint32_t h) { return static_cast<uint16_t>(mix32(h) >> 16); });
}

}  // namespace

const MinimaKernel scalar_minima = {fill, update, fold};

}  // namespace kith::internal
