#include "crawl/read/inputs.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "base/bytes.h"
#include "crawl/read/other_format.h"
#include "crawl/read/records.h"
#include "storage/file_system.h"

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

struct NamedFormat {
  std::string_view suffix;
  FileFormat format;
};
constexpr std::array<NamedFormat, 9> kFormats = {{
    {".warc", FileFormat::warc},
    {".wet", FileFormat::warc},
    {".wat", FileFormat::warc},
    {".arc", FileFormat::arc},
    {".jsonl", FileFormat::jsonl},
    {".ndjson", FileFormat::jsonl},
    {".html", FileFormat::html},
    {".htm", FileFormat::html},
    {".xhtml", FileFormat::html},
}};

bool ends_with_ignoring_case(std::string_view text, std::string_view suffix) {
  return text.size() >= suffix.size() &&
         equals_ignoring_case(text.substr(text.size() - suffix.size()), suffix);
}

std::optional<Codec> codec_by_name(std::string_view path) {
  if (ends_with_ignoring_case(path, ".gz")) return Codec::gzip;
  if (ends_with_ignoring_case(path, ".zst")) return Codec::zstd;
  return std::nullopt;
}

std::optional<FileFormat> format_by_name(std::string_view path) {
  const bool is_packed = codec_by_name(path).has_value();
  if (is_packed) path = path.substr(0, path.rfind('.'));
  for (const NamedFormat& named : kFormats) {
    if (!ends_with_ignoring_case(path, named.suffix)) continue;
    if (named.format == FileFormat::html && is_packed) return std::nullopt;
    return named.format;
  }
  return std::nullopt;
}

// Plain text is known by its name alone.
bool is_text_name(std::string_view path) {
  return ends_with_ignoring_case(path, ".txt");
}

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
    case FileFormat::html:
    case FileFormat::text:
      return true;
  }
  return false;
}

Error unknown_format(const std::string& path, std::string_view start) {
  return {ErrorKind::corrupt, not_a_crawl(path, start)};
}

// `least`: bytes that are looked at in any case, unless the file is shorter.
Result<FileFormat> sniff(UnpackedStream& stream, const std::string& path, size_t least) {
  const std::optional<FileFormat> named = format_by_name(path);
  KITH_ASSIGN(std::string_view bytes, stream.need(least));
  if (trim(bytes).starts_with('{') && !other_markup(bytes)) return FileFormat::jsonl;
  KITH_ASSIGN(bytes, stream.need(kStartBytes));
  // A document may begin with any number of blanks.
  if (trim(bytes).empty()) {
    KITH_ASSIGN(bytes, stream.need(kSniffBytes));
  }
  if (other_markup(bytes)) return unknown_format(path, bytes);
  if (const std::optional<FileFormat> format = format_by_start(bytes)) return *format;
  const bool is_sound = stream.problem().empty();
  if (trim(bytes).empty() && is_sound && (named || path == "-")) {
    return named.value_or(FileFormat::warc);
  }
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

Error no_base_url(const std::string& path) {
  return {ErrorKind::usage,
          fmt::format("{} holds HTML: give `base_url`, the URL that its files were fetched from",
                      path)};
}

// How a file that is one page is known: its URL, or its path where none is needed.
std::string name_below(const CrawlOptions& options, const std::string& below,
                       const std::string& path) {
  return options.base_url.empty() ? path : url_below(options.base_url, below);
}

bool needs_base_url(const CrawlOptions& options) {
  return options.base_url.empty() && !options.nameless;
}

Result<InputFile> lines_in_memory(std::string_view lines) {
  InputFile file;
  file.path = "-";
  file.format = FileFormat::jsonl;
  KITH_ASSIGN(file.stream,
              UnpackedStream::open(std::make_unique<MemorySource>(lines), std::nullopt));
  return file;
}

// A file that is no folder: its format, by a look at its beginning.
Result<InputFile> look_at_file(const std::string& path, const CrawlOptions& options) {
  if (path == "-" && options.lines) return lines_in_memory(*options.lines);
  KITH_ASSIGN(std::unique_ptr<FileSource> source, FileSource::open(path));
  const bool is_regular = source->is_regular();
  InputFile file;
  file.path = path;
  file.size = source->size();
  if (options.nameless && is_regular && is_text_name(path)) {
    file.format = FileFormat::text;
    file.url = name_below(options, fs::path(path).filename().string(), path);
    return file;
  }
  // Who sends a line and waits for what is said of it must not have to send another one.
  const size_t least = options.notes && !is_regular ? 1 : kStartBytes;
  KITH_ASSIGN(UnpackedStream stream,
              UnpackedStream::open(std::move(source), codec_by_name(path),
                                   is_regular ? kSniffBlock : UnpackedStream::kBlock, least));
  KITH_ASSIGN(file.format, sniff(stream, path, least));
  if (file.format == FileFormat::html) {
    if (!is_regular) {
      return Error{ErrorKind::usage, fmt::format("{} is HTML: kith reads HTML from files only",
                                                 path == "-" ? "standard input" : path)};
    }
    if (needs_base_url(options)) return no_base_url(path);
    file.url = name_below(options, fs::path(path).filename().string(), path);
  }
  if (!is_regular) file.stream = std::move(stream);
  return file;
}

struct FolderListing {
  std::vector<std::string> crawl_files;
  std::vector<std::string> pages;  // files of HTML, and of text where these may be pages
};

// Why what is no file in a folder is left out, whatever its name says.
LeftOut why_no_file(const fs::path& path) {
  std::error_code error;
  if (fs::is_directory(path, error)) return LeftOut::linked_folder;
  return fs::is_symlink(path, error) ? LeftOut::broken_link : LeftOut::no_file;
}

// All below a folder.
class FolderLister {
 public:
  FolderLister(bool with_text, LeftOutCounts& left_out)
      : with_text_(with_text), left_out_(left_out) {}

  Status list(const fs::path& folder) {
    KITH_ASSIGN(const std::vector<std::string> names, storage::names_in(folder.native()));
    for (const std::string& name : names) {
      const fs::path path = folder / name;
      std::error_code gone;
      if (!fs::is_directory(fs::symlink_status(path, gone))) {
        add_file(path);
      } else if (holds_run(path.native())) {
        leave_out(LeftOut::run_folder);
      } else {
        KITH_TRY(list(path));
      }
    }
    return Status::ok();
  }

  FolderListing take() {
    if (!listing_.crawl_files.empty()) {
      left_out_[static_cast<size_t>(LeftOut::page_file)] += listing_.pages.size();
      listing_.pages.clear();
    }
    std::ranges::sort(listing_.crawl_files);
    std::ranges::sort(listing_.pages);
    return std::move(listing_);
  }

 private:
  void leave_out(LeftOut kind) { ++left_out_[static_cast<size_t>(kind)]; }

  void add_file(const fs::path& path) {
    std::error_code gone;
    std::optional<FileFormat> format = format_by_name(path.native());
    if (with_text_ && is_text_name(path.native())) format = FileFormat::text;
    if (!fs::is_regular_file(path, gone)) {
      leave_out(why_no_file(path));
    } else if (!format) {
      leave_out(LeftOut::other_file);
    } else {
      auto& files = is_whole_page(*format) ? listing_.pages : listing_.crawl_files;
      files.push_back(path.native());
    }
  }

  const bool with_text_;
  LeftOutCounts& left_out_;
  FolderListing listing_;
};

std::string below_folder(const std::string& folder, const std::string& path) {
  return fs::path(path).lexically_relative(folder).generic_string();
}

// A file of HTML or text below a folder.
Result<InputFile> page_below(const ListedFile& page, const CrawlOptions& options) {
  std::error_code error;
  const uint64_t size = fs::file_size(page.path, error);
  if (error) {
    return Error{ErrorKind::io, fmt::format("cannot open {}: {}", page.path, error.message())};
  }
  InputFile file;
  file.path = page.path;
  file.format = is_text_name(page.path) ? FileFormat::text : FileFormat::html;
  file.url = name_below(options, page.below, page.path);
  file.size = size;
  return file;
}

Status add_folder(const std::string& folder, const CrawlOptions& options, Listing& files) {
  if (holds_run(folder)) {
    return Error{
        ErrorKind::usage,
        fmt::format("{} is a run directory of kith: its files are never read as a crawl", folder)};
  }
  FolderLister lister(options.nameless, files.left_out);
  KITH_TRY(lister.list(folder));
  const FolderListing listing = lister.take();
  for (const std::string& path : listing.crawl_files) {
    files.files.push_back({path, below_folder(folder, path), folder, false});
  }
  if (!listing.crawl_files.empty()) return Status::ok();
  if (listing.pages.empty()) {
    return Error{ErrorKind::not_found,
                 fmt::format("{} holds no crawl file (.warc, .arc or .jsonl, perhaps with .gz or "
                             ".zst) and no HTML{}",
                             folder, options.nameless ? " or text (.txt)" : "")};
  }
  if (needs_base_url(options)) return no_base_url(folder);
  for (const std::string& path : listing.pages) {
    files.files.push_back({path, below_folder(folder, path), folder, true});
  }
  return Status::ok();
}

// A list that 'kith dedup' has written.
bool is_list(const std::string& path) {
  constexpr std::array<std::string_view, 4> names{"groups.jsonl", "pairs.jsonl", "keep.jsonl",
                                                  "against.jsonl"};
  const fs::path file(path);
  if (std::ranges::find(names, file.filename().native()) == names.end()) return false;
  return holds_run(file.has_parent_path() ? file.parent_path().native() : ".");
}

Status check_named(const std::string& input, const CrawlOptions& options) {
  if (input.empty()) {
    return Error{ErrorKind::usage, "an INPUT is an empty name: name a file, a folder or -"};
  }
  if (input == "-" && std::ranges::count(options.inputs, "-") > 1) {
    return Error{ErrorKind::usage, "standard input (\"-\") is named twice"};
  }
  if (input.find("://") != std::string::npos) {
    return Error{ErrorKind::usage, how_to_fetch(input)};
  }
  if (is_list(input)) {
    return Error{ErrorKind::usage,
                 fmt::format("{} is a list that kith has written, not a crawl", input)};
  }
  return Status::ok();
}

}  // namespace

Result<UnpackedStream> open_stream(const std::string& path, uint64_t from) {
  KITH_ASSIGN(std::unique_ptr<ByteSource> source, FileSource::open(path));
  if (from > 0) {
    KITH_ASSIGN(source, TailSource::open(std::move(source), from));
  }
  return UnpackedStream::open(std::move(source), codec_by_name(path));
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

Result<Listing> list_inputs(const CrawlOptions& options) {
  Listing listing;
  for (const std::string& input : options.inputs) {
    KITH_TRY(check_named(input, options));
    std::error_code error;
    if (input != "-" && fs::is_directory(input, error)) {
      KITH_TRY(add_folder(input, options, listing));
    } else {
      listing.files.push_back({input, fs::path(input).filename().string(), "", false});
    }
  }
  return listing;
}

Result<InputList> find_inputs(const CrawlOptions& options) {
  KITH_ASSIGN(Listing listing, list_inputs(options));
  InputList list;
  list.left_out = listing.left_out;
  for (ListedFile& listed : listing.files) {
    const auto number = static_cast<uint32_t>(list.paths.size());
    list.paths.push_back(listed.path);
    if (number % options.share.of + 1 != options.share.number) continue;
    KITH_ASSIGN(InputFile file,
                listed.is_page ? page_below(listed, options) : look_at_file(listed.path, options));
    file.number = number;
    file.below = std::move(listed.below);
    list.files.push_back(std::move(file));
  }
  return list;
}

}  // namespace kith::crawl
