// kith::find_passages: the steps in their order. They are one stage: what they leave for each other
// is as large as the input, so a run that was ended begins again.
#include "jobs/passages/job.h"

#include <array>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "kith/passages.h"
#include "kith/table_files.h"

#include "base/check.h"
#include "base/machine.h"
#include "base/memory.h"
#include "base/parallel/thread_pool.h"
#include "crawl/copy/record_copy.h"
#include "jobs/dedup/list_writer.h"
#include "jobs/passages/directory.h"
#include "jobs/passages/output.h"
#include "jobs/passages/read.h"
#include "jobs/passages/units.h"
#include "run/guarded.h"
#include "run/memory_budget.h"

namespace kith {
namespace {

using jobs::PassageDirectory;

template <size_t n>
std::string_view word_of(size_t value, const std::array<std::string_view, n>& words) {
  return value < n ? words[value] : std::string_view();
}

// The place of the texts, as the manifest names it.
std::string absolute(const std::string& path) {
  std::error_code error;
  const std::filesystem::path whole = std::filesystem::absolute(path, error);
  return (error ? std::filesystem::path(path) : whole).lexically_normal().string();
}

class PassageJob {
 public:
  PassageJob(storage::FileSystem& fs, PassageDirectory& run, const run::StoppingProgress& progress)
      : fs_(fs),
        run_(run),
        options_(run.report().options),
        progress_(progress.callback()),
        pool_(options_.threads),
        resources_{
            fs,    run.path(), run.scratch(), run.budget(run::memory_or_default(options_.memory)),
            pool_, progress_} {
    pool_.set_poll(progress.poll());
  }

  Status run_all() {
    KITH_ASSIGN(const bool has_texts, find_texts());
    if (run_.has(jobs::passages_stage) && has_texts && run_.verify())
      return run_.finish(run_.lists());
    run::note_missing_threads(pool_, progress_);
    PassageReport& report = run_.report();
    PassageReport begun;
    begun.options = report.options;
    begun.tokens = report.tokens;
    begun.version = report.version;
    report = std::move(begun);
    report.threads = pool_.size();
    report.memory = resources_.memory.bytes();
    KITH_TRY(run_.forget_lists());
    run::Checksums lists;
    Status status = run::guarded([&] { return make_stage(lists); });
    if (!status) clean_up([&] { remove_lists(); });
    KITH_TRY(std::move(status));
    return run_.finish(std::move(lists));
  }

 private:
  // Whether the file of texts is as this run has made it, or none is wanted. An error where
  // something else stands there.
  Result<bool> find_texts() {
    if (options_.write.empty()) return true;
    if (const run::CopyRecord* const made = run_.copy_at(absolute(options_.write))) {
      KITH_ASSIGN(const auto state, crawl::find_copy(fs_, options_.write, false, made->files));
      return state == crawl::CopyState::whole;
    }
    if (!fs_.exists(options_.write)) return false;
    return usage_error(
        fmt::format("write = {}: exists; name another file, or remove it", options_.write));
  }

  // Before a stage is entered, nothing is to be left in a folder that may be nobody's then.
  void remove_lists() {
    for (const std::string_view list : jobs::passage_lists) {
      static_cast<void>(fs_.remove(run_.file(jobs::passage_list_file(list, options_.format))));
    }
    if (options_.write.empty()) return;
    static_cast<void>(fs_.remove(storage::temporary_name(options_.write)));
    if (has_moved_) static_cast<void>(fs_.remove(options_.write));
  }

  // Also a stage that is finished, where what it left is not there any more.
  Status make_stage(run::Checksums& lists) {
    const auto work = [&]() -> Status {
      KITH_ASSIGN(lists, make());
      return Status::ok();
    };
    if (!run_.has(jobs::passages_stage)) {
      return run_.run_stage(jobs::passages_stage, progress_, work);
    }
    KITH_TRY(work());
    return run_.commit({std::string(jobs::passages_stage), 0, peak_memory(), false});
  }

  Result<run::Checksums> make() {
    PassageReport& report = run_.report();
    KITH_ASSIGN(jobs::PassageInput input,
                jobs::read_passage_texts(options_, resources_, report.crawl, report.passages));
    // More than are listed: some begin in the texts of others.
    jobs::FrequentPassages frequent(4 * options_.examples);
    std::optional<jobs::PassageRuns> runs;
    {
      KITH_ASSIGN(auto repeated, find_repeated(input, options_, resources_, report.passages));
      KITH_ASSIGN(runs,
                  jobs::PassageRuns::write(repeated, options_, *input.texts, resources_, frequent));
    }
    KITH_ASSIGN(run::Checksums lists,
                jobs::write_passages(input, *runs, frequent, options_, resources_, report));
    if (!options_.write.empty()) KITH_TRY(move_texts());
    return lists;
  }

  // The manifest knows the file before it stands at its place.
  Status move_texts() {
    const std::string unfinished = storage::temporary_name(options_.write);
    KITH_ASSIGN(const uint64_t bytes, storage::file_size(fs_, unfinished));
    KITH_ASSIGN(const std::string checksum, jobs::checksum_of(fs_, unfinished));
    const crawl::CopiedFile file{"", bytes, checksum};
    KITH_TRY(run_.enter_copy(absolute(options_.write),
                             {.is_folder = false, .files = {file}, .counts = {}}));
    KITH_TRY(fs_.rename(unfinished, options_.write));
    has_moved_ = true;
    return Status::ok();
  }

  storage::FileSystem& fs_;
  PassageDirectory& run_;
  const PassageOptions options_;
  const ProgressCallback progress_;
  ThreadPool pool_;
  const jobs::PassageResources resources_;
  bool has_moved_ = false;  // the texts stand at their place
};

}  // namespace

Status validate(const PassageOptions& options) {
  constexpr uint32_t most_examples = 10'000;
  KITH_TRY(validate(static_cast<const ReadOptions&>(options)));
  if (options.output.empty()) return usage_error("no output: name the run directory with -o");
  if (options.min_tokens > jobs::SpanWindows::max_width) {
    return usage_error(fmt::format("min_tokens = {}: must be from 1 to {}", options.min_tokens,
                                   jobs::SpanWindows::max_width));
  }
  if (options.max_documents < 1) {
    return usage_error("max_documents = 0: must be at least 1");
  }
  ShingleOptions shingles;
  shingles.normalize = options.normalize;
  shingles.numbers = options.numbers;
  KITH_TRY(validate(shingles));
  if (!(options.high_loss >= 0 && options.high_loss <= 1)) {
    return usage_error(fmt::format("high_loss = {}: must be from 0 to 1", options.high_loss));
  }
  if (options.examples > most_examples) {
    return usage_error(
        fmt::format("examples = {}: must be at most {}", options.examples, most_examples));
  }
  if (options.sentences && options.unit != PassageUnit::span) {
    return usage_error(
        fmt::format("`sentences`: not with unit = {}, which is never cut", name(options.unit)));
  }
  if (options.mode == PassageMode::mark && options.write.empty()) {
    return usage_error(
        fmt::format("mode = {}: nothing is written; name a file with `write`", name(options.mode)));
  }
  return validate(static_cast<const Resources&>(options));
}

uint32_t min_tokens_of(const PassageOptions& options) {
  constexpr uint32_t usual = 50;
  if (options.min_tokens > 0) return options.min_tokens;
  return options.unit == PassageUnit::span ? usual : 1;
}

Result<PassageReport> jobs::find_passages(storage::FileSystem& fs, const PassageOptions& options,
                                          const ProgressCallback& progress) {
  return run::guarded([&]() -> Result<PassageReport> {
    KITH_TRY(validate(options));
    if (is_table(options.format) && options.tables == nullptr) {
      KITH_TRY(create_list_file(nullptr, RowFormat(options.format, {}), {}).status());
    }
    KITH_ASSIGN(PassageDirectory run, PassageDirectory::create(fs, options));
    const run::StoppingProgress stopping(progress);
    return run::run_job(run, [&] { return PassageJob(fs, run, stopping).run_all(); });
  });
}

Result<PassageReport> find_passages(const PassageOptions& options,
                                    const ProgressCallback& progress) {
  return jobs::find_passages(storage::posix_file_system(), options, progress);
}

Result<PassageReport> read_passage_report(const std::string& directory) {
  return run::guarded([&]() -> Result<PassageReport> {
    KITH_ASSIGN(const auto run, PassageDirectory::open(storage::posix_file_system(), directory));
    return run.report();
  });
}

bool is_passage_run(const std::string& directory) {
  return PassageDirectory::is_run(storage::posix_file_system(), directory);
}

Status verify_passage_run(const std::string& directory) {
  return run::guarded([&]() -> Status {
    KITH_ASSIGN(const auto run, PassageDirectory::open(storage::posix_file_system(), directory));
    return run.verify();
  });
}

std::string_view name(PassageUnit value) {
  return word_of<3>(static_cast<size_t>(value), {"span", "line", "paragraph"});
}
std::string_view name(PassageMode value) {
  return word_of<3>(static_cast<size_t>(value), {"remove", "first", "mark"});
}

}  // namespace kith
