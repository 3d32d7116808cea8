// Words that say what a topic is about where they stand alone.
#pragma once

#include <string_view>
#include <vector>

#include "bags/tables.h"

namespace kith::jobs {

// True for words of three ASCII letters or more, and for others of two letters or more that are not
// written in hiragana only, as particles and endings are; a single Han character is usually only a
// part of a word. `word`: lower-cased UTF-8.
bool may_be_label(std::string_view word);

// By term: whether the word as it is shown may be a label.
std::vector<bool> label_words(const bags::TermTable& terms);

}  // namespace kith::jobs
