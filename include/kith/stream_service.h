// A stream that several callers ask and give pages to, as lines of JSON.
//
//   auto service = kith::StreamService::open({.directory = "my-stream"});
//   auto answer = service->add(R"({"url": "https://example.org/", "text": "..."})");
//   for (const kith::StreamDecision& made : answer->answer.decisions) ...
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kith/report.h"
#include "kith/status.h"
#include "kith/stream.h"
#include "kith/stream_job.h"

#pragma GCC visibility push(default)

namespace kith {

struct StreamServiceOptions {
  std::string directory;              // of a stream that is there
  Durable durable = Durable::second;  // what an answer is worth when the machine goes down
  uint64_t memory = 0;                // bytes of the process; 0: three quarters of the machine's
  uint64_t max_page = 8u << 20;       // bytes; longer pages are similar to nothing, [1 KiB, 1 GiB]
  std::string language = {};          // of every page; empty: detected
};

// What was read of lines: pages are counted, and lines that are none (CrawlCounts::skipped).
struct StreamLinesAnswer {
  StreamAnswer answer;
  CrawlCounts lines;
};

// What a page would be, which was not added.
struct StreamPreview {
  std::string document;
  bool is_known = false;             // a document of that name is there
  std::vector<StreamMatch> matches;  // leaders that it is similar to, most similar first
};

struct StreamLinesPreview {
  std::vector<StreamPreview> pages;  // in the order of the lines; without removals
  CrawlCounts lines;
};

// Thread-safe: calls are read side by side, and the stream stands still for others only while it
// decides. Pages of a call are taken in their order; those of others may come between them.
class StreamService {
 public:
  // Stream::open() with the options that the stream has. An error of kind not_found where there is
  // none.
  static Result<StreamService> open(const StreamServiceOptions& options);
  ~StreamService();
  StreamService(StreamService&&) noexcept;
  StreamService& operator=(StreamService&&) noexcept;

  // Takes lines of JSON as `kith stream` reads them, in their order: what has come is in the log
  // when this returns, and on the disk as options.durable says. Lines that are no pages are
  // counted. Errors, of kinds memory and io, say how many pages of the call were taken before. When
  // the disk is full the others are not, and can be given again when there is room.
  Result<StreamLinesAnswer> add(std::string_view lines);
  // Adds nothing.
  Result<StreamLinesPreview> preview(std::string_view lines) const;

  StreamOptions options() const;
  StreamCounts counts() const;

  // Writes the whole state: what is opened later need not be replayed.
  Status snapshot();

 private:
  struct State;
  explicit StreamService(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace kith

#pragma GCC visibility pop
