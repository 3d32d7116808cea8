#include "jobs/stream/dictionary.h"

#include <utility>

#include <fmt/format.h>

#include "base/hash.h"
#include "jobs/cluster/run_directory.h"
#include "run/stage_files.h"

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

}  // namespace kith::jobs
