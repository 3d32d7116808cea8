// What `kith dedup` found, in its last lines and in `kith info`.
#pragma once

#include <cstdio>
#include <string>

#include "kith/dedup.h"

namespace kith::cli {

// What is to be said of a measured recall below what is promised.
std::string broken_promise(const DedupCheck& check);

// About twenty lines, a warning first if the recall is too low: documents, tables, pairs, groups,
// recall, time and memory a stage.
void print_dedup_summary(const DedupReport& report, std::FILE* out);

// print_dedup_summary and all the rest: the tables that were considered, and examples of what was
// passed over.
void print_dedup_info(const DedupReport& report, std::FILE* out);

}  // namespace kith::cli
