// kith::BagPartPairs: the similar bags inside of whole parts.
#include "distributed/bag_part_pairs.h"

#include <utility>

#include "api/batch.h"
#include "sketch/signature.h"

namespace kith {

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
