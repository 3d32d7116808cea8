#include "kith/tables.h"

#include <utility>

#include "api/batch.h"
#include "cluster/plan/seeds.h"
#include "cluster/plan/table_params.h"
#include "sketch/lanes.h"
#include "sketch/lsh/tables.h"

namespace kith {
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
