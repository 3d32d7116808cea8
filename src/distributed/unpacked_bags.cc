#include "distributed/unpacked_bags.h"

#include <algorithm>
#include <utility>

#include "api/batch.h"
#include "similar/query_weights.h"
#include "sketch/bag.h"
#include "sketch/signature.h"

namespace kith::distributed {

Result<UnpackedBags> UnpackedBags::make(const PackedBags& packed) {
  UnpackedBags bags;
  bags.reserve(packed.entries.size());
  KITH_TRY(bags.add(packed));
  return bags;
}

Status UnpackedBags::add(const PackedBags& packed) {
  const size_t before = offsets_.size();
  for (size_t i = 0; i < packed.size(); ++i) {
    const uint64_t begin = packed.offsets[i];
    const uint64_t end = packed.offsets[i + 1];
    if (begin > end || end > packed.entries.size() ||
        !add_bag(packed.entries.subspan(begin, end - begin))) {
      offsets_.resize(before);
      entries_.shrink(offsets_.back());
      return api::usage(fmt::format(
          "bag {}: its terms must ascend and its weights add up to 100; make it by features()", i));
    }
  }
  return Status::ok();
}

UnpackedBags UnpackedBags::selected(std::span<const uint32_t> places) const {
  const sketch::BagCollection all = collection();
  UnpackedBags some;
  some.offsets_.reserve(places.size() + 1);
  for (const uint32_t place : places) {
    some.offsets_.push_back(some.offsets_.back() + all[place].size());
  }
  const std::span<sketch::BagEntry> entries = some.entries_.grow(some.offsets_.back());
  for (size_t i = 0; i < places.size(); ++i) {
    std::ranges::copy(all[places[i]], entries.begin() + static_cast<ptrdiff_t>(some.offsets_[i]));
  }
  some.term_limit_ = term_limit_;
  return some;
}

bool UnpackedBags::add_bag(std::span<const uint64_t> entries) {
  const std::span<sketch::BagEntry> bag = entries_.grow(entries.size());
  if (!sketch::unpack_bag(entries, bag)) return false;
  if (!bag.empty()) term_limit_ = std::max(term_limit_, uint64_t{bag.back().term} + 1);
  offsets_.push_back(entries_.size());
  return true;
}

}  // namespace kith::distributed

// kith::GatheredBags: the clusters of bags that have come from many machines to one.
namespace kith {

GatheredBags::GatheredBags(std::unique_ptr<State> state) : state_(std::move(state)) {}
GatheredBags::~GatheredBags() = default;
GatheredBags::GatheredBags(GatheredBags&&) noexcept = default;
GatheredBags& GatheredBags::operator=(GatheredBags&&) noexcept = default;

Status GatheredBags::add(const PackedBags& bags) {
  return run::guarded([&] { return state_->bags.add(bags); });
}

size_t GatheredBags::size() const {
  return state_->bags.collection().size();
}

Result<BagClusters> GatheredBags::cluster(std::span<const uint32_t> order) && {
  KITH_TRY(api::check_ids(order, size()));
  return run::guarded([&]() -> Result<BagClusters> {
    const distributed::UnpackedBags ordered = state_->bags.selected(order);
    state_->bags = {};
    return api::cluster_collection(ordered.collection(), state_->options, 1, {});
  });
}

// kith::BagVerifier: the similarities of candidates, exactly.
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

// kith::BagPartPairs: the similar bags inside of whole parts.
Result<std::unique_ptr<BagPartPairs::State>> BagPartPairs::State::make(
    const ClusterSteps::PartBags& input, uint32_t lanes, similar::PartPairRule rule) {
  KITH_ASSIGN(distributed::UnpackedBags bags, distributed::UnpackedBags::make(input.bags));
  auto state = std::make_unique<State>(
      State{std::move(bags), std::vector<uint8_t>(input.signatures.size())});
  sketch::low_bytes(input.signatures, state->plane);
  std::vector<similar::PartMember> members;
  members.reserve(input.part_names.size());
  for (size_t i = 0; i < input.part_names.size(); ++i) {
    members.push_back({input.part_names[i], input.part_members[i]});
  }
  state->found.emplace(state->bags.collection(), sketch::SignaturePlane(state->plane, lanes),
                       members, rule, state->bags.term_limit());
  return state;
}

BagPartPairs::BagPartPairs(std::unique_ptr<State> state) : state_(std::move(state)) {}
BagPartPairs::~BagPartPairs() = default;
BagPartPairs::BagPartPairs(BagPartPairs&&) noexcept = default;
BagPartPairs& BagPartPairs::operator=(BagPartPairs&&) noexcept = default;

Result<std::vector<SimilarBags>> BagPartPairs::next(size_t most) {
  return run::guarded([&]() -> Result<std::vector<SimilarBags>> {
    std::vector<SimilarBags> similar;
    for (const similar::Pair& pair : state_->found->next(most)) {
      similar.push_back({pair.a, pair.b, pair.sum_of_minima});
    }
    return similar;
  });
}

}  // namespace kith
