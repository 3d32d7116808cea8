// From what the user names to the files that are read, each with its format.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kith/status.h"

#include "crawl/container/container.h"
#include "crawl/read/page_reader.h"
#include "crawl/read/unpacked_stream.h"

namespace kith::crawl {

enum class FileFormat : uint8_t { warc, arc, jsonl, csv, table, html, text };

// Whether a file of this format is one page.
constexpr bool is_whole_page(FileFormat format) {
  return format == FileFormat::html || format == FileFormat::text;
}

struct InputFile {
  std::string path;   // "-" is standard input
  std::string below;  // the path below the folder that was named; of a named file, its last part
  FileFormat format = FileFormat::warc;
  std::optional<Codec> codec;  // of a file of records: what it is packed with
  std::string url;             // of a file of HTML or text, or its name
  uint64_t size = 0;           // 0 for a pipe
  uint32_t number = 0;         // its place in InputList::paths
  // Where the file is a member of a zip file or tar; `path` is then CONTAINER/MEMBER.
  std::shared_ptr<Container> container;
  size_t member = 0;
  // A pipe gives its bytes once, so it stays open, with the bytes that were looked at.
  std::optional<UnpackedStream> stream;
  std::shared_ptr<TableFiles> tables;  // what opens it; of a table
};

struct InputList {
  std::vector<InputFile> files;    // of the share that is to be read
  std::vector<std::string> paths;  // of all
  LeftOutCounts left_out{};        // of all folders
};

// A file that is to be read, as it was found by its name.
struct ListedFile {
  std::string path;                           // "-" is standard input
  std::string below;                          // as InputFile::below
  bool is_page = false;                       // HTML or text below a folder, or in a container
  std::shared_ptr<Container> container = {};  // as InputFile::container
  size_t member = 0;

  // What lies on the disk: the file, or its container.
  const std::string& on_disk() const { return container ? container->path() : path; }
};

struct Listing {
  std::vector<ListedFile> files;
  LeftOutCounts left_out{};
};

// Lists the files below the inputs, and in zip files and tars among them, in the order in which
// they are read. Looks only into files that were named, and .wacz. Errors: a folder that cannot be
// listed, holds nothing to read or is a run of kith; a zip file or tar likewise, or a damaged one;
// HTML without a base URL; standard input named twice. A file that was named itself may be missing.
Result<Listing> list_inputs(const CrawlOptions& options);

// Lists the files below the inputs and looks at the beginning of each of the share. The format is
// known by content (behind its compression, itself known by its magic), by name only where the
// content is empty or damaged. The errors are those of PageReader::open.
Result<InputList> find_inputs(const CrawlOptions& options);

// Opens the bytes of a file, as they lie on the disk or in its container. The file must not be a
// pipe that has been looked at.
Result<std::unique_ptr<ByteSource>> open_input(const InputFile& file);

// Opens a file of records for reading, from its first byte or another one, behind which nothing
// tells of what lies before. REQUIRES: from == 0, or that open_input(file) knows its size.
Result<UnpackedStream> open_stream(const InputFile& file, uint64_t from = 0);

// `path` relative to the folder of a site, appended to its URL: bytes that no URL path may
// hold are percent-encoded. Gives "https://a.b/c/d%20e.html" of "https://a.b/c" and "d e.html".
std::string url_below(std::string_view base_url, std::string_view path);

}  // namespace kith::crawl
