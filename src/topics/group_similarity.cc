#include "topics/group_similarity.h"

namespace kith::topics {
namespace {

struct Posting {
  uint32_t group;
  float mean;
};

// The means of groups, term by term.
struct InvertedLists {
  std::vector<uint64_t> at;
  std::vector<Posting> postings;  // of a term by ascending group
  std::span<const Posting> operator[](uint32_t term) const {
    return std::span(postings).subspan(at[term], at[term + 1] - at[term]);
  }
};

double mean_of(uint64_t value, uint64_t pages) {
  return static_cast<double>(value) / (vector_one * static_cast<double>(pages));
}

InvertedLists invert(std::span<const SparseSum> groups, size_t terms) {
  InvertedLists lists;
  lists.at.assign(terms + 1, 0);
  for (const SparseSum& group : groups) {
    for (const auto& part : group.parts) ++lists.at[part.term + 1];
  }
  for (size_t term = 0; term < terms; ++term) lists.at[term + 1] += lists.at[term];
  lists.postings.resize(lists.at[terms]);
  std::vector<uint64_t> next(lists.at.begin(), lists.at.end() - 1);
  for (uint32_t g = 0; g < groups.size(); ++g) {
    for (const auto& part : groups[g].parts) {
      lists.postings[next[part.term]++] = {
          g, static_cast<float>(mean_of(part.value, groups[g].pages))};
    }
  }
  return lists;
}

}  // namespace

SimilarityMatrix centred_averages(std::span<const SparseSum> groups, std::span<const uint64_t> sum,
                                  uint64_t pages, ThreadPool& pool) {
  const size_t n = groups.size();
  SimilarityMatrix matrix(n);
  const InvertedLists lists = invert(groups, sum.size());
  std::vector<double> with_mean(n);  // mu.S_A / n_A
  pool.for_chunks(n, 1, [&](size_t begin, size_t end, unsigned) {
    std::vector<double> products(n);
    for (size_t a = begin; a < end; ++a) {
      std::ranges::fill(products, 0.0);
      for (const auto& part : groups[a].parts) {
        const double mean = mean_of(part.value, groups[a].pages);
        with_mean[a] += mean * mean_of(sum[part.term], pages);
        const auto list = lists[part.term];
        for (size_t i = list.size(); i-- > 0 && list[i].group > a;) {
          products[list[i].group] += mean * static_cast<double>(list[i].mean);
        }
      }
      for (size_t b = a + 1; b < n; ++b) matrix.at(a, b) = products[b];
    }
  });
  const double square = mean_square(sum, pages);
  for (size_t a = 0; a < n; ++a) {
    for (size_t b = a + 1; b < n; ++b) {
      matrix.at(a, b) += square - with_mean[a] - with_mean[b];
      matrix.at(b, a) = matrix.at(a, b);
    }
  }
  return matrix;
}

}  // namespace kith::topics
