// A page that was read before, by its file and the number of its record.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "kith/status.h"

#include "crawl/read/page_reader.h"

namespace kith::crawl {

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
