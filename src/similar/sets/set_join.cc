#include "similar/sets/set_join.h"

#include <utility>
#include <vector>

#include "base/check.h"
#include "similar/sets/join_memory.h"
#include "similar/sets/set_verification.h"
#include "similar/tables/block_join.h"
#include "similar/tables/signature_rows.h"
#include "similar/too_little_memory.h"

namespace kith::similar {
namespace {

Result<RowBlocks> cut(size_t n, uint32_t lanes, uint64_t memory) {
  const size_t fitting = rows_within(memory, lanes);
  if (n <= fitting) return RowBlocks{{{0, n}}};
  if (fitting / 2 < min_block_rows(n)) {
    return too_little_memory(memory, min_set_join_memory(n, lanes), n, "documents");
  }
  return RowBlocks{cut_rows({0, n}, fitting / 2)};
}

std::vector<uint32_t> ids_of(const SignatureRows& rows, std::span<const uint32_t> members) {
  std::vector<uint32_t> ids;
  ids.reserve(members.size());
  for (const uint32_t row : members) ids.push_back(rows.id(row));
  return ids;
}

}  // namespace

uint32_t min_equal_bytes(const SetJoinOptions& options, uint32_t lanes) {
  return sketch::min_equal(options.similarity, lanes, sketch::plane_bits, options.plane_miss);
}

uint64_t min_set_join_memory(size_t documents, uint32_t lanes) {
  return memory_for_rows(2 * min_block_rows(documents), lanes);
}

Result<SetJoinStats> set_join(const HashSets& sets, std::span<const uint32_t> ids,
                              const sketch::Signatures& signatures, const sketch::Tables& tables,
                              const SetJoinOptions& options, ThreadPool& pool,
                              const SetJoinSinks& sinks,
                              const std::function<void(double share)>& progress) {
  KITH_CHECK(options.largest_bucket >= 2);
  if (ids.empty()) return SetJoinStats();
  KITH_CHECK(signatures.size() == sets.size());
  const uint32_t lanes = tables.params().lanes;
  KITH_ASSIGN(const RowBlocks blocks, cut(ids.size(), lanes, options.memory));
  const PivotRule pivots = sinks.whole_part ? pivot_rule(options.similarity, lanes) : PivotRule();
  SetVerification verification(sets, {options.similarity, options.verify}, sinks, pool);
  BlockJoinSinks found{.candidates = [&](auto& some) { return verification.verify(some); }};
  if (sinks.whole_part) {
    found.whole_part = [&](const auto& of, uint64_t part, auto members) {
      return sinks.whole_part(part, ids_of(of, members));
    };
  }
  const MappedRows rows(signatures, ids);
  BlockJoin join(rows, blocks, tables, BucketSplits(tables, options.largest_bucket, pivots),
                 {min_equal_bytes(options, lanes), verification.max_candidates(options.memory),
                  options.memory},
                 std::move(found), pool);
  KITH_ASSIGN(const SearchStats stats, join.run(progress));
  return SetJoinStats{stats.collisions, verification.verified(), verification.similar(),
                      stats.splits, blocks.first.size()};
}

}  // namespace kith::similar
