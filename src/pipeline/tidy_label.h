// A label as people read it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kith::pipeline {

// The words in their order, but for forms of a word that came before, which are left out (another
// case, or an English ending more or less), and for words of the name of `host`, which come last:
// that a page of cmake.org is about CMake is no news. Thread-safe.
std::vector<std::string> tidy_label(std::vector<std::string> words, std::string_view host);

// Whether two words are the same except for case or for an English ending of one of them.
// Thread-safe.
bool is_form_of(std::string_view a, std::string_view b);

}  // namespace kith::pipeline
