// Streams with files: the job `kith stream`, a service for several callers, and the bits of
// fingerprints to compare.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kith/options.h"
#include "kith/report.h"
#include "kith/shingles.h"
#include "kith/status.h"
#include "kith/stream.h"

#pragma GCC visibility push(default)

namespace kith {

// The job `kith stream`: pages of a crawl, or of a pipe, to a stream with files (stream.h).

// What an answer that was given is worth when the machine goes down. When only the process ends,
// none is lost.
enum class Durable : uint8_t {
  page,    // the page is on the disk before its answer is given
  second,  // it is on the disk with the first page that comes a second later, or at the end
  none,    // it is on the disk when the operating system has written it
};

struct StreamJobOptions : ReadOptions {
  std::string directory;
  StreamOptions stream;  // its memory: 0, its rules: none, as they follow from those here
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
  uint64_t respelled = 0;    // pages and removals whose URLs url_rules have changed
  std::string first_late;    // the first page whose time was before that of an earlier page
  std::string first_ahead;   // the first page whose time was beyond StreamOptions::max_skew_ms
};

// Reads all inputs in order. Pages are known by their URLs in canonical form and as url_rules
// spell them, JSON lines without a "url" by their "id", or in files by FILE:LINE. A page without a
// time has that of the clock. A file is known by its absolute path, its size, and its first and
// last bytes: what was read of it before is skipped, also when it has grown; a file of other
// content under that name is read. With stream.repair there may be no inputs. Answers of pages that
// are at hand together are given together. Errors: those of Stream::open(), of the input, of the
// receiver; with `strict` also a page whose time is before that of an earlier page.
Result<StreamReport> run_stream(const StreamJobOptions& options, const StreamReceiver& receiver);

std::string_view name(Durable value);

// A stream that several callers ask and give pages to, as lines of JSON.
//
//   auto service = kith::StreamService::open({.directory = "my-stream"});
//   auto answer = service->add(R"({"url": "https://example.org/", "text": "..."})");
//   for (const kith::StreamDecision& made : answer->answer.decisions) ...

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

// How many bits of their fingerprints the pages of a stream should be compared by, measured on a
// sample of them (StreamBy::fingerprint; docs/algorithms/stream.md).
//
//   const auto report = kith::tune_fingerprint_bits({{.inputs = {"sample.jsonl"}}});
//   if (report) options.bits = report->best;

// What goes wrong when pages are alike by the first bits of their fingerprints.
struct FingerprintErrors {
  uint32_t bits = 0;
  // Pages of the sample that share these bits with a page that they do not resemble.
  uint64_t joined = 0;
  // Pages that resemble another page, but share these bits with none that they resemble.
  uint64_t parted = 0;
  // The share of the pages that a stream joins by chance beyond that: those that share these bits
  // with one of the documents that are not of the sample, if all bits are drawn at random.
  double chance = 0;
};

struct FingerprintBitsOptions : ReadOptions {
  ShingleOptions shingles = {};
  double similarity = 0.8;         // from which on pages resemble each other, (0, 1]
  uint64_t documents = 1'000'000;  // of the whole stream
  uint64_t memory = 0;  // bytes of the process; 0 = three quarters of what the machine has
};

// The first field that is out of range, as an error of kind usage.
Status validate(const FingerprintBitsOptions& options);

struct FingerprintBitsReport {
  CrawlCounts crawl;
  uint64_t pages = 0;       // of the sample, without those below
  uint64_t empty = 0;       // that have no shingle, or are too long: they are alike to nothing
  uint64_t resembling = 0;  // pages that resemble another page
  std::vector<FingerprintErrors> errors;  // of 16 to 64 bits
  // The bits with the smallest share of pages that are joined, parted or joined by chance, each
  // counted by itself; of equals the most bits.
  uint32_t best = 64;
};

// Reads pages, and finds which of them resemble each other, exactly. Every capture of a URL is a
// page. The result does not depend on the memory, of which some 60 bytes a shingle are needed; time
// grows with the number of pairs that share one of their rarest shingles. Errors: of the input; of
// kind usage, when no page has words, or the sample needs more than the memory.
Result<FingerprintBitsReport> tune_fingerprint_bits(const FingerprintBitsOptions& options);

}  // namespace kith

#pragma GCC visibility pop
