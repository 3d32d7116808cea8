// What is said about an alias, said again about its target (aliases.h).
#pragma once

#include <string_view>

#include "kith/status.h"

#include "bags/aliases.h"
#include "bags/fragment.h"

namespace kith::bags {

// Writes every fragment of `partition` (read_fragment's format) that belongs to an alias to
// `folded`, for its target. The alias's own page, words and title become fragments of an alias:
// they count only where the target was not fetched. Thread-safe with respect to other writers.
Status fold_partition(std::string_view partition, const AliasMap& aliases, FragmentWriter& folded);

}  // namespace kith::bags
