// A label as people read it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kith::answers {

// The words in their order, except for forms of a word that came before, which are left out
// (is_form_of), and for words of the name of `host`, which come last: that a page of cmake.org is
// about CMake is no news. Thread-safe.
std::vector<std::string> tidy_label(std::vector<std::string> words, std::string_view host);

// Whether two words are the same except for case or an English ending, of both where they share
// five letters, or are names in programs of which one ends as the other. Thread-safe.
bool is_form_of(std::string_view a, std::string_view b);

}  // namespace kith::answers
