// Streams on a disk that fails in any way, from one seed, beside the model that knows every
// decision (model.h). KITH_SIMULATE=SEED runs one seed, KITH_SIMULATE=FROM-TO several.
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "jobs/stream/state.h"
#include "jobs/stream/store.h"
#include "unit/jobs/stream/history.h"
#include "unit/jobs/stream/simulated_disk.h"
#include "unit/jobs/stream/steps.h"

namespace kith::jobs {
namespace {

class Simulation {
 public:
  explicit Simulation(uint64_t seed)
      : rng_(seed),
        disk_(seed),
        options_(all_options()[rng_.below(all_options().size())]),
        steps_(random_steps(options_, seed, 150)),
        history_(options_) {
    for (Step& step : steps_) {
      if (rng_.below(20) == 0) step.time = far_ahead;
    }
  }

  void run() {
    reopen();
    while (next_ < steps_.size() && !testing::Test::HasFailure()) step();
    disk_.is_full = disk_.syncs_fail = false;
    disk_.dies_at = 0;
    end_process();
    if (stream_) {
      EXPECT_EQ(clusters_of(*stream_), clusters_of(history_.model()));
    }
  }

 private:
  void step() {
    const uint64_t choice = rng_.below(40);
    if (choice < 24) add();
    if (choice > 23 && choice < 27 && stream_->flush()) flushed_ = history_.size();
    if (choice == 27 && stream_->snapshot()) flushed_ = synced_ = history_.size();
    if (choice > 27 && choice < 31 && stream_->sync()) flushed_ = synced_ = history_.size();
    if (choice > 30 && choice < 33) static_cast<void>(stream_->told());
    if (choice > 32 && choice < 35) disk_.is_full = !disk_.is_full;
    if (choice == 35) disk_.syncs_fail = !disk_.syncs_fail;
    if (choice == 36) end_process();
    // A client that does not know what has arrived sends some pages again.
    if (choice == 37) next_ -= std::min<size_t>(next_, rng_.below(10));
    if (choice == 38) disk_.dies_at = 1 + rng_.below(20);
    if (disk_.is_dead) end_process();
  }

  void add() {
    Step step = steps_[next_];
    // The first page has the time of the clock then.
    if (history_.size() == 0) step.time = 1'000'000;
    const StreamPage page{.name = step.name, .elements = step.elements, .time_ms = step.time};
    const auto answer = step.is_removal ? stream_->remove(page) : stream_->add(page);
    if (!answer) {
      EXPECT_EQ(answer.error().kind, ErrorKind::io) << answer.error().message;
      if (disk_.is_dead) last_words_ = step;
      return;
    }
    ++next_;
    ASSERT_EQ(text_of(*answer), text_of(history_.add(step)));
  }

  // The process is killed, or the machine goes down; sometimes a bit of the log flips then.
  void end_process() {
    disk_.is_dead = true;
    stream_.reset();
    disk_.is_dead = false;
    const bool loses_power = rng_.below(2) == 0;
    if (loses_power) disk_.lose_power();
    disk_.dies_at = 0;
    if (rng_.below(3) == 0) expect_damage_is_refused();
    // Again while it is opened, perhaps.
    if (rng_.below(8) == 0) disk_.dies_at = 1 + rng_.below(10);
    reopen();
    if (!stream_) return;
    const size_t there = stream_->counts().pages;
    ASSERT_GE(there, loses_power ? synced_ : flushed_);
    flushed_ = there;
    if (loses_power) synced_ = there;
  }

  void expect_damage_is_refused() {
    const auto before = disk_.content();
    const auto snapshot = Snapshot::open(disk_, "stream/stream.kith");
    ASSERT_TRUE(snapshot.is_ok());
    const std::string log =
        "stream/stream." + std::to_string(snapshot->head().progress.snapshot) + ".log";
    const std::string& bytes = before.at(log);
    // What is missing of the last records may never have been written.
    if (bytes.find_last_not_of('\0') + 1 < 2000) return;
    std::string damaged = bytes;
    damaged[rng_.below(100)] ^= static_cast<char>(1 << rng_.below(8));
    disk_.put(log, damaged);
    const Status status = Opener::open(disk_, "stream", options_).status();
    EXPECT_TRUE(!status && status.error().kind == ErrorKind::corrupt);
    disk_.put(log, bytes);
    EXPECT_TRUE(disk_.content() == before);
  }

  // With room again at the latest when it has failed some times.
  void reopen() {
    for (int attempt = 0; attempt < 10 && !stream_; ++attempt) {
      if (attempt == 5) disk_.is_full = disk_.syncs_fail = false;
      Recovered recovered;
      auto opened = Opener::open(disk_, "stream", options_, recovered.hooks());
      if (!opened) {
        ASSERT_EQ(opened.error().kind, ErrorKind::io) << opened.error().message;
        disk_.is_dead = false;
        continue;
      }
      stream_.emplace(std::move(*opened));
      // The page in whose midst the process was killed.
      if (last_words_ && stream_->counts().pages > history_.size()) history_.add(*last_words_);
      last_words_.reset();
      ASSERT_LE(stream_->counts().pages, history_.size());
      history_.cut(stream_->counts().pages);
      ASSERT_EQ(recovered.text(), history_.answers_after(recovered.before()));
    }
    ASSERT_TRUE(stream_.has_value());
  }

  Rng rng_;
  SimulatedDisk disk_;
  const StreamOptions options_;
  std::vector<Step> steps_;
  size_t next_ = 0;  // of these
  History history_;
  size_t flushed_ = 0;              // of the history: survives the end of the process
  size_t synced_ = 0;               // that of the machine, too
  std::optional<Step> last_words_;  // in which the process was killed
  std::optional<Stream> stream_;
};

TEST(StreamSimulation, DecidesAsTheModelDoesWhateverTheDiskDoes) {
  uint64_t from = 1;
  uint64_t to = 100;
  if (const char* const asked = std::getenv("KITH_SIMULATE")) {
    char* end = nullptr;
    from = to = std::strtoull(asked, &end, 10);
    if (*end == '-') to = std::strtoull(end + 1, nullptr, 10);
  }
  for (uint64_t seed = from; seed <= to; ++seed) {
    SCOPED_TRACE("again by KITH_SIMULATE=" + std::to_string(seed));
    Simulation(seed).run();
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace kith::jobs
