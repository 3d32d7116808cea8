// LSH tables: which signatures are worth comparing (docs/algorithms/lsh.md).
//
//   const auto plan = kith::plan_tables(0.8, 0.99, 128, 512);   // tune.h: k, l and R(s)
//   const auto tables = kith::Tables::make(*plan);
//   std::vector<uint64_t> keys(rows.size() / 128 * plan->tables);
//   if (const auto done = tables->keys(rows, keys); !done) ...
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "kith/status.h"
#include "kith/tune.h"

#pragma GCC visibility push(default)

namespace kith {

// The l keys of signatures, each made of k of their m lanes. Two signatures meet in a table when
// their keys of this table are equal, which happens in at least one table with the probability R(s)
// of recall_at(plan(), s). Immutable, thread-safe.
class Tables {
 public:
  // Uses lanes, per_key and tables of the plan. seed: decides which lanes make a key. An error of
  // kind usage: lanes no multiple of 16 in [16, 1024], per_key not in [1, 8], tables not in
  // [1, 1024].
  static Result<Tables> make(const TablePlan& plan, uint64_t seed = 1);
  ~Tables();
  Tables(Tables&&) noexcept;
  Tables& operator=(Tables&&) noexcept;

  const TablePlan& plan() const;
  // The k lanes of a table, ascending. REQUIRES: table < plan().tables.
  std::span<const uint16_t> lanes_of(uint32_t table) const;

  // The keys of n signatures, n x lanes values: row i of `keys`, n x tables values of 64 well-mixed
  // bits, has those of signature i by table. Keys of different tables are different but by chance.
  // threads: 0 is one per processor; the keys do not depend on it. An error of kind usage: sizes
  // that do not agree.
  Status keys(std::span<const uint16_t> signatures, std::span<uint64_t> keys,
              unsigned threads = 0) const;

 private:
  struct State;
  explicit Tables(std::unique_ptr<const State> state);
  std::unique_ptr<const State> state_;
};

}  // namespace kith

#pragma GCC visibility pop
