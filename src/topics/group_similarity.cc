#include "topics/group_similarity.h"

#include <algorithm>

#include "topics/as_double.h"
#include "topics/group_means.h"
#include "topics/sums.h"

namespace kith::topics {
namespace {

// So many rows of a matrix stay in the cache of a thread.
constexpr size_t rows_of_block = 64;

// Every so many-th row of the upper half of a matrix of products, from `first` on: all of these
// have some long rows and some short ones. What is added to a value comes by ascending term.
class ProductRows {
 public:
  ProductRows(SimilarityMatrix& matrix, size_t first, size_t step)
      : matrix_(matrix), first_(first), step_(step), rounded_(matrix.size()) {}

  // `mean` is that of all pages.
  void add(const TermMeans& means, double mean) {
    if (means.all.empty()) {
      add_some(means.some, mean);
    } else {
      add_all(means.all, mean);
    }
  }

 private:
  // What a mean counts as a factor of another.
  static double rounded(double mean) { return static_cast<double>(static_cast<float>(mean)); }

  void add_some(std::span<const GroupPart> parts, double mean) {
    for (size_t i = 0; i < parts.size(); ++i) rounded_[i] = rounded(parts[i].value.mean());
    const double* const others = rounded_.data();
    for (size_t i = 0; i < parts.size(); ++i) {
      const size_t a = parts[i].group;
      if (step_ > 1 && a % step_ != first_) continue;
      const double own = parts[i].value.mean();
      double* const row = matrix_.row(a).data();
      row[a] += own * mean;
      for (size_t j = i + 1; j < parts.size(); ++j) row[parts[j].group] += own * others[j];
    }
  }

  void add_all(std::span<const GroupValue> values, double mean) {
    for (size_t b = first_; b < values.size(); ++b) rounded_[b] = rounded(values[b].mean());
    const double* const others = rounded_.data();
    for (size_t a = first_; a < values.size(); a += step_) {
      const double own = values[a].mean();
      if (own == 0) continue;
      double* const row = matrix_.row(a).data();
      row[a] += own * mean;
      for (size_t b = a + 1; b < values.size(); ++b) row[b] += own * others[b];
    }
  }

  SimilarityMatrix& matrix_;
  const size_t first_;
  const size_t step_;
  std::vector<double> rounded_;  // of the other groups; no more than there are groups
};

}  // namespace

SimilarityMatrix centred_averages(const TopicVectors& vectors, const NodeGroups& groups,
                                  std::span<const uint64_t> sum, uint64_t memory,
                                  ThreadPool& pool) {
  const size_t n = groups.pages.size();
  const double all = vector_one * static_cast<double>(vectors.total_pages());
  // The products; in the diagonal those with the mean of all pages, mu.S_A / n_A.
  SimilarityMatrix matrix(n);
  GroupMeans means(vectors, groups, pool);
  const size_t steps = pool.size() == 1 ? 1 : std::max<size_t>(pool.size(), n / rows_of_block);
  for (uint32_t begin = 0; begin < vectors.terms();) {
    const uint32_t end = means.make(begin, memory);
    pool.for_chunks(steps, 1, [&](size_t first, size_t, unsigned) {
      ProductRows rows(matrix, first, steps);
      for (uint32_t term = begin; term < end; ++term) {
        rows.add(means[term], as_double(sum[term]) / all);
      }
    });
    begin = end;
  }
  const double square = mean_square(sum, vectors.total_pages());
  for (size_t a = 0; a < n; ++a) {
    for (size_t b = a + 1; b < n; ++b) {
      matrix.at(a, b) += square - matrix.at(a, a) - matrix.at(b, b);
      matrix.at(b, a) = matrix.at(a, b);
    }
  }
  for (size_t a = 0; a < n; ++a) matrix.at(a, a) = 0;
  return matrix;
}

}  // namespace kith::topics
