#include "crawl/page_reader.h"

#include <atomic>
#include <mutex>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "crawl/batch_builder.h"
#include "crawl/batch_decoder.h"
#include "crawl/input_reader.h"
#include "crawl/inputs.h"
#include "crawl/payload.h"

namespace kith::crawl {
namespace {

// A page is held in memory several times over.
constexpr uint64_t kLargestPage = 1u << 30;

Status check_options(const CrawlOptions& options) {
  if (options.inputs.empty()) return Error{ErrorKind::usage, "no input is named"};
  if (options.max_page == 0 || options.max_page > kLargestPage) {
    return Error{ErrorKind::usage, fmt::format("--max-page {} is not between 1 and {} bytes",
                                               options.max_page, kLargestPage)};
  }
  const std::string& base = options.base_url;
  if (!base.empty() && !base.starts_with("http://") && !base.starts_with("https://")) {
    return Error{ErrorKind::usage,
                 fmt::format("--base-url {} does not begin with http:// or https://", base)};
  }
  return Status::ok();
}

}  // namespace

struct PageReader::State {
  Result<bool> fill(BatchBuilder& batch);
  Status open_next_file();
  void note_progress();

  std::vector<InputFile> files;  // readers point to its strings
  Admit admit;
  uint64_t max_page = 0;
  uint64_t bytes_total = 0;
  std::atomic<uint64_t> bytes_done = 0;

  mutable std::mutex mutex;  // guards all below
  uint64_t next_sequence = 0;
  size_t next_file = 0;
  std::unique_ptr<InputReader> reader;  // of files[next_file - 1]
  std::optional<Error> failure;         // what next() says from then on
  Tally tally;                          // without the file that is being read
  std::vector<std::unique_ptr<PayloadDecoder>> idle_decoders;
};

Status PageReader::State::open_next_file() {
  InputFile& file = files[next_file++];
  ++tally.counts.files;
  if (file.format == FileFormat::html) {
    KITH_ASSIGN(reader, make_html_reader(file.path, file.url));
    return Status::ok();
  }
  if (!file.stream) {
    KITH_ASSIGN(file.stream, open_stream(file.path));
  }
  UnpackedStream stream = std::move(*file.stream);
  file.stream.reset();
  switch (file.format) {
    case FileFormat::warc:
      reader = make_archive_reader(std::move(stream), file.path, ArchiveFormat::warc);
      break;
    case FileFormat::arc:
      reader = make_archive_reader(std::move(stream), file.path, ArchiveFormat::arc);
      break;
    default:
      reader = make_jsonl_reader(std::move(stream), file.path);
  }
  return Status::ok();
}

void PageReader::State::note_progress() {
  const uint64_t current = reader ? reader->bytes_read() : 0;
  bytes_done.store(tally.counts.bytes_in + current, std::memory_order_relaxed);
}

// Reads drafts until the batch is full; false when the inputs held no more.
Result<bool> PageReader::State::fill(BatchBuilder& batch) {
  while (!batch.full()) {
    if (!reader) {
      if (next_file == files.size()) break;
      KITH_TRY(open_next_file());
    }
    KITH_ASSIGN(const bool more, reader->read(batch));
    if (!more) {
      tally.counts.bytes_in += reader->bytes_read();
      tally.counts.bytes_unpacked += reader->bytes_unpacked();
      reader.reset();
    }
    note_progress();
  }
  return !batch.drafts().empty();
}

Result<PageReader> PageReader::open(const CrawlOptions& options, Admit admit) {
  KITH_TRY(check_options(options));
  auto state = std::make_unique<State>();
  KITH_ASSIGN(state->files, find_inputs(options));
  state->admit = std::move(admit);
  state->max_page = options.max_page;
  bool has_pipe = false;
  for (const InputFile& file : state->files) {
    state->bytes_total += file.size;
    has_pipe |= file.stream.has_value();
  }
  if (has_pipe) state->bytes_total = 0;
  return PageReader(std::move(state));
}

PageReader::PageReader(std::unique_ptr<State> state) : state_(std::move(state)) {}
PageReader::~PageReader() = default;
PageReader::PageReader(PageReader&&) noexcept = default;
PageReader& PageReader::operator=(PageReader&&) noexcept = default;

Result<bool> PageReader::next(PageBatch& batch) {
  State& state = *state_;
  batch.pages.clear();
  std::unique_ptr<PayloadDecoder> decoder;
  std::optional<BatchBuilder> builder;
  {
    const std::lock_guard lock(state.mutex);
    if (state.failure) return *state.failure;
    batch.sequence = state.next_sequence;
    builder.emplace(batch, state.max_page, state.admit, state.tally);
    Result<bool> more = state.fill(*builder);
    if (!more) {
      state.failure = more.error();
      return std::move(more).error();
    }
    if (!*more) return false;
    ++state.next_sequence;
    if (!state.idle_decoders.empty()) {
      decoder = std::move(state.idle_decoders.back());
      state.idle_decoders.pop_back();
    }
  }
  if (!decoder) decoder = std::make_unique<PayloadDecoder>();
  Tally tally;
  decode_batch(builder->drafts(), builder->raw(), state.max_page, *decoder, batch, tally);
  const std::lock_guard lock(state.mutex);
  state.tally.merge(tally);
  state.idle_decoders.push_back(std::move(decoder));
  return true;
}

uint64_t PageReader::bytes_done() const {
  return state_->bytes_done.load(std::memory_order_relaxed);
}

uint64_t PageReader::bytes_total() const {
  return state_->bytes_total;
}

CrawlReport PageReader::report() const {
  const std::lock_guard lock(state_->mutex);
  return state_->tally.report();
}

}  // namespace kith::crawl
