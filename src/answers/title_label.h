// Labels with the help of titles: words that titles have, phrases, capitals.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kith/run.h"
#include "kith/status.h"

namespace kith::answers {

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
