#include "topics/exemplars.h"

#include <mutex>
#include <tuple>

#include "topics/as_double.h"

namespace kith::topics {
namespace {

struct Best {
  int suits = -1;
  double fit = -1;
  uint32_t node = no_group;

  void take(const Best& other) {
    if (std::tie(suits, fit, other.node) < std::tie(other.suits, other.fit, node)) *this = other;
  }
};

}  // namespace

std::vector<uint32_t> find_exemplars(const TopicVectors& vectors, std::span<const uint32_t> group,
                                     const TermMatrix<uint64_t>& sums,
                                     std::span<const uint8_t> suits, ThreadPool& pool) {
  std::vector<Best> best(sums.groups());
  std::mutex mutex;
  pool.for_chunks(vectors.size(), TopicVectors::grain, [&](size_t begin, size_t end, unsigned) {
    std::vector<Best> found(sums.groups());
    TopicVectors::Stretch stretch(vectors, begin, end);
    for (size_t i = begin; i < end; ++i) {
      double fit = 0;
      for (const Coordinate& c : stretch[i]) {
        fit += as_double(c.value) * as_double(sums[c.term][group[i]]);
      }
      const int suited = suits.empty() ? 0 : suits[i];
      found[group[i]].take({suited, fit, static_cast<uint32_t>(i)});
    }
    const std::lock_guard lock(mutex);
    for (size_t g = 0; g < found.size(); ++g) best[g].take(found[g]);
  });
  std::vector<uint32_t> nodes;
  nodes.reserve(best.size());
  for (const Best& one : best) nodes.push_back(one.node);
  return nodes;
}

}  // namespace kith::topics
