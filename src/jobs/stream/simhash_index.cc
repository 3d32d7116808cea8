// Leaders whose fingerprints lie within k bits of another, exactly: permuted tables that grow.
#include <algorithm>

#include "base/check.h"
#include "jobs/stream/leader_index.h"
#include "similar/fingerprints/growing_tables.h"
#include "sketch/lsh/permuted_tables.h"

namespace kith::jobs {
namespace {

// Tables are chosen for so many leaders; more are found as well, in more time.
constexpr uint64_t expected_leaders = 10'000'000;

class SimhashIndex : public LeaderIndex {
 public:
  SimhashIndex(const sketch::TableDesign& design, uint32_t distance)
      : tables_(design), distance_(distance) {}

  void add(Features features) override { tables_.add(features[0]); }
  void find(Features features, std::vector<uint32_t>& leaders) const override {
    tables_.find(features[0], distance_, leaders);
  }
  uint64_t bytes() const override { return tables_.bytes(); }

 private:
  similar::GrowingSimhashTables tables_;
  const uint32_t distance_;
};

class FingerprintIndex : public LeaderIndex {
 public:
  void add(Features features) override { tables_.add(features[0]); }
  void find(Features features, std::vector<uint32_t>& leaders) const override {
    tables_.find(features[0], 0, leaders);
  }
  uint64_t bytes() const override { return tables_.bytes(); }

 private:
  // At a distance of 0 there is one table, of the fingerprints as they are.
  similar::GrowingSimhashTables tables_{sketch::TableDesign{.distance = 0, .outer = 1, .inner = 0}};
};

}  // namespace

std::unique_ptr<LeaderIndex> make_simhash_index(const StreamOptions& options) {
  const auto design = sketch::choose_design(expected_leaders, options.distance, options.max_tables);
  KITH_CHECK(design.is_ok());
  return std::make_unique<SimhashIndex>(*design, options.distance);
}

std::unique_ptr<LeaderIndex> make_fingerprint_index() {
  return std::make_unique<FingerprintIndex>();
}

}  // namespace kith::jobs
