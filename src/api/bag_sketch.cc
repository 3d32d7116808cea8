#include "kith/bag_sketch.h"

#include <utility>

#include "api/bag_arrays.h"
#include "api/batch.h"
#include "cluster/plan/seeds.h"
#include "sketch/lanes.h"
#include "sketch/signature.h"

namespace kith {
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

}  // namespace kith
