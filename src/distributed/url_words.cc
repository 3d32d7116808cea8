// kith::UrlWords: what all pages say of some URLs, as words.
#include <algorithm>
#include <optional>
#include <utility>

#include "kith/bag_steps.h"
#include "kith/crawl_steps.h"

#include "api/batch.h"
#include "bags/aliases.h"
#include "bags/collapse.h"
#include "bags/document_frequencies.h"
#include "bags/run.h"
#include "bags/vocabulary/vocabulary.h"
#include "distributed/page_fragments.h"
#include "distributed/url_records.h"
#include "storage/memory_file_system.h"
#include "text/url/url.h"

namespace kith {
namespace {

using distributed::StemNumbering;

constexpr const char* file_of_run = "run";
constexpr size_t read_block = 1 << 20;

bags::Slots slots_of(const BagSteps& steps) {
  return bags::Slots(steps.options().bags == BagKind::both ? 2 : 1);
}

// The words of some URLs as they are added, with numbers of stems of their own.
class WordsOfUrls {
 public:
  // By number a stem of all URLs; they must outlive this object.
  WordsOfUrls(std::span<const std::string_view> stems, bags::Slots slots)
      : numbering_(slots), stems_(stems), slots_(slots) {}

  void add(std::string_view surt, std::span<const bags::TermCount> counts) {
    text::url_of_surt(surt, url_);
    some_.urls.add(url_);
    numbering_.number(counts, page_);
    PageWords& words = some_.words;
    words.documents.resize(numbering_.met().size() * slots_.parts());
    for (const bags::TermCount& entry : page_) {
      words.terms.push_back(entry.term);
      words.counts.push_back(entry.count);
      ++words.documents[entry.term];
    }
    words.offsets.push_back(words.terms.size());
  }
  size_t size() const { return some_.urls.size(); }

  // Those that were added since the last call.
  FilePages take() {
    for (const uint32_t stem : numbering_.met()) some_.words.stems.add(stems_[stem]);
    numbering_.start();
    return std::exchange(some_, {});
  }

 private:
  StemNumbering numbering_;
  std::span<const std::string_view> stems_;
  bags::Slots slots_;
  std::vector<bags::TermCount> page_;
  std::string url_;
  FilePages some_;
};

}  // namespace

struct UrlWords::State {
  explicit State(bags::Slots parts) : slots(parts) {}

  bags::Slots slots;
  bags::Vocabulary vocabulary;
  std::vector<std::string_view> stems;
  storage::MemoryFileSystem files;
  std::optional<bags::RunReader> run;
  std::optional<WordsOfUrls> words;
  uint64_t fetched = 0;
  uint64_t left_out = 0;
  uint64_t copies = 0;
  uint64_t copied = 0;
  bags::RunRecord record;
  std::vector<bags::TermCount> counts;  // of the record

  Status collapse(const std::string& fragments, const bags::AliasMap& aliases, UrlScope urls) {
    bags::DocumentFrequencies frequencies(vocabulary.size(), slots);
    bags::CollapseOptions options;
    options.urls = urls;
    options.aliases = &aliases;
    options.frequencies = &frequencies;
    KITH_ASSIGN(const bags::CollapseCounts found,
                bags::collapse_partition(files, fragments, file_of_run, options));
    fetched = found.fetched;
    left_out = found.left_out;
    return open();
  }

  Status write(const distributed::UrlRecords& records) {
    KITH_ASSIGN(bags::RunWriter writer, bags::RunWriter::create(files, file_of_run));
    for (const bags::RawBag& bag : records.bags()) KITH_TRY(writer.add(bag));
    KITH_TRY(writer.finish());
    copies = records.copies();
    copied = records.copied();
    return open();
  }

  Status open() {
    stems = vocabulary.stems();
    words.emplace(stems, slots);
    KITH_ASSIGN(run, bags::RunReader::open(files, file_of_run, read_block));
    return Status::ok();
  }

  // Moves to the next record; false at the end.
  Result<bool> next() {
    KITH_ASSIGN(const bool more, run->next());
    if (more && !bags::read_record(run->record(), record, counts)) return run->damaged();
    return more;
  }
};

UrlWords::UrlWords(std::unique_ptr<State> state) : state_(std::move(state)) {}
UrlWords::~UrlWords() = default;
UrlWords::UrlWords(UrlWords&&) noexcept = default;
UrlWords& UrlWords::operator=(UrlWords&&) noexcept = default;

Result<UrlWords> UrlWords::make(const BagSteps& steps, std::span<const std::string_view> fragments,
                                std::string_view folded) {
  return run::guarded([&]() -> Result<UrlWords> {
    auto state = std::make_unique<State>(slots_of(steps));
    KITH_ASSIGN(const bags::AliasMap aliases, distributed::read_folded(folded));
    KITH_ASSIGN(const std::string all, distributed::read_slices(fragments, state->vocabulary));
    KITH_TRY(state->collapse(all, aliases, steps.options().urls));
    return UrlWords(std::move(state));
  });
}

Result<UrlWords> UrlWords::with_copies(const BagSteps& steps,
                                       std::span<const std::string_view> urls) {
  return run::guarded([&]() -> Result<UrlWords> {
    auto state = std::make_unique<State>(slots_of(steps));
    distributed::UrlRecords records(state->slots);
    for (const std::string_view some : urls) {
      if (records.read(some, state->vocabulary)) continue;
      return Error{ErrorKind::corrupt, "words of URLs: these are no bytes of such words"};
    }
    records.share_anchors();
    KITH_TRY(state->write(records));
    return UrlWords(std::move(state));
  });
}

Result<FilePages> UrlWords::next(uint64_t urls) {
  return run::guarded([&]() -> Result<FilePages> {
    while (state_->words->size() < urls) {
      KITH_ASSIGN(const bool more, state_->next());
      if (!more) break;
      state_->words->add(state_->record.surt, state_->counts);
    }
    return state_->words->take();
  });
}

Result<std::vector<std::string>> UrlWords::next_by_content(uint64_t urls, uint32_t slices) {
  return run::guarded([&]() -> Result<std::vector<std::string>> {
    std::vector<distributed::UrlRecordWriter> writers(slices,
                                                      distributed::UrlRecordWriter(state_->slots));
    for (uint64_t i = 0; i < urls; ++i) {
      KITH_ASSIGN(const bool more, state_->next());
      if (!more) break;
      const uint64_t slice = distributed::slice_of(state_->record, slices);
      writers[slice].add(state_->record, state_->counts);
    }
    std::vector<std::string> bytes;
    bytes.reserve(slices);
    for (distributed::UrlRecordWriter& writer : writers)
      bytes.push_back(writer.take(state_->stems));
    return bytes;
  });
}

uint64_t UrlWords::fetched() const {
  return state_->fetched;
}

uint64_t UrlWords::left_out() const {
  return state_->left_out;
}

uint64_t UrlWords::copies() const {
  return state_->copies;
}

uint64_t UrlWords::copied() const {
  return state_->copied;
}

}  // namespace kith
