#include "crawl/read/file_names.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "kith/table_files.h"

#include "base/bytes.h"

namespace kith::crawl {
namespace {

struct NamedFormat {
  std::string_view suffix;
  FileFormat format;
};
constexpr std::array<NamedFormat, 17> kFormats = {{
    {".warc", FileFormat::warc},
    {".wet", FileFormat::warc},
    {".wat", FileFormat::warc},
    {".arc", FileFormat::arc},
    {".jsonl", FileFormat::jsonl},
    {".ndjson", FileFormat::jsonl},
    {".csv", FileFormat::csv},
    {".tsv", FileFormat::csv},
    {".parquet", FileFormat::table},
    {".pq", FileFormat::table},
    {".parq", FileFormat::table},
    {".arrow", FileFormat::table},
    {".feather", FileFormat::table},
    {".ipc", FileFormat::table},
    {".html", FileFormat::html},
    {".htm", FileFormat::html},
    {".xhtml", FileFormat::html},
}};

bool ends_with_ignoring_case(std::string_view text, std::string_view suffix) {
  return text.size() >= suffix.size() &&
         equals_ignoring_case(text.substr(text.size() - suffix.size()), suffix);
}

}  // namespace

std::optional<Codec> codec_by_name(std::string_view path) {
  for (const FileCodec& file : kFileCodecs) {
    if (ends_with_ignoring_case(path, file.suffix)) return file.codec;
  }
  return std::nullopt;
}

std::optional<FileFormat> format_by_name(std::string_view path) {
  const bool is_packed = codec_by_name(path).has_value();
  if (is_packed) path = path.substr(0, path.rfind('.'));
  for (const NamedFormat& named : kFormats) {
    if (!ends_with_ignoring_case(path, named.suffix)) continue;
    const bool is_whole = named.format == FileFormat::html || named.format == FileFormat::table;
    if (is_whole && is_packed) return std::nullopt;
    return named.format;
  }
  return std::nullopt;
}

bool is_given_table(const std::string& path, const CrawlOptions& options) {
  const bool is_file = path != "-" && path.find("://") == std::string::npos;
  return !is_file && options.tables && options.tables->has(path);
}

bool is_text_name(std::string_view path) {
  return ends_with_ignoring_case(path, ".txt");
}

bool is_wacz_name(std::string_view path) {
  return ends_with_ignoring_case(path, ".wacz");
}

bool is_container_name(std::string_view path) {
  constexpr std::array<std::string_view, 10> suffixes = {".wacz", ".zip", ".tar", ".tgz", ".tbz2",
                                                         ".txz",  ".7z",  ".rar", ".jar", ".tzst"};
  const std::optional<Codec> codec = codec_by_name(path);
  if (codec) path.remove_suffix(file_codec(*codec).suffix.size());
  return std::ranges::any_of(
      suffixes, [&](std::string_view suffix) { return ends_with_ignoring_case(path, suffix); });
}

bool needs_base_url(const CrawlOptions& options) {
  return options.base_url.empty() && !options.nameless;
}

Error no_base_url(const std::string& path) {
  return {ErrorKind::usage,
          fmt::format("{} holds HTML: give `base_url`, the URL that its files were fetched from",
                      path)};
}

}  // namespace kith::crawl
