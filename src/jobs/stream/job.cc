#include "jobs/stream/job.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "kith/stream_job.h"

#include "base/budget.h"
#include "base/json_walk.h"
#include "crawl/container/container.h"
#include "crawl/read/page_reader.h"
#include "jobs/stream/page_input.h"
#include "jobs/stream/state.h"
#include "run/guarded.h"
#include "run/input_identity.h"
#include "run/memory_budget.h"
#include "run/pages.h"
#include "text/url/url_rules.h"

namespace kith::jobs {
namespace {

constexpr uint64_t max_bytes = 1 << 20;

}  // namespace

bool AnswerBatches::is_wanted() {
  ++made_;
  if (skip_ > 0) {
    --skip_;
    return false;
  }
  return failure_.is_ok();
}

void AnswerBatches::count(uint64_t bytes) {
  bytes_ += bytes;
  if (pass_on_ && bytes_ >= max_bytes) failure_ = pass_on();
}

void AnswerBatches::add(StreamDecision made) {
  if (!is_wanted()) return;
  uint64_t bytes = sizeof(made) + made.document.size() + made.leader.size();
  for (const std::string& word : made.theme) bytes += sizeof(word) + word.size();
  waiting_.decisions.push_back(std::move(made));
  count(bytes);
}

void AnswerBatches::add(StreamPair made) {
  if (!is_wanted()) return;
  const uint64_t bytes = sizeof(made) + made.earlier.size() + made.later.size();
  waiting_.pairs.push_back(std::move(made));
  count(bytes);
}

Status AnswerBatches::pass_on() {
  KITH_TRY(failure_);
  bytes_ = 0;
  failure_ = pass_on_(take());
  return failure_;
}

}  // namespace kith::jobs

namespace kith {
namespace {

class StreamJob {
 public:
  StreamJob(const StreamJobOptions& options, const StreamReceiver& receiver, Stream stream)
      : options_(options),
        receiver_(receiver),
        stream_(std::move(stream)),
        answers_([this](const StreamAnswer& answer) { return give(answer); }),
        input_(options.language, text::UrlRules::of_valid(options.url_rules)) {}

  Result<StreamReport> run() {
    KITH_TRY(received(receiver_.resume(stream_.progress())));
    KITH_TRY(deliver());
    // With --repair nothing needs to be read.
    if (!options_.inputs.empty()) KITH_TRY(read_inputs());
    KITH_TRY(finish());
    report_.stream = stream_.counts();
    return std::move(report_);
  }

 private:
  Status read_inputs() {
    KITH_ASSIGN(crawl::CrawlOptions crawl, run::crawl_options(options_));
    crawl.nameless = crawl.notes = true;
    crawl.fields = crawl::RowFields(options_, true);
    KITH_ASSIGN(crawl::PageReader reader, crawl::PageReader::open(crawl, nullptr));
    files_ = reader.files();
    Status done = read(reader);
    // What was decided before an error stays decided.
    if (!done) {
      static_cast<void>(finish());
      return done;
    }
    report_.crawl = run::counts_of(reader.report());
    report_.respelled = input_.respelled();
    return Status::ok();
  }

  Status read(crawl::PageReader& reader) {
    crawl::PageBatch batch;
    for (;;) {
      const Result<bool> more = reader.next(batch);
      if (!more) return more.status();
      if (!*more) return Status::ok();
      for (const crawl::Page& page : batch.pages) KITH_TRY(take(page));
      KITH_TRY(deliver());
    }
  }

  // A file is known by its absolute path and by its content, a member of a zip file or tar by that
  // of all of it; pipes are not.
  Status begin_file(uint32_t file) {
    file_ = file;
    source_.clear();
    next_ = 0;
    std::error_code ignored;
    const std::string& path = files_[file];
    const std::string on_disk = crawl::file_on_disk(path);
    if (path == "-" || !std::filesystem::is_regular_file(on_disk, ignored)) return Status::ok();
    source_ = std::filesystem::absolute(path, ignored).lexically_normal().string();
    const StreamSource before = stream_.source(source_);
    KITH_ASSIGN(const jobs::SourceStart start, jobs::start_of(on_disk, before));
    next_ = start.as.next;
    report_.other_files += start.is_other ? 1 : 0;
    return start.as == before ? Status::ok() : stream_.begin_source(source_, start.as);
  }

  Status take(const crawl::Page& page) {
    if (page.kind == crawl::PageKind::redirect) return Status::ok();
    if (file_ != page.file) KITH_TRY(begin_file(page.file));
    if (page.record < next_) {
      ++report_.read_before;
      return Status::ok();
    }
    StreamPage next = input_.read(page);
    KITH_TRY(check_time(next));
    next.source = source_;
    next.next = page.record + 1;
    report_.cut += page.is_cut ? 1 : 0;
    const bool is_removal = page.kind == crawl::PageKind::removal;
    const auto kind = is_removal ? jobs::RecordKind::removal : jobs::RecordKind::page;
    return jobs::Opener::state(stream_).take(kind, next, answers_);
  }

  Status check_time(const StreamPage& page) {
    const bool is_ahead = jobs::Opener::state(stream_).is_ahead(page.time_ms);
    const bool is_late = page.time_ms < stream_.time_ms();
    if (!is_ahead && !is_late) return Status::ok();
    if (options_.strict) {
      return Error{
          ErrorKind::corrupt,
          fmt::format(
              "{}: its time is {}; strict = true makes that an error, else it has that time",
              page.name,
              is_late ? "before that of an earlier page"
                      : "more than `max_skew_ms` past that of the latest page")};
    }
    std::string& first = is_late ? report_.first_late : report_.first_ahead;
    if (first.empty()) first = page.name;
    return Status::ok();
  }

  // First the log, then the answers: none is ever given that a process which ends forgets.
  Status give(const StreamAnswer& answer) {
    KITH_TRY(received(options_.durable == Durable::page ? stream_.sync() : stream_.flush()));
    KITH_TRY(received(receiver_.take(answer)));
    return received(receiver_.flush());
  }

  Status deliver() {
    KITH_TRY(answers_.pass_on());
    // While the next page is waited for, the log must not lack this.
    KITH_TRY(stream_.told());
    KITH_TRY(stream_.flush());
    if (options_.durable == Durable::second) KITH_TRY(sync_now_and_then());
    return jobs::is_snapshot_due(stream_) ? settle() : Status::ok();
  }

  Status settle() {
    KITH_TRY(received(receiver_.settle()));
    return stream_.snapshot();
  }

  // Notes where answers may not have arrived.
  Status received(Status status) {
    if (!status) are_all_received_ = false;
    return status;
  }

  Status sync_now_and_then() {
    const auto now = std::chrono::steady_clock::now();
    if (now - synced_ < std::chrono::seconds(1)) return Status::ok();
    synced_ = now;
    return stream_.sync();
  }

  Status finish() {
    // Answers that have not arrived can be made again only from the log.
    if (!are_all_received_) return stream_.flush();
    KITH_TRY(deliver());
    return settle();
  }

  const StreamJobOptions& options_;
  const StreamReceiver& receiver_;
  Stream stream_;
  StreamReport report_;
  jobs::AnswerBatches answers_;
  bool are_all_received_ = true;
  std::vector<std::string> files_;
  std::optional<uint32_t> file_;  // that is read
  std::string source_;            // its name; empty for a pipe
  uint64_t next_ = 0;             // its first record that was not read before
  jobs::PageInput input_;
  std::chrono::steady_clock::time_point synced_ = std::chrono::steady_clock::now();
};

}  // namespace

// Tables that grow and files that are written take as much again as what they hold.
Result<uint64_t> jobs::memory_of_state(const StreamJobOptions& options) {
  const uint64_t memory = run::memory_or_default(options.memory);
  KITH_TRY(run::check_reading_memory(memory, options.max_page));
  const uint64_t reading =
      std::max(run::min_working_bytes, run::usual_page_cost * options.max_page);
  const Budget left = Budget(memory).without(Share::program, run::bytes_of_program + reading);
  return left.bytes(Share::stream_state) + part_of(run::min_working_bytes, Share::stream_state);
}

bool jobs::is_snapshot_due(const Stream& stream) {
  constexpr uint64_t min_log_bytes = 64 << 20;
  return stream.log_bytes() > min_log_bytes + stream.counts().memory;
}

Status validate(const StreamJobOptions& options) {
  // With --repair nothing needs to be read.
  if (!options.inputs.empty() || !options.stream.repair) {
    KITH_TRY(validate(static_cast<const ReadOptions&>(options)));
  }
  if (options.directory.empty()) return {Error{ErrorKind::usage, "no folder of a stream is named"}};
  return validate(options.stream);
}

Result<StreamReport> run_stream(const StreamJobOptions& options, const StreamReceiver& receiver) {
  return jobs::run(storage::posix_file_system(), options, receiver);
}

Result<StreamReport> jobs::run(storage::FileSystem& fs, const StreamJobOptions& options,
                               const StreamReceiver& receiver) {
  return run::guarded([&]() -> Result<StreamReport> {
    KITH_TRY(validate(options));
    KITH_TRY(run::check_output_place(options.directory, options.inputs));
    StreamOptions own = options.stream;
    KITH_ASSIGN(own.memory, jobs::memory_of_state(options));
    own.url_rules = options.url_rules;
    const StreamRecovery recovery{.begin = receiver.begin,
                                  .take = [&](const StreamAnswer& answer) -> Status {
                                    KITH_TRY(receiver.take(answer));
                                    return receiver.flush();
                                  }};
    KITH_ASSIGN(Stream stream, jobs::Opener::open(fs, options.directory, own, recovery));
    return StreamJob(options, receiver, std::move(stream)).run();
  });
}

std::string_view name(Durable value) {
  return word_of(value, {"page", "second", "none"});
}

}  // namespace kith
