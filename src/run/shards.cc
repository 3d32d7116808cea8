#include "run/shards.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "kith/version.h"

#include "base/hash.h"
#include "crawl/read/batch_decoder.h"
#include "crawl/read/row_fields.h"
#include "run/json.h"

namespace kith::run {
namespace {

using nlohmann::json;

Error do_not_fit(const ShardFacts& a, const ShardFacts& b, const std::string& why) {
  return {ErrorKind::usage, fmt::format("{}: cannot be merged with {}: {}", b.path, a.path, why)};
}

// Whether two shards are parts of the same whole.
Status check_pair(const ShardFacts& a, const ShardFacts& b) {
  if (a.shards != b.shards) {
    return do_not_fit(a, b, fmt::format("it is one of {} shards, not of {}", b.shards, a.shards));
  }
  if (a.shard == b.shard) {
    return do_not_fit(a, b, fmt::format("both are shard {} of {}", a.shard, a.shards));
  }
  if (a.inputs != b.inputs) {
    return do_not_fit(a, b,
                      fmt::format("its inputs are {} instead of {}", fmt::join(b.inputs, " "),
                                  fmt::join(a.inputs, " ")));
  }
  const json wanted = parse_json(a.identity);
  const json found = parse_json(b.identity);
  for (const auto& [key, value] : found.items()) {
    if (key == "shard" || value == wanted[key]) continue;
    return do_not_fit(a, b, "it has " + option_difference(found, wanted, key));
  }
  if (a.kind != b.kind) {
    return do_not_fit(a, b, fmt::format("it holds {}, the other {}", b.kind, a.kind));
  }
  return Status::ok();
}

Status check_complete(std::span<const ShardFacts> shards) {
  const uint32_t count = shards.front().shards;
  std::vector<uint32_t> missing;
  size_t next = 0;
  for (uint32_t shard = 1; shard <= count; ++shard) {
    const bool is_there = next < shards.size() && shards[next].shard == shard;
    next += is_there;
    if (!is_there) missing.push_back(shard);
  }
  if (missing.empty()) return Status::ok();
  constexpr size_t max_named = 10;
  const bool all = missing.size() <= max_named;
  if (!all) missing.resize(max_named);
  return Error{ErrorKind::usage, fmt::format("of the {} shards these are missing: {}{}", count,
                                             fmt::join(missing, ", "), all ? "" : ", ...")};
}

// Of all shards the first few of every kind, in input order.
std::vector<SkippedRecord> merged_examples(std::span<const ShardCounts> shards) {
  std::vector<std::pair<uint32_t, const SkippedRecord*>> examples;
  for (const ShardCounts& shard : shards) {
    const std::vector<SkippedRecord>& more = shard.crawl->examples;
    for (size_t i = 0; i < more.size(); ++i) {
      examples.emplace_back(shard.example_inputs[i], &more[i]);
    }
  }
  std::ranges::stable_sort(examples, {}, [](const auto& example) { return example.first; });
  std::vector<SkippedRecord> merged;
  for (const auto& [input, example] : examples) {
    const auto kept = std::ranges::count(merged, example->kind, &SkippedRecord::kind);
    if (static_cast<size_t>(kept) < crawl::Tally::kExamples) merged.push_back(*example);
  }
  return merged;
}

// How many rows all shards have read by a field.
uint64_t rows_by(std::span<const ShardCounts> shards, std::string_view part,
                 std::string_view name) {
  uint64_t rows = 0;
  for (const ShardCounts& shard : shards) {
    for (const FieldCount& field : shard.crawl->rows.fields) {
      if (field.part == part && field.field == name) rows += field.rows;
    }
  }
  return rows;
}

// In the order in which fields are tried. The fields seen are those of the first shard with rows
// without text.
RowCounts merged_rows(std::span<const ShardCounts> shards, const ReadOptions& options) {
  RowCounts sum;
  const auto add = [&](std::string_view part, std::string_view name) {
    const uint64_t rows = rows_by(shards, part, name);
    if (rows > 0) sum.fields.push_back({std::string(part), std::string(name), rows});
  };
  const crawl::RowFields fields(options);
  for (const auto& field : fields.all()) {
    add(crawl::row_part_name(field.part), field.name);
  }
  add("place", "");
  for (const ShardCounts& shard : shards) {
    sum.without_text += shard.crawl->rows.without_text;
    if (sum.seen.empty()) sum.seen = shard.crawl->rows.seen;
  }
  return sum;
}

}  // namespace

Status check_shards(std::span<const ShardFacts> shards) {
  for (const ShardFacts& shard : shards) {
    if (shard.version == version()) continue;
    return Error{ErrorKind::usage,
                 fmt::format("{}: was made by kith {}, this is {}; make the shard again",
                             shard.path, shard.version, version())};
  }
  for (size_t i = 1; i < shards.size(); ++i) KITH_TRY(check_pair(shards[i - 1], shards[i]));
  return check_complete(shards);
}

json shard_row(const Checksums& checksums) {
  std::string all;
  for (const auto& [name, checksum] : checksums) all += checksum + "\n";
  return {{"shard", fmt::format("{:016x}", hash64(all))}};
}

Error is_shard_no_run(const std::string& path, uint32_t shard, uint32_t shards) {
  return {ErrorKind::usage,
          fmt::format("{}: is shard {} of {}, not a run; make a run of all shards with 'kith merge "
                      "DIR... -o RUN'",
                      path, shard, shards)};
}

Error is_run_no_shard(const std::string& path) {
  return {ErrorKind::usage, fmt::format("{}: is a run, not a shard: it was made as a whole", path)};
}

CrawlCounts merged_counts(std::span<const ShardCounts> shards, const ReadOptions& options,
                          const PageCounts& later, uint64_t joined) {
  CrawlCounts sum;
  sum.left_out = shards.front().crawl->left_out;  // every shard lists all inputs
  uint64_t skipped[static_cast<size_t>(crawl::Skip::count_)] = {};
  for (const ShardCounts& shard : shards) {
    sum += *shard.crawl;
    // A URL may be in several shards.
    sum.named = shard.crawl->named;
    sum.found = std::min(sum.named, sum.found + shard.crawl->found);
    for (const auto& [kind, count] : shard.crawl->skipped) {
      for (size_t i = 0; i < std::size(skipped); ++i) {
        if (kind == crawl::skip_name(static_cast<crawl::Skip>(i))) skipped[i] += count;
      }
    }
  }
  sum.pages -= later.pages;
  sum.page_bytes -= later.page_bytes;
  sum.cut_pages -= later.cut_pages;
  sum.short_pages -= later.short_pages;
  skipped[static_cast<size_t>(crawl::Skip::duplicate)] += later.pages - joined;
  skipped[static_cast<size_t>(crawl::Skip::joined)] += joined;
  for (size_t i = 0; i < std::size(skipped); ++i) {
    if (skipped[i] == 0) continue;
    sum.skipped.emplace_back(crawl::skip_name(static_cast<crawl::Skip>(i)), skipped[i]);
  }
  sum.examples = merged_examples(shards);
  sum.rows = merged_rows(shards, options);
  return sum;
}

}  // namespace kith::run
