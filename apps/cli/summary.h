// What a run found, in the words of `kith cluster`'s last lines and of `kith info`.
#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include "kith/report.h"

namespace kith::cli {

// What was read and passed over, a few lines.
void print_crawl(const CrawlCounts& crawl, const ReadOptions& options, std::FILE* out);

// Why there is nothing to work on.
std::string no_page_text(const CrawlCounts& crawl);

// The first records that were passed over, with their places; nothing when there are none.
void print_skip_examples(const CrawlCounts& crawl, std::FILE* out);

// Time and memory of every stage, and of all.
void print_stages(const std::vector<StageReport>& stages, uint64_t peak_memory, std::FILE* out);

// What is to be said of a measured recall below what is promised.
std::string broken_promise(const CheckReport& check);

// About twenty lines, a warning first if the recall is too low: pages, URLs, skipped and why,
// clusters, recall, time and memory a stage.
void print_summary(const Report& report, std::FILE* out);

// The same of a shard, which has been read and no more; is_of_crawl: a part of files, not of a run.
void print_shard_summary(const Report& report, bool is_of_crawl, std::FILE* out);

// print_summary and all the rest: options, distributions, the reasons of choices, examples of
// what was skipped.
void print_info(const Report& report, std::FILE* out);

}  // namespace kith::cli
