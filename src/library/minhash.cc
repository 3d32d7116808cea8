#include "kith/minhash.h"

#include <utility>
#include <vector>

#include "base/hash.h"
#include "library/batch.h"
#include "plan/seeds.h"
#include "sketch/lanes.h"
#include "sketch/minhash.h"

namespace kith {
namespace {

constexpr size_t sets_per_chunk = 64;

}  // namespace

struct MinHasher::State {
  explicit State(const MinHashOptions& given)
      : options(given),
        sketcher({.family = MinHashFamily::bins,
                  .lanes = given.lanes,
                  .seed = pipeline::seed_for(given, pipeline::SeedUse::dedup_sketch)}) {}

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
  SetSketcher sketcher;
};

Status validate(const MinHashOptions& options) {
  return check_lanes(options.lanes, "lanes");
}

MinHasher::MinHasher(std::unique_ptr<const State> state) : state_(std::move(state)) {}
MinHasher::~MinHasher() = default;
MinHasher::MinHasher(MinHasher&&) noexcept = default;
MinHasher& MinHasher::operator=(MinHasher&&) noexcept = default;

Result<MinHasher> MinHasher::make(const MinHashOptions& options) {
  return pipeline::guarded([&]() -> Result<MinHasher> {
    KITH_TRY(validate(options));
    return MinHasher(std::make_unique<const State>(options));
  });
}

const MinHashOptions& MinHasher::options() const {
  return state_->options;
}

Status MinHasher::signature(std::span<const uint64_t> set, std::span<uint16_t> out) const {
  KITH_TRY(library::check_size(out.size(), lanes()));
  return pipeline::guarded([&] {
    std::vector<uint64_t> mixed;
    state_->sketch(set, out, mixed);
    return Status::ok();
  });
}

Status MinHasher::signatures(const SetsView& sets, std::span<uint16_t> out,
                             unsigned threads) const {
  KITH_TRY(validate(sets));
  KITH_TRY(library::check_size(out.size(), sets.size() * lanes()));
  return library::for_chunks(sets.size(), sets_per_chunk, threads, [&](size_t begin, size_t end) {
    std::vector<uint64_t> mixed;
    for (size_t i = begin; i < end; ++i) {
      state_->sketch(sets[i], out.subspan(i * lanes(), lanes()), mixed);
    }
    return Status::ok();
  });
}

}  // namespace kith
