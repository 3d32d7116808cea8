// How surprising it is that a term stands in some bags and not in others
// (docs/algorithms/labels.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace kith::cluster {

// G^2 = -2 ln(lambda) of Dunning, Accurate Methods for the Statistics of Surprise and
// Coincidence (1993), section 6: how surprising it is that `inside` of `members` and `outside`
// of `others` have a term, if both had it with the same probability. >= 0.
// REQUIRES: inside <= members, outside <= others.
double log_likelihood_ratio(uint64_t inside, uint64_t members, uint64_t outside, uint64_t others);

// The same values, with n ln n looked up where n is small, as most counts are. Immutable,
// thread-safe; 128 KiB.
class LogLikelihood {
 public:
  LogLikelihood();
  double ratio(uint64_t inside, uint64_t members, uint64_t outside, uint64_t others) const;

 private:
  std::vector<double> n_log_n_;
};

}  // namespace kith::cluster
