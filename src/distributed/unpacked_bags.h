// The bags of kith::PackedBags, as the rooms take them. Internal to this folder.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "kith/cluster_steps.h"
#include "kith/status.h"

#include "base/memory.h"
#include "similar/tables/bucket_scan.h"
#include "sketch/bag.h"

namespace kith::distributed {

class UnpackedBags {
 public:
  // An error of kind usage names what is no bag.
  static Result<UnpackedBags> make(const PackedBags& packed);

  // Puts bags behind these, all or none.
  Status add(const PackedBags& packed);
  void reserve(uint64_t entries) { entries_.reserve(entries); }

  // The bags at some places, in their order.
  UnpackedBags selected(std::span<const uint32_t> places) const;

  sketch::BagCollection collection() const { return {offsets_, entries_}; }
  uint64_t term_limit() const { return term_limit_; }  // all terms are below it

 private:
  // False for what is no bag.
  bool add_bag(std::span<const uint64_t> entries);

  std::vector<uint64_t> offsets_ = {0};
  LargeVector<sketch::BagEntry> entries_;
  uint64_t term_limit_ = 0;
};

}  // namespace kith::distributed

// What kith::GatheredBags works on. Internal to this folder.
namespace kith {

struct GatheredBags::State {
  SimilarityOptions options;
  distributed::UnpackedBags bags;
};

// What kith::BagVerifier works on. Internal to this folder.
struct BagVerifier::State {
  uint32_t least = 0;  // sum of minima of similar bags
  distributed::UnpackedBags bags;
};

// What kith::BagPartPairs works on. Internal to this folder.
struct BagPartPairs::State {
  // REQUIRES: members are places among the bags, and signatures are theirs, of so many lanes.
  static Result<std::unique_ptr<State>> make(const ClusterSteps::PartBags& input, uint32_t lanes,
                                             similar::PartPairRule rule);

  distributed::UnpackedBags bags;
  std::vector<uint8_t> plane;
  std::optional<similar::PartPairs> found = std::nullopt;  // of these
};

}  // namespace kith
