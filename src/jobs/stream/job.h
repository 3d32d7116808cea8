// The job `kith stream`: pages in, answers out, a batch at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>

#include "kith/status.h"
#include "kith/stream.h"
#include "kith/stream_job.h"

#include "storage/file_system.h"

namespace kith::jobs {

// Answers as they are made, passed on a batch at a time, so that any number of them takes little
// memory.

// Not thread-safe.
class AnswerBatches {
 public:
  using PassOn = std::function<Status(const StreamAnswer& answer)>;

  // All of them wait for take().
  AnswerBatches() = default;
  explicit AnswerBatches(PassOn pass_on) : pass_on_(std::move(pass_on)) {}

  // The next so many are dropped: they have arrived.
  void skip(uint64_t answers) { skip_ = answers; }
  void add(StreamDecision made);
  void add(StreamPair made);

  // Passes on what waits. The first error, also of batches that were full: after it answers are
  // dropped. REQUIRES: who they are passed on to is known.
  Status pass_on();
  // What waits.
  StreamAnswer take() { return std::exchange(waiting_, {}); }
  // Also those that were dropped.
  uint64_t made() const { return made_; }

 private:
  bool is_wanted();
  void count(uint64_t bytes);

  PassOn pass_on_;
  uint64_t skip_ = 0;
  uint64_t made_ = 0;
  StreamAnswer waiting_;
  uint64_t bytes_ = 0;  // of these
  Status failure_;
};

// The job `kith stream` on any file system, such as one that fails.

// What is left of options.memory for the state of the stream when a page is read. An error of kind
// usage where it is too little.
Result<uint64_t> memory_of_state(const StreamJobOptions& options);

// Whether the log is larger than what a snapshot saves, and large enough to be worth its time.
bool is_snapshot_due(const Stream& stream);

// run_stream() with the state on that file system. Input is read from the operating system's.
Result<StreamReport> run(storage::FileSystem& fs, const StreamJobOptions& options,
                         const StreamReceiver& receiver);

}  // namespace kith::jobs
