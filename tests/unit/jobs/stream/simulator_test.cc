// Streams on a disk that fails in any way, from one seed, beside the model that knows every
// decision (model.h). KITH_SIMULATE=SEED runs one seed, KITH_SIMULATE=FROM-TO several.
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "jobs/stream/snapshot.h"
#include "jobs/stream/state.h"
#include "unit/jobs/stream/simulated_disk.h"
#include "unit/jobs/stream/steps.h"

namespace kith::jobs {
namespace {

constexpr int64_t far_ahead = INT64_MAX / 2;

// What came so far, one after the other, and what must have been said of it.
class History {
 public:
  explicit History(const StreamOptions& options) : options_(options), model_(options) {}

  size_t size() const { return steps_.size(); }
  const Model& model() const { return model_; }
  // What is said of it now.
  std::string add(Step step) {
    steps_.push_back(step);
    if (step.time == far_ahead) step.time = clock_;
    clock_ = std::max(clock_, step.time);
    const StreamAnswer answer = take(model_, options_, step);
    std::string text = text_of(answer);
    answers_.push_back(text);
    return text;
  }
  // Only the first steps survived.
  void cut(size_t steps) {
    History shorter(options_);
    for (size_t at = 0; at < steps; ++at) shorter.add(steps_[at]);
    steps_ = shorter.steps_;
    model_ = shorter.model_;
    answers_ = shorter.answers_;
    clock_ = shorter.clock_;
  }
  // What was said, a line each, without the first lines.
  std::string answers_after(uint64_t lines) const {
    std::string all;
    for (const std::string& answer : answers_) all += answer;
    size_t at = 0;
    for (; lines > 0; --lines) at = all.find('\n', at) + 1;
    return all.substr(at);
  }

 private:
  StreamOptions options_;
  std::vector<Step> steps_;
  Model model_;
  std::vector<std::string> answers_;
  int64_t clock_ = INT64_MIN;
};

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
    end_process();
    if (stream_) {
      EXPECT_EQ(clusters_of(*stream_), clusters_of(history_.model()));
    }
  }

 private:
  void step() {
    const uint64_t choice = rng_.below(40);
    if (choice < 24) return add();
    if (choice < 27 && stream_->flush()) flushed_ = history_.size();
    if (choice == 27 && stream_->snapshot()) flushed_ = synced_ = history_.size();
    if (choice > 27 && choice < 31 && stream_->sync()) flushed_ = synced_ = history_.size();
    if (choice > 30 && choice < 33) static_cast<void>(stream_->told());
    if (choice > 32 && choice < 35) disk_.is_full = !disk_.is_full;
    if (choice == 35) disk_.syncs_fail = !disk_.syncs_fail;
    if (choice == 36) end_process();
    // A client that does not know what has arrived sends some pages again.
    if (choice == 37) next_ -= std::min<size_t>(next_, rng_.below(10));
  }

  void add() {
    Step step = steps_[next_];
    // The first page has the time of the clock then.
    if (history_.size() == 0) step.time = 1'000'000;
    const StreamPage page{.name = step.name, .elements = step.elements, .time_ms = step.time};
    const auto answer = step.is_removal ? stream_->remove(page) : stream_->add(page);
    if (!answer) {
      EXPECT_EQ(answer.error().kind, ErrorKind::io) << answer.error().message;
      return;
    }
    ++next_;
    ASSERT_EQ(text_of(*answer), history_.add(step));
  }

  // The process is killed, or the machine goes down; sometimes a bit of the log flips then.
  void end_process() {
    disk_.is_dead = true;
    stream_.reset();
    disk_.is_dead = false;
    const bool loses_power = rng_.below(2) == 0;
    if (loses_power) disk_.lose_power();
    if (rng_.below(3) == 0) expect_damage_is_refused();
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
        continue;
      }
      stream_.emplace(std::move(*opened));
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
  size_t flushed_ = 0;  // of the history: survives the end of the process
  size_t synced_ = 0;   // that of the machine, too
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
