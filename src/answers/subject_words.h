// Labels as people read them: the words of a subject, tidied, and with the help of titles: words
// that titles have, phrases, capitals.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kith/run.h"
#include "kith/status.h"

#include "text/words/language.h"
#include "text/words/terms.h"

namespace kith::answers {

// A label as people read it.

// The words in their order, except for forms of a word that came before, which are left out
// (is_form_of), and for words of the name of `host`, which come last: that a page of cmake.org is
// about CMake is no news. Thread-safe.
std::vector<std::string> tidy_label(std::vector<std::string> words, std::string_view host);

// Whether two words are the same except for case or an English ending, of both where they share
// five letters, or are names in programs of which one ends as the other. Thread-safe.
bool is_form_of(std::string_view a, std::string_view b);

// Words of a label that its words alone would not give: what most titles of a group are about.

// Without "Re:" before it, as messages of a thread have it.
std::string_view without_reply(std::string_view title);

struct TitleInLanguage {
  std::string_view title;
  text::Language language = text::Language::other;
};

// The subjects of some titles: words that half of them have, three titles at least, in any form.
// Stop words are none. Equal titles, except for "Re:" before them, count once. Not thread-safe.
class SubjectWords {
 public:
  // `left_out`: further stop words.
  SubjectWords(const std::vector<TitleInLanguage>& titles, const text::OwnStopWords& left_out);

  bool empty() const { return subjects_.empty(); }
  // Drops subjects that are no rarer in other titles: that more than half as many of them have.
  void keep_rare(const std::vector<TitleInLanguage>& others);
  // At most two subjects, those of most titles first, each in the form that is among `words`, else
  // in the shortest of those that are frequent: "nasa", not "nasa's".
  std::vector<std::string> written_as(const std::vector<std::string>& words) const;

 private:
  struct Subject {
    uint64_t titles;                        // that have it
    std::map<std::string, uint64_t> forms;  // and how often each
    uint64_t others = 0;                    // other titles that have it
  };

  uint64_t titles_ = 0;
  std::vector<Subject> subjects_;
};

// The words of a label, best first, as people write them: those that titles have (more than one of
// a hundred, in this or another form) come first, and stand alone where they are three or more; two
// that stand side by side in many titles are one phrase; with a capital where titles
// have one. At most eight words are looked at. Thread-safe.
std::vector<std::string> title_label(std::vector<std::string> words,
                                     std::span<const std::string_view> titles);

// The label of some pages of a run: subject_words() compared with the pages `around`, unless empty,
// and with those whose ids are near, then `words`, as title_label() writes them by at most 10,000
// titles, evenly, then tidy_label(). Errors: those of Run. Thread-safe.
Result<std::vector<std::string>> written_label(const Run& run, std::vector<std::string> words,
                                               std::span<const UrlId> pages,
                                               std::span<const UrlId> around,
                                               std::string_view host);

}  // namespace kith::answers
