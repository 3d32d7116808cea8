#include <algorithm>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "storage/sorted_runs.h"

namespace kith::storage {
namespace {

// Twin: a stable sort of the concatenated runs.
RC_GTEST_PROP(LoserTree, MergesLikeAStableSort, ()) {
  auto runs = *rc::gen::container<std::vector<std::vector<uint8_t>>>(
      rc::gen::container<std::vector<uint8_t>>(rc::gen::inRange<uint8_t>(0, 8)));
  RC_PRE(!runs.empty());
  std::vector<std::pair<uint8_t, size_t>> expected;
  for (size_t run = 0; run < runs.size(); ++run) {
    std::ranges::sort(runs[run]);
    for (const uint8_t value : runs[run]) expected.emplace_back(value, run);
  }
  std::ranges::stable_sort(expected, {}, &std::pair<uint8_t, size_t>::first);

  std::vector<size_t> next(runs.size(), 0);
  LoserTree tree(runs.size(), [&](size_t a, size_t b) {
    if (next[a] == runs[a].size()) return false;
    return next[b] == runs[b].size() || runs[a][next[a]] < runs[b][next[b]];
  });
  std::vector<std::pair<uint8_t, size_t>> merged;
  while (next[tree.winner()] < runs[tree.winner()].size()) {
    const size_t run = tree.winner();
    merged.emplace_back(runs[run][next[run]++], run);
    tree.replay();
  }
  RC_ASSERT(merged == expected);
}

}  // namespace
}  // namespace kith::storage
