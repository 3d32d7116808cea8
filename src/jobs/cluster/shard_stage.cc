#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "bags/shard/builder.h"
#include "jobs/cluster/bag_stage.h"
#include "run/json.h"
#include "run/memory_budget.h"
#include "run/shards.h"

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
                      url, text, page.title, page.time);
  };
  KITH_ASSIGN(auto read, read_into<bags::ShardBuilder>(run, {options.shard, options.shards}, pool,
                                                       memory, progress, make, add));
  const crawl::CrawlReport crawl = read.reader.report();
  std::vector<uint32_t> example_inputs;
  for (const crawl::SkipExample& example : crawl.examples) {
    example_inputs.push_back(example.file_number);
  }
  KITH_ASSIGN(const bags::FragmentCounts counts,
              read.builder.finish(run.file(run::shard_file), read.reader.files(), example_inputs,
                                  std::move(read.revisits), pool));
  run.report().crawl = run::counts_of(crawl);
  run.report().crawl.lost_revisits = read.lost_revisits;
  run.report().text = counts;
  run.report().aliases = alias_report(counts, {});
  return Status::ok();
}

// From shards to bags, and what must be true of shards before.
namespace {

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
      return Error{ErrorKind::usage,
                   fmt::format("{}: cannot be merged with {}: its inputs are other files",
                               shard.path(), shards.front().path())};
    }
    files.push_back(std::move(file));
  }
  return files;
}

run::ShardFacts facts_of(const RunDirectory& shard) {
  const Report& report = shard.report();
  return {.path = shard.path(),
          .version = report.version,
          .shard = report.options.shard,
          .shards = report.options.shards,
          .inputs = report.options.inputs,
          .kind = shard.holds_signatures() ? "signatures" : "pages",
          .identity = run::identity_of(report.options).dump()};
}

CrawlCounts counts_of_all(std::span<const RunDirectory> shards,
                          std::span<const bags::ShardFile> files, const PageCounts& later) {
  std::vector<run::ShardCounts> counts;
  for (size_t i = 0; i < shards.size(); ++i) {
    const std::span<const uint32_t> inputs = files[i].example_inputs();
    counts.push_back({&shards[i].report().crawl, {inputs.begin(), inputs.end()}});
  }
  return run::merged_counts(counts, shards.front().report().options, later);
}

}  // namespace

Result<std::vector<RunDirectory>> open_shards(storage::FileSystem& fs,
                                              std::span<const std::string> directories) {
  std::vector<RunDirectory> shards;
  for (const std::string& directory : directories) {
    KITH_ASSIGN(RunDirectory shard, RunDirectory::open_shard(fs, directory));
    shards.push_back(std::move(shard));
  }
  std::ranges::stable_sort(shards, {},
                           [](const RunDirectory& shard) { return shard.report().options.shard; });
  std::vector<run::ShardFacts> facts;
  facts.reserve(shards.size());
  for (const RunDirectory& shard : shards) facts.push_back(facts_of(shard));
  KITH_TRY(run::check_shards(facts));
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
  const std::vector<std::vector<bool>> is_first =
      bags::best_captures(files, run.report().options.captures);
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
  run.report().crawl = counts_of_all(shards, files, later);
  run.report().crawl.lost_revisits = bags::lost_revisits(files);
  report_bags(counts, run.report());
  return count_months(fs, run);
}

}  // namespace kith::jobs
