// The job `kith stream`: pages of a crawl, or of a pipe, to a stream with files (stream.h).
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "kith/options.h"
#include "kith/report.h"
#include "kith/status.h"
#include "kith/stream.h"

#pragma GCC visibility push(default)

namespace kith {

// What an answer that was given is worth when the machine goes down. When only the process ends,
// none is lost.
enum class Durable : uint8_t {
  page,    // the page is on the disk before its answer is given
  second,  // it is on the disk with the first page that comes a second later, or at the end
  none,    // it is on the disk when the operating system has written it
};

struct StreamJobOptions : ReadOptions {
  std::string directory;
  StreamOptions stream;  // its memory: 0, as it follows from that below
  Durable durable = Durable::second;
  uint64_t memory = 0;  // bytes of the process; 0 = three quarters of what the machine has
};

// The first field that is out of range, as an error of kind usage.
Status validate(const StreamJobOptions& options);

// Who gets the answers. All functions are called by the thread that has called the job.
struct StreamReceiver {
  // StreamRecovery::begin.
  std::function<Result<uint64_t>(const StreamProgress& progress)> begin;
  // When the state is there, and answers that had not arrived were given, before any input is read.
  std::function<Status(const StreamProgress& progress)> resume;
  // Takes answers, in their order.
  std::function<Status(const StreamAnswer& answer)> take;
  // The answers so far must arrive now.
  std::function<Status()> flush;
  // They must have arrived for good: a snapshot follows, after which none of them is given again.
  std::function<Status()> settle;
};

struct StreamReport {
  CrawlCounts crawl;
  StreamCounts stream;
  uint64_t read_before = 0;  // pages and removals of files that had been read already
  uint64_t other_files = 0;  // files that were read although one of that name had been
  uint64_t cut = 0;          // pages longer than max_page, which are similar to nothing
  std::string first_late;    // the first page whose time was before that of an earlier page
  std::string first_ahead;   // the first page whose time was beyond StreamOptions::max_skew_ms
};

// Reads all inputs in order. Pages are known by their URLs in canonical form, JSON lines without a
// "url" by their "id", or in files by FILE:LINE. A page without a time has that of the clock. A
// file is known by its absolute path, its size, and its first and last bytes: what was read of it
// before is skipped, also when it has grown; a file of other content under that name is read. With
// stream.repair there may be no inputs. Answers of pages that are at hand together are given
// together. Errors: those of Stream::open(), of the input, of the receiver; with `strict` also a
// page whose time is before that of an earlier page.
Result<StreamReport> run_stream(const StreamJobOptions& options, const StreamReceiver& receiver);

std::string_view name(Durable value);

}  // namespace kith

#pragma GCC visibility pop
