#include "kith/minhash.h"

#include <utility>
#include <vector>

#include "api/batch.h"
#include "base/hash.h"
#include "cluster/plan/seeds.h"
#include "sketch/lanes.h"
#include "sketch/minhash.h"

namespace kith {
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

}  // namespace kith
