#include "answers/tidy_label.h"

#include <algorithm>
#include <tuple>

#include "base/ascii.h"

namespace kith::answers {
namespace {

// Stemmers leave these apart where they change the word too little or too much.
constexpr std::string_view endings[] = {"s", "es", "ed", "er", "ers", "en", "ing", "ren", "ly"};
// And these of longer words, which are two forms where each is the common beginning and one of
// them.
constexpr std::string_view long_endings[] = {"",   "s", "es",  "ed",  "er",  "ers",  "ing",
                                             "ly", "y", "ies", "ity", "ic",  "ical", "ia",
                                             "i",  "n", "an",  "ian", "ish", "al",   "ary"};

bool is_with_ending(std::string_view longer, std::string_view word) {
  constexpr size_t min_word = 4;
  if (word.size() < min_word || longer.size() <= word.size()) return false;
  if (!std::ranges::equal(longer.substr(0, word.size()), word, {}, ascii_lower, ascii_lower))
    return false;
  const std::string ending = to_ascii_lower(longer.substr(word.size()));
  return std::ranges::find(endings, ending) != std::end(endings);
}

bool is_long_ending(std::string_view rest) {
  return std::ranges::find(long_endings, to_ascii_lower(rest)) != std::end(long_endings);
}

// "healthy" and "health", "photography" and "photographers", "Korea" and "korean".
bool have_long_endings(std::string_view a, std::string_view b) {
  constexpr size_t min_common = 5;
  const auto ends = std::ranges::mismatch(a, b, {}, ascii_lower, ascii_lower);
  // Endings, too, may begin alike: "printer" and "printed".
  for (auto common = static_cast<size_t>(ends.in1 - a.begin()); common >= min_common; --common) {
    if (is_long_ending(a.substr(common)) && is_long_ending(b.substr(common))) return true;
  }
  return false;
}

// Names in programs: "gsubprocess" and "subprocess", or two of a long common end.
bool is_part_of_identifier(std::string_view a, std::string_view b) {
  constexpr size_t min_identifier = 10;
  constexpr size_t min_part = 6;
  constexpr size_t min_common_end = 10;
  if (std::max(a.size(), b.size()) < min_identifier) return false;
  const std::string one = to_ascii_lower(a);
  const std::string other = to_ascii_lower(b);
  const auto [shorter, longer] =
      one.size() < other.size() ? std::tie(one, other) : std::tie(other, one);
  if (shorter.size() >= min_part && longer.ends_with(shorter)) return true;
  const auto ends = std::mismatch(one.rbegin(), one.rend(), other.rbegin(), other.rend());
  return static_cast<size_t>(ends.first - one.rbegin()) >= min_common_end;
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
  if (std::ranges::equal(a, b, {}, ascii_lower, ascii_lower)) return true;
  return is_with_ending(a, b) || is_with_ending(b, a) || have_long_endings(a, b) ||
         is_part_of_identifier(a, b);
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

}  // namespace kith::answers
