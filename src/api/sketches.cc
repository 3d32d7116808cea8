#include "kith/sketches.h"

#include <utility>
#include <vector>

#include <fmt/format.h>

#include "kith/bags.h"
#include "kith/tables.h"

#include "api/batch.h"
#include "base/hash.h"
#include "cluster/plan/seeds.h"
#include "cluster/plan/table_costs.h"
#include "sketch/estimate.h"
#include "sketch/lsh/tables.h"
#include "sketch/set_sketches.h"
#include "sketch/signature.h"
#include "sketch/simhash.h"

namespace kith {
namespace {

Status check_confidence(double confidence) {
  if (confidence > 0 && confidence < 1) return Status::ok();
  return Error{ErrorKind::usage, fmt::format("confidence {}: must lie inside (0, 1)", confidence)};
}

}  // namespace

Result<Estimate> estimate_similarity(std::span<const uint16_t> a, std::span<const uint16_t> b,
                                     double confidence) {
  KITH_TRY(check_confidence(confidence));
  if (a.empty() || a.size() != b.size()) {
    return Error{ErrorKind::usage,
                 fmt::format("signatures of {} and {} lanes: must be of one length and not empty",
                             a.size(), b.size())};
  }
  return kith::sketch::estimate_similarity(sketch::count_equal(a, b),
                                           static_cast<uint32_t>(a.size()), 16, confidence);
}

Result<Estimate> estimate_cosine(uint64_t a, uint64_t b, double confidence) {
  KITH_TRY(check_confidence(confidence));
  return kith::sketch::estimate_cosine(hamming_distance(a, b), confidence);
}

Result<Estimate> estimate_share(uint64_t hits, uint64_t trials, double confidence) {
  KITH_TRY(check_confidence(confidence));
  if (hits > trials) {
    return Error{ErrorKind::usage,
                 fmt::format("{} hits of {} trials: more than all", hits, trials)};
  }
  return sketch::share_bounds(hits, trials, confidence);
}

namespace {

constexpr size_t sets_per_chunk = 64;

}  // namespace

struct MinHasher::State {
  explicit State(const MinHashOptions& given)
      : options(given),
        sketcher({.family = sketch::MinHashFamily::bins,
                  .lanes = given.lanes,
                  .seed = cluster::seed_for(given, cluster::SeedUse::dedup_sketch)}) {}

  // `mixed` is room for elements that are no hashes.
  void sketch(std::span<const uint64_t> set, std::span<uint16_t> out,
              std::vector<uint64_t>& mixed) const {
    if (!options.hashed) {
      mixed.assign(set.begin(), set.end());
      for (uint64_t& element : mixed) element = mix64(element);
      set = mixed;
    }
    sketcher.sketch(set, out);
  }

  MinHashOptions options;
  sketch::SetSketcher sketcher;
};

Status validate(const MinHashOptions& options) {
  return sketch::check_lanes(options.lanes);
}

MinHasher::MinHasher(std::unique_ptr<const State> state) : state_(std::move(state)) {}
MinHasher::~MinHasher() = default;
MinHasher::MinHasher(MinHasher&&) noexcept = default;
MinHasher& MinHasher::operator=(MinHasher&&) noexcept = default;

Result<MinHasher> MinHasher::make(const MinHashOptions& options) {
  return run::guarded([&]() -> Result<MinHasher> {
    KITH_TRY(validate(options));
    return MinHasher(std::make_unique<const State>(options));
  });
}

const MinHashOptions& MinHasher::options() const {
  return state_->options;
}

Status MinHasher::signature(std::span<const uint64_t> set, std::span<uint16_t> out) const {
  KITH_TRY(api::check_size(out.size(), lanes()));
  return run::guarded([&] {
    std::vector<uint64_t> mixed;
    state_->sketch(set, out, mixed);
    return Status::ok();
  });
}

Status MinHasher::signatures(const SetsView& sets, std::span<uint16_t> out,
                             unsigned threads) const {
  KITH_TRY(validate(sets));
  KITH_TRY(api::check_size(out.size(), sets.size() * lanes()));
  return api::for_chunks(sets.size(), sets_per_chunk, threads, [&](size_t begin, size_t end) {
    std::vector<uint64_t> mixed;
    for (size_t i = begin; i < end; ++i) {
      state_->sketch(sets[i], out.subspan(i * lanes(), lanes()), mixed);
    }
    return Status::ok();
  });
}

namespace {

constexpr size_t signatures_per_chunk = 256;

sketch::SketchOptions sketcher_options(const BagSketchOptions& options) {
  sketch::SketchOptions sketch;
  sketch.lanes = options.lanes;
  sketch.seed = cluster::seed_for(options, cluster::SeedUse::sketch);
  return sketch;
}

}  // namespace

struct BagSketcher::State {
  explicit State(const BagSketchOptions& given)
      : options(given), sketcher(sketcher_options(given)) {}

  BagSketchOptions options;
  sketch::Sketcher sketcher;
};

Status validate(const BagSketchOptions& options) {
  return sketch::check_lanes(options.lanes);
}

BagSketcher::BagSketcher(std::unique_ptr<const State> state) : state_(std::move(state)) {}
BagSketcher::~BagSketcher() = default;
BagSketcher::BagSketcher(BagSketcher&&) noexcept = default;
BagSketcher& BagSketcher::operator=(BagSketcher&&) noexcept = default;

Result<BagSketcher> BagSketcher::make(const BagSketchOptions& options) {
  return run::guarded([&]() -> Result<BagSketcher> {
    KITH_TRY(validate(options));
    return BagSketcher(std::make_unique<const State>(options));
  });
}

const BagSketchOptions& BagSketcher::options() const {
  return state_->options;
}

Status BagSketcher::signature(const Bags& bags, size_t bag, std::span<uint16_t> out) const {
  KITH_TRY(api::check_size(out.size(), lanes()));
  if (bag >= bags.size()) {
    return api::usage(fmt::format("bag {}: there are only {}", bag, bags.size()));
  }
  state_->sketcher.sketch(bags.arrays().collection()[bag], out);
  return Status::ok();
}

Status BagSketcher::signatures(const Bags& bags, std::span<uint16_t> out, unsigned threads) const {
  KITH_TRY(api::check_size(out.size(), bags.size() * lanes()));
  const sketch::BagCollection all = bags.arrays().collection();
  return api::for_chunks(all.size(), signatures_per_chunk, threads, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      state_->sketcher.sketch(all[i], out.subspan(i * lanes(), lanes()));
    }
    return Status::ok();
  });
}

namespace {

constexpr size_t rows_per_chunk = 1024;

}  // namespace

struct Tables::State {
  State(const TablePlan& of, uint64_t seed)
      : plan(of),
        tables(cluster::table_params(of, cluster::seed_for(seed, cluster::SeedUse::tables))) {}

  TablePlan plan;
  sketch::Tables tables;
};

Tables::Tables(std::unique_ptr<const State> state) : state_(std::move(state)) {}
Tables::~Tables() = default;
Tables::Tables(Tables&&) noexcept = default;
Tables& Tables::operator=(Tables&&) noexcept = default;

Result<Tables> Tables::make(const TablePlan& plan, uint64_t seed) {
  return run::guarded([&]() -> Result<Tables> {
    KITH_TRY(sketch::check_lanes(plan.lanes));
    KITH_TRY(validate(plan));
    return Tables(std::make_unique<const State>(plan, seed));
  });
}

const TablePlan& Tables::plan() const {
  return state_->plan;
}

std::span<const uint16_t> Tables::lanes_of(uint32_t table) const {
  return state_->tables.subset(table);
}

Status Tables::keys(std::span<const uint16_t> signatures, std::span<uint64_t> keys,
                    unsigned threads) const {
  const uint32_t lanes = plan().lanes;
  const uint32_t tables = plan().tables;
  if (signatures.size() % lanes != 0) {
    return api::usage(fmt::format("{} values are no whole number of signatures of {} lanes",
                                  signatures.size(), lanes));
  }
  const size_t n = signatures.size() / lanes;
  KITH_TRY(api::check_size(keys.size(), n * tables));
  return api::for_chunks(n, rows_per_chunk, threads, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      state_->tables.keys(signatures.subspan(i * lanes, lanes), keys.subspan(i * tables, tables));
    }
    return Status::ok();
  });
}

}  // namespace kith
