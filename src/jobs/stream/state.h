// A stream with its engine and its files: what Stream, the job and the service are made of.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kith/status.h"
#include "kith/stream.h"

#include "jobs/stream/engine.h"
#include "jobs/stream/job.h"
#include "jobs/stream/log.h"
#include "jobs/stream/page_words.h"
#include "jobs/stream/store.h"
#include "storage/file_system.h"

namespace kith::jobs {

// Thread-safe as Stream is.
class State {
 public:
  using Words = std::unique_ptr<const WordDictionary>;

  // Stream::make(), open() and read().
  static Result<std::unique_ptr<State>> make(const StreamOptions& options);
  static Result<std::unique_ptr<State>> open(storage::FileSystem& fs, const std::string& directory,
                                             const StreamOptions& options,
                                             const StreamRecovery& recovery);
  static Result<std::unique_ptr<State>> read(const std::string& directory);

  const Engine& engine() const { return engine_; }
  const StoredProgress& stored() const { return stored_; }
  const StreamProgress& progress() const { return progress_; }
  const WordDictionary* dictionary() const { return dictionary_.get(); }

  // Takes a page, or its removal.
  Status take(RecordKind kind, const StreamPage& page, AnswerBatches& answers);
  // Takes pages that a PagePreparer has prepared, in their order, when all of them are in the log,
  // or none.
  Status take_all(std::span<const std::string> prepared, AnswerBatches& answers);
  Status begin_source(std::string_view name, const StreamSource& as);

  // Whether a page with that time has that of the stream instead.
  bool is_ahead(int64_t time) const { return is_ahead(time, engine_.clock()); }

  Status flush();
  Status sync();
  Status snapshot();
  Status told();
  uint64_t log_bytes() const;
  // A sync has failed: nothing is taken before a snapshot(), after which no answer is given again.
  bool is_log_lost() const { return store_ && store_->log().is_lost(); }

 private:
  State(const StreamOptions& options, Words words);

  Status resume(const StreamRecovery& recovery);
  // Before anything changes: whether it may.
  Status check_writable();
  bool is_ahead(int64_t time, int64_t clock) const;
  // clock: that of the stream before the record.
  void settle_time(Record& of, int64_t clock) const;
  void append(const Record& of);
  // After an error the log is as it was when it had so many bytes.
  Status flush_or_take_back(uint64_t log_bytes);
  // As a page has it in the log, and whether it was ahead.
  using SettledTime = std::pair<int64_t, bool>;
  Status log_all(std::span<const std::string> prepared, std::vector<SettledTime>& times);
  Status take_logged(const Record& of, AnswerBatches& answers);
  // What a record changes, whether it comes now or from the log.
  Status apply(const Record& of, AnswerBatches& answers);
  void apply_page(const Record& of, AnswerBatches& answers);
  void make_room();
  // Calls change(), which changes the engine: after an error nothing more is taken.
  template <class Change>
  Status guard(Change&& change);

  // Goes last: it keeps other processes out of the folder, in which the engine has a file.
  std::optional<Store> store_;
  Words dictionary_;
  Engine engine_;
  FeatureMaker maker_;
  PageWordReader word_reader_;
  StoredProgress stored_;
  StreamProgress progress_;
  bool is_read_only_ = false;
  Status failure_;
  std::string record_;  // as bytes
  RecordBuffers buffers_;
  std::vector<StreamDecision> decisions_;
};

// An error of kind usage for a page that no stream takes.
Status check_page(const StreamPage& page);

// Pages on their way to a stream: what of the work needs no stream that stands still. Not
// thread-safe; each of several threads has its own.
class PagePreparer {
 public:
  // What `state` has and never changes.
  explicit PagePreparer(const State& state);

  // A record for State::take_all(). Errors of kind usage as Stream::add() says.
  Result<std::string> prepare(RecordKind kind, const StreamPage& page);

 private:
  const StreamOptions options_;
  FeatureMaker maker_;
  PageWordReader word_reader_;
};

// A stream with files on any file system, such as one that fails.
class Opener {
 public:
  // Stream::open() on that file system, which outlives the stream.
  static Result<Stream> open(storage::FileSystem& fs, const std::string& directory,
                             const StreamOptions& options, const StreamRecovery& recovery = {});
  // What a stream is made of.
  static State& state(Stream& stream) { return *stream.state_; }
};

}  // namespace kith::jobs
