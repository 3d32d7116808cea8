// kith::UrlWords: what all pages say of some URLs, as words.
#include <algorithm>
#include <optional>
#include <utility>

#include "kith/bag_steps.h"

#include "bags/aliases.h"
#include "bags/collapse.h"
#include "bags/document_frequencies.h"
#include "bags/fragment.h"
#include "bags/run.h"
#include "bags/vocabulary/vocabulary.h"
#include "library/batch.h"
#include "library/page_fragments.h"
#include "storage/memory_file_system.h"
#include "text/url/url.h"

namespace kith {
namespace {

constexpr const char* file_of_run = "run";
constexpr size_t read_block = 1 << 20;

// The words of some URLs as they are added, with numbers of stems of their own.
class WordsOfUrls {
 public:
  // By number a stem of all URLs; they must outlive this object.
  explicit WordsOfUrls(std::span<const std::string_view> stems)
      : stems_(stems), number_of_(stems.size(), bags::no_term) {}

  void add(std::string_view surt, std::span<const bags::TermCount> counts) {
    text::url_of_surt(surt, url_);
    some_.urls.add(url_);
    page_.clear();
    for (const bags::TermCount& entry : counts) {
      page_.push_back({number(entry.term), entry.count});
    }
    std::ranges::sort(page_, {}, &bags::TermCount::term);
    PageWords& words = some_.words;
    for (const bags::TermCount& entry : page_) {
      words.terms.push_back(entry.term);
      words.counts.push_back(entry.count);
      ++words.documents[entry.term];
    }
    words.offsets.push_back(words.terms.size());
  }
  size_t size() const { return some_.urls.size(); }

  // As often as they are asked for, each time those that were added since.
  FilePages take() {
    for (const uint32_t term : met_) number_of_[term] = bags::no_term;
    met_.clear();
    return std::exchange(some_, {});
  }

 private:
  uint32_t number(uint32_t term) {
    if (number_of_[term] == bags::no_term) {
      number_of_[term] = static_cast<uint32_t>(met_.size());
      met_.push_back(term);
      some_.words.stems.add(stems_[term]);
      some_.words.documents.push_back(0);
    }
    return number_of_[term];
  }

  std::span<const std::string_view> stems_;
  std::vector<uint32_t> number_of_;  // by term
  std::vector<uint32_t> met_;
  std::vector<bags::TermCount> page_;
  std::string url_;
  FilePages some_;
};

}  // namespace

struct UrlWords::State {
  bags::Vocabulary vocabulary;
  std::vector<std::string_view> stems;
  storage::MemoryFileSystem files;
  std::optional<bags::RunReader> run;
  std::optional<WordsOfUrls> words;
  uint64_t fetched = 0;
  uint64_t left_out = 0;

  Status collapse(const std::string& fragments, UrlScope urls) {
    stems = vocabulary.stems();
    words.emplace(stems);
    const bags::AliasMap no_aliases;
    bags::DocumentFrequencies frequencies(stems.size(), bags::Slots());
    bags::CollapseOptions options;
    options.urls = urls;
    options.aliases = &no_aliases;
    options.frequencies = &frequencies;
    KITH_ASSIGN(const bags::CollapseCounts counts,
                bags::collapse_partition(files, fragments, file_of_run, options));
    fetched = counts.fetched;
    left_out = counts.left_out;
    KITH_ASSIGN(run, bags::RunReader::open(files, file_of_run, read_block));
    return Status::ok();
  }
};

UrlWords::UrlWords(std::unique_ptr<State> state) : state_(std::move(state)) {}
UrlWords::~UrlWords() = default;
UrlWords::UrlWords(UrlWords&&) noexcept = default;
UrlWords& UrlWords::operator=(UrlWords&&) noexcept = default;

Result<UrlWords> UrlWords::make(const BagSteps& steps,
                                std::span<const std::string_view> fragments) {
  return pipeline::guarded([&]() -> Result<UrlWords> {
    auto state = std::make_unique<State>();
    std::string all;
    for (const std::string_view some : fragments) {
      if (library::read_slice(some, state->vocabulary, all)) continue;
      return Error{ErrorKind::corrupt, "fragments: these are no bytes of fragments"};
    }
    KITH_TRY(state->collapse(all, steps.options().urls));
    return UrlWords(std::move(state));
  });
}

Result<FilePages> UrlWords::next(uint64_t urls) {
  return pipeline::guarded([&]() -> Result<FilePages> {
    bags::RunRecord record;
    std::vector<bags::TermCount> counts;
    while (state_->words->size() < urls) {
      KITH_ASSIGN(const bool more, state_->run->next());
      if (!more) break;
      if (!bags::read_record(state_->run->record(), record, counts)) return state_->run->damaged();
      state_->words->add(record.surt, counts);
    }
    return state_->words->take();
  });
}

uint64_t UrlWords::fetched() const {
  return state_->fetched;
}

uint64_t UrlWords::left_out() const {
  return state_->left_out;
}

}  // namespace kith
