// Leaders whose sets of shingles, or whose bags, may resemble another: LSH tables of signatures.
#include <algorithm>
#include <array>

#include "base/check.h"
#include "base/row_chunks.h"
#include "cluster/plan/seeds.h"
#include "jobs/stream/leader_index.h"
#include "sketch/lsh/bounded_tables.h"
#include "sketch/lsh/chained_tables.h"
#include "sketch/lsh/tables.h"
#include "sketch/minhash.h"
#include "sketch/signature.h"

namespace kith::jobs {
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

}  // namespace kith::jobs
