#include "kith/tables.h"

#include <utility>

#include "library/batch.h"
#include "lsh/tables.h"
#include "plan/seeds.h"
#include "plan/table_params.h"
#include "sketch/lanes.h"

namespace kith {
namespace {

constexpr size_t rows_per_chunk = 1024;

}  // namespace

struct Tables::State {
  State(const TablePlan& of, uint64_t seed)
      : plan(of),
        tables(pipeline::table_params(of, pipeline::seed_for(seed, pipeline::SeedUse::tables))) {}

  TablePlan plan;
  lsh::Tables tables;
};

Tables::Tables(std::unique_ptr<const State> state) : state_(std::move(state)) {}
Tables::~Tables() = default;
Tables::Tables(Tables&&) noexcept = default;
Tables& Tables::operator=(Tables&&) noexcept = default;

Result<Tables> Tables::make(const TablePlan& plan, uint64_t seed) {
  return pipeline::guarded([&]() -> Result<Tables> {
    KITH_TRY(check_lanes(plan.lanes, "lanes"));
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
    return library::usage(fmt::format("{} values are no whole number of signatures of {} lanes",
                                      signatures.size(), lanes));
  }
  const size_t n = signatures.size() / lanes;
  KITH_TRY(library::check_size(keys.size(), n * tables));
  return library::for_chunks(n, rows_per_chunk, threads, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      state_->tables.keys(signatures.subspan(i * lanes, lanes), keys.subspan(i * tables, tables));
    }
    return Status::ok();
  });
}

}  // namespace kith
