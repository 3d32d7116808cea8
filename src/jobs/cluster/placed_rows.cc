#include "jobs/cluster/placed_rows.h"

#include <algorithm>

#include "run/memory_budget.h"

namespace kith::jobs {

uint64_t memory_of(const ClusterInputs& inputs) {
  return run::working_memory(inputs.memory, inputs.bags->size());
}

Result<PlacedRows> place_rows(const ClusterInputs& inputs, const sketch::Signatures& signatures,
                              std::span<const uint32_t> order, uint64_t others, ThreadPool& pool,
                              size_t part_rows) {
  const uint64_t memory = memory_of(inputs);
  const double mean = cluster::OrderedRows::mean_bytes(*inputs.bags, signatures);
  const auto all = static_cast<uint64_t>(mean * static_cast<double>(inputs.bags->size()));
  constexpr uint64_t max_part = 256 << 20;
  const uint64_t part = std::min(memory / 16, max_part);
  const bool fit = all + others <= memory;
  const auto spill = fit ? cluster::RowSpill{}
                         : cluster::RowSpill{inputs.fs, &pool, inputs.scratch, part, part_rows};
  KITH_ASSIGN(auto rows, cluster::OrderedRows::make(*inputs.bags, signatures, order, spill));
  return PlacedRows{std::move(rows), fit ? all : part};
}

}  // namespace kith::jobs
