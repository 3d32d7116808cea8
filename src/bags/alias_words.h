// Which pages say what the page says that they stand for (docs/algorithms/aliases.md). Only such
// pages are folded: sites name wrong canonical URLs, a home page on every page for example.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "kith/status.h"

#include "bags/fragment.h"
#include "base/hash.h"

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

}  // namespace kith::bags
