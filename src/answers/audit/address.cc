#include "answers/audit/address.h"

#include <algorithm>
#include <map>

#include "base/bytes.h"
#include "text/url/url.h"

namespace kith::answers {
namespace {

// Names of parameters that hold a session whatever their values look like.
constexpr std::string_view session_names[] = {
    "sid",  "sessionid", "session_id", "session", "phpsessid",    "jsessionid",
    "cfid", "cftoken",   "oscsid",     "zenid",   "aspsessionid", "sess",
    "s_id", "token",     "csrf",       "nonce",   "visit",        "osid",
};

// Values of fewer bytes are no session, unless their parameter is named like one.
constexpr size_t least_random_bytes = 12;
constexpr size_t least_named_bytes = 6;
constexpr size_t least_word_bytes = 4;
constexpr size_t max_words = 24;

bool is_letter(char c) {
  return is_ascii_alpha(c) || !is_ascii(c);
}

// Letters and digits that change places often, as no word does.
bool looks_random(std::string_view text) {
  if (text.size() < least_random_bytes) return false;
  size_t digits = 0;
  size_t letters = 0;
  size_t changes = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (!is_ascii_alpha(c) && !is_ascii_digit(c) && c != '-' && c != '_' && c != '.') return false;
    digits += is_ascii_digit(c) ? 1 : 0;
    letters += is_ascii_alpha(c) ? 1 : 0;
    changes += i > 0 && is_ascii_digit(c) != is_ascii_digit(text[i - 1]) ? 1 : 0;
  }
  return digits >= 2 && letters >= 2 && changes >= 3;
}

bool is_session_name(std::string_view name) {
  const std::string lower = to_ascii_lower(name);
  return std::ranges::any_of(session_names, [&](std::string_view one) { return lower == one; });
}

std::string_view value_of(std::string_view parameter) {
  return parameter.substr(std::min(parameter.find('=') + 1, parameter.size()));
}
bool is_named_session(std::string_view parameter) {
  const size_t equals = std::min(parameter.find('='), parameter.size());
  return is_session_name(parameter.substr(0, equals)) &&
         value_of(parameter).size() >= least_named_bytes;
}
bool is_session(std::string_view parameter) {
  return is_named_session(parameter) || looks_random(value_of(parameter));
}

std::string unescaped(std::string_view text) {
  const auto digit = [](char c) {
    if (is_ascii_digit(c)) return c - '0';
    const char lower = ascii_lower(c);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
  };
  std::string plain;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool is_escape =
        text[i] == '%' && i + 2 < text.size() && digit(text[i + 1]) >= 0 && digit(text[i + 2]) >= 0;
    if (!is_escape) {
      plain += text[i] == '+' ? ' ' : text[i];
      continue;
    }
    plain += static_cast<char>(digit(text[i + 1]) * 16 + digit(text[i + 2]));
    i += 2;
  }
  return plain;
}

// Calls take(part) for what lies between separators.
template <class Take>
void for_each_part(std::string_view text, char separator, const Take& take) {
  while (true) {
    const size_t size = std::min(text.find(separator), text.size());
    take(text.substr(0, size));
    if (size == text.size()) return;
    text.remove_prefix(size + 1);
  }
}

// Numbers as 0, a random part as *.
void append_masked(std::string_view part, std::string& out) {
  if (looks_random(part)) {
    out += '*';
    return;
  }
  for (size_t i = 0; i < part.size(); ++i) {
    if (!is_ascii_digit(part[i])) {
      out += part[i];
    } else if (i == 0 || !is_ascii_digit(part[i - 1])) {
      out += '0';
    }
  }
}

bool is_year(std::string_view number) {
  return number.size() == 4 &&
         (number.starts_with("19") || number.starts_with("20") || number.starts_with("21"));
}

bool is_date(std::string_view number) {
  if (number.size() != 8 && number.size() != 6) return is_year(number);
  const std::string_view month = number.substr(4, 2);
  return is_year(number.substr(0, 4)) && month >= "01" && month <= "12";
}

class AddressReader {
 public:
  explicit AddressReader(Address& out) : out_(out) {}

  void read(std::string_view url) {
    out_.host = text::host_of(url);
    const size_t query_at = std::min(url.find('?'), url.size());
    const size_t host_at =
        out_.host.empty() ? 0 : static_cast<size_t>(out_.host.data() - url.data());
    const size_t path_at = std::min(url.find('/', host_at + out_.host.size()), query_at);
    out_.without_query = url.substr(0, query_at);
    without_session_ = url.substr(0, path_at);
    read_path(url.substr(path_at, query_at - path_at));
    if (query_at < url.size()) read_query(url.substr(query_at + 1));
    if (has_session_) out_.without_session = without_session_;
    if (out_.host.size() >= least_word_bytes) {
      std::string_view bare = out_.host;
      if (bare.starts_with("www.")) bare.remove_prefix(4);
      out_.echoes.emplace_back(bare);
      out_.echoes.push_back(std::string(out_.host));
    }
    std::ranges::sort(out_.echoes, [](const std::string& a, const std::string& b) {
      return a.size() != b.size() ? a.size() > b.size() : a < b;
    });
  }

 private:
  void read_path(std::string_view path) {
    if (path.size() > 2) add_echo(path);
    std::map<std::string_view, int> parts;
    std::string_view last;
    bool is_first = true;
    for_each_part(path, '/', [&](std::string_view part) {
      if (!is_first) {
        out_.pattern += '/';
        without_session_ += '/';
      }
      is_first = false;
      if (!part.empty()) last = part;
      if (!part.empty()) out_.repeats |= ++parts[part] >= 3;
      read_part(part);
    });
    const std::string plain = unescaped(last);
    add_words(plain);
    // A name as people write it is no echo, but content: what has marks of an address is.
    if (plain.find_first_of("-_.0123456789%") != std::string::npos) add_echo(last);
  }

  // A part of the path, perhaps with ";jsessionid=..." or as ASP.NET's "(S(...))".
  void read_part(std::string_view part) {
    const size_t semicolon = std::min(part.find(';'), part.size());
    const std::string_view name = part.substr(0, semicolon);
    const bool is_asp = name.starts_with("(S(") || name.starts_with("(s(");
    append_masked(is_asp ? "(S)" : name, out_.pattern);
    if (is_asp) {
      without_session_ += "(S)";
      has_session_ = true;
      out_.has_named_session = true;
    } else {
      without_session_ += name;
    }
    add_numbers(name);
    if (semicolon == part.size()) return;
    if (is_session(part.substr(semicolon + 1))) {
      has_session_ = true;
      out_.has_named_session |= is_named_session(part.substr(semicolon + 1));
      out_.pattern += ";*";
    } else {
      without_session_ += part.substr(semicolon);
      append_masked(part.substr(semicolon), out_.pattern);
    }
  }

  void read_query(std::string_view query) {
    bool is_first = true;
    for_each_part(query, '&', [&](std::string_view parameter) {
      if (parameter.empty()) return;
      const size_t equals = std::min(parameter.find('='), parameter.size());
      const std::string_view value = parameter.substr(std::min(equals + 1, parameter.size()));
      if (is_session(parameter)) {
        has_session_ = true;
        out_.has_named_session |= is_named_session(parameter);
        return;
      }
      out_.pattern += is_first ? '?' : '&';
      out_.pattern += parameter.substr(0, equals);
      out_.pattern += '=';
      without_session_ += is_first ? '?' : '&';
      without_session_ += parameter;
      is_first = false;
      const std::string plain = unescaped(value);
      add_numbers(plain);
      add_words(plain);
      add_echo(value);
    });
  }

  void add_numbers(std::string_view text) {
    for (size_t at = 0; at < text.size();) {
      size_t end = at;
      while (end < text.size() && is_ascii_digit(text[end])) ++end;
      if (end == at) {
        ++at;
        continue;
      }
      std::string_view number = text.substr(at, end - at);
      out_.has_date |= is_date(number);
      while (number.size() > 1 && number.front() == '0') number.remove_prefix(1);
      if (out_.numbers.size() < max_words) out_.numbers.emplace_back(number);
      at = end;
    }
  }

  void add_words(std::string_view text) {
    for (size_t at = 0; at < text.size();) {
      size_t end = at;
      while (end < text.size() && is_letter(text[end])) ++end;
      if (end - at >= least_word_bytes && out_.words.size() < max_words) {
        out_.words.push_back(to_ascii_lower(text.substr(at, end - at)));
      }
      at = std::max(end, at + 1);
    }
  }

  void add_echo(std::string_view part) {
    constexpr size_t least_bytes = 3;
    if (part.size() < least_bytes) return;
    const std::string plain = unescaped(part);
    out_.echoes.emplace_back(part);
    if (plain != part) out_.echoes.push_back(plain);
  }

  Address& out_;
  std::string without_session_;
  bool has_session_ = false;
};

}  // namespace

Address read_address(std::string_view url) {
  Address address;
  AddressReader(address).read(url);
  return address;
}

}  // namespace kith::answers
