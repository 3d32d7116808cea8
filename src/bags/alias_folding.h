// Which pages say what the page says that they stand for (docs/algorithms/aliases.md). Only such
// pages are folded: sites name wrong canonical URLs, a home page on every page for example.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kith/report.h"
#include "kith/status.h"

#include "bags/aliases.h"
#include "bags/fragment.h"
#include "bags/tables.h"
#include "base/budget.h"
#include "base/hash.h"
#include "base/parallel/thread_pool.h"
#include "storage/file_system.h"

namespace kith::bags {

// A page of fewer different words says nothing of its own.
inline constexpr size_t min_own_words = 5;

// Whether a page may stand for `target`, by their words without boilerplate: half of the words of
// the smaller one stand on the other, or the page has nothing of its own. A target with nothing of
// its own takes no page that has more. Both ascend, each word once.
bool says_the_same(std::span<const uint32_t> page, std::span<const uint32_t> target);

// An alias that is not folded since it says something else.
struct OtherAlias {
  Key128 url;
  bool target_is_fetched;  // else it is another page that is taken for the target
};

// Calls visit(fragment) for fragments until it returns an error, which it returns.
using VisitFragment = std::function<Status(const Fragment&)>;
using ForEachFragment = std::function<Status(const VisitFragment&)>;

struct AliasWordOptions {
  // Of terms: by these numbers equal stems are known. Empty: by the terms themselves.
  std::span<const uint32_t> numbers;
  uint64_t memory = 64 << 20;  // bytes for the words of targets; of one whatever it takes
};

// The aliases of the targets in a partition that say something else. A target that was not fetched
// is taken to be the first of its aliases, by key, that was.
// own: the fragments of the partition; folded: what fold_partition() has made of all aliases for
// it. Each is called several times. Thread-safe.
Result<std::vector<OtherAlias>> find_other_aliases(const ForEachFragment& own,
                                                   const ForEachFragment& folded,
                                                   const AliasWordOptions& options);

// Folds URLs that stand for others into these, on the way from fragments to bags: what the
// partitions say about an alias is said again about its target.
struct AliasFoldingOptions {
  std::string scratch;    // folder of temporary files
  Budget memory = {};     // of the bags stage, without what is held of aliases and words
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
