#include <algorithm>
#include <array>
#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "server/api.h"
#include "server/serve.h"

// Made by files.s.in.
extern "C" {
extern const char kith_openapi_begin[], kith_openapi_end[];
extern const char kith_index_begin[], kith_index_end[];
extern const char kith_index_gzip_begin[], kith_index_gzip_end[];
extern const char kith_index_hash_begin[], kith_index_hash_end[];
extern const char kith_script_begin[], kith_script_end[];
extern const char kith_script_gzip_begin[], kith_script_gzip_end[];
extern const char kith_script_hash_begin[], kith_script_hash_end[];
extern const char kith_style_begin[], kith_style_end[];
extern const char kith_style_gzip_begin[], kith_style_gzip_end[];
extern const char kith_style_hash_begin[], kith_style_hash_end[];
extern const char kith_report_begin[], kith_report_end[];
}

namespace kith::server {
namespace {

std::string_view between(const char* begin, const char* end) {
  return {begin, static_cast<std::size_t>(end - begin)};
}

}  // namespace

std::string_view embedded_openapi() {
  return between(kith_openapi_begin, kith_openapi_end);
}

std::string_view embedded_report() {
  return between(kith_report_begin, kith_report_end);
}

std::span<const PageFile> embedded_page() {
  static const std::array<PageFile, 3> files{{
      {"/", "text/html; charset=utf-8", between(kith_index_begin, kith_index_end),
       between(kith_index_gzip_begin, kith_index_gzip_end),
       between(kith_index_hash_begin, kith_index_hash_end)},
      {"/assets/app.js", "text/javascript; charset=utf-8",
       between(kith_script_begin, kith_script_end),
       between(kith_script_gzip_begin, kith_script_gzip_end),
       between(kith_script_hash_begin, kith_script_hash_end)},
      {"/assets/app.css", "text/css; charset=utf-8", between(kith_style_begin, kith_style_end),
       between(kith_style_gzip_begin, kith_style_gzip_end),
       between(kith_style_hash_begin, kith_style_hash_end)},
  }};
  if (files.front().bytes.empty()) return {};
  return files;
}

std::string file_name_of(const std::string& path) {
  std::filesystem::path parts = std::filesystem::path(path).lexically_normal();
  if (!parts.has_filename()) parts = parts.parent_path();
  const std::string name = parts.filename().string();
  return name.empty() || name == "." || name == ".." ? "run" : name;
}

void hide_folders(ReadOptions& options) {
  for (std::string& input : options.inputs) input = file_name_of(input);
  for (std::string* const list : {&options.only, &options.exclude_list}) {
    if (!list->empty()) *list = file_name_of(*list);
  }
}

namespace {

// Scripts and styles of the program only, requests to this server only. The page sets styles by the
// object model, which the policy admits.
constexpr std::string_view policy =
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

constexpr std::string_view no_page =
    "This kith was built without the web page (KITH_BUILD_WEB, which needs npm). It answers "
    "questions in JSON: /api/openapi.json describes them.\n";

std::string_view trimmed(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

// The part before the separator; `text` becomes the part behind it.
std::string_view take(std::string_view& text, char separator) {
  const size_t at = text.find(separator);
  const std::string_view part = text.substr(0, at);
  text = at == std::string_view::npos ? std::string_view() : text.substr(at + 1);
  return trimmed(part);
}

bool equals_ignoring_case(std::string_view text, std::string_view lower) {
  return std::ranges::equal(text, lower, [](char a, char b) {
    return (a >= 'A' && a <= 'Z' ? static_cast<char>(a - 'A' + 'a') : a) == b;
  });
}

// "q=0", "q=0.000": the coding is refused.
bool is_refused(std::string_view parameter) {
  if (!parameter.starts_with("q=") && !parameter.starts_with("Q=")) return false;
  return parameter.substr(2).find_first_not_of("0.") == std::string_view::npos;
}

// Whether a browser has this version. A tag has quotes around it and none in it, so that it is no
// part of another.
bool is_known(std::string_view if_none_match, std::string_view tag) {
  return trimmed(if_none_match) == "*" || if_none_match.find(tag) != std::string_view::npos;
}

Response file_response(const PageFile& file, const Request& request) {
  const bool is_small = accepts_gzip(request.accept_encoding);
  const std::string tag = fmt::format("\"{}{}\"", file.hash, is_small ? "-gzip" : "");
  Response response;
  response.route = file.path == "/" ? "/" : "/assets";
  response.type = file.type;
  // A browser asks every time, and gets 304 until the program is another.
  response.fields = {{"ETag", tag},
                     {"Cache-Control", "no-cache"},
                     {"Vary", "Accept-Encoding"},
                     {"Content-Security-Policy", std::string(policy)},
                     {"X-Content-Type-Options", "nosniff"},
                     {"Referrer-Policy", "no-referrer"}};
  if (is_known(request.if_none_match, tag)) {
    response.status = 304;
    return response;
  }
  if (is_small) response.fields.emplace_back("Content-Encoding", "gzip");
  response.body = is_small ? file.gzip : file.bytes;
  return response;
}

}  // namespace

bool accepts_gzip(std::string_view field) {
  bool accepts_any = false;
  while (!field.empty()) {
    std::string_view item = take(field, ',');
    const std::string_view coding = take(item, ';');
    const bool accepts = !is_refused(take(item, ';'));
    if (equals_ignoring_case(coding, "gzip")) return accepts;
    if (coding == "*") accepts_any = accepts;
  }
  return accepts_any;
}

std::optional<Response> page_response(const Request& request, std::string_view path) {
  for (const PageFile& file : embedded_page()) {
    if (file.path == path) return file_response(file, request);
  }
  if (path != "/") return std::nullopt;
  Response response;
  response.route = "/";
  response.type = "text/plain; charset=utf-8";
  response.body = no_page;
  return response;
}

namespace {

constexpr std::string_view place = "%CONTENT%";

// JSON inside an element of HTML: no text in it can end the element, or begin a comment.
std::string element_text(const Json& json) {
  const std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  std::string safe;
  safe.reserve(text.size());
  for (const char c : text) {
    if (c == '<') {
      safe += "\\u003c";
    } else {
      safe += c;
    }
  }
  return safe;
}

Result<Json> report_of(const std::string& directory) {
  if (is_dedup_run(directory)) {
    KITH_ASSIGN(const DedupApi api, DedupApi::open(directory));
    KITH_ASSIGN(Json report, api.report());
    report["kind"] = "dedup";
    return report;
  }
  KITH_ASSIGN(const ClusterApi api, ClusterApi::open(directory));
  KITH_ASSIGN(Json report, api.report());
  report["kind"] = "cluster";
  return report;
}

}  // namespace

Result<std::string> report_page(const std::string& directory) {
  std::string page(embedded_report());
  const size_t at = page.find(place);
  if (at == std::string::npos) {
    return Error{ErrorKind::usage,
                 "report --html: this kith was built without the web page (KITH_BUILD_WEB, which "
                 "needs npm), and a report needs it; 'kith info' prints the numbers"};
  }
  KITH_ASSIGN(Json content, report_of(directory));
  content["name"] = file_name_of(directory);
  return page.replace(at, place.size(), element_text(content));
}

}  // namespace kith::server
