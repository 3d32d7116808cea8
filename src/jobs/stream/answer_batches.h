// Answers as they are made, passed on a batch at a time, so that any number of them takes little
// memory.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>

#include "kith/status.h"
#include "kith/stream.h"

namespace kith::jobs {

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
  // dropped.
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

}  // namespace kith::jobs
