#include "jobs/stream/word_table.h"

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

}  // namespace kith::jobs
