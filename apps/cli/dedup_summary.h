// What `kith dedup` found, in its last lines.
#pragma once

#include <cstdio>

#include "kith/dedup.h"

namespace kith::cli {

// About twenty lines: documents, tables, pairs, groups, recall, time and memory a stage.
void print_dedup_summary(const DedupReport& report, std::FILE* out);

}  // namespace kith::cli
