// Folds URLs that stand for others into these, on the way from fragments to bags: what the
// partitions say about an alias is said again about its target.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kith/report.h"
#include "kith/status.h"

#include "bags/alias_words.h"
#include "bags/aliases.h"
#include "bags/fragment.h"
#include "bags/tables.h"
#include "base/parallel/thread_pool.h"
#include "storage/file_system.h"

namespace kith::bags {

struct AliasFoldingOptions {
  std::string scratch;    // folder of temporary files
  uint64_t memory = 0;    // bytes of the bags stage, of which a quarter may be taken
  bool compares = false;  // whether the words of pages are in the fragments
  std::span<const uint32_t> numbers = {};  // AliasWordOptions
};

// What was folded. Immutable.
struct FoldedAliases {
  AliasMap map;
  AliasReport counts;                        // what was folded, and what was not
  std::vector<FoldedPages> into;             // where five pages or more were, without `of`
  std::unique_ptr<FragmentSpool> fragments;  // of the targets; null when nothing was folded
};

// The report's AliasReport::large, of what was folded: `urls` are those of the bags.
std::vector<FoldedPages> large_folds(std::vector<FoldedPages> into, const UrlTable& urls);

// Folds `aliases` into their targets but for pages that say something else than these, until all
// that is folded says the same. The same for any order of aliases, number of threads, and memory.
// spool: all fragments; it and `fs` must outlive the result.
Result<FoldedAliases> fold_aliases(storage::FileSystem& fs, ThreadPool& pool,
                                   const FragmentSpool& spool, std::vector<Alias> aliases,
                                   const std::function<bool(const Key128&)>& is_fetched,
                                   const AliasFoldingOptions& options);

}  // namespace kith::bags
