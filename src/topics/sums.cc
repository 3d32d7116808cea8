#include "topics/sums.h"

namespace kith::topics {
namespace {

constexpr size_t grain = 1024;

}  // namespace

std::vector<uint64_t> sum_all(const TopicVectors& vectors, ThreadPool& pool) {
  std::vector<std::vector<uint64_t>> sums(pool.size());
  pool.for_chunks(vectors.size(), grain, [&](size_t begin, size_t end, unsigned worker) {
    std::vector<uint64_t>& sum = sums[worker];
    sum.resize(vectors.terms());
    TopicVectors::Buffer buffer;
    for (size_t i = begin; i < end; ++i) {
      const uint64_t pages = vectors.pages(i);
      for (const Coordinate& c : vectors.read(i, buffer)) sum[c.term] += pages * c.value;
    }
  });
  std::vector<uint64_t> all(vectors.terms());
  for (const std::vector<uint64_t>& sum : sums) {
    for (size_t term = 0; term < sum.size(); ++term) all[term] += sum[term];
  }
  return all;
}

std::vector<SparseSum> sum_groups(const TopicVectors& vectors,
                                  std::span<const std::span<const uint32_t>> groups,
                                  ThreadPool& pool) {
  std::vector<SparseSum> sums(groups.size());
  std::vector<std::vector<uint32_t>> places(pool.size());
  pool.for_chunks(groups.size(), 1, [&](size_t begin, size_t end, unsigned worker) {
    std::vector<uint32_t>& place = places[worker];
    place.resize(vectors.terms(), pairs::no_id);
    TopicVectors::Buffer buffer;
    for (size_t g = begin; g < end; ++g) {
      SparseSum& sum = sums[g];
      for (const uint32_t i : groups[g]) {
        const uint64_t pages = vectors.pages(i);
        sum.pages += pages;
        for (const Coordinate& c : vectors.read(i, buffer)) {
          if (place[c.term] == pairs::no_id) {
            place[c.term] = static_cast<uint32_t>(sum.parts.size());
            sum.parts.push_back({c.term, 0});
          }
          sum.parts[place[c.term]].value += pages * c.value;
        }
      }
      for (const SparseSum::Part& part : sum.parts) place[part.term] = pairs::no_id;
    }
  });
  return sums;
}

double mean_square(std::span<const uint64_t> sum, uint64_t pages) {
  double square = 0;
  for (const uint64_t value : sum) {
    square += static_cast<double>(value) * static_cast<double>(value);
  }
  const double unit = vector_one * static_cast<double>(pages);
  return pages == 0 ? 0 : square / unit / unit;
}

}  // namespace kith::topics
