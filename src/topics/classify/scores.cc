#include "topics/classify/scores.h"

#include <algorithm>

namespace kith::topics {

SeparatorBlock::SeparatorBlock(const ExampleVectors& vectors, std::span<const uint32_t> rows,
                               uint32_t begin, uint32_t end, ThreadPool& pool)
    : vectors_(vectors),
      begin_(begin),
      width_(end - begin),
      weights_(width_ * vectors.terms()),
      constants_(width_) {
  pool.for_chunks(width_, 1, [&](size_t i, size_t, unsigned) {
    const Separator trained = train_separator(vectors, rows, begin + static_cast<uint32_t>(i));
    for (size_t term = 0; term < trained.weights.size(); ++term) {
      weights_[term * width_ + i] = trained.weights[term];
    }
    constants_[i] = trained.constant;
  });
}

void SeparatorBlock::score(sketch::Bag bag, std::vector<double>& scores, Best& best) const {
  scores.assign(width_, 0);
  for (const sketch::BagEntry& entry : bag) {
    const uint32_t term = vectors_.number_of(entry.term);
    if (term == ExampleVectors::none) continue;
    const float* const weights = &weights_[term * width_];
    for (size_t i = 0; i < width_; ++i) scores[i] += entry.weight * double{weights[i]};
  }
  const double scale = unit_scale(bag);
  for (size_t i = 0; i < width_; ++i) {
    best.offer(begin_ + static_cast<uint32_t>(i),
               static_cast<float>(scale * scores[i] + constants_[i]));
  }
}

}  // namespace kith::topics
