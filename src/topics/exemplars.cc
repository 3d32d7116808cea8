#include "topics/exemplars.h"

#include <mutex>

#include "topics/as_double.h"

namespace kith::topics {
namespace {

struct Best {
  double fit = -1;
  uint32_t node = no_group;

  void take(const Best& other) {
    if (other.fit > fit || (other.fit == fit && other.node < node)) *this = other;
  }
};

}  // namespace

std::vector<uint32_t> find_exemplars(const TopicVectors& vectors, std::span<const uint32_t> group,
                                     const TermMatrix<uint64_t>& sums, ThreadPool& pool) {
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
      found[group[i]].take({fit, static_cast<uint32_t>(i)});
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
