// What `kith dedup` found, in its last lines and in `kith info`.
#pragma once

#include <cstdio>
#include <string>

#include "kith/dedup.h"

namespace kith::cli {

// What is to be said of a measured recall below what is promised.
std::string broken_promise(const DedupCheck& check);

// What a person must know first, a dozen lines: a warning if the recall is too low, documents,
// groups, recall, time and memory, the largest groups, and where to look next.
void print_dedup_summary(const DedupReport& report, std::FILE* out);

// All that is known of a run: also how pairs were found, the time and memory of every stage, the
// tables that were considered, and examples of what was skipped.
void print_dedup_info(const DedupReport& report, std::FILE* out);

}  // namespace kith::cli
