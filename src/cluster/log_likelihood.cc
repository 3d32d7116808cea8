#include "cluster/log_likelihood.h"

#include <algorithm>
#include <cmath>

namespace kith::cluster {
namespace {

constexpr size_t table_size = 1 << 14;

double n_log_n(uint64_t n) {
  const auto real = static_cast<double>(n);
  return n > 0 ? real * std::log(real) : 0;
}

// f: n_log_n(), or as good.
template <class F>
double ratio_by(const F& f, uint64_t inside, uint64_t members, uint64_t outside, uint64_t others) {
  const uint64_t with = inside + outside;
  const uint64_t without = members - inside + others - outside;
  const double cells = f(inside) + f(members - inside) + f(outside) + f(others - outside);
  const double margins = f(members) + f(others) + f(with) + f(without);
  return std::max(0.0, 2 * (cells - margins + f(members + others)));
}

}  // namespace

double log_likelihood_ratio(uint64_t inside, uint64_t members, uint64_t outside, uint64_t others) {
  return ratio_by(n_log_n, inside, members, outside, others);
}

LogLikelihood::LogLikelihood() : n_log_n_(table_size) {
  for (uint64_t n = 0; n < table_size; ++n) n_log_n_[n] = n_log_n(n);
}

double LogLikelihood::ratio(uint64_t inside, uint64_t members, uint64_t outside,
                            uint64_t others) const {
  const auto f = [&](uint64_t n) { return n < table_size ? n_log_n_[n] : n_log_n(n); };
  return ratio_by(f, inside, members, outside, others);
}

}  // namespace kith::cluster
