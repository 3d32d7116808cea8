#include "pipeline/tidy_label.h"

#include <algorithm>

#include "base/ascii.h"

namespace kith::pipeline {
namespace {

// Stemmers leave these apart where they change the word too little or too much.
constexpr std::string_view endings[] = {"s", "es", "ed", "er", "ers", "en", "ing", "ren", "ly"};

bool is_with_ending(std::string_view longer, std::string_view word) {
  constexpr size_t min_word = 4;
  if (word.size() < min_word || longer.size() <= word.size()) return false;
  if (!std::ranges::equal(longer.substr(0, word.size()), word, {}, ascii_lower, ascii_lower))
    return false;
  const std::string ending = to_ascii_lower(longer.substr(word.size()));
  return std::ranges::find(endings, ending) != std::end(endings);
}

bool names_host(std::string_view word, std::string_view host) {
  constexpr size_t min_part = 4;  // of a longer name; a short word is one of its parts or none
  const std::string name = to_ascii_lower(word);
  const size_t at = host.find(name);
  if (at == std::string_view::npos) return false;
  const auto is_end = [&](size_t i) {
    return i >= host.size() || host[i] == '.' || host[i] == '-';
  };
  return name.size() >= min_part || ((at == 0 || is_end(at - 1)) && is_end(at + name.size()));
}

}  // namespace

bool is_form_of(std::string_view a, std::string_view b) {
  if (a.size() == b.size()) return std::ranges::equal(a, b, {}, ascii_lower, ascii_lower);
  return is_with_ending(a, b) || is_with_ending(b, a);
}

std::vector<std::string> tidy_label(std::vector<std::string> words, std::string_view host) {
  std::vector<std::string> tidy;
  for (std::string& word : words) {
    const bool is_form = std::ranges::any_of(
        tidy, [&](const std::string& earlier) { return is_form_of(word, earlier); });
    if (!is_form) tidy.push_back(std::move(word));
  }
  std::stable_partition(tidy.begin(), tidy.end(),
                        [&](const std::string& word) { return !names_host(word, host); });
  return tidy;
}

}  // namespace kith::pipeline
