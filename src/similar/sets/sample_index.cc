#include "similar/sets/sample_index.h"

#include <algorithm>
#include <bit>

namespace kith::similar {

// A posting, its copy while they are sorted, up to two cells, and its share of the filter.
uint64_t SampleIndex::bytes_of(uint64_t samples, uint64_t looked_up) {
  constexpr uint64_t posting = 2 * sizeof(KeyId) + 2 * sizeof(uint64_t) + (2u << filter_bits) / 8;
  constexpr uint64_t set = 2 * sizeof(uint32_t) + sizeof(uint64_t);
  return set + samples * sizeof(uint64_t) + looked_up * posting;
}

void SampleIndex::add(uint32_t id, std::span<const uint64_t> samples,
                      std::span<const uint64_t> looked_up, uint32_t min_common) {
  const auto number = static_cast<uint32_t>(ids_.size());
  ids_.push_back(id);
  min_common_.push_back(min_common);
  samples_.insert(samples_.end(), samples.begin(), samples.end());
  starts_.push_back(samples_.size());
  for (const uint64_t element : looked_up) postings_.push_back({element, number});
}

void SampleIndex::freeze(ThreadPool& pool) {
  {
    std::vector<KeyId> scratch(postings_.size());
    radix_sort(postings_, scratch, pool);
  }
  directory_bits_ = std::max<uint32_t>(1, static_cast<uint32_t>(std::bit_width(postings_.size())));
  const size_t cells = size_t{1} << directory_bits_;
  cells_.assign(cells + 1, 0);
  filter_.assign((cells << filter_bits) / 64 + 1, 0);
  for (const KeyId& posting : postings_) {
    ++cells_[(posting.key >> (64 - directory_bits_)) + 1];
    const uint64_t bit = posting.key >> (64 - directory_bits_ - filter_bits);
    filter_[bit / 64] |= uint64_t{1} << bit % 64;
  }
  for (size_t cell = 0; cell < cells; ++cell) cells_[cell + 1] += cells_[cell];
}

}  // namespace kith::similar
