#include "server/message.h"

#include <algorithm>
#include <charconv>

#include <boost/url/parse.hpp>
#include <boost/url/url_view.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "server/lists.h"

namespace kith::server {

Response error_response(unsigned status, std::string_view message) {
  Response response;
  response.status = status;
  const Json json{{"error", {{"status", status}, {"message", message}}}};
  response.body = json.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
  return response;
}

Response busy_response(std::string_view message) {
  Response response = error_response(503, message);
  response.fields.emplace_back("Retry-After", "1");
  return response;
}

namespace {

Error usage_error(std::string message) {
  return {ErrorKind::usage, std::move(message)};
}

}  // namespace

const std::string* Target::find(std::string_view name) const {
  const auto at = std::ranges::find(
      parameters, name, [](const auto& parameter) { return std::string_view(parameter.first); });
  return at == parameters.end() ? nullptr : &at->second;
}

Result<Target> parse_target(std::string_view text) {
  const auto parsed = boost::urls::parse_origin_form({text.data(), text.size()});
  if (parsed.has_error()) return usage_error("the target of the request is no path with a query");
  Target target;
  target.path = parsed->path();
  boost::urls::encoding_opts plus;
  plus.space_as_plus = true;
  for (const auto& parameter : parsed->params(plus)) {
    target.parameters.emplace_back(parameter.key, parameter.value);
  }
  return target;
}

Result<std::string> Parameters::text(std::string_view name) const {
  const std::string* const value = target_->find(name);
  if (value != nullptr && !value->empty()) return *value;
  return usage_error(fmt::format("the parameter '{}' is missing", name));
}

Result<uint64_t> Parameters::number(std::string_view name, uint64_t usual, uint64_t least,
                                    uint64_t most) const {
  const std::string* const text = target_->find(name);
  if (text == nullptr) return usual;
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
  if (error == std::errc() && end == text->data() + text->size() && value >= least &&
      value <= most) {
    return value;
  }
  return usage_error(
      fmt::format("{}={}: must be a whole number from {} to {}", name, *text, least, most));
}

Result<bool> Parameters::flag(std::string_view name) const {
  const std::string* const text = target_->find(name);
  if (text == nullptr || *text == "0" || *text == "false") return false;
  if (text->empty() || *text == "1" || *text == "true") return true;
  return usage_error(fmt::format("{}={}: must be 1 or 0", name, *text));
}

Result<std::string> Parameters::choice(std::string_view name,
                                       const std::vector<std::string_view>& words) const {
  const std::string* const text = target_->find(name);
  if (text == nullptr) return std::string(words.front());
  if (std::ranges::find(words, *text) != words.end()) return *text;
  return usage_error(fmt::format("{}={}: must be one of {}", name, *text, fmt::join(words, ", ")));
}

Status Parameters::check_names(const std::vector<std::string_view>& names) const {
  for (const auto& [name, value] : target_->parameters) {
    if (std::ranges::find(names, name) == names.end()) {
      return usage_error(
          fmt::format("there is no parameter '{}'; there are: {}", name, fmt::join(names, ", ")));
    }
    if (target_->find(name) != &value) {
      return usage_error(fmt::format("the parameter '{}' is there twice", name));
    }
  }
  return Status::ok();
}

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
