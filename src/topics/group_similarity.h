// How alike groups of pages are.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/parallel/thread_pool.h"
#include "topics/group_means.h"
#include "topics/vectors.h"

namespace kith::topics {

// A symmetric matrix.
class SimilarityMatrix {
 public:
  explicit SimilarityMatrix(size_t n) : n_(n), values_(n * n) {}
  size_t size() const { return n_; }
  double& at(size_t a, size_t b) { return values_[a * n_ + b]; }
  double at(size_t a, size_t b) const { return values_[a * n_ + b]; }
  std::span<double> row(size_t a) { return std::span(values_).subspan(a * n_, n_); }

 private:
  size_t n_;
  std::vector<double> values_;
};

// The centred group average C(A, B): the mean of (x - mu).(y - mu) over all pairs of a page x of A
// and a page y of B, where mu is the mean of all pages; `sum` is that of all vectors. The diagonal
// is 0. By inverted lists, of as many terms at a time as fit into `memory` bytes, one at least. The
// same for any number of threads and any memory.
SimilarityMatrix centred_averages(const TopicVectors& vectors, const NodeGroups& groups,
                                  std::span<const uint64_t> sum, uint64_t memory, ThreadPool& pool);

}  // namespace kith::topics
