// The names of months and days of the week, by ICU's data. Pure.
#pragma once

#include <string_view>

namespace kith::text {

// Whether a token (tokens.h) is one, written out or of three letters and more, in a language with
// stop words or a stemmer; of scripts without blanks every character of such a name is.
// Thread-safe.
bool is_date_word(std::string_view token);

}  // namespace kith::text
