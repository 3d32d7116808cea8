// kith::dedup: the stages in their order, each skipped when an earlier run of the same command has
// left it.
#include "pipeline/dedup.h"

#include <chrono>
#include <functional>

#include <fmt/format.h>

#include "base/machine.h"
#include "parallel/thread_pool.h"
#include "pipeline/dedup_check.h"
#include "pipeline/dedup_copy.h"
#include "pipeline/dedup_directory.h"
#include "pipeline/dedup_groups.h"
#include "pipeline/dedup_lists.h"
#include "pipeline/dedup_match.h"
#include "pipeline/dedup_plan.h"
#include "pipeline/dedup_read.h"
#include "pipeline/memory_budget.h"

namespace kith {
namespace {

using pipeline::DedupDirectory;
using pipeline::DocumentTable;
using pipeline::Groups;
using pipeline::Matches;

class DedupJob {
 public:
  DedupJob(storage::FileSystem& fs, DedupDirectory& run, const ProgressCallback& progress)
      : fs_(fs),
        run_(run),
        options_(run.report().options),
        progress_(progress),
        pool_(options_.threads),
        memory_(pipeline::memory_or_default(options_.memory)) {}

  Status run_all() {
    // Before anything is read, so that what is wrong with it is known at once.
    if (!options_.write.empty()) {
      KITH_ASSIGN(const auto crawl, pipeline::crawl_options(options_));
      KITH_ASSIGN(copy_plan_, crawl::plan_copy(crawl, options_.write));
    }
    run_.report().threads = pool_.size();
    run_.report().memory = memory_;
    find_damage();
    KITH_TRY(stage(pipeline::documents_stage, [&] { return read_stage(); }));
    KITH_ASSIGN(const auto documents,
                DocumentTable::open(fs_, run_.path(), options_.method == DedupMethod::minhash));
    KITH_TRY(pipeline::check_memory(memory_, documents.size()));
    const pipeline::DedupResources resources{fs_, run_.scratch(), memory_, pool_};
    const std::string matches_path = run_.file(pipeline::matches_file);
    KITH_TRY(stage(pipeline::matches_stage, [&] {
      return pipeline::write_matches(matches_path, documents, options_, resources, run_.report(),
                                     progress_);
    }));
    KITH_ASSIGN(const auto matches, Matches::open(fs_, matches_path, documents.size()));
    const std::string groups_path = run_.file(pipeline::groups_file);
    KITH_TRY(stage(pipeline::groups_stage, [&] {
      return pipeline::write_groups(groups_path, documents, matches, options_, resources,
                                    run_.report());
    }));
    KITH_ASSIGN(const auto groups, Groups::open(fs_, groups_path, documents.size()));
    return finish(documents, matches, groups);
  }

 private:
  // What an earlier run has left is read before anything relies on it.
  void find_damage() {
    run_.find_damage([&](const std::string& stage, const std::string& damage) {
      const std::string note = fmt::format("{}; the {} stage is run again", damage, stage);
      if (progress_) progress_({"verify", 0, 0, "", note});
    });
  }

  // Runs a stage, times it and enters it into the manifest, unless it is there already.
  Status stage(std::string_view name, const std::function<Status()>& work) {
    if (run_.has(name)) return Status::ok();
    if (progress_) progress_({name, 0, 0, ""});
    const auto start = std::chrono::steady_clock::now();
    KITH_TRY(work());
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
    return run_.commit({std::string(name), time.count(), peak_memory(), false});
  }

  Status read_stage() {
    KITH_ASSIGN(const auto read,
                pipeline::read_documents(fs_, run_.path(), options_, pool_, progress_));
    run_.report().crawl = read.crawl;
    run_.report().documents = read.documents;
    return Status::ok();
  }

  // What is cheap and not the work of a stage: the check, the lists, the report.
  Status finish(const DocumentTable& documents, const Matches& matches, const Groups& groups) {
    run_.report().check = {};
    if (options_.check_queries > 0 && options_.method == DedupMethod::minhash) {
      if (progress_) progress_({"check", 0, 0, ""});
      run_.report().check = pipeline::check_matches(documents, matches, options_, pool_);
    }
    run_.report().copy = {};
    if (!options_.write.empty()) {
      if (progress_) progress_({"write", 0, 0, ""});
      KITH_ASSIGN(run_.report().copy,
                  pipeline::write_kept(fs_, copy_plan_, documents, groups, pool_));
    }
    if (progress_) progress_({"lists", 0, 0, ""});
    KITH_TRY(pipeline::write_lists(fs_, run_.path(), documents, matches, groups, options_.format));
    return run_.finish();
  }

  storage::FileSystem& fs_;
  DedupDirectory& run_;
  const DedupOptions options_;
  const ProgressCallback& progress_;
  ThreadPool pool_;
  uint64_t memory_;
  crawl::CopyPlan copy_plan_;  // where a copy is written
};

}  // namespace

Result<DedupReport> pipeline::dedup(storage::FileSystem& fs, const DedupOptions& options,
                                    const ProgressCallback& progress) {
  KITH_TRY(validate(options));
  KITH_TRY(check_tables(options));
  KITH_ASSIGN(DedupDirectory run, DedupDirectory::create(fs, options));
  if (const Status status = DedupJob(fs, run, progress).run_all(); !status) {
    run.abandon();
    return status.error();
  }
  return run.report();
}

Result<DedupReport> dedup(const DedupOptions& options, const ProgressCallback& progress) {
  return pipeline::dedup(storage::posix_file_system(), options, progress);
}

Result<DedupReport> read_dedup_report(const std::string& directory) {
  KITH_ASSIGN(const auto run, DedupDirectory::open(storage::posix_file_system(), directory));
  return run.report();
}

bool is_dedup_run(const std::string& directory) {
  return DedupDirectory::is_run(storage::posix_file_system(), directory);
}

Status verify_dedup_run(const std::string& directory) {
  KITH_ASSIGN(const auto run, DedupDirectory::open(storage::posix_file_system(), directory));
  return run.verify();
}

}  // namespace kith
