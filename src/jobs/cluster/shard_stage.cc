#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "kith/version.h"

#include "bags/shard/builder.h"
#include "crawl/read/batch_decoder.h"
#include "jobs/cluster/bag_stage.h"
#include "run/json.h"
#include "run/memory_budget.h"

namespace kith::jobs {
Status run_shard_stage(storage::FileSystem& fs, RunDirectory& run, ThreadPool& pool,
                       const Budget& memory, const ProgressCallback& progress) {
  const ClusterOptions& options = run.report().options;
  const auto make = [&](const run::ReadingBudget& budget, const crawl::PageReader&) {
    return bags::ShardBuilder::create(fs, run.scratch(), fragment_options(options), budget.workers,
                                      run::bag_memory(memory));
  };
  const auto add = [](bags::ShardBuilder::Worker& worker, const crawl::PageBatch& batch,
                      const crawl::Page& page, const text::Url& url, const text::HtmlText& text) {
    return worker.add({batch.sequence, page.file}, {page.body.size(), page.is_cut, page.ends_early},
                      url, text, page.title);
  };
  KITH_ASSIGN(auto read, read_into<bags::ShardBuilder>(options, {options.shard, options.shards},
                                                       pool, memory, progress, make, add));
  const crawl::CrawlReport crawl = read.reader.report();
  std::vector<uint32_t> example_inputs;
  for (const crawl::SkipExample& example : crawl.examples) {
    example_inputs.push_back(example.file_number);
  }
  KITH_ASSIGN(
      const bags::FragmentCounts counts,
      read.builder.finish(run.file(run::shard_file), read.reader.files(), example_inputs, pool));
  run.report().crawl = run::counts_of(crawl);
  run.report().text = counts;
  run.report().aliases = alias_report(counts, {});
  return Status::ok();
}

// From shards to bags, and what must be true of shards before.
namespace {

using nlohmann::json;

Error do_not_fit(const RunDirectory& a, const RunDirectory& b, const std::string& why) {
  return {ErrorKind::usage,
          fmt::format("{}: cannot be merged with {}: {}", b.path(), a.path(), why)};
}

// Whether two shards are parts of the same whole.
Status check_pair(const RunDirectory& a, const RunDirectory& b) {
  const ClusterOptions& first = a.report().options;
  const ClusterOptions& second = b.report().options;
  if (first.shards != second.shards) {
    return do_not_fit(
        a, b, fmt::format("it is one of {} shards, not of {}", second.shards, first.shards));
  }
  if (first.shard == second.shard) {
    return do_not_fit(a, b, fmt::format("both are shard {} of {}", first.shard, first.shards));
  }
  if (first.inputs != second.inputs) {
    return do_not_fit(a, b,
                      fmt::format("its inputs are {} instead of {}", fmt::join(second.inputs, " "),
                                  fmt::join(first.inputs, " ")));
  }
  if (a.holds_signatures() != b.holds_signatures()) {
    return do_not_fit(a, b, "one holds signatures, the other pages");
  }
  const json wanted = run::identity_of(first);
  const json found = run::identity_of(second);
  for (const auto& [key, value] : found.items()) {
    if (key == "shard" || value == wanted[key]) continue;
    return do_not_fit(a, b, "it has " + run::option_difference(found, wanted, key));
  }
  return Status::ok();
}

Status check_complete(std::span<const RunDirectory> shards) {
  const uint32_t count = shards.front().report().options.shards;
  std::vector<uint32_t> missing;
  size_t next = 0;
  for (uint32_t shard = 1; shard <= count; ++shard) {
    const bool is_there = next < shards.size() && shards[next].report().options.shard == shard;
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

bool same_inputs(const bags::ShardFile& a, const bags::ShardFile& b) {
  if (a.inputs().size() != b.inputs().size()) return false;
  for (uint64_t i = 0; i < a.inputs().size(); ++i) {
    if (a.inputs()[i] != b.inputs()[i]) return false;
  }
  return true;
}

// A sound file may still be that of another shard.
bool belongs_to(const bags::ShardFile& file, const Report& report) {
  const ClusterOptions& options = report.options;
  for (size_t block = 0; block < file.blocks(); ++block) {
    if (file.input_of(block) % options.shards + 1 != options.shard) return false;
  }
  return file.example_inputs().size() == report.crawl.examples.size();
}

Result<std::vector<bags::ShardFile>> open_files(storage::FileSystem& fs,
                                                std::span<const RunDirectory> shards) {
  std::vector<bags::ShardFile> files;
  for (const RunDirectory& shard : shards) {
    KITH_TRY(shard.verify(run::shard_stage));
    KITH_ASSIGN(auto file, bags::ShardFile::open(fs, shard.file(run::shard_file)));
    if (!belongs_to(file, shard.report())) return file.damaged();
    if (!files.empty() && !same_inputs(files.front(), file)) {
      return do_not_fit(shards.front(), shard, "its inputs are other files");
    }
    files.push_back(std::move(file));
  }
  return files;
}

// Of all shards the first few of every kind, in input order.
std::vector<SkippedRecord> merged_examples(std::span<const RunDirectory> shards,
                                           std::span<const bags::ShardFile> files) {
  std::vector<std::pair<uint32_t, const SkippedRecord*>> examples;
  for (size_t shard = 0; shard < shards.size(); ++shard) {
    const std::vector<SkippedRecord>& more = shards[shard].report().crawl.examples;
    for (size_t i = 0; i < more.size(); ++i) {
      examples.emplace_back(files[shard].example_inputs()[i], &more[i]);
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

CrawlCounts merged_counts(std::span<const RunDirectory> shards,
                          std::span<const bags::ShardFile> files, const PageCounts& later) {
  CrawlCounts sum;
  sum.left_out = shards.front().report().crawl.left_out;  // every shard lists all inputs
  uint64_t skipped[static_cast<size_t>(crawl::Skip::count_)] = {};
  for (const RunDirectory& shard : shards) {
    const CrawlCounts& more = shard.report().crawl;
    sum += more;
    for (const auto& [kind, count] : more.skipped) {
      for (size_t i = 0; i < std::size(skipped); ++i) {
        if (kind == crawl::skip_name(static_cast<crawl::Skip>(i))) skipped[i] += count;
      }
    }
  }
  sum.pages -= later.pages;
  sum.page_bytes -= later.page_bytes;
  sum.cut_pages -= later.cut_pages;
  sum.short_pages -= later.short_pages;
  skipped[static_cast<size_t>(crawl::Skip::duplicate)] += later.pages;
  for (size_t i = 0; i < std::size(skipped); ++i) {
    if (skipped[i] == 0) continue;
    sum.skipped.emplace_back(crawl::skip_name(static_cast<crawl::Skip>(i)), skipped[i]);
  }
  sum.examples = merged_examples(shards, files);
  return sum;
}

}  // namespace

Result<std::vector<RunDirectory>> open_shards(storage::FileSystem& fs,
                                              std::span<const std::string> directories) {
  std::vector<RunDirectory> shards;
  for (const std::string& directory : directories) {
    KITH_ASSIGN(RunDirectory shard, RunDirectory::open_shard(fs, directory));
    if (shard.report().version != version()) {
      return Error{ErrorKind::usage,
                   fmt::format("{}: was made by kith {}, this is {}; make the shard again",
                               directory, shard.report().version, version())};
    }
    shards.push_back(std::move(shard));
  }
  std::ranges::stable_sort(shards, {},
                           [](const RunDirectory& shard) { return shard.report().options.shard; });
  for (size_t i = 1; i < shards.size(); ++i) KITH_TRY(check_pair(shards[i - 1], shards[i]));
  KITH_TRY(check_complete(shards));
  return shards;
}

Status merge_bag_stage(storage::FileSystem& fs, std::span<const RunDirectory> shards,
                       RunDirectory& run, ThreadPool& pool, const Budget& memory,
                       const ProgressCallback& progress) {
  KITH_ASSIGN(const std::vector<bags::ShardFile> files, open_files(fs, shards));
  uint64_t input_bytes = 0;
  uint64_t redirects = 0;
  uint64_t pages = 0;
  for (const bags::ShardFile& file : files) pages += file.keys().size();
  KITH_TRY(run::check_memory(memory, pages, "pages"));
  for (const RunDirectory& shard : shards) {
    input_bytes += shard.report().crawl.bytes_in;
    redirects += shard.report().aliases.redirect;
  }
  bags::BagBuilderOptions options =
      builder_options(run.report().options, memory, pool.size(), input_bytes);
  options.from_shards = true;
  KITH_ASSIGN(bags::BagBuilder builder, bags::BagBuilder::create(fs, run.scratch(), options));
  bags::ShardMerger merger(builder, run::bag_memory(memory));
  PageCounts later;
  const std::vector<std::vector<bool>> is_first = bags::first_captures(files);
  if (options.fragments.remove_boilerplate)
    KITH_TRY(merger.find_boilerplate(files, is_first, pool));
  for (size_t shard = 0; shard < files.size(); ++shard) {
    KITH_ASSIGN(const PageCounts more, merger.add(files[shard], is_first[shard], pool));
    later += more;
    if (progress) {
      progress(
          {"shards", static_cast<double>(shard + 1), static_cast<double>(files.size()), "shards"});
    }
  }
  KITH_ASSIGN(bags::BagCounts counts, builder.finish(pool, run.file(""), [&](double done) {
    if (progress) progress({"bags", done, 1.0, ""});
  }));
  // Shards count all redirects, but keep them only with aliases.
  counts.fragments.aliases[static_cast<size_t>(bags::AliasKind::redirect)] = redirects;
  run.report().crawl = merged_counts(shards, files, later);
  report_bags(counts, run.report());
  return Status::ok();
}

}  // namespace kith::jobs
