#include "answers/subject_words.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/ascii.h"
#include "text/words/stems.h"
#include "text/words/terms.h"
#include "text/words/words.h"

namespace kith::answers {
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
