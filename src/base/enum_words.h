// The words for the values of an enum.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <string_view>

namespace kith {

// The word for a value of an enum whose values are 0, 1, 2, ...: `words` are in their order. Empty
// beyond the last one, so that a reader of words can go through all values.
template <class Enum>
constexpr std::string_view word_of(Enum value, std::initializer_list<std::string_view> words) {
  const auto number = static_cast<size_t>(value);
  return number < words.size() ? words.begin()[number] : std::string_view();
}

}  // namespace kith
