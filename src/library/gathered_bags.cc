// kith::GatheredBags: the clusters of bags that have come from many machines to one.
#include "library/gathered_bags.h"

#include <utility>

#include "library/bag_cluster_job.h"
#include "library/batch.h"

namespace kith {

GatheredBags::GatheredBags(std::unique_ptr<State> state) : state_(std::move(state)) {}
GatheredBags::~GatheredBags() = default;
GatheredBags::GatheredBags(GatheredBags&&) noexcept = default;
GatheredBags& GatheredBags::operator=(GatheredBags&&) noexcept = default;

Status GatheredBags::add(const PackedBags& bags) {
  return pipeline::guarded([&] { return state_->bags.add(bags); });
}

size_t GatheredBags::size() const {
  return state_->bags.collection().size();
}

Result<BagClusters> GatheredBags::cluster(std::span<const uint32_t> order) && {
  KITH_TRY(library::check_ids(order, size()));
  return pipeline::guarded([&]() -> Result<BagClusters> {
    const library::UnpackedBags ordered = state_->bags.selected(order);
    state_->bags = {};
    return library::cluster_collection(ordered.collection(), state_->options, {});
  });
}

}  // namespace kith
