#include "stream/job.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "kith/stream_job.h"

#include "base/enum_words.h"
#include "crawl/read/page_reader.h"
#include "run/guarded.h"
#include "run/memory_budget.h"
#include "run/pages.h"
#include "stream/opener.h"
#include "stream/page_input.h"

namespace kith {
namespace {

// By what the files of the input are known; "" for standard input.
std::vector<std::string> sources_of(const std::vector<std::string>& files) {
  std::vector<std::string> sources;
  for (const std::string& file : files) {
    std::error_code ignored;
    sources.push_back(
        file == "-" ? "" : std::filesystem::absolute(file, ignored).lexically_normal().string());
  }
  return sources;
}

class StreamJob {
 public:
  StreamJob(const StreamJobOptions& options, const StreamReceiver& receiver, Stream stream)
      : options_(options),
        receiver_(receiver),
        stream_(std::move(stream)),
        input_(options.language) {}

  Result<StreamReport> run() {
    KITH_TRY(give_what_is_left());
    KITH_ASSIGN(crawl::CrawlOptions crawl, pipeline::crawl_options(options_));
    crawl.nameless = crawl.notes = true;
    KITH_ASSIGN(crawl::PageReader reader, crawl::PageReader::open(crawl, nullptr));
    sources_ = sources_of(reader.files());
    const Status done = read(reader);
    // What was decided before an error stays decided.
    const Status kept = finish();
    KITH_TRY(done);
    KITH_TRY(kept);
    report_.crawl = pipeline::counts_of(reader.report());
    report_.stream = stream_.counts();
    return std::move(report_);
  }

 private:
  // The answers that were made, but did not arrive, before the last process ended.
  Status give_what_is_left() {
    const StreamProgress& progress = stream_.progress();
    KITH_ASSIGN(const uint64_t arrived, receiver_.begin(progress));
    const StreamAnswer& recovered = stream_.recovered();
    const uint64_t missing = progress.answers - std::min(arrived, progress.answers);
    if (missing > recovered.size()) {
      return Error{
          ErrorKind::usage,
          fmt::format("{} of the last answers of {} are missing where they are written to, "
                      "and only {} of them can be made again; write to another place",
                      missing, options_.directory, recovered.size())};
    }
    const auto tail = [&](const auto& all) {
      const auto count = static_cast<ptrdiff_t>(std::min<uint64_t>(missing, all.size()));
      return std::vector(all.end() - count, all.end());
    };
    answers_ = {tail(recovered.decisions), tail(recovered.pairs)};
    return deliver();
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

  Status take(const crawl::Page& page) {
    if (page.kind == crawl::PageKind::redirect) return Status::ok();
    const std::string& source = sources_[page.file];
    if (!source.empty() && page.record < stream_.next_of(source)) {
      ++report_.read_before;
      return Status::ok();
    }
    StreamPage next = input_.read(page);
    if (next.time_ms < stream_.time_ms()) KITH_TRY(take_late(next));
    next.source = source;
    next.next = page.record + 1;
    report_.cut += page.is_cut ? 1 : 0;
    KITH_ASSIGN(StreamAnswer answer,
                page.kind == crawl::PageKind::removal ? stream_.remove(next) : stream_.add(next));
    std::ranges::move(answer.decisions, std::back_inserter(answers_.decisions));
    std::ranges::move(answer.pairs, std::back_inserter(answers_.pairs));
    return Status::ok();
  }

  Status take_late(const StreamPage& page) {
    if (options_.strict) {
      return Error{ErrorKind::corrupt,
                   fmt::format("{}: its time is before that of an earlier page; without --strict "
                               "such pages have that time",
                               page.name)};
    }
    if (report_.first_late.empty()) report_.first_late = page.name;
    return Status::ok();
  }

  // First the log, then the answers: none is ever given that a process which ends forgets.
  Status deliver() {
    KITH_TRY(options_.durable == Durable::page ? stream_.sync() : stream_.flush());
    const StreamAnswer answers = std::exchange(answers_, {});
    KITH_TRY(received(receiver_.take(answers)));
    KITH_TRY(received(receiver_.flush()));
    // While the next page is waited for, the log must not lack this.
    KITH_TRY(stream_.told());
    KITH_TRY(stream_.flush());
    if (options_.durable == Durable::second) KITH_TRY(sync_now_and_then());
    return stream::is_snapshot_due(stream_) ? settle() : Status::ok();
  }

  Status settle() {
    KITH_TRY(received(receiver_.settle()));
    return stream_.snapshot();
  }

  // Notes where answers may not have arrived.
  Status received(Status status) {
    are_all_received_ = are_all_received_ && status.is_ok();
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
  StreamAnswer answers_;  // of the batch
  bool are_all_received_ = true;
  std::vector<std::string> sources_;
  stream::PageInput input_;
  std::chrono::steady_clock::time_point synced_ = std::chrono::steady_clock::now();
};

}  // namespace

// Tables that grow and files that are written take as much again as what they hold.
Result<uint64_t> stream::memory_of_state(const StreamJobOptions& options) {
  const uint64_t memory = pipeline::memory_or_default(options.memory);
  KITH_TRY(pipeline::check_reading_memory(memory, options.max_page));
  const uint64_t reading =
      std::max(pipeline::min_working_bytes, pipeline::usual_page_cost * options.max_page);
  return (memory - pipeline::bytes_of_program - reading) / 2 + pipeline::min_working_bytes / 2;
}

bool stream::is_snapshot_due(const Stream& stream) {
  constexpr uint64_t min_log_bytes = 64 << 20;
  return stream.log_bytes() > min_log_bytes + stream.counts().memory;
}

Status validate(const StreamJobOptions& options) {
  KITH_TRY(validate(static_cast<const ReadOptions&>(options)));
  if (options.directory.empty()) return {Error{ErrorKind::usage, "no folder of a stream is named"}};
  return validate(options.stream);
}

Result<StreamReport> run_stream(const StreamJobOptions& options, const StreamReceiver& receiver) {
  return stream::run(storage::posix_file_system(), options, receiver);
}

Result<StreamReport> stream::run(storage::FileSystem& fs, const StreamJobOptions& options,
                                 const StreamReceiver& receiver) {
  KITH_TRY(validate(options));
  StreamOptions own = options.stream;
  KITH_ASSIGN(own.memory, memory_of_state(options));
  KITH_ASSIGN(Stream stream, Opener::open(fs, options.directory, own));
  return pipeline::guarded([&] { return StreamJob(options, receiver, std::move(stream)).run(); });
}

std::string_view name(Durable value) {
  return word_of(value, {"page", "second", "none"});
}

}  // namespace kith
