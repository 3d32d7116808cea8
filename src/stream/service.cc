#include <chrono>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <type_traits>
#include <utility>

#include "kith/stream_service.h"

#include "crawl/read/page_reader.h"
#include "run/guarded.h"
#include "run/pages.h"
#include "stream/job.h"
#include "stream/page_input.h"
#include "stream/store.h"

namespace kith {

struct StreamService::State {
  State(const StreamJobOptions& its_options, Stream its_stream)
      : options(its_options), stream(std::move(its_stream)), settings(stream->options()) {}

  // Calls take(page) for the pages of the lines.
  template <class Take>
  Result<CrawlCounts> read(std::string_view lines, Take&& take) const;
  Status settle();
  Status reopen();
  // Calls act(stream), which may write.
  template <class Act>
  std::invoke_result_t<Act&, Stream&> write(Act&& act);

  const StreamJobOptions options;
  mutable std::shared_mutex mutex;  // guards all below
  std::optional<Stream> stream;     // nothing: it could not be opened again
  const StreamOptions settings;     // of the stream
  StreamCounts counts;              // of the stream when it was closed
  bool has_failed = false;
  std::chrono::steady_clock::time_point synced = std::chrono::steady_clock::now();
};

template <class Take>
Result<CrawlCounts> StreamService::State::read(std::string_view lines, Take&& take) const {
  ReadOptions reading = options;
  reading.inputs = {"-"};
  KITH_ASSIGN(crawl::CrawlOptions crawl, pipeline::crawl_options(reading));
  crawl.nameless = crawl.notes = true;
  crawl.lines = lines;
  KITH_ASSIGN(crawl::PageReader reader, crawl::PageReader::open(crawl, nullptr));
  stream::PageInput input(options.language);
  crawl::PageBatch batch;
  for (;;) {
    KITH_ASSIGN(const bool more, reader.next(batch));
    if (!more) return pipeline::counts_of(reader.report());
    for (const crawl::Page& page : batch.pages) KITH_TRY(take(input.read(page), page.kind));
  }
}

// First the log, then the answer, as in the job. What a caller has been told is told.
Status StreamService::State::settle() {
  KITH_TRY(stream->told());
  const auto now = std::chrono::steady_clock::now();
  const bool is_time = now - synced >= std::chrono::seconds(1);
  if (options.durable == Durable::page || (options.durable == Durable::second && is_time)) {
    KITH_TRY(stream->sync());
    synced = now;
  } else {
    KITH_TRY(stream->flush());
  }
  return stream::is_snapshot_due(*stream) ? stream->snapshot() : Status::ok();
}

// A stream takes nothing more after an error of the disk or the memory. What had reached its log
// is there when it is opened again, which goes as soon as there is room.
Status StreamService::State::reopen() {
  if (stream) counts = stream->counts();
  stream.reset();  // first: it keeps others out of its folder
  KITH_ASSIGN(Stream opened, Stream::open(options.directory, options.stream));
  stream.emplace(std::move(opened));
  has_failed = false;
  return Status::ok();
}

template <class Act>
std::invoke_result_t<Act&, Stream&> StreamService::State::write(Act&& act) {
  if (has_failed) KITH_TRY(reopen());
  auto done = act(*stream);
  has_failed = !done && done.error().kind != ErrorKind::usage;
  return done;
}

StreamService::StreamService(std::unique_ptr<State> state) : state_(std::move(state)) {}
StreamService::~StreamService() = default;
StreamService::StreamService(StreamService&&) noexcept = default;
StreamService& StreamService::operator=(StreamService&&) noexcept = default;

Result<StreamService> StreamService::open(const StreamServiceOptions& options) {
  StreamJobOptions own;
  own.directory = options.directory;
  own.durable = options.durable;
  own.memory = options.memory;
  own.max_page = options.max_page;
  own.language = options.language;
  own.inputs = {"-"};
  KITH_ASSIGN(const stream::Snapshot there,
              stream::open_snapshot(storage::posix_file_system(), options.directory));
  own.stream = there.head().options;
  own.stream.decision_themes = !own.stream.pairs;
  KITH_TRY(validate(own));
  KITH_ASSIGN(own.stream.memory, stream::memory_of_state(own));
  KITH_ASSIGN(Stream stream, Stream::open(own.directory, own.stream));
  return StreamService(std::make_unique<State>(own, std::move(stream)));
}

Result<StreamLinesAnswer> StreamService::add(std::string_view lines) {
  return pipeline::guarded([&]() -> Result<StreamLinesAnswer> {
    const std::unique_lock lock(state_->mutex);
    return state_->write([&](Stream& stream) -> Result<StreamLinesAnswer> {
      StreamLinesAnswer given;
      const auto take = [&](const StreamPage& page, crawl::PageKind kind) -> Status {
        KITH_ASSIGN(StreamAnswer answer,
                    kind == crawl::PageKind::removal ? stream.remove(page) : stream.add(page));
        std::ranges::move(answer.decisions, std::back_inserter(given.answer.decisions));
        std::ranges::move(answer.pairs, std::back_inserter(given.answer.pairs));
        return Status::ok();
      };
      Result<CrawlCounts> counts = state_->read(lines, take);
      KITH_TRY(state_->settle());
      KITH_TRY(counts.status());
      given.lines = std::move(*counts);
      return given;
    });
  });
}

Result<StreamLinesPreview> StreamService::preview(std::string_view lines) const {
  return pipeline::guarded([&]() -> Result<StreamLinesPreview> {
    const std::shared_lock lock(state_->mutex);
    if (!state_->stream) {
      return Error{ErrorKind::io, state_->options.directory +
                                      ": the stream has failed, and is opened again with "
                                      "the next page"};
    }
    StreamLinesPreview given;
    const auto take = [&](const StreamPage& page, crawl::PageKind kind) -> Status {
      if (kind == crawl::PageKind::removal) return Status::ok();
      StreamPreview of;
      of.document = page.name;
      of.is_known = state_->stream->has(page.name);
      KITH_ASSIGN(of.matches, state_->stream->find(page));
      given.pages.push_back(std::move(of));
      return Status::ok();
    };
    KITH_ASSIGN(given.lines, state_->read(lines, take));
    return given;
  });
}

StreamOptions StreamService::options() const {
  return state_->settings;
}

StreamCounts StreamService::counts() const {
  const std::shared_lock lock(state_->mutex);
  return state_->stream ? state_->stream->counts() : state_->counts;
}

Status StreamService::snapshot() {
  return pipeline::guarded([&] {
    const std::unique_lock lock(state_->mutex);
    return state_->write([](Stream& stream) { return stream.snapshot(); });
  });
}

}  // namespace kith
