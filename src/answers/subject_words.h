// Words of a label that its words alone would not give: what most titles of a group are about.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "text/words/language.h"
#include "text/words/own_stop_words.h"

namespace kith::answers {

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

}  // namespace kith::answers
