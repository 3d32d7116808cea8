#include "jobs/stream/leader_index.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <boost/unordered/unordered_flat_map.hpp>

#include "base/check.h"
#include "base/hash.h"
#include "base/stores.h"
#include "cluster/plan/seeds.h"
#include "similar/fingerprints/growing_tables.h"
#include "sketch/lsh/growing_tables.h"
#include "sketch/lsh/permuted_tables.h"
#include "sketch/lsh/tables.h"
#include "sketch/set_sketches.h"
#include "sketch/signature.h"

namespace kith::jobs {

std::unique_ptr<LeaderIndex> make_leader_index(const StreamOptions& options) {
  switch (options.by) {
    case StreamBy::shingles:
      return options.measure == StreamMeasure::resemblance ? make_resemblance_index(options)
                                                           : make_containment_index(options);
    case StreamBy::bags:
      return make_bag_index(options);
    case StreamBy::simhash:
      return make_simhash_index(options);
    case StreamBy::fingerprint:
      break;
  }
  return make_fingerprint_index();
}

// Leaders that may contain a document, or be contained in it. Of a document A of which the share c
// of the elements, each as likely as any other, lies in B, one of the `probes` smallest elements
// lies in B but for a chance of at most (1 - c)^probes. So leaders are listed under all of their
// elements, and, apart from that, under their smallest ones: the smaller document of a pair meets
// the larger one with its smallest elements, whichever of both came first.
namespace {

// The elements by which a document is found in others, so that the recall is reached at the
// minimum similarity.
size_t probes_of(const StreamOptions& options) {
  if (options.similarity >= 1) return 1;
  const double probes = std::log1p(-options.recall) / std::log1p(-options.similarity);
  return std::max<size_t>(1, static_cast<size_t>(std::ceil(probes)));
}

// Leaders by element.
class Lists {
 public:
  void add(uint64_t element, uint32_t leader) {
    const auto older = static_cast<uint32_t>(entries_.size());
    const auto [place, is_new] = newest_.try_emplace(element, older);
    entries_.push_back({leader, is_new ? nobody : place->second});
    place->second = older;
  }
  void find(uint64_t element, std::vector<uint32_t>& leaders) const {
    const auto place = newest_.find(element);
    if (place == newest_.end()) return;
    for (uint32_t at = place->second; at != nobody; at = entries_[at].older) {
      leaders.push_back(entries_[at].leader);
    }
  }
  uint64_t bytes() const {
    return newest_.bucket_count() * (sizeof(uint64_t) + sizeof(uint64_t)) +
           entries_.capacity() * sizeof(Entry);
  }

 private:
  static constexpr uint32_t nobody = UINT32_MAX;
  struct Entry {
    uint32_t leader;
    uint32_t older;  // of the same element
  };
  boost::unordered_flat_map<uint64_t, uint32_t> newest_;
  std::vector<Entry> entries_;
};

class ContainmentIndex : public LeaderIndex {
 public:
  explicit ContainmentIndex(const StreamOptions& options) : probes_(probes_of(options)) {}

  void add(Features features) override {
    for (const uint64_t element : features) all_.add(element, leaders_);
    for (const uint64_t element : smallest(features)) smallest_.add(element, leaders_);
    ++leaders_;
  }
  void find(Features features, std::vector<uint32_t>& leaders) const override {
    leaders.clear();
    for (const uint64_t element : smallest(features)) all_.find(element, leaders);
    for (const uint64_t element : features) smallest_.find(element, leaders);
    std::ranges::sort(leaders);
    leaders.erase(std::unique(leaders.begin(), leaders.end()), leaders.end());
  }
  uint64_t bytes() const override { return all_.bytes() + smallest_.bytes(); }

 private:
  Features smallest(Features features) const {
    return features.first(std::min(probes_, features.size()));
  }

  const size_t probes_;
  uint32_t leaders_ = 0;
  Lists all_;
  Lists smallest_;
};

}  // namespace

std::unique_ptr<LeaderIndex> make_containment_index(const StreamOptions& options) {
  return std::make_unique<ContainmentIndex>(options);
}

// Leaders whose sets of shingles, or whose bags, may resemble another: LSH tables of signatures.
namespace {

using cluster::SeedUse;

constexpr size_t max_lanes = 1024;
using Row = std::array<uint16_t, max_lanes>;
using Signature = std::span<const uint16_t>;

sketch::TableParams table_params(const StreamOptions& options, SeedUse use) {
  const auto chosen =
      sketch::choose_tables(plan_similarity(options.similarity), table_recall(options),
                            options.lanes, options.max_tables, cluster::seed_for(options, use));
  KITH_CHECK(chosen.is_ok());
  return *chosen;
}

// Signatures of sets as those of `kith dedup`.
class SetIndex : public LeaderIndex {
 public:
  explicit SetIndex(const StreamOptions& options)
      : sketcher_({sketch::MinHashFamily::bins, options.lanes,
                   cluster::seed_for(options, SeedUse::dedup_sketch)}),
        tables_(
            table_params(options, SeedUse::dedup_tables),
            options.pairs ? sketch::BoundedTables::no_limit : sketch::BoundedTables::usual_bucket),
        max_candidates_(options.pairs ? SIZE_MAX : max_candidates) {}

  void add(Features features) override {
    Row row;
    tables_.add(sign(features, row));
  }
  void find(Features features, std::vector<uint32_t>& leaders) const override {
    Row row;
    tables_.find(sign(features, row), max_candidates_, leaders);
  }
  uint64_t bytes() const override { return tables_.bytes(); }

 private:
  Signature sign(Features features, Row& row) const {
    const std::span<uint16_t> signature = std::span(row).first(tables_.params().lanes);
    sketcher_.sketch(features, signature);
    return signature;
  }

  // Whom a page is compared with, at most: of a template any number of leaders may be candidates.
  static constexpr size_t max_candidates = 256;

  sketch::SetSketcher sketcher_;
  sketch::BoundedTables tables_;
  const size_t max_candidates_;
};

// Signatures of bags as those of `kith cluster`. Bags that share a key are often no more alike than
// that: the low bytes of the last lanes, which few tables use, tell these apart.
class BagIndex : public LeaderIndex {
 public:
  explicit BagIndex(const StreamOptions& options)
      : sketcher_(sketch_options(options)),
        tables_(table_params(options, SeedUse::tables)),
        plane_lanes_(std::min(options.lanes, most_plane_lanes)),
        planes_(plane_lanes_),
        bar_(sketch::min_equal(options.similarity, plane_lanes_, plane_bits, plane_miss(options))) {
  }

  void add(Features features) override {
    Row row;
    const Signature signature = sign(features, row);
    planes_.reserve(uint64_t{tables_.size()} + 1);
    sketch::low_bytes(signature.last(plane_lanes_), {planes_[tables_.size()], plane_lanes_});
    tables_.add(signature);
  }

  void find(Features features, std::vector<uint32_t>& leaders) const override {
    Row row;
    const Signature signature = sign(features, row);
    leaders.clear();
    tables_.find(signature, [&](uint32_t leader) {
      leaders.push_back(leader);
      __builtin_prefetch(planes_[leader]);
    });
    std::array<uint8_t, most_plane_lanes> room;
    const std::span<uint8_t> plane = std::span(room).first(plane_lanes_);
    sketch::low_bytes(signature.last(plane_lanes_), plane);
    std::erase_if(leaders, [&](uint32_t leader) {
      return count_equal_(plane.data(), planes_[leader], plane_lanes_) < bar_;
    });
    std::ranges::sort(leaders);
    leaders.erase(std::unique(leaders.begin(), leaders.end()), leaders.end());
  }
  uint64_t bytes() const override { return tables_.bytes() + planes_.bytes(); }

 private:
  // A cache line of them.
  static constexpr uint32_t most_plane_lanes = 64;
  static constexpr uint32_t plane_bits = 8;

  static sketch::SketchOptions sketch_options(const StreamOptions& options) {
    sketch::SketchOptions sketch;
    sketch.lanes = options.lanes;
    sketch.seed = cluster::seed_for(options, SeedUse::sketch);
    return sketch;
  }

  Signature sign(Features features, Row& row) const {
    const std::span<uint16_t> signature = std::span(row).first(tables_.params().lanes);
    sketcher_.sketch(bag_of(features), signature);
    return signature;
  }

  sketch::Sketcher sketcher_;
  sketch::ChainedTables tables_;
  const uint32_t plane_lanes_;
  RowChunks<uint8_t> planes_;  // by leader
  const uint32_t bar_;
  const sketch::CountEqualKernel count_equal_ = sketch::count_equal_kernel();
};

}  // namespace

std::unique_ptr<LeaderIndex> make_resemblance_index(const StreamOptions& options) {
  return std::make_unique<SetIndex>(options);
}

std::unique_ptr<LeaderIndex> make_bag_index(const StreamOptions& options) {
  return std::make_unique<BagIndex>(options);
}

// Leaders whose fingerprints lie within k bits of another, exactly: permuted tables that grow.
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
