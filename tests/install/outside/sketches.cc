#include <cstdint>
#include <vector>

#include <kith/bags.h>
#include <kith/index.h>
#include <kith/sketches.h>
#include <kith/tables.h>
#include <kith/tune.h>

#include "parts.h"

namespace {

bool sets_have_sketches(const std::vector<uint64_t>& set) {
  const auto hasher = kith::MinHasher::make({.hashed = false});
  std::vector<uint16_t> rows(hasher->lanes());
  if (!hasher->signature(set, rows)) return false;
  const auto plan = kith::plan_tables(0.8, 0.99, hasher->lanes(), 64);
  const auto tables = kith::Tables::make(*plan);
  std::vector<uint64_t> keys(plan->tables);
  if (!tables->keys(rows, keys) || kith::recall_at(*plan, 0.8) < 0.99) return false;
  const auto fingerprint = kith::SimHasher().fingerprint(set);
  return fingerprint && kith::hamming_distance(*fingerprint, *fingerprint) == 0 &&
         kith::estimate_similarity(rows, rows)->value == 1;
}

bool sets_are_found(const std::vector<uint64_t>& set) {
  auto index = kith::SetIndex::make();
  return index->add(set) && index->query(set)->size() == 1;
}

bool bags_have_sketches() {
  const std::vector<uint64_t> offsets = {0, 2};
  const std::vector<uint32_t> terms = {1, 2};
  const std::vector<double> weights = {1, 2};
  const auto bags = kith::Bags::make({offsets, terms, weights});
  const auto sketcher = kith::BagSketcher::make();
  std::vector<uint16_t> row(sketcher->lanes());
  return bags && sketcher->signatures(*bags, row) && bags->similarity(0, 0) == 1;
}

}  // namespace

bool sketches_work() {
  const std::vector<uint64_t> set = {1, 2, 3};
  return sets_have_sketches(set) && sets_are_found(set) && bags_have_sketches();
}
