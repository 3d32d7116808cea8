#include "crawl/read/inputs.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "base/bytes.h"
#include "crawl/read/file_names.h"
#include "crawl/read/input_reader.h"
#include "crawl/read/other_format.h"
#include "crawl/read/payload.h"
#include "crawl/read/records.h"
#include "crawl/read/table_reader.h"

namespace kith::crawl {
namespace {

namespace fs = std::filesystem;

// What is looked at of a file first of all.
constexpr size_t kStartBytes = 512;
// What is looked at of a file whose first bytes say nothing.
constexpr size_t kSniffBytes = 64u << 10;
// Of a file that is opened again to be read, a look takes no more than that from the disk: a
// stream reads a block and a quarter at a time.
constexpr size_t kSniffBlock = kSniffBytes / 5 * 4;

// Parquet, Arrow, Feather of the first version.
constexpr std::array<std::string_view, 3> kTableStarts = {"PAR1", "ARROW1", "FEA1"};

// What the first bytes say; nothing when they could be anything.
std::optional<FileFormat> format_by_start(std::string_view bytes) {
  if (bytes.starts_with("\xef\xbb\xbf")) bytes.remove_prefix(3);
  if (find_record(ArchiveFormat::warc, bytes.substr(0, kRecordClue), true) == 0) {
    return FileFormat::warc;
  }
  if (bytes.starts_with("filedesc://")) return FileFormat::arc;
  bytes = trim(bytes);
  if (bytes.starts_with('{')) return FileFormat::jsonl;
  if (bytes.starts_with('<')) return FileFormat::html;
  return std::nullopt;
}

// Whether, behind damage, there is something of the format that the name promises.
bool holds(FileFormat format, std::string_view bytes) {
  constexpr size_t kNowhere = std::string_view::npos;
  switch (format) {
    case FileFormat::warc:
      return find_record(ArchiveFormat::warc, bytes, true) != kNowhere;
    case FileFormat::arc:
      return find_record(ArchiveFormat::arc, bytes, true) != kNowhere;
    case FileFormat::jsonl:
      return bytes.find("\n{") != kNowhere;
    case FileFormat::csv:
      return !sniff_binary(bytes) && !looks_like_utf16(bytes);
    case FileFormat::table:
    case FileFormat::html:
    case FileFormat::text:
      return true;
  }
  return false;
}

Error unknown_format(const std::string& path, std::string_view start) {
  return {ErrorKind::corrupt, not_a_crawl(path, start)};
}

// Where a zip file or tar is no container that can be listed.
Error no_container_here(const std::string& path, bool is_zip) {
  const std::string_view kind = is_zip ? "a zip file" : "a tar";
  std::error_code error;
  if (path == "-" || fs::is_fifo(path, error)) {
    return {ErrorKind::usage, fmt::format("{} is {}, which can be read from a file only: write it "
                                          "to one, and name that",
                                          path == "-" ? "standard input" : path, kind)};
  }
  if (member_path(path)) {
    return {ErrorKind::usage,
            fmt::format("{} is {} in another file: unpack that one first", path, kind)};
  }
  return {ErrorKind::usage, fmt::format("{} is {}, compressed or under the name of a crawl file: "
                                        "unpack it, or name it as an INPUT",
                                        path, kind)};
}

// `least`: bytes that are looked at in any case, unless the file is shorter. can_be_table: tables
// can be opened where it lies.
Result<FileFormat> sniff(UnpackedStream& stream, const std::string& path, size_t least,
                         const CrawlOptions& options, bool can_be_table) {
  const std::optional<FileFormat> named = format_by_name(path);
  KITH_ASSIGN(std::string_view bytes, stream.need(least));
  if (trim(bytes).starts_with('{') && !other_markup(bytes)) return FileFormat::jsonl;
  KITH_ASSIGN(bytes, stream.need(kStartBytes));
  // A document may begin with any number of blanks.
  if (trim(bytes).empty()) {
    KITH_ASSIGN(bytes, stream.need(kSniffBytes));
  }
  const bool is_table =
      named == FileFormat::table ||
      std::ranges::any_of(kTableStarts, [&](auto start) { return bytes.starts_with(start); });
  if (is_table && can_be_table) return FileFormat::table;
  if (is_table) return unknown_format(path, bytes);
  if (other_markup(bytes)) return unknown_format(path, bytes);
  if (const std::optional<FileFormat> format = format_by_start(bytes)) return *format;
  if (starts_zip(bytes) || starts_tar(bytes)) return no_container_here(path, starts_zip(bytes));
  const bool is_sound = stream.problem().empty();
  if (trim(bytes).empty() && is_sound && (named || path == "-")) {
    return named.value_or(FileFormat::warc);
  }
  // A name promises CSV, whatever its first line is; of other files that line tells.
  const bool is_csv = named == FileFormat::csv ? !sniff_binary(bytes) && !looks_like_utf16(bytes)
                                               : !named && is_csv_header(bytes, options.fields);
  if (is_csv && is_sound) return FileFormat::csv;
  if (!named) {
    if (!is_sound) {
      return Error{ErrorKind::corrupt,
                   fmt::format("{} cannot be unpacked: {}", path, stream.problem())};
    }
    return unknown_format(path, bytes);
  }
  const std::string start(bytes.substr(0, kStartBytes));
  for (;;) {
    KITH_ASSIGN(bytes, stream.need(kSniffBytes));
    if (holds(*named, bytes)) return *named;
    if (bytes.size() >= kSniffBytes) break;
    const std::string problem(stream.problem());
    KITH_ASSIGN(const bool more, stream.next_segment());
    if (more) continue;
    if (problem.empty()) break;
    return Error{ErrorKind::corrupt, fmt::format("{} cannot be unpacked: {}", path, problem)};
  }
  return unknown_format(path, start);
}

// How a file that is one page is known: its URL, or its path where none is needed.
std::string name_below(const CrawlOptions& options, const std::string& below,
                       const std::string& path) {
  return options.base_url.empty() ? path : url_below(options.base_url, below);
}

Result<InputFile> lines_in_memory(std::string_view lines) {
  InputFile file;
  file.path = "-";
  file.format = FileFormat::jsonl;
  KITH_ASSIGN(file.stream,
              UnpackedStream::open(std::make_unique<MemorySource>(lines), std::nullopt));
  return file;
}

Status look_at_table(const CrawlOptions& options, InputFile& file) {
  KITH_TRY(check_table(*options.tables, file.path, options.fields));
  file.format = FileFormat::table;
  file.tables = options.tables;
  std::error_code error;
  const uint64_t size = fs::file_size(file.path, error);
  file.size = error ? 0 : size;
  return Status::ok();
}

// A file or pipe that is no folder: its format, by a look at its beginning.
Status look_at(std::unique_ptr<ByteSource> source, bool is_pipe, const CrawlOptions& options,
               InputFile& file) {
  const std::string& path = file.path;
  const std::string name = fs::path(path).filename().string();
  if (options.nameless && !is_pipe && is_text_name(path)) {
    file.format = FileFormat::text;
    file.url = name_below(options, name, path);
    return Status::ok();
  }
  // Who sends a line and waits for what is said of it must not have to send another one.
  const size_t least = options.notes && is_pipe ? 1 : kStartBytes;
  KITH_ASSIGN(UnpackedStream stream,
              UnpackedStream::open(std::move(source), codec_by_name(path),
                                   is_pipe ? UnpackedStream::kBlock : kSniffBlock, least));
  const bool can_be_table = !is_pipe && !file.container && options.tables != nullptr;
  KITH_ASSIGN(file.format, sniff(stream, path, least, options, can_be_table));
  if (file.format == FileFormat::table) return look_at_table(options, file);
  if (file.format == FileFormat::html) {
    if (is_pipe) {
      return Error{ErrorKind::usage, fmt::format("{} is HTML: kith reads HTML from files only",
                                                 path == "-" ? "standard input" : path)};
    }
    if (needs_base_url(options)) return no_base_url(path);
    file.url = name_below(options, name, path);
    return Status::ok();
  }
  file.codec = stream.codec();
  if (is_pipe) file.stream = std::move(stream);
  return Status::ok();
}

Result<InputFile> look_at_file(ListedFile listed, const CrawlOptions& options) {
  if (listed.path == "-" && options.lines) return lines_in_memory(*options.lines);
  InputFile file;
  file.path = std::move(listed.path);
  file.container = std::move(listed.container);
  file.member = listed.member;
  if (file.container) {
    file.size = file.container->members()[file.member].size;
    KITH_ASSIGN(std::unique_ptr<ByteSource> source, file.container->open(file.member));
    KITH_TRY(look_at(std::move(source), false, options, file));
    return file;
  }
  if (is_given_table(file.path, options)) {
    KITH_TRY(look_at_table(options, file));
    return file;
  }
  KITH_ASSIGN(std::unique_ptr<FileSource> source, FileSource::open(file.path));
  file.size = source->size();
  const bool is_pipe = !source->is_regular();
  KITH_TRY(look_at(std::move(source), is_pipe, options, file));
  return file;
}

// A file of HTML or text below a folder, or in a container.
Result<InputFile> page_below(ListedFile page, const CrawlOptions& options) {
  InputFile file;
  if (page.container) {
    file.size = page.container->members()[page.member].size;
  } else {
    std::error_code error;
    file.size = fs::file_size(page.path, error);
    if (error) {
      return Error{ErrorKind::io, fmt::format("cannot open {}: {}", page.path, error.message())};
    }
  }
  file.format = is_text_name(page.path) ? FileFormat::text : FileFormat::html;
  file.url = name_below(options, page.below, page.path);
  file.path = std::move(page.path);
  file.container = std::move(page.container);
  file.member = page.member;
  return file;
}

}  // namespace

Result<std::unique_ptr<ByteSource>> open_input(const InputFile& file) {
  if (file.container) return file.container->open(file.member);
  KITH_ASSIGN(std::unique_ptr<ByteSource> source, FileSource::open(file.path));
  return source;
}

Result<UnpackedStream> open_stream(const InputFile& file, uint64_t from) {
  KITH_ASSIGN(std::unique_ptr<ByteSource> source, open_input(file));
  if (from > 0) {
    KITH_ASSIGN(source, RangeSource::open(std::move(source), from));
  }
  return UnpackedStream::open(std::move(source), codec_by_name(file.path));
}

std::string url_below(std::string_view base_url, std::string_view path) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string url(base_url);
  if (!url.ends_with('/')) url.push_back('/');
  for (const char c : path) {
    // RFC 3986, 3.3: pchar and the slash.
    const bool is_plain = is_ascii_alpha(c) || is_ascii_digit(c) ||
                          std::string_view("-._~!$&'()*+,;=:@/").find(c) != std::string_view::npos;
    if (is_plain) {
      url.push_back(c);
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    url.push_back('%');
    url.push_back(kHex[byte >> 4]);
    url.push_back(kHex[byte & 15]);
  }
  return url;
}

Result<InputList> find_inputs(const CrawlOptions& options) {
  KITH_ASSIGN(Listing listing, list_inputs(options));
  InputList list;
  list.left_out = listing.left_out;
  for (ListedFile& listed : listing.files) {
    const auto number = static_cast<uint32_t>(list.paths.size());
    list.paths.push_back(listed.path);
    if (number % options.share.of + 1 != options.share.number) continue;
    const std::string below = listed.below;
    KITH_ASSIGN(InputFile file, listed.is_page ? page_below(std::move(listed), options)
                                               : look_at_file(std::move(listed), options));
    file.number = number;
    file.below = below;
    list.files.push_back(std::move(file));
  }
  return list;
}

}  // namespace kith::crawl
