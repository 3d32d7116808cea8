#include "crawl/read/page_reader.h"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <mutex>
#include <optional>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "base/json_walk.h"
#include "crawl/read/batch_decoder.h"
#include "crawl/read/input_reader.h"
#include "crawl/read/inputs.h"
#include "crawl/read/table_reader.h"

namespace kith::crawl {

std::string_view left_out_name(LeftOut kind) {
  return word_of(kind, {"other_file", "page_file", "run_folder", "linked_folder", "broken_link",
                        "no_file", "replaced"});
}

bool holds_run(const std::string& folder) {
  constexpr uint64_t longest = 16u << 20;
  const std::filesystem::path path = std::filesystem::path(folder) / "manifest.json";
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return false;
  if (std::filesystem::file_size(path, error) > longest || error) return false;
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  return std::ranges::all_of(std::array{"\"kith\":", "\"identity\":", "\"stages\":"},
                             [&](const char* key) { return text.find(key) != std::string::npos; });
}

namespace {

// A page is held in memory several times over.
constexpr uint64_t kLargestPage = 1u << 30;

Status check_options(const CrawlOptions& options) {
  if (options.inputs.empty()) return Error{ErrorKind::usage, "no input is named"};
  if (options.max_page == 0 || options.max_page > kLargestPage) {
    return Error{ErrorKind::usage, fmt::format("max_page = {}: is not between 1 and {} bytes",
                                               options.max_page, kLargestPage)};
  }
  const std::string& base = options.base_url;
  if (!base.empty() && !base.starts_with("http://") && !base.starts_with("https://")) {
    return Error{ErrorKind::usage,
                 fmt::format("base_url = {}: does not begin with http:// or https://", base)};
  }
  return Status::ok();
}

}  // namespace

struct PageReader::State {
  Result<bool> fill(BatchBuilder& batch);
  Status open_next_file();
  Status take_titles(const InputFile& file);
  void note_progress();
  Status close_batch(const Tally& batch);
  std::unique_ptr<DecoderTools> idle_tools();

  std::vector<InputFile> files;  // readers point to its strings
  std::vector<std::string> all_files;
  RecordRules rules;
  RowFields fields;
  uint64_t bytes_total = 0;
  bool has_pipe = false;
  LeftOutCounts left_out{};
  std::function<NamedUrls()> named;
  std::atomic<uint64_t> bytes_done = 0;

  std::atomic<uint64_t> batches_admitted = 0;
  Admit admit;  // for the batch of that number only

  mutable std::mutex mutex;  // guards all below
  uint64_t next_sequence = 0;
  size_t next_file = 0;
  std::unique_ptr<InputReader> reader;               // of files[next_file - 1]
  std::shared_ptr<Container> container;              // that it is in
  PageTitles titles;                                 // of the container
  std::optional<Error> failure;                      // what next() says from then on
  Tally tally;                                       // without the file that is being read
  std::vector<std::unique_ptr<DecoderTools>> tools;  // that no batch uses
};

namespace {

// A batch on its way from records to pages.
struct BatchWork : UnfinishedBatch {
  BatchWork(PageBatch& batch, const RecordRules& rules) : builder(batch, rules, tally) {}

  Tally tally;
  BatchBuilder builder;
  std::unique_ptr<DecoderTools> tools;
  std::optional<BatchDecoder> decoder;
};

// The turn of a batch among all: comes when those before it have had theirs, and is passed on at
// the end of its scope, whatever happens there.
class Turn {
 public:
  Turn(std::atomic<uint64_t>& passed, uint64_t number) : passed_(passed), number_(number) {}
  ~Turn() {
    await();
    passed_.store(number_ + 1, std::memory_order_release);
    passed_.notify_all();
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

  void await() const {
    for (;;) {
      const uint64_t now = passed_.load(std::memory_order_acquire);
      if (now == number_) return;
      passed_.wait(now, std::memory_order_acquire);
    }
  }

 private:
  std::atomic<uint64_t>& passed_;
  const uint64_t number_;
};

Error damage_error(const SkipExample& damage) {
  return {ErrorKind::corrupt,
          fmt::format("{}:{}: damaged: {}; strict = true makes it an error, else it is passed over",
                      damage.file == "-" ? "standard input" : damage.file, damage.offset,
                      damage.reason)};
}

}  // namespace

Status PageReader::State::open_next_file() {
  InputFile& file = files[next_file++];
  ++tally.counts.files;
  KITH_TRY(take_titles(file));
  if (is_whole_page(file.format)) {
    const bool is_html = file.format == FileFormat::html;
    KITH_ASSIGN(std::unique_ptr<ByteSource> source, open_input(file));
    reader = make_whole_reader(std::move(source), file.size, file.path, file.url,
                               is_html ? PageKind::html : PageKind::text);
    return Status::ok();
  }
  if (file.format == FileFormat::table) {
    KITH_ASSIGN(reader, make_table_reader(*file.tables, file.path, fields, file.size));
    return Status::ok();
  }
  if (!file.stream) {
    KITH_ASSIGN(file.stream, open_stream(file));
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
    case FileFormat::csv:
      reader = make_csv_reader(std::move(stream), file.path, fields);
      break;
    default:
      reader = make_jsonl_reader(std::move(stream), file.path, fields);
  }
  return Status::ok();
}

Status PageReader::State::take_titles(const InputFile& file) {
  if (file.container == container) return Status::ok();
  container = file.container;
  titles = {};
  if (!container || !is_wacz(*container)) return Status::ok();
  KITH_ASSIGN(titles, PageTitles::of_wacz(*container));
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
    batch.begin_file(files[next_file - 1].number, titles);
    KITH_ASSIGN(const bool more, reader->read(batch));
    if (!more) {
      tally.counts.bytes_in += reader->bytes_read();
      tally.counts.bytes_unpacked += reader->bytes_unpacked();
      reader.reset();
    }
    note_progress();
  }
  return !batch.drafts().empty() || batch.ends_at_damage();
}

// Counts a batch whose turn it is; in the strict mode damage in it, or before it, is an error.
Status PageReader::State::close_batch(const Tally& batch) {
  tally.merge(batch);
  const SkipExample* const damage = batch.first_damage();
  if (rules.strict && damage != nullptr && !failure) failure = damage_error(*damage);
  if (failure && rules.strict) return *failure;
  return Status::ok();
}

std::unique_ptr<DecoderTools> PageReader::State::idle_tools() {
  if (tools.empty()) return std::make_unique<DecoderTools>();
  std::unique_ptr<DecoderTools> idle = std::move(tools.back());
  tools.pop_back();
  return idle;
}

Result<PageReader> PageReader::open(const CrawlOptions& options, Admit admit) {
  KITH_TRY(check_options(options));
  auto state = std::make_unique<State>();
  KITH_ASSIGN(InputList inputs, find_inputs(options));
  state->files = std::move(inputs.files);
  state->all_files = std::move(inputs.paths);
  state->left_out = inputs.left_out;
  state->named = options.named;
  state->admit = std::move(admit);
  state->rules = {options.max_page, options.status, options.decoded_bytes, options.strict,
                  options.nameless, options.notes,  options.rows,          options.filter};
  state->fields = options.fields;
  for (const InputFile& file : state->files) {
    state->bytes_total += file.size;
    state->has_pipe |= file.stream.has_value();
  }
  if (state->has_pipe) state->bytes_total = 0;
  return PageReader(std::move(state));
}

Result<PageReader> PageReader::open_part(const CrawlOptions& options, const std::string& path,
                                         uint64_t from, LayoutLog& log) {
  CrawlOptions one = options;
  one.inputs = {path};
  one.share = {};
  KITH_ASSIGN(PageReader reader, open(one, nullptr));
  if (reader.state_->files.size() != 1) {
    return Error{ErrorKind::not_found, fmt::format("{}: is no file", path)};
  }
  InputFile& file = reader.state_->files.front();
  // Rows of CSV need its first line to be known.
  if (is_whole_page(file.format) || file.format == FileFormat::csv ||
      file.format == FileFormat::table) {
    return reader;
  }
  bool can_begin_anywhere = false;
  {
    KITH_ASSIGN(const std::unique_ptr<ByteSource> source, open_input(file));
    can_begin_anywhere = source->known_size().has_value();
  }
  KITH_ASSIGN(file.stream, open_stream(file, from));
  // Behind another place the dictionary would not be known.
  can_begin_anywhere &= file.stream->dictionary().empty();
  if (can_begin_anywhere) file.stream->set_layout_log(log);
  return reader;
}

PageReader::PageReader(std::unique_ptr<State> state) : state_(std::move(state)) {}
PageReader::~PageReader() = default;
PageReader::PageReader(PageReader&&) noexcept = default;
PageReader& PageReader::operator=(PageReader&&) noexcept = default;

Result<bool> PageReader::next(PageBatch& batch) {
  State& state = *state_;
  if (batch.rest) {
    if (!static_cast<BatchWork&>(*batch.rest).decoder->hand_out()) batch.rest.reset();
    return true;
  }
  batch.pages.clear();
  std::unique_ptr<BatchWork> work;
  {
    const std::lock_guard lock(state.mutex);
    if (state.failure) return *state.failure;
    batch.sequence = state.next_sequence;
    work = std::make_unique<BatchWork>(batch, state.rules);
    Result<bool> more = state.fill(work->builder);
    if (!more) {
      state.failure = more.error();
      return std::move(more).error();
    }
    if (!*more) {
      state.tally.merge(work->tally);
      return false;
    }
    work->tools = state.idle_tools();
    // From here on the others wait for its turn.
    ++state.next_sequence;
  }
  const Turn turn(state.batches_admitted, batch.sequence);
  work->decoder.emplace(work->builder, *work->tools, batch, work->tally);
  work->decoder->decode();
  turn.await();
  work->decoder->admit(state.admit);
  const bool has_rest = work->decoder->hand_out();
  const std::lock_guard lock(state.mutex);
  KITH_TRY(state.close_batch(work->tally));
  if (has_rest) {
    batch.rest = std::move(work);
  } else {
    state.tools.push_back(std::move(work->tools));
  }
  return true;
}

const std::vector<std::string>& PageReader::files() const {
  return state_->all_files;
}

bool PageReader::can_read_again() const {
  return !state_->has_pipe;
}

uint64_t PageReader::bytes_done() const {
  return state_->bytes_done.load(std::memory_order_relaxed);
}

uint64_t PageReader::bytes_total() const {
  return state_->bytes_total;
}

CrawlReport PageReader::report() const {
  const std::lock_guard lock(state_->mutex);
  CrawlReport report = state_->tally.report(state_->fields);
  report.left_out = state_->left_out;
  if (state_->named) report.urls = state_->named();
  return report;
}

}  // namespace kith::crawl
