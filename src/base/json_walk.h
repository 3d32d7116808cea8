// JSON that somebody else wrote, and words of enums.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <string_view>
#include <utility>

#include <simdjson.h>

namespace kith {

// Walks over JSON that somebody else wrote, with simdjson's on-demand parser: a value of another
// type than expected is passed over, broken JSON ends the walk with simdjson's error.

// Calls take(key, value) for every field of an object, until it returns an error.
template <class Take>
simdjson::error_code each_field(simdjson::ondemand::object object, Take take) {
  for (auto entry : object) {
    simdjson::ondemand::field field;
    if (const auto error = std::move(entry).get(field)) return error;
    std::string_view key;
    if (const auto error = field.unescaped_key().get(key)) return error;
    if (const auto error = take(key, field.value())) return error;
  }
  return simdjson::SUCCESS;
}

// The same for a value, which has no fields when it is no object.
template <class Take>
simdjson::error_code each_field(simdjson::ondemand::value value, Take take) {
  simdjson::ondemand::json_type type;
  if (const auto error = value.type().get(type)) return error;
  if (type != simdjson::ondemand::json_type::object) return simdjson::SUCCESS;
  simdjson::ondemand::object object;
  if (const auto error = value.get_object().get(object)) return error;
  return each_field(object, take);
}

// Calls take(value) for every element of an array; a value of another type has none.
template <class Take>
simdjson::error_code each_element(simdjson::ondemand::value value, Take take) {
  simdjson::ondemand::json_type type;
  if (const auto error = value.type().get(type)) return error;
  if (type != simdjson::ondemand::json_type::array) return simdjson::SUCCESS;
  simdjson::ondemand::array array;
  if (const auto error = value.get_array().get(array)) return error;
  for (auto entry : array) {
    simdjson::ondemand::value element;
    if (const auto error = entry.get(element)) return error;
    if (const auto error = take(element)) return error;
  }
  return simdjson::SUCCESS;
}

// A string's text, valid as simdjson says; other types and wrong escapes (half a surrogate pair)
// leave `out` as it is.
inline simdjson::error_code read_string(simdjson::ondemand::value value, std::string_view& out) {
  simdjson::ondemand::json_type type;
  if (const auto error = value.type().get(type)) return error;
  if (type != simdjson::ondemand::json_type::string) return simdjson::SUCCESS;
  const simdjson::error_code error = value.get_string().get(out);
  return error == simdjson::STRING_ERROR ? simdjson::SUCCESS : error;
}

// The words for the values of an enum.

// The word for a value of an enum whose values are 0, 1, 2, ...: `words` are in their order. Empty
// beyond the last one, so that a reader of words can go through all values.
template <class Enum>
constexpr std::string_view word_of(Enum value, std::initializer_list<std::string_view> words) {
  const auto number = static_cast<size_t>(value);
  return number < words.size() ? words.begin()[number] : std::string_view();
}

}  // namespace kith
