// kith::dedup: the stages in their order, each skipped when an earlier run of the same command has
// left it.
#include "jobs/dedup/job.h"

#include <functional>
#include <optional>
#include <utility>

#include "kith/table_files.h"

#include "base/budget.h"
#include "base/parallel/thread_pool.h"
#include "jobs/dedup/boilerplate.h"
#include "jobs/dedup/check.h"
#include "jobs/dedup/common_shingles.h"
#include "jobs/dedup/copy.h"
#include "jobs/dedup/directory.h"
#include "jobs/dedup/earlier/earlier_run.h"
#include "jobs/dedup/group_index.h"
#include "jobs/dedup/groups.h"
#include "jobs/dedup/keep.h"
#include "jobs/dedup/lists.h"
#include "jobs/dedup/loss.h"
#include "jobs/dedup/match.h"
#include "jobs/dedup/methods.h"
#include "jobs/dedup/read.h"
#include "jobs/dedup/shard.h"
#include "run/guarded.h"
#include "run/memory_budget.h"

namespace kith {
namespace {

using jobs::Against;
using jobs::DedupDirectory;
using jobs::DocumentTable;
using jobs::EarlierRun;
using jobs::GroupIndex;
using jobs::Groups;
using jobs::Matches;

class DedupJob {
 public:
  // earlier: the runs of options.against. shards: those that are merged; none where the input is
  // read.
  DedupJob(storage::FileSystem& fs, DedupDirectory& run, const std::vector<EarlierRun>& earlier,
           const std::vector<DedupDirectory>& shards, const run::StoppingProgress& progress)
      : fs_(fs),
        run_(run),
        earlier_(earlier),
        shards_(shards),
        options_(run.report().options),
        progress_(progress.callback()),
        pool_(options_.threads),
        resources_{fs, run.path(), run.scratch(),
                   run.budget(run::memory_or_default(options_.memory)), pool_} {
    pool_.set_poll(progress.poll());
  }

  Status run_all() {
    // Before anything is read, so that what is wrong with it is known at once.
    if (!options_.write.empty()) {
      KITH_ASSIGN(copy_, jobs::InputCopy::plan(fs_, run_, options_));
    }
    run::note_missing_threads(pool_, progress_);
    run_.report().threads = pool_.size();
    run_.report().memory = resources_.memory.bytes();
    run_.find_damage(progress_);  // before anything relies on what an earlier run has left
    if (options_.shards > 0) return run_shard();
    KITH_TRY(stage(jobs::documents_stage, [&] { return read_stage(); }));
    KITH_ASSIGN(const auto documents,
                DocumentTable::open(fs_, run_.path(),
                                    {.sketches = jobs::needs_signatures(options_),
                                     .inlinks = jobs::keeps_by(options_, jobs::KeepKind::inlinks),
                                     .titles = true,
                                     .keep_keys = jobs::stored_keys(options_)}));
    KITH_TRY(run::check_memory(resources_.memory, documents.size(), "documents"));
    KITH_TRY(jobs::check_known(documents, options_));
    KITH_ASSIGN(const Against against, against_stage(documents));
    const std::string matches_path = run_.file(jobs::matches_file);
    KITH_TRY(stage(jobs::matches_stage, [&] {
      return jobs::write_matches(matches_path, documents, against, options_, resources_,
                                 run_.report(), progress_);
    }));
    KITH_ASSIGN(const auto matches, Matches::open(fs_, matches_path, documents.size()));
    const std::string groups_path = run_.file(jobs::groups_file);
    KITH_TRY(stage(jobs::groups_stage, [&] {
      return jobs::write_groups(groups_path, documents, against, matches, options_, resources_,
                                run_.report(), progress_);
    }));
    KITH_ASSIGN(const auto groups, Groups::open(fs_, groups_path, documents.size()));
    return finish(documents, against, matches, groups);
  }

 private:
  Status stage(std::string_view name, const std::function<Status()>& work) {
    return run_.run_stage(name, progress_, work);
  }

  void begin_step(std::string_view name) const {
    if (progress_) progress_({name, 0, 0, ""});
  }

  Status run_shard() {
    KITH_TRY(stage(run::shard_stage, [&]() -> Status {
      KITH_ASSIGN(const auto read,
                  jobs::read_documents(run_.path(), options_, resources_, progress_));
      report(read);
      return Status::ok();
    }));
    return run_.finish();
  }

  void report(const jobs::DocumentsRead& read) {
    run_.report().crawl = read.crawl;
    run_.report().documents = read.documents;
    run_.report().boilerplate = read.boilerplate;
  }

  Status read_stage() {
    const std::string all = run_.scratch() + "/documents";  // with all shingles
    const bool drops = options_.max_documents > 0;
    if (drops) KITH_TRY(fs_.make_directories(all));
    const std::string& folder = drops ? all : run_.path();
    KITH_ASSIGN(const auto read,
                shards_.empty()
                    ? jobs::read_documents(folder, options_, resources_, progress_)
                    : jobs::merge_documents(folder, options_, shards_, resources_, progress_));
    report(read);
    return drops ? drop_common(all) : Status::ok();
  }

  // The shingles that earlier runs have dropped are those that this one drops: so the documents of
  // all are comparable.
  Status drop_common(const std::string& all) {
    begin_step("common");
    KITH_ASSIGN(const auto documents, DocumentTable::open(fs_, all, {}));
    KITH_TRY(run::check_memory(resources_.memory, documents.size(), "documents"));
    const std::string common = run_.file(jobs::common_file);
    if (earlier_.empty()) {
      KITH_TRY(jobs::write_common(common, documents, options_.max_documents, resources_));
    } else {
      KITH_TRY(earlier_.front().share_common(common));
    }
    KITH_ASSIGN(const auto counts,
                jobs::write_without_common(run_.path(), documents, common, options_, resources_));
    DocumentCounts& report = run_.report().documents;
    report.common_shingles = counts.shingles;
    report.dropped = counts.dropped;
    report.rescued = counts.rescued;
    report.elements -= counts.dropped;
    for (const std::string_view file :
         {jobs::title_words_file, jobs::inlinks_file, jobs::digests_file, jobs::sources_file,
          jobs::keep_keys_file}) {
      const std::string from = all + "/" + std::string(file);
      if (fs_.exists(from)) KITH_TRY(fs_.rename(from, run_.file(file)));
    }
    return fs_.remove_tree(all);
  }

  // Nothing is removed without earlier runs.
  Result<Against> against_stage(const DocumentTable& documents) {
    if (earlier_.empty()) return Against();
    const std::string path = run_.file(jobs::against_file);
    KITH_TRY(stage(jobs::against_stage, [&] {
      return jobs::write_against(path, documents, earlier_, options_, resources_, run_.report(),
                                 progress_);
    }));
    return Against::open(fs_, path, documents.size(), earlier_.size());
  }

  // What is cheap and not the work of a stage: the check, the lists, the report.
  Status finish(const DocumentTable& documents, const Against& against, const Matches& matches,
                const Groups& groups) {
    const Budget working = run::working_memory(resources_.memory, documents.size());
    run_.report().check = {};
    if (options_.check_queries > 0 && options_.method != DedupMethod::exact) {
      begin_step("check");
      run_.report().check = jobs::check_matches(documents, against, matches, groups, options_,
                                                working.share(Share::check), pool_);
      run_.report().check.promised = jobs::promised_recall(run_.report());
    }
    const GroupIndex index(groups.kept());
    const auto losses = jobs::Losses::find(documents, against, groups, options_, pool_);
    losses.report(run_.report());
    run_.report().copy = {};
    const bool is_written = copy_ && !options_.dry_run && run_.report().over_max_loss.empty();
    if (is_written) {
      begin_step("write");
      KITH_ASSIGN(run_.report().copy, copy_->write(documents, against, groups, index, pool_));
    }
    begin_step("lists");
    KITH_TRY(run_.forget_lists());
    KITH_ASSIGN(run::Checksums lists,
                jobs::write_lists(fs_, run_.path(), documents, against, matches, groups, index,
                                  losses, options_, resources_));
    return run_.finish(std::move(lists));
  }

  storage::FileSystem& fs_;
  DedupDirectory& run_;
  const std::vector<EarlierRun>& earlier_;
  const std::vector<DedupDirectory>& shards_;
  const DedupOptions options_;
  const ProgressCallback progress_;
  ThreadPool pool_;
  const jobs::DedupResources resources_;
  std::optional<jobs::InputCopy> copy_;  // where one is asked for
};

std::vector<std::string> identities_of(const std::vector<EarlierRun>& runs) {
  std::vector<std::string> identities;
  identities.reserve(runs.size());
  for (const EarlierRun& run : runs) identities.push_back(run.identity());
  return identities;
}

Result<DedupReport> run_all(storage::FileSystem& fs, DedupDirectory& run,
                            const std::vector<EarlierRun>& earlier,
                            const std::vector<DedupDirectory>& shards,
                            const ProgressCallback& progress) {
  const run::StoppingProgress stopping(progress);
  return run::run_job(run, [&] { return DedupJob(fs, run, earlier, shards, stopping).run_all(); });
}

// Before any work is done, that whoever makes files of the format is there.
Status check_format(const DedupOptions& options) {
  if (!is_table(options.format) || options.tables != nullptr) return Status::ok();
  return create_list_file(nullptr, RowFormat(options.format, {}), {}).status();
}

Result<DedupReport> merge_shards(const MergeOptions& options, const ProgressCallback& progress) {
  KITH_TRY(validate(options));
  storage::FileSystem& fs = storage::posix_file_system();
  KITH_ASSIGN(const auto shards, jobs::open_dedup_shards(fs, options.shards));
  DedupOptions whole = shards.front().report().options;
  static_cast<ShardOptions&>(whole) = {};
  whole.output = options.output;
  whole.write = options.write;
  whole.tables = options.tables;
  KITH_TRY(check_format(whole));
  static_cast<Resources&>(whole) = options;
  KITH_ASSIGN(const auto earlier, jobs::open_earlier_runs(fs, whole));
  KITH_ASSIGN(DedupDirectory run,
              DedupDirectory::create_merged(fs, whole, identities_of(earlier), shards));
  return run_all(fs, run, earlier, shards, progress);
}

}  // namespace

Result<DedupReport> jobs::dedup(storage::FileSystem& fs, const DedupOptions& given,
                                const ProgressCallback& progress) {
  return run::guarded([&]() -> Result<DedupReport> {
    KITH_TRY(validate(given));
    KITH_TRY(check_format(given));
    DedupOptions options = given;
    KITH_ASSIGN(options.boilerplate, jobs::chosen_boilerplate(given));
    KITH_TRY(jobs::check_plan(options));
    // A shard is not compared with earlier runs, which may be on another machine.
    std::vector<EarlierRun> earlier;
    if (options.shards == 0) {
      KITH_ASSIGN(earlier, jobs::open_earlier_runs(fs, options));
    }
    KITH_ASSIGN(DedupDirectory run, DedupDirectory::create(fs, options, identities_of(earlier)));
    return run_all(fs, run, earlier, {}, progress);
  });
}

Result<DedupReport> merge_dedup(const MergeOptions& options, const ProgressCallback& progress) {
  return run::guarded([&] { return merge_shards(options, progress); });
}

Result<DedupReport> dedup(const DedupOptions& options, const ProgressCallback& progress) {
  return jobs::dedup(storage::posix_file_system(), options, progress);
}

Result<DedupReport> read_dedup_report(const std::string& directory) {
  return run::guarded([&]() -> Result<DedupReport> {
    KITH_ASSIGN(const auto run, DedupDirectory::open(storage::posix_file_system(), directory));
    return run.report();
  });
}

bool is_dedup_run(const std::string& directory) {
  return DedupDirectory::is_run(storage::posix_file_system(), directory);
}

Status verify_dedup_run(const std::string& directory) {
  return run::guarded([&]() -> Status {
    KITH_ASSIGN(const auto run, DedupDirectory::open(storage::posix_file_system(), directory));
    return run.verify();
  });
}

}  // namespace kith
