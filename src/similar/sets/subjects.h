// What sets are about: the words of a title, say. Sets about different things are no pair, however
// similar they are.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace kith::similar {

// A word of a subject, by a hash of it: an even number, or the next one where the word is sure to
// say what the set is about.
inline uint32_t sure_word(uint32_t word) {
  return word | 1;
}

// Whether each of two subjects has a word that the other has not, or one of them a sure one. So
// none differs from one without words, and none from itself with other words added. Words:
// ascending, each once.
bool subjects_differ(std::span<const uint32_t> a, std::span<const uint32_t> b);

// The subjects of sets, by their number. Immutable once made, thread-safe.
class Subjects {
 public:
  Subjects() = default;
  // words: of all, one after the other; ends: by set, where its words end.
  Subjects(std::vector<uint32_t> words, std::vector<uint64_t> ends)
      : words_(std::move(words)), ends_(std::move(ends)) {}

  // By set the one whose subject it is to have: of copies the first.
  void share(std::vector<uint32_t> with) { shared_ = std::move(with); }
  bool empty() const { return ends_.empty(); }

  // Of the set itself.
  std::span<const uint32_t> own(uint32_t set) const {
    const uint64_t begin = set == 0 ? 0 : ends_[set - 1];
    return {words_.data() + begin, words_.data() + ends_[set]};
  }
  std::span<const uint32_t> operator[](uint32_t set) const {
    return own(shared_.empty() ? set : shared_[set]);
  }
  bool differ(uint32_t a, uint32_t b) const { return subjects_differ((*this)[a], (*this)[b]); }

 private:
  std::vector<uint32_t> words_;
  std::vector<uint64_t> ends_;
  std::vector<uint32_t> shared_;
};

}  // namespace kith::similar
