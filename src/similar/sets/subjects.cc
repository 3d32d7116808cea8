#include "similar/sets/subjects.h"

namespace kith::similar {

bool subjects_differ(std::span<const uint32_t> a, std::span<const uint32_t> b) {
  if (a.empty() || b.empty()) return false;
  bool of_a = false;  // has a word that b has not
  bool of_b = false;
  size_t i = 0;
  size_t j = 0;
  while (i < a.size() || j < b.size()) {
    const bool is_end = i == a.size() || j == b.size();
    if (!is_end && sure_word(a[i]) == sure_word(b[j])) {
      ++i;
      ++j;
      continue;
    }
    const bool is_a = j == b.size() || (i < a.size() && a[i] < b[j]);
    const uint32_t word = is_a ? a[i++] : b[j++];
    if (word == sure_word(word)) return true;
    (is_a ? of_a : of_b) = true;
    if (of_a && of_b) return true;
  }
  return false;
}

}  // namespace kith::similar
