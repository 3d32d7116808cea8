#include "jobs/stream/page_words.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/hash.h"
#include "jobs/cluster/run_directory.h"
#include "jobs/dedup/read.h"
#include "run/stage_files.h"
#include "similar/fingerprints/simhash_join.h"
#include "sketch/simhash.h"
#include "text/words/terms.h"

namespace kith::jobs {

uint32_t WordTable::hold(uint64_t stem, std::string_view form) {
  const auto [known, is_new] = by_stem_.emplace(stem, 0);
  if (is_new) {
    known->second = numbers();
    if (free_.empty()) {
      words_.emplace_back();
    } else {
      known->second = free_.back();
      free_.pop_back();
    }
    Word& word = words_[known->second];
    word.form = form;
    word.stem = stem;
    form_bytes_ += word.form.capacity();
  }
  hold(known->second);
  return known->second;
}

void WordTable::release(uint32_t word) {
  if (--words_[word].holders > 0) return;
  by_stem_.erase(words_[word].stem);
  form_bytes_ -= words_[word].form.capacity();
  words_[word] = Word();
  free_.push_back(word);
}

uint64_t WordTable::bytes() const {
  constexpr uint64_t place_bytes = 2 * sizeof(uint64_t) + 1;
  return words_.size() * sizeof(Word) + form_bytes_ + free_.capacity() * sizeof(uint32_t) +
         by_stem_.bucket_count() * place_bytes;
}

void WordCounts::make(std::string_view title, std::string_view text, std::string_view language,
                      std::vector<uint64_t>& counts) {
  const std::optional<text::Language> told = text::language_of_tag(language);
  const text::Language spoken = told ? *told : text::detect_language(language, text);
  count(spoken, title);
  count(spoken, text);
  counter_.take(counts_);
  counts.clear();
  for (const bags::TermCount& of : counts_) counts.push_back(uint64_t{of.term} << 32 | of.count);
}

void WordCounts::count(text::Language language, std::string_view text) {
  stems_.read(language, text, [&](std::string_view stem) {
    counter_.add(static_cast<uint32_t>(hash64(stem) >> 32));
  });
}

Result<std::unique_ptr<const WordDictionary>> WordDictionary::open(const std::string& directory) {
  storage::FileSystem& fs = storage::posix_file_system();
  KITH_ASSIGN(const auto run, RunDirectory::open(fs, directory));
  if (run.report().options.bags == BagKind::anchor) {
    return Error{
        ErrorKind::usage,
        fmt::format("dictionary = {}: its bags are of the words around links; make the run "
                    "with bags = both or content",
                    directory)};
  }
  auto dictionary = std::make_unique<WordDictionary>();
  KITH_ASSIGN(dictionary->terms_, bags::TermTable::open(fs, run.file(run::terms_file)));
  KITH_TRY(dictionary->terms_.verify());
  dictionary->words_.emplace(dictionary->terms_, run.report());
  StreamHash hash;
  for (uint32_t term = 0; term < dictionary->terms_.size(); ++term) {
    const std::string entry =
        fmt::format("{} {} {}\n", dictionary->terms_.stem(term), dictionary->words_->factor(term),
                    dictionary->words_->is_frequent(term));
    hash.update(as_bytes(entry));
  }
  dictionary->key_ =
      fmt::format("{:016x} {} {}", hash.digest(), name(dictionary->words_->weighting()),
                  dictionary->words_->max_terms());
  return std::unique_ptr<const WordDictionary>(std::move(dictionary));
}

namespace {

// The stem of words that have none.
constexpr uint32_t stop_word = UINT32_MAX;
// Forms that are known. A stream never ends, and meets new words for ever.
constexpr size_t max_forms = 1 << 15;

}  // namespace

struct PageWordReader::Memo {
  // The term of an entry is the form, the count the stem and one more.
  bags::WordMemo words;
  boost::unordered_flat_map<std::string, Known> long_words;
};

PageWordReader::PageWordReader() = default;
PageWordReader::~PageWordReader() = default;

PageWords PageWordReader::read(const StreamPage& page) {
  if (forms_.size() > max_forms) forget_much();
  const text::Language language = text::detect_language(page.language, page.text);
  met_.clear();
  count(language, page.title);
  count(language, page.text);
  choose();
  words_.clear();
  for (const uint32_t stem : chosen_) {
    words_.push_back({stems_[stem], forms_[counts_[stem].form]});
  }
  for (const uint32_t stem : met_) counts_[stem].words = 0;
  return words_;
}

// Most words of a page are not among the first, so few are ever put into their order.
void PageWordReader::choose() {
  chosen_.clear();
  for (const uint32_t stem : met_) {
    const uint32_t words = counts_[stem].words;
    if (chosen_.size() == most) {
      if (counts_[chosen_.back()].words >= words) continue;
      chosen_.pop_back();
    }
    const auto has_fewer = [&](uint32_t other) { return counts_[other].words < words; };
    chosen_.insert(std::ranges::find_if(chosen_, has_fewer), stem);
  }
}

// A memo is larger than the cache. So a word is not looked up when it is met, but some words later,
// when its cache line has come.
void PageWordReader::count(text::Language language, std::string_view text) {
  std::unique_ptr<Memo>& memo = memos_[static_cast<size_t>(language)];
  if (memo == nullptr) memo = std::make_unique<Memo>();
  keys_.clear();
  const auto count_keys = [&] {
    for (const bags::WordMemo::Key& key : keys_) add(look_up(language, *memo, key));
    keys_.clear();
  };
  constexpr size_t ahead = 16;
  std::string_view word;
  uint32_t offset = 0;
  splitter_.reset(text);
  while (splitter_.next(word, offset)) {
    if (word.size() > bags::WordMemo::longest) {
      count_keys();
      add(look_up_long(language, *memo, word));
      continue;
    }
    bags::WordMemo::Key& key = keys_.emplace_back();
    bags::WordMemo::load_key(word, key);
    memo->words.prefetch(key);
    if (keys_.size() == ahead) count_keys();
  }
  count_keys();
}

void PageWordReader::add(Known known) {
  if (known.stem == stop_word) return;
  Count& count = counts_[known.stem];
  if (count.words++ > 0) return;
  count.form = known.form;
  met_.push_back(known.stem);
}

PageWordReader::Known PageWordReader::look_up_long(text::Language language, Memo& memo,
                                                   std::string_view word) {
  const auto [place, is_new] = memo.long_words.try_emplace(std::string(word));
  if (is_new) place->second = learn(language, word);
  return place->second;
}

PageWordReader::Known PageWordReader::look_up(text::Language language, Memo& memo,
                                              const bags::WordMemo::Key& key) {
  bags::WordMemo::Entry& entry = memo.words[key];
  if (entry.count == 0) {
    const Known known = learn(language, key.word());
    entry.term = known.form;
    entry.count = uint64_t{known.stem} + 1;
  }
  return {entry.term, static_cast<uint32_t>(entry.count - 1)};
}

PageWordReader::Known PageWordReader::learn(text::Language language, std::string_view word) {
  if (text::is_stop_word_of_page(language, word)) return {0, stop_word};
  const uint64_t hash = hash64(stemmer_.stem(language, word));
  const auto next = static_cast<uint32_t>(stems_.size());
  const auto [place, is_new] = stem_by_hash_.emplace(hash, next);
  if (is_new) {
    stems_.push_back(hash);
    counts_.emplace_back();
  }
  forms_.emplace_back(word);
  return {static_cast<uint32_t>(forms_.size() - 1), place->second};
}

void PageWordReader::forget_much() {
  for (auto& memo : memos_) memo.reset();
  forms_.clear();
  stems_.clear();
  counts_.clear();
  stem_by_hash_.clear();
}

FeatureMaker::FeatureMaker(const StreamOptions& options, const WordDictionary* dictionary)
    : options_(options), dictionary_(dictionary), shingler_(shingle_options(options.shingles)) {}

Result<Features> FeatureMaker::of_page(const StreamPage& page) {
  if (options_.by == StreamBy::bags) return of_words(page);
  if (page.elements.empty()) return of_text(page.text);
  return of_elements(page.elements);
}

Result<Features> FeatureMaker::of_words(const StreamPage& page) {
  if (!page.elements.empty()) {
    return Error{ErrorKind::usage, "elements: of a stream by bags a page has a text"};
  }
  if (learns_words(options_)) {
    counts_.make(page.title, page.text, page.language, elements_);
    return Features(elements_);
  }
  if (dictionary_ == nullptr) {
    return Error{ErrorKind::usage, "a stream by bags that is read only makes no bags"};
  }
  PageBagger bagger(dictionary_->words(), text::language_of_tag(page.language));
  elements_.clear();
  for (const sketch::BagEntry& entry : bagger.make(page.title, page.text, page.language)) {
    elements_.push_back(packed(entry));
  }
  return Features(elements_);
}

Features FeatureMaker::of_text(std::string_view text) {
  shingler_.elements(text, elements_);
  if (options_.by == StreamBy::shingles || elements_.empty()) return elements_;
  return keep_fingerprint(similar::set_fingerprint(elements_));
}

Result<Features> FeatureMaker::of_elements(std::span<const uint64_t> elements) {
  if (options_.by == StreamBy::shingles) {
    if (std::ranges::adjacent_find(elements, std::ranges::greater_equal()) == elements.end()) {
      return elements;
    }
    return Error{ErrorKind::usage,
                 "elements: they must ascend, each once, as shingles() gives them"};
  }
  if (elements.size() > 1) {
    return Error{ErrorKind::usage, "elements: of a stream by fingerprints a page has one"};
  }
  return keep_fingerprint(elements[0]);
}

Features FeatureMaker::keep_fingerprint(uint64_t fingerprint) {
  const bool is_whole =
      options_.by == StreamBy::simhash || options_.bits == sketch::fingerprint_bits;
  const uint64_t kept = is_whole ? UINT64_MAX : ~(UINT64_MAX >> options_.bits);
  elements_.assign(1, fingerprint & kept);
  return elements_;
}

}  // namespace kith::jobs
