#include "kith/estimate.h"

#include <fmt/format.h>

#include "sketch/estimate.h"
#include "sketch/signature.h"
#include "sketch/simhash.h"

namespace kith {
namespace {

Status check_confidence(double confidence) {
  if (confidence > 0 && confidence < 1) return Status::ok();
  return Error{ErrorKind::usage, fmt::format("confidence {}: must lie inside (0, 1)", confidence)};
}

}  // namespace

Result<Estimate> estimate_similarity(std::span<const uint16_t> a, std::span<const uint16_t> b,
                                     double confidence) {
  KITH_TRY(check_confidence(confidence));
  if (a.empty() || a.size() != b.size()) {
    return Error{ErrorKind::usage,
                 fmt::format("signatures of {} and {} lanes: must be of one length and not empty",
                             a.size(), b.size())};
  }
  return kith::sketch::estimate_similarity(sketch::count_equal(a, b),
                                           static_cast<uint32_t>(a.size()), 16, confidence);
}

Result<Estimate> estimate_cosine(uint64_t a, uint64_t b, double confidence) {
  KITH_TRY(check_confidence(confidence));
  return kith::sketch::estimate_cosine(hamming_distance(a, b), confidence);
}

Result<Estimate> estimate_share(uint64_t hits, uint64_t trials, double confidence) {
  KITH_TRY(check_confidence(confidence));
  if (hits > trials) {
    return Error{ErrorKind::usage,
                 fmt::format("{} hits of {} trials: more than all", hits, trials)};
  }
  return sketch::share_bounds(hits, trials, confidence);
}

}  // namespace kith
