// kith::BagVerifier: the similarities of candidates, exactly.
#include "distributed/bag_verifier.h"

#include <algorithm>
#include <utility>

#include "api/batch.h"
#include "similar/query_weights.h"

namespace kith {

BagVerifier::BagVerifier(std::unique_ptr<State> state) : state_(std::move(state)) {}
BagVerifier::~BagVerifier() = default;
BagVerifier::BagVerifier(BagVerifier&&) noexcept = default;
BagVerifier& BagVerifier::operator=(BagVerifier&&) noexcept = default;

Status BagVerifier::add(const PackedBags& bags) {
  return run::guarded([&] { return state_->bags.add(bags); });
}

size_t BagVerifier::size() const {
  return state_->bags.collection().size();
}

Result<std::vector<uint32_t>> BagVerifier::sums(std::span<const uint32_t> a,
                                                std::span<const uint32_t> b) const {
  KITH_TRY(api::check_size(b.size(), a.size()));
  KITH_TRY(api::check_ids(a, size()));
  KITH_TRY(api::check_ids(b, size()));
  return run::guarded([&]() -> Result<std::vector<uint32_t>> {
    constexpr size_t ahead = 12;  // entries of bags that come next are fetched
    const sketch::BagCollection bags = state_->bags.collection();
    std::vector<uint32_t> sums(a.size());
    similar::QueryWeights weights;
    for (size_t begin = 0, end = 0; begin < a.size(); begin = end) {
      while (end < a.size() && a[end] == a[begin]) ++end;
      const bool pays = similar::weights_pay(end - begin);
      weights.set(bags[a[begin]], pays ? state_->bags.term_limit() : UINT64_MAX);
      for (size_t i = begin; i < end; ++i) {
        if (i + ahead < b.size()) bags.prefetch_entries(b[i + ahead]);
        const uint32_t sum = weights.sum_with(bags[b[i]]);
        if (sum >= state_->least) sums[i] = sum;
      }
      weights.clear();
    }
    return sums;
  });
}

}  // namespace kith
