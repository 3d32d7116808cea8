#include "server/message.h"

#include <algorithm>
#include <charconv>
#include <string_view>

#include <boost/url/parse.hpp>
#include <boost/url/url_view.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "server/api.h"

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

namespace {

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_of_name(char c) {
  return is_digit(c) || (lower(c) >= 'a' && lower(c) <= 'z') ||
         std::string_view("-._~!$&'()*+,;=%").find(c) != std::string_view::npos;
}

bool is_of_address(char c) {
  return is_digit(c) || (lower(c) >= 'a' && lower(c) <= 'f') || c == ':' || c == '.';
}

}  // namespace

std::optional<HostField> parse_host(std::string_view field) {
  const bool is_address = field.starts_with('[');
  const size_t end = is_address ? field.find(']') : field.find(':');
  if (is_address && end == std::string_view::npos) return std::nullopt;
  std::string_view name = field.substr(0, is_address ? end + 1 : end);
  std::string_view rest = field.substr(name.size());
  if (name.ends_with('.')) name.remove_suffix(1);
  if (!rest.empty() && rest.front() != ':') return std::nullopt;
  if (!rest.empty()) rest.remove_prefix(1);
  const std::string_view inner = is_address ? name.substr(1, name.size() - 2) : name;
  if (inner.empty() || !std::ranges::all_of(inner, is_address ? is_of_address : is_of_name) ||
      !std::ranges::all_of(rest, is_digit)) {
    return std::nullopt;
  }
  HostField host{std::string(name), std::string(rest)};
  std::ranges::transform(host.name, host.name.begin(), lower);
  return host;
}

bool is_same_origin(std::string_view origin, std::string_view host) {
  const bool is_secure = origin.starts_with("https://");
  if (!is_secure && !origin.starts_with("http://")) return false;
  std::optional<HostField> page = parse_host(origin.substr(is_secure ? 8 : 7));
  std::optional<HostField> server = parse_host(host);
  if (!page || !server) return false;
  for (HostField* of : {&*page, &*server}) {
    if (of->port.empty()) of->port = is_secure ? "443" : "80";
  }
  return page->name == server->name && page->port == server->port;
}

namespace {

// Takes as long for any wrong token of its length.
bool has_token(const Request& request, const std::string& token) {
  const std::string expected = "Bearer " + token;
  if (request.authorization.size() != expected.size()) return false;
  unsigned difference = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    difference |= static_cast<unsigned char>(request.authorization[i] ^ expected[i]);
  }
  return difference == 0;
}

bool is_json_type(std::string_view type) {
  std::string name(type.substr(0, type.find(';')));
  name.erase(name.find_last_not_of(" \t") + 1);
  std::ranges::transform(name, name.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return name == "application/x-ndjson" || name == "application/json";
}

// The field that says that a page of another site has sent the request; empty without one.
std::string foreign_field(const Request& request) {
  const std::string& site = request.sec_fetch_site;
  if (!site.empty() && site != "same-origin" && site != "none") return "Sec-Fetch-Site: " + site;
  if (request.origin.empty() || is_same_origin(request.origin, request.host)) return {};
  return "Origin: " + request.origin;
}

}  // namespace

std::optional<Response> refuse_writing(const Request& request, const std::string& token) {
  if (!token.empty()) {
    if (has_token(request, token)) return std::nullopt;
    Response response =
        error_response(401, "pages are taken with 'Authorization: Bearer TOKEN' only");
    response.fields.emplace_back("WWW-Authenticate", "Bearer");
    return response;
  }
  if (const std::string field = foreign_field(request); !field.empty()) {
    return error_response(
        403, fmt::format("pages are not taken from a page of another site ({}); a program that has "
                         "the token of --token-file may give them",
                         field));
  }
  if (is_json_type(request.content_type)) return std::nullopt;
  return error_response(415,
                        "pages are taken with 'Content-Type: application/x-ndjson' or "
                        "'application/json' only");
}

}  // namespace kith::server
