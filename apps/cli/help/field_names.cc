#include "cli/help/field_names.h"

#include <algorithm>
#include <cctype>
#include <functional>
#include <map>

namespace kith::cli {
namespace {

// Fields whose options have another name, or are flags without a value.
struct OwnName {
  std::string_view field;  // with its value
  std::string_view option;
};
constexpr OwnName own_names[] = {
    {"aliases = false", "--aliases keep"},
    {"aliases = true", "--aliases fold"},
    {"bag = false", "no --bag"},
    {"bag = true", "--bag"},
    {"check_queries = 0", "--no-check"},
    {"distinct_titles = false", "--no-distinct-titles"},
    {"distinct_titles = true", "no --no-distinct-titles"},
    {"engine = paper", "kith paper"},
    {"normalize = false", "--raw"},
    {"normalize = true", "no --raw"},
    {"pairs = false", "no --pairs"},
    {"pairs = true", "--pairs"},
    {"repair = true", "--repair"},
    {"strict = false", "no --strict"},
    {"strict = true", "--strict"},
    {"verify = false", "--no-verify"},
    {"verify = true", "no --no-verify"},
};
constexpr OwnName other_fields[] = {
    {"forget_after_ms", "--forget-after"},
    {"forget_after_pages", "--forget-after"},
    {"half_life_ms", "--half-life"},
    {"labels", "--train"},
    {"max_skew_ms", "--max-skew"},
    {"measure", "--similarity-of"},
    {"normalize", "--raw"},
};

// "--max-page" by "max_page".
std::map<std::string, std::string, std::less<>> known;

std::string option_of(std::string_view field) {
  const auto found = known.find(field);
  return found == known.end() ? std::string() : found->second;
}

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

std::string_view word_at(std::string_view text, size_t at) {
  size_t end = at;
  while (end < text.size() && is_word(text[end])) ++end;
  return text.substr(at, end - at);
}

// What the first letters of a message are printed as.
struct Piece {
  std::string text;
  size_t length;
};

// is_begin: whether a word may begin here.
Piece first_piece(std::string_view message, bool is_begin) {
  constexpr std::string_view sign = " = ";
  if (message.front() == '`') {
    const std::string_view word = word_at(message, 1);
    const std::string option = option_of(word);
    if (!option.empty() && message.substr(word.size() + 1).starts_with('`')) {
      return {option, word.size() + 2};
    }
  }
  if (!is_begin || !is_word(message.front())) return {std::string(1, message.front()), 1};
  for (const OwnName& own : own_names) {
    if (message.starts_with(own.field)) return {std::string(own.option), own.field.size()};
  }
  const std::string_view word = word_at(message, 0);
  const bool has_value = message.substr(word.size()).starts_with(sign);
  const std::string option = has_value ? option_of(word) : std::string();
  if (option.empty()) return {std::string(word), word.size()};
  return {option + " ", word.size() + sign.size()};
}

}  // namespace

void know_options(const CLI::App& program) {
  for (const CLI::App* const command :
       program.get_subcommands([](const CLI::App*) { return true; })) {
    for (const CLI::Option* const option : command->get_options()) {
      for (std::string field : option->get_lnames()) {
        const std::string name = "--" + field;
        std::ranges::replace(field, '-', '_');
        known.emplace(field, name);
      }
    }
  }
  for (const OwnName& other : other_fields) known.emplace(other.field, other.option);
}

std::string with_options(std::string_view message) {
  if (known.empty()) return std::string(message);
  std::string out;
  while (!message.empty()) {
    const Piece piece = first_piece(message, out.empty() || !is_word(out.back()));
    out += piece.text;
    message.remove_prefix(piece.length);
  }
  return out;
}

}  // namespace kith::cli
