#include "run/url_list.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "kith/rows.h"

#include "base/bytes.h"
#include "crawl/read/byte_source.h"
#include "crawl/read/json_line.h"
#include "crawl/read/unpacked_stream.h"
#include "text/url/url.h"

namespace kith::run {
namespace {

// Indexes have their facts in a line of a few hundred bytes.
constexpr size_t kLongestLine = 1u << 20;

std::string_view take_word(std::string_view& line) {
  line = trim(line);
  const size_t end = std::min(line.find_first_of(" \t"), line.size());
  const std::string_view word = line.substr(0, end);
  line.remove_prefix(end);
  return word;
}

bool is_http(std::string_view word) {
  return starts_with_ignoring_case(word, "http://") || starts_with_ignoring_case(word, "https://");
}

std::string url_in_json(std::string_view object) {
  std::string padded(object);
  padded.append(crawl::kJsonPadding, ' ');
  crawl::JsonLineParser parser;
  return std::string(
      parser.parse(std::string_view(padded).substr(0, object.size()), kLongestLine).url);
}

// "org,example)/path 20200102030405 {...}", or with the URL as the third of its fields.
std::string url_in_cdx(std::string_view line) {
  take_word(line);
  const std::string_view time = take_word(line);
  if (time.empty() || !std::ranges::all_of(time, is_ascii_digit)) return {};
  line = trim(line);
  return line.starts_with('{') ? url_in_json(line) : std::string(take_word(line));
}

// Names of columns, and of fields of CDX.
bool is_head(std::string_view line, uint64_t number) {
  return line.starts_with('!') || line.starts_with("CDX ") ||
         (number == 1 && equals_ignoring_case(take_word(line), "url"));
}

}  // namespace

std::optional<Key128> UrlList::key_of(std::string_view url) const {
  text::Url parsed;
  if (!text::parse_url(url, nullptr, parsed)) return std::nullopt;
  rules_.apply(parsed);
  return hash128(parsed.href);
}

Status UrlList::add_line(std::string_view line, uint64_t number) {
  if (line.size() > kLongestLine) {
    return Error{ErrorKind::usage, fmt::format("line {} is longer than 1 MiB", number)};
  }
  line = trim(line);
  if (line.empty() || is_head(line, number)) return Status::ok();
  std::string_view rest = line;
  std::string url(take_word(rest));
  if (!is_http(url)) url = line.starts_with('{') ? url_in_json(line) : url_in_cdx(line);
  if (url.empty()) {
    return Error{ErrorKind::usage, fmt::format("line {} names no http or https URL: {}", number,
                                               printable(cut_utf8(line, 80)))};
  }
  // Indexes have captures of DNS and others, which are no pages.
  const std::optional<Key128> key = key_of(url);
  if (!key) return Status::ok();
  if (numbers_.size() == std::numeric_limits<uint32_t>::max()) {
    return Error{ErrorKind::usage, "it names more than 4 billion URLs"};
  }
  numbers_.try_emplace(*key, static_cast<uint32_t>(numbers_.size()));
  return Status::ok();
}

Result<std::unique_ptr<UrlList>> UrlList::read(const std::string& path, text::UrlRules rules) {
  KITH_ASSIGN(std::unique_ptr<crawl::FileSource> source, crawl::FileSource::open(path));
  KITH_ASSIGN(crawl::UnpackedStream stream,
              crawl::UnpackedStream::open(std::move(source), std::nullopt));
  auto list = std::make_unique<UrlList>();
  list->rules_ = std::move(rules);
  std::string line;
  for (uint64_t number = 1;; ++number) {
    line.clear();
    KITH_ASSIGN(const bool any, append_line(stream, kLongestLine, line));
    if (!any) break;
    const Status status = list->add_line(line, number);
    if (!status)
      return Error{status.error().kind, fmt::format("{}: {}", path, status.error().message)};
  }
  if (!stream.problem().empty()) {
    return Error{ErrorKind::corrupt, fmt::format("{}: {}", path, stream.problem())};
  }
  list->is_found_ = std::make_unique<std::atomic<bool>[]>(list->numbers_.size());
  return list;
}

bool UrlList::take(std::string_view url, bool is_page) {
  const std::optional<Key128> key = key_of(url);
  const auto number = key ? numbers_.find(*key) : numbers_.end();
  if (number == numbers_.end()) return false;
  if (is_page && !is_found_[number->second].exchange(true, std::memory_order_relaxed)) {
    found_.fetch_add(1, std::memory_order_relaxed);
  }
  return true;
}

}  // namespace kith::run
