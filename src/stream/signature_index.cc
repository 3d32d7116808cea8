// Leaders whose sets of shingles, or whose bags, may resemble another: LSH tables of signatures.
#include <array>

#include "kith/tune.h"

#include "base/check.h"
#include "lsh/growing_tables.h"
#include "plan/seeds.h"
#include "sketch/minhash.h"
#include "sketch/signature.h"
#include "stream/leader_index.h"

namespace kith::stream {
namespace {

using pipeline::SeedUse;

lsh::TableParams table_params(const StreamOptions& options, SeedUse use) {
  const auto plan = plan_tables(plan_similarity(options.similarity), options.recall, options.lanes,
                                options.max_tables);
  KITH_CHECK(plan.is_ok());
  lsh::TableParams params;
  params.lanes = plan->lanes;
  params.per_key = plan->per_key;
  params.tables = plan->tables;
  params.seed = seed_for(options, use);
  return params;
}

// Signatures of sets, as those of `kith dedup`.
class SetSigner {
 public:
  explicit SetSigner(const StreamOptions& options)
      : sketcher_({MinHashFamily::bins, options.lanes, seed_for(options, SeedUse::dedup_sketch)}) {}
  void sign(Features features, std::span<uint16_t> signature) const {
    sketcher_.sketch(features, signature);
  }

 private:
  SetSketcher sketcher_;
};

// Signatures of bags, as those of `kith cluster`.
class BagSigner {
 public:
  explicit BagSigner(const StreamOptions& options) : sketcher_(sketch_options(options)) {}
  void sign(Features features, std::span<uint16_t> signature) const {
    sketcher_.sketch(bag_of(features), signature);
  }

 private:
  static SketchOptions sketch_options(const StreamOptions& options) {
    SketchOptions sketch;
    sketch.lanes = options.lanes;
    sketch.seed = seed_for(options, SeedUse::sketch);
    return sketch;
  }

  Sketcher sketcher_;
};

template <class Signer>
class SignatureIndex : public LeaderIndex {
 public:
  SignatureIndex(const StreamOptions& options, SeedUse tables)
      : signer_(options), tables_(table_params(options, tables)) {}

  void add(Features features) override {
    Row row;
    tables_.add(sign(features, row), true);
  }
  void find(Features features, std::vector<uint32_t>& leaders) const override {
    Row row;
    tables_.find(sign(features, row), tables_.size(), leaders);
  }
  uint64_t bytes() const override { return tables_.bytes(); }

 private:
  static constexpr size_t max_lanes = 1024;
  using Row = std::array<uint16_t, max_lanes>;

  std::span<const uint16_t> sign(Features features, Row& row) const {
    const std::span<uint16_t> signature = std::span(row).first(tables_.params().lanes);
    signer_.sign(features, signature);
    return signature;
  }

  Signer signer_;
  lsh::GrowingTables tables_;
};

}  // namespace

std::unique_ptr<LeaderIndex> make_resemblance_index(const StreamOptions& options) {
  return std::make_unique<SignatureIndex<SetSigner>>(options, SeedUse::dedup_tables);
}

std::unique_ptr<LeaderIndex> make_bag_index(const StreamOptions& options) {
  return std::make_unique<SignatureIndex<BagSigner>>(options, SeedUse::tables);
}

}  // namespace kith::stream
