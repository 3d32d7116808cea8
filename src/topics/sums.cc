#include "topics/sums.h"

#include "topics/as_double.h"

namespace kith::topics {
std::vector<uint64_t> sum_all(const TopicVectors& vectors, ThreadPool& pool) {
  std::vector<std::vector<uint64_t>> sums(pool.size());
  pool.for_chunks(vectors.size(), TopicVectors::grain,
                  [&](size_t begin, size_t end, unsigned worker) {
                    std::vector<uint64_t>& sum = sums[worker];
                    sum.resize(vectors.terms());
                    TopicVectors::Stretch stretch(vectors, begin, end);
                    for (size_t i = begin; i < end; ++i) {
                      const uint64_t pages = vectors.pages(i);
                      for (const Coordinate& c : stretch[i]) sum[c.term] += pages * c.value;
                    }
                  });
  std::vector<uint64_t> all(vectors.terms());
  for (const std::vector<uint64_t>& sum : sums) {
    for (size_t term = 0; term < sum.size(); ++term) all[term] += sum[term];
  }
  return all;
}

double mean_square(std::span<const uint64_t> sum, uint64_t pages) {
  double square = 0;
  for (const uint64_t value : sum) {
    square += as_double(value) * as_double(value);
  }
  const double unit = vector_one * static_cast<double>(pages);
  return pages == 0 ? 0 : square / unit / unit;
}

}  // namespace kith::topics
