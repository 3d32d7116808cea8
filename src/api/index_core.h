// What the indexes of sets and of bags share: signatures, tables, and the way from candidates to
// matches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "kith/index.h"
#include "kith/status.h"

#include "sketch/lsh/growing_tables.h"

namespace kith::api {

// As thread-safe as sketch::GrowingTables.
class IndexCore {
 public:
  // The similarity of what is asked for with an id.
  using Exact = std::function<double(uint32_t id)>;

  // options: valid. plan: that of the options.
  IndexCore(const IndexOptions& options, const TablePlan& plan);

  const IndexOptions& options() const { return options_; }
  const TablePlan& plan() const { return plan_; }
  uint32_t size() const { return tables_.size(); }
  std::span<const uint16_t> row(uint32_t id) const {
    return std::span(rows_).subspan(size_t{id} * options_.lanes, options_.lanes);
  }

  // An error of kind usage when there would be too many.
  Status check_room(size_t more) const;
  // Makes room, so that the next append() of so many rows does not fail.
  void reserve(size_t more);
  // Adds rows of signatures; is_listed(i): whether row i of them can be found.
  void append(std::span<const uint16_t> rows, const std::function<bool(size_t)>& is_listed);

  // Of the ids below `end` those whose signature is near `row` and whose exact similarity is that
  // of the options at least: most similar first, ties by id.
  std::vector<Match> matches(std::span<const uint16_t> row, uint32_t end, const Exact& exact) const;

  // All pairs, ascending. exact: of two ids.
  Result<std::vector<SimilarIds>> pairs(const std::function<double(uint32_t a, uint32_t b)>& exact,
                                        unsigned threads) const;

 private:
  IndexOptions options_;
  TablePlan plan_;
  uint32_t min_equal_;  // lanes of a candidate
  sketch::GrowingTables tables_;
  std::vector<uint16_t> rows_;
};

// The plan of valid options: the largest keys that reach the recall.
Result<TablePlan> plan_of(const IndexOptions& options);

}  // namespace kith::api
