#include "request_head.h"

#include <algorithm>

namespace kith::server {
namespace {

// Each takes more memory than it has bytes.
constexpr size_t most_fields = 100;
constexpr std::string_view blanks = " \t";

std::string_view without_blanks(std::string_view text) {
  const size_t begin = text.find_first_not_of(blanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

bool is_word(std::string_view text, std::string_view lower) {
  return std::ranges::equal(text, lower, [](char a, char b) {
    return (a >= 'A' && a <= 'Z' ? static_cast<char>(a - 'A' + 'a') : a) == b;
  });
}

// Section 6.1: a coding that is not known is 501; one after which no end can be told is 400.
std::optional<HeadFault> fault_of_codings(std::string_view codings) {
  bool has_others = false;
  bool was_chunked = false;
  for (;;) {
    const size_t comma = codings.find(',');
    const std::string_view coding = without_blanks(codings.substr(0, comma));
    if (was_chunked) {
      return HeadFault{400, "Transfer-Encoding: chunked must be the last coding, and there once"};
    }
    was_chunked = is_word(coding, "chunked");
    has_others |= !was_chunked;
    if (comma == std::string_view::npos) break;
    codings.remove_prefix(comma + 1);
  }
  if (!has_others) return std::nullopt;
  return HeadFault{501, "Transfer-Encoding: this server knows chunked only"};
}

}  // namespace

std::optional<HeadFault> fault_of_head(std::string_view head) {
  size_t lines = 0;
  size_t hosts = 0;
  size_t codings = 0;
  const std::string_view first = head.substr(0, head.find("\r\n"));
  for (std::string_view rest = head; rest.size() > 2;) {
    const size_t end = rest.find("\r\n");
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 2);
    if (++lines > most_fields + 1) return HeadFault{431, "the request has more than 100 fields"};
    if (line.find_first_of(std::string_view("\r\n\0", 3)) != std::string_view::npos) {
      return HeadFault{400, "the head of the request has a CR, LF or NUL within a line"};
    }
    if (!line.empty() && blanks.find(line.front()) != std::string_view::npos) {
      return HeadFault{400, "the head of the request has a folded line (RFC 9112, section 5.2)"};
    }
    const size_t colon = std::min(line.find(':'), line.size());
    const std::string_view name = line.substr(0, colon);
    hosts += is_word(name, "host") ? 1 : 0;
    if (!is_word(name, "transfer-encoding")) continue;
    if (++codings > 1) return HeadFault{400, "the request has two fields Transfer-Encoding"};
    if (const auto fault = fault_of_codings(line.substr(colon + 1))) return fault;
  }
  if (codings > 0 && !first.ends_with(" HTTP/1.1")) {
    return HeadFault{400, "Transfer-Encoding is of HTTP/1.1"};
  }
  if (hosts > 1) return HeadFault{400, "the request has two fields Host"};
  if (hosts == 0 && first.ends_with(" HTTP/1.1")) return HeadFault{400, "the request has no Host"};
  return std::nullopt;
}

}  // namespace kith::server
