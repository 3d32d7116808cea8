// The items of test sets, as tokens.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kith/contaminated.h"
#include "kith/progress.h"
#include "kith/status.h"

#include "base/budget.h"
#include "jobs/contaminated/token_ids.h"

namespace kith::jobs {

// What is looked for: once for all items of a suite that have the same tokens.
struct ItemText {
  uint32_t suite = 0;
  uint32_t size = 0;   // tokens
  uint64_t begin = 0;  // in TestSets::tokens
};

struct Item {
  std::string name;
  uint32_t text = 0;  // of TestSets::texts
};

struct Suite {
  ContaminatedSuite counts;
  std::vector<Item> items;  // that are looked for, in the order of the rows
};

struct TestSets {
  std::vector<Suite> suites;    // by name
  std::vector<ItemText> texts;  // by suite, in the order of their first items
  std::vector<uint32_t> tokens;
  TokenDictionary dictionary;
  uint64_t left_out = 0;  // see ContaminationReport

  std::span<const uint32_t> tokens_of(const ItemText& text) const {
    return std::span(tokens).subspan(text.begin, text.size);
  }
  uint64_t bytes() const;
};

// Reads all suites. The options are valid. Errors: see find_contamination().
Result<TestSets> read_test_sets(const ContaminationOptions& options, const Budget& memory,
                                const ProgressCallback& progress);

}  // namespace kith::jobs
