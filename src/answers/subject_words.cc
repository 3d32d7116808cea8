#include "answers/subject_words.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "base/bytes.h"
#include "text/words/terms.h"
#include "text/words/words.h"

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

namespace {

constexpr size_t max_subjects = 2;
constexpr uint64_t min_titles = 3;

// Counts the titles that have a stem, and the forms in which they have it.
class StemCounts {
 public:
  struct Stem {
    uint64_t titles = 0;
    std::map<std::string, uint64_t> forms;
  };

  explicit StemCounts(const text::OwnStopWords& left_out) : left_out_(left_out) {}

  const std::map<std::string, Stem>& stems() const { return stems_; }

  void add(const TitleInLanguage& title) {
    std::set<std::string> of_title;
    std::string_view word;
    uint32_t offset = 0;
    splitter_.reset(title.title);
    while (splitter_.next(word, offset)) {
      if (text::is_stop_word_of_page(title.language, word)) continue;
      const std::string stem(stemmer_.stem(title.language, word));
      if (left_out_.has_stem(title.language, stem)) continue;
      Stem& counted = stems_[stem];
      counted.titles += of_title.insert(stem).second ? 1 : 0;
      ++counted.forms[std::string(word)];
    }
  }

 private:
  const text::OwnStopWords& left_out_;
  text::WordSplitter splitter_;
  text::Stemmer stemmer_;
  std::map<std::string, Stem> stems_;
};

// One that has a third of the most frequent one's occurrences is frequent.
const std::string& usual_form(const std::map<std::string, uint64_t>& forms) {
  uint64_t most = 0;
  for (const auto& [form, count] : forms) most = std::max(most, count);
  const std::string* usual = nullptr;
  for (const auto& [form, count] : forms) {
    if (count * 3 < most) continue;
    if (usual == nullptr || form.size() < usual->size()) usual = &form;
  }
  return *usual;
}

}  // namespace

std::string_view without_reply(std::string_view title) {
  constexpr std::string_view reply = "re:";
  while (title.size() >= reply.size() &&
         std::ranges::equal(title.substr(0, reply.size()), reply, {}, ascii_lower)) {
    title.remove_prefix(reply.size());
    title.remove_prefix(std::min(title.find_first_not_of(' '), title.size()));
  }
  return title;
}

SubjectWords::SubjectWords(const std::vector<TitleInLanguage>& titles,
                           const text::OwnStopWords& left_out) {
  std::set<std::string> seen;
  StemCounts counts(left_out);
  for (const TitleInLanguage& title : titles) {
    if (seen.insert(to_ascii_lower(without_reply(title.title))).second) counts.add(title);
  }
  titles_ = seen.size();
  for (const auto& [stem, counted] : counts.stems()) {
    if (counted.titles < min_titles || counted.titles * 2 < titles_) continue;
    subjects_.push_back({counted.titles, counted.forms});
  }
  std::ranges::stable_sort(subjects_,
                           [](const Subject& a, const Subject& b) { return a.titles > b.titles; });
}

// Their forms are compared, not their stems: other titles are many, and few have another form.
void SubjectWords::keep_rare(const std::vector<TitleInLanguage>& others) {
  text::WordSplitter splitter;
  for (const TitleInLanguage& title : others) {
    std::string_view word;
    uint32_t offset = 0;
    std::set<const Subject*> of_title;
    splitter.reset(title.title);
    while (splitter.next(word, offset)) {
      for (Subject& subject : subjects_) {
        if (!subject.forms.contains(std::string(word))) continue;
        subject.others += of_title.insert(&subject).second ? 1 : 0;
      }
    }
  }
  std::erase_if(subjects_, [&](const Subject& subject) {
    return subject.others * titles_ * 2 > subject.titles * others.size();
  });
  for (Subject& subject : subjects_) subject.others = 0;
}

std::vector<std::string> SubjectWords::written_as(const std::vector<std::string>& words) const {
  std::vector<std::string> written;
  for (size_t i = 0; i < std::min(subjects_.size(), max_subjects); ++i) {
    const auto& forms = subjects_[i].forms;
    const auto known =
        std::ranges::find_if(words, [&](const std::string& word) { return forms.contains(word); });
    written.push_back(known == words.end() ? usual_form(forms) : *known);
  }
  return written;
}

}  // namespace kith::answers
