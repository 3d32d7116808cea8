#include <chrono>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "kith/stream_job.h"

#include "crawl/read/page_reader.h"
#include "jobs/stream/job.h"
#include "jobs/stream/page_input.h"
#include "jobs/stream/state.h"
#include "jobs/stream/store.h"
#include "run/guarded.h"
#include "run/pages.h"
#include "text/url/url_rules.h"

namespace kith {
namespace {

// Of the pages that are taken at once, as records.
constexpr uint64_t max_prepared_bytes = 1 << 20;

}  // namespace

struct StreamService::State {
  State(const StreamJobOptions& its_options, Stream its_stream)
      : options(its_options), stream(std::move(its_stream)) {}

  // Calls take(page) for the pages of the lines.
  template <class Take>
  Result<CrawlCounts> read(std::string_view lines, Take&& take) const;
  using Preparer = std::unique_ptr<jobs::PagePreparer>;
  Preparer borrow_preparer();
  void give_back(Preparer preparer);
  Status take_all(std::vector<std::string>& prepared, jobs::AnswerBatches& answers);
  Status settle();
  void snapshot_when_due();

  const StreamJobOptions options;
  mutable std::shared_mutex mutex;  // guards all up to the next one
  Stream stream;
  std::chrono::steady_clock::time_point synced = std::chrono::steady_clock::now();
  uint64_t snapshot_from = 0;  // bytes of the log, after a snapshot that failed
  std::mutex preparers_mutex;  // guards what follows
  std::vector<Preparer> preparers;
};

template <class Take>
Result<CrawlCounts> StreamService::State::read(std::string_view lines, Take&& take) const {
  ReadOptions reading = options;
  reading.inputs = {"-"};
  KITH_ASSIGN(crawl::CrawlOptions crawl, run::crawl_options(reading));
  crawl.nameless = crawl.notes = true;
  crawl.fields = crawl::RowFields(reading, true);
  crawl.lines = lines;
  KITH_ASSIGN(crawl::PageReader reader, crawl::PageReader::open(crawl, nullptr));
  jobs::PageInput input(options.language, text::UrlRules::of_valid(options.url_rules));
  crawl::PageBatch batch;
  for (;;) {
    KITH_ASSIGN(const bool more, reader.next(batch));
    if (!more) return run::counts_of(reader.report());
    for (const crawl::Page& page : batch.pages) KITH_TRY(take(input.read(page), page.kind));
  }
}

// A preparer knows words, and is made but once for each caller at a time.
StreamService::State::Preparer StreamService::State::borrow_preparer() {
  const std::lock_guard lock(preparers_mutex);
  if (preparers.empty()) {
    return std::make_unique<jobs::PagePreparer>(jobs::Opener::state(stream));
  }
  Preparer preparer = std::move(preparers.back());
  preparers.pop_back();
  return preparer;
}

void StreamService::State::give_back(Preparer preparer) {
  constexpr size_t most = 4;
  const std::lock_guard lock(preparers_mutex);
  if (preparers.size() < most) preparers.push_back(std::move(preparer));
}

Status StreamService::State::take_all(std::vector<std::string>& prepared,
                                      jobs::AnswerBatches& answers) {
  const std::unique_lock lock(mutex);
  jobs::State& its_state = jobs::Opener::state(stream);
  // Callers have had their answers, or errors.
  if (its_state.is_log_lost()) KITH_TRY(its_state.snapshot());
  KITH_TRY(its_state.take_all(prepared, answers));
  prepared.clear();
  return Status::ok();
}

// The pages are in the log. What a caller has been told is told.
Status StreamService::State::settle() {
  const std::unique_lock lock(mutex);
  KITH_TRY(stream.told());
  const auto now = std::chrono::steady_clock::now();
  const bool is_time = now - synced >= std::chrono::seconds(1);
  if (options.durable == Durable::page || (options.durable == Durable::second && is_time)) {
    KITH_TRY(stream.sync());
    synced = now;
  }
  snapshot_when_due();
  return Status::ok();
}

// A disk without room for a snapshot may have room for a log: then it is tried again later.
void StreamService::State::snapshot_when_due() {
  constexpr uint64_t wait_bytes = 64 << 20;
  if (!jobs::is_snapshot_due(stream) || stream.log_bytes() < snapshot_from) return;
  snapshot_from = stream.snapshot() ? 0 : stream.log_bytes() + wait_bytes;
}

StreamService::StreamService(std::unique_ptr<State> state) : state_(std::move(state)) {}
StreamService::~StreamService() = default;
StreamService::StreamService(StreamService&&) noexcept = default;
StreamService& StreamService::operator=(StreamService&&) noexcept = default;

Result<StreamService> StreamService::open(const StreamServiceOptions& options) {
  return run::guarded([&]() -> Result<StreamService> {
    StreamJobOptions own;
    own.directory = options.directory;
    own.durable = options.durable;
    own.memory = options.memory;
    own.max_page = options.max_page;
    own.language = options.language;
    own.inputs = {"-"};
    KITH_ASSIGN(const jobs::Snapshot there,
                jobs::open_snapshot(storage::posix_file_system(), options.directory));
    own.stream = there.head().options;
    own.url_rules = own.stream.url_rules;
    own.stream.decision_themes = !own.stream.pairs;
    KITH_TRY(validate(own));
    KITH_ASSIGN(own.stream.memory, jobs::memory_of_state(own));
    KITH_ASSIGN(Stream stream, Stream::open(own.directory, own.stream));
    return StreamService(std::make_unique<State>(own, std::move(stream)));
  });
}

Result<StreamLinesAnswer> StreamService::add(std::string_view lines) {
  return run::guarded([&]() -> Result<StreamLinesAnswer> {
    State::Preparer preparer = state_->borrow_preparer();
    jobs::AnswerBatches answers;
    std::vector<std::string> prepared;
    uint64_t bytes = 0;
    uint64_t taken = 0;
    const auto take_prepared = [&]() -> Status {
      const size_t pages = prepared.size();
      KITH_TRY(state_->take_all(prepared, answers));
      taken += pages;
      bytes = 0;
      return Status::ok();
    };
    const auto take = [&](const StreamPage& page, crawl::PageKind kind) -> Status {
      const bool is_removal = kind == crawl::PageKind::removal;
      KITH_ASSIGN(
          std::string record,
          preparer->prepare(is_removal ? jobs::RecordKind::removal : jobs::RecordKind::page, page));
      bytes += record.size();
      prepared.push_back(std::move(record));
      return bytes < max_prepared_bytes ? Status::ok() : take_prepared();
    };
    Result<CrawlCounts> counts = state_->read(lines, take);
    state_->give_back(std::move(preparer));
    Status done = counts.status();
    if (done) done = take_prepared();
    if (done) done = state_->settle();
    if (!done) {
      return Error{done.error().kind,
                   fmt::format("{}; of the pages of this call the first {} were taken",
                               done.error().message, taken)};
    }
    return StreamLinesAnswer{answers.take(), std::move(*counts)};
  });
}

Result<StreamLinesPreview> StreamService::preview(std::string_view lines) const {
  return run::guarded([&]() -> Result<StreamLinesPreview> {
    StreamLinesPreview given;
    const auto take = [&](const StreamPage& page, crawl::PageKind kind) -> Status {
      if (kind == crawl::PageKind::removal) return Status::ok();
      const std::shared_lock lock(state_->mutex);
      StreamPreview of;
      of.document = page.name;
      of.is_known = state_->stream.has(page.name);
      KITH_ASSIGN(of.matches, state_->stream.find(page));
      given.pages.push_back(std::move(of));
      return Status::ok();
    };
    KITH_ASSIGN(given.lines, state_->read(lines, take));
    return given;
  });
}

StreamOptions StreamService::options() const {
  return state_->stream.options();
}

StreamCounts StreamService::counts() const {
  const std::shared_lock lock(state_->mutex);
  return state_->stream.counts();
}

Status StreamService::snapshot() {
  return run::guarded([&] {
    const std::unique_lock lock(state_->mutex);
    return state_->stream.snapshot();
  });
}

}  // namespace kith
