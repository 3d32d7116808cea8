// The pages of a crawl, batch by batch, and what of its folders is not read; and pages that were
// read before, found again.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kith/report.h"
#include "kith/status.h"

#include "crawl/read/byte_source.h"
#include "crawl/read/http.h"
#include "crawl/read/page.h"
#include "crawl/read/row_fields.h"

namespace kith::crawl {

// What of an input folder, zip file or tar is not read, and why.
enum class LeftOut : uint8_t {
  other_file,     // by its name neither a crawl file nor a page
  page_file,      // HTML (or text) beside crawl files
  run_folder,     // a run directory of kith, with all that is in it
  linked_folder,  // behind a symbolic link, which may lead in a ring
  broken_link,    // leads nowhere
  no_file,        // a pipe, a socket or a device; in a zip file or tar a link, too
  replaced,       // in a zip file or tar before another file of the same name
  count_,         // number of kinds; not a kind
};
std::string_view left_out_name(LeftOut kind);  // "other_file", ...

// By kind.
using LeftOutCounts = std::array<uint64_t, static_cast<size_t>(LeftOut::count_)>;

// Whether a folder holds a manifest of kith, of any version. Its lists and files are no crawl,
// whatever their names are. A manifest.json of a web site is none.
bool holds_run(const std::string& folder);

// The crawl stage's front door: inputs of any supported format in, pages out.

// Part `number` of `of`: of the files of all inputs, in their order, every of-th.
struct Share {
  uint32_t number = 1;  // in [1, of]
  uint32_t of = 1;
};

// How many URLs a list names, and how many of them were met as pages.
struct NamedUrls {
  uint64_t named = 0;
  uint64_t found = 0;
};

struct CrawlOptions {
  // Files, members of zip files and tars (CONTAINER/MEMBER), folders and containers (every crawl
  // file below, in byte order of path), or "-".
  std::vector<std::string> inputs = {};
  std::string base_url = {};                // URL of a folder of HTML; empty when there is none
  uint64_t max_page = 8u << 20;             // bytes; a longer payload is cut there, and counted
  RowFields fields = {};                    // which ones of rows are read
  std::shared_ptr<TableFiles> tables = {};  // see ReadOptions::tables
  StatusSet status = {};                    // HTTP responses of other statuses are passed over
  // What a batch may hold of decoded payloads before the rest comes in another part: bytes, but one
  // page always.
  uint64_t decoded_bytes = 16u << 20;
  bool strict = false;  // the first damaged record is an error
  // Documents need no URL: a file of HTML or text (.txt) without base_url is named by its path.
  // Without `notes` a row without text is a page, too, with an empty body.
  bool nameless = false;
  // For readers that act on a page as soon as it comes. JSON lines are read for "time" and
  // "deleted" as well, a batch ends where the next line would have to be waited for, and on
  // standard input a line needs a URL or an id. A line
  // without one, or without a text, is damaged; with `strict` the pages of the lines before a
  // damaged one are given first.
  bool notes = false;
  // Of JSON lines keep what stands around their texts: Page::row_head.
  bool rows = false;
  // JSON lines, which outlive the reader and are read where "-" names standard input.
  std::optional<std::string_view> lines = {};
  // Pages and redirects for which it is false are passed over; empty: none. Called by many threads
  // at once, before a page is admitted, perhaps twice for a page, with its URL as spelled or
  // canonical.
  std::function<bool(const Page&)> filter = {};
  // What CrawlReport::urls is at the end; empty where no list limits what is read.
  std::function<NamedUrls()> named = {};
  Share share = {};  // what is read; other files are listed and not even looked at
};

// Why a record is not a page. Everything that is passed over is counted under one of these.
enum class Skip : uint8_t {
  other_record,  // warcinfo, request, metadata, ...: not a page by its nature
  status,        // an HTTP status that is not wanted
  media_type,    // neither HTML, XHTML nor plain text
  bad_url,       // no absolute http(s) URL
  duplicate,     // another capture of a URL that has given a page
  joined,        // the first of another spelling of such a URL
  revisit,       // a capture that names another one in place of its payload
  damaged,       // a record that could not be parsed or unpacked
  empty,         // no payload, or one of white space only
  filtered,      // not wanted by CrawlOptions::filter
  // No text, by the first bytes or by what the archive has identified:
  pdf,  // or PostScript
  image,
  archive,  // ZIP, office files, gzip and others
  font,
  media,  // audio, video
  executable,
  binary,  // other bytes that are no text
  count_,  // number of kinds; not a kind
};
std::string_view skip_name(Skip kind);  // "other_record", ...

// One thing skipped, for the report: where it lies and what was wrong.
struct SkipExample {
  Skip kind;
  std::string file;
  uint32_t file_number = 0;  // see Page::file
  uint64_t offset = 0;  // bytes into the file as it lies on disk (start of the gzip member or line)
  std::string reason;
};

struct CrawlReport : PageCounts {
  uint64_t skipped[static_cast<size_t>(Skip::count_)] = {};
  std::vector<SkipExample> examples;  // the first few of the kinds damaged and bad_url
  LeftOutCounts left_out{};           // of the input folders
  NamedUrls urls;                     // see CrawlOptions::named
  RowCounts rows;
};

enum class Admission : uint8_t { accept, bad_url, duplicate, joined };

// Called for every page that could be decoded, in input order and by one thread at a time: decides
// whether the page is taken and writes its canonical URL. An empty function takes every page under
// its raw URL. `time` is Page::time; is_name: what is given names a row that has no URL. This is
// how one sound capture of a URL wins whatever the number of threads.
using Admit = std::function<Admission(std::string_view raw_url, int64_t time, bool is_name,
                                      std::string& canonical_url)>;

// Reads all inputs in order. next() may be called by many threads at once: reading and
// unpacking happen under a lock, decoding of payloads outside it; batches are then admitted one
// after the other, each waiting for those before it.
class PageReader {
 public:
  // Looks at every file before the first byte is read: a missing file, an unknown format or
  // a folder without crawl files is an error here, not in the middle of a run.
  static Result<PageReader> open(const CrawlOptions& options, Admit admit);
  // Reads the one file at `path`, from a byte on at which a record begins, and of packed files a
  // member as well: Page::record counts from there. `log`, which outlives the reader, hears of its
  // layout, in positions behind that byte. Of the options, inputs and share do not count. Files
  // that are one page, CSV or a table, or packed by zstd with a dictionary, and members of a zip
  // file or tar that are unpacked on their way are read from their first byte only, and the log
  // does not hear of them.
  static Result<PageReader> open_part(const CrawlOptions& options, const std::string& path,
                                      uint64_t from, LayoutLog& log);
  ~PageReader();
  PageReader(PageReader&&) noexcept;
  PageReader& operator=(PageReader&&) noexcept;

  // Fills `batch`, which stays with this reader, with the next pages, perhaps none. False at the
  // end of all inputs; an error only when a file can no longer be read (damage inside a file is
  // skipped and counted) or, with `strict`, a record is damaged: the first one in input order,
  // whatever the number of threads.
  Result<bool> next(PageBatch& batch);

  // The paths of the files of all inputs, in the order in which they are read, and also of those
  // that `share` leaves out.
  const std::vector<std::string>& files() const;

  // Whether all that is read lies in files, not in a pipe.
  bool can_read_again() const;

  // Bytes of input consumed so far and in all (0 when a pipe hides it), for progress.
  uint64_t bytes_done() const;
  uint64_t bytes_total() const;

  // What was read and skipped; complete once next() has returned false to every caller.
  CrawlReport report() const;

 private:
  struct State;
  explicit PageReader(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// A page that was read before, by its file and the number of its record.

// Where a reader can begin in a file.
struct RecordPlace {
  uint64_t record = 0;  // Page::record
  uint64_t offset = 0;  // on disk: of the record, or of the gzip member that begins with it
};

enum class PageSearch : uint8_t {
  found,
  missing,      // the file has no page of that number
  interrupted,  // the time was over; the next search goes on near where this one ended
  too_far,      // the time was over, and the next search would have to begin where this one did
};

// Reads files from their beginning to the record that is asked for, and notes on its way where
// records begin, about one for each MiB: a later search begins near. It can begin only where a
// plain file has a record, or a file of gzip members or zstd frames without a dictionary has one
// that begins with a record; in other files every search begins at the beginning. Thread-safe;
// searches run at the same time.
class PageFinder {
 public:
  // options: as the pages were read; inputs and share do not count.
  explicit PageFinder(CrawlOptions options);

  // Calls use(page) with the page of `record` in the file at `path`. An error when the file cannot
  // be read, or is no regular file. What has changed in the file since is not noticed.
  Result<PageSearch> find(const std::string& path, uint64_t record,
                          std::chrono::steady_clock::duration patience,
                          const std::function<void(const Page&)>& use);

  // That were noted, of all files.
  uint64_t places() const;

 private:
  RecordPlace start_of(const std::string& path, uint64_t record) const;
  void note(const std::string& path, const std::vector<RecordPlace>& found);

  const CrawlOptions options_;
  mutable std::mutex mutex_;
  std::map<std::string, std::vector<RecordPlace>> places_;  // ascending
};

}  // namespace kith::crawl
