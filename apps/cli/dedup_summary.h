// What `kith dedup` found, in its last lines and in `kith info`.
#pragma once

#include <cstdio>

#include "kith/dedup.h"

namespace kith::cli {

// About twenty lines: documents, tables, pairs, groups, recall, time and memory a stage.
void print_dedup_summary(const DedupReport& report, std::FILE* out);

// print_dedup_summary and all the rest: the tables that were considered, and examples of what was
// passed over.
void print_dedup_info(const DedupReport& report, std::FILE* out);

}  // namespace kith::cli
