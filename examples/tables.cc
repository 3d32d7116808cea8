// Which signatures meet in LSH tables, and how likely that was.
#include <string_view>
#include <vector>

#include <kith/shingles.h>
#include <kith/sketches.h>
#include <kith/tables.h>
#include <kith/tune.h>

#include "example.h"

int main() {
  const std::vector<std::string_view> texts = {"a b c d e f g h i j", "a b c d e f g h i k"};
  const kith::Sets sets = value_of(kith::shingles(texts, {.width = 1, .normalize = false}));
  const kith::MinHasher hasher = value_of(kith::MinHasher::make());
  std::vector<uint16_t> rows(sets.size() * hasher.lanes());
  check(hasher.signatures(sets, rows));

  const kith::TablePlan plan = value_of(kith::plan_tables(0.8, 0.99, hasher.lanes(), 64));
  const kith::Tables tables = value_of(kith::Tables::make(plan));
  std::vector<uint64_t> keys(sets.size() * plan.tables);
  check(tables.keys(rows, keys));
  uint32_t meetings = 0;
  for (uint32_t table = 0; table < plan.tables; ++table) {
    meetings += keys[table] == keys[plan.tables + table] ? 1 : 0;
  }
  std::printf("%u tables of %u minima: met in %u; at 0.8 pairs meet with probability %.4f\n",
              plan.tables, plan.per_key, meetings, kith::recall_at(plan, 0.8));
}
