// kith::GatheredBags: the clusters of bags that have come from many machines to one.
#include "distributed/gathered_bags.h"

#include <utility>

#include "api/bag_cluster_job.h"
#include "api/batch.h"

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
    return api::cluster_collection(ordered.collection(), state_->options, {});
  });
}

}  // namespace kith
