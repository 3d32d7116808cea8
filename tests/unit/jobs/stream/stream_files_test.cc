// The files of a stream: what is left of it when it is cut off, and what is damage.
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "kith/stream.h"

#include "base/random.h"
#include "jobs/stream/log.h"
#include "storage/file_system.h"
#include "support/temp_dir.h"
#include "unit/jobs/stream/steps.h"

namespace kith::jobs {
namespace {

class StreamFiles : public testing::Test {
 protected:
  std::string folder() const { return dir_ / "stream"; }
  std::string log() const {
    for (const auto& entry : std::filesystem::directory_iterator(folder())) {
      if (entry.path().extension() == ".log") return entry.path().string();
    }
    return "";
  }

  // What is said of the steps [begin, end) when they come in one go.
  static std::string text_of_steps(const std::vector<std::string>& texts, size_t begin,
                                   size_t end) {
    std::string text;
    for (size_t at = begin; at < end; ++at) text += texts[at];
    return text;
  }
  static std::vector<std::string> texts(const StreamOptions& options,
                                        const std::vector<Step>& steps) {
    std::vector<std::string> texts;
    auto stream = Stream::make(options);
    for (const Step& step : steps) texts.push_back(text_of(take(*stream, step)));
    return texts;
  }

  static Result<StreamAnswer> take_from(Stream& stream, const std::vector<Step>& steps, size_t at) {
    const StreamPage page{.name = steps[at].name,
                          .elements = steps[at].elements,
                          .time_ms = steps[at].time,
                          .source = "steps",
                          .next = at + 1};
    return steps[at].is_removal ? stream.remove(page) : stream.add(page);
  }

 private:
  test::TempDir dir_{test::Medium::memory};
};

TEST_F(StreamFiles, GoOnWhereTheyWereCutOff) {
  Rng rng(1);
  size_t number = 0;
  for (const StreamOptions& options : all_options()) {
    SCOPED_TRACE(number);
    if (++number % 4 != 1) continue;
    std::filesystem::remove_all(folder());
    const std::vector<Step> steps = random_steps(options, number, 150);
    const std::vector<std::string> expected = texts(options, steps);
    size_t at = 0;
    size_t snapshot_at = 0;
    while (at < steps.size()) {
      Recovered recovered;
      auto stream = Stream::open(folder(), options, recovered.hooks());
      ASSERT_TRUE(stream.is_ok()) << stream.status().error().message;
      // Some records may have been cut off; what is there is told, and the rest comes again.
      at = stream->source("steps").next;
      ASSERT_GE(at, snapshot_at);
      EXPECT_EQ(recovered.text(), text_of_steps(expected, snapshot_at, at));
      for (size_t end = std::min(steps.size(), at + 1 + rng.below(30)); at < end; ++at) {
        const auto answer = take_from(*stream, steps, at);
        ASSERT_TRUE(answer.is_ok());
        ASSERT_EQ(text_of(*answer), expected[at]);
        if (rng.below(20) > 0) continue;
        ASSERT_TRUE(stream->snapshot().is_ok());
        snapshot_at = at + 1;
      }
      ASSERT_TRUE(stream->flush().is_ok());
      if (rng.below(2) > 0) continue;
      constexpr uint64_t header = 16;
      const uint64_t size = std::filesystem::file_size(log());
      std::filesystem::resize_file(log(),
                                   size - rng.below(std::min<uint64_t>(size - header, 300) + 1));
    }
    auto read = Stream::read(folder());
    ASSERT_TRUE(read.is_ok());
    EXPECT_EQ(read->source("steps").next, snapshot_at);
    EXPECT_EQ(read->add({.name = "a", .text = "b"}).error().kind, ErrorKind::usage);
  }
}

TEST_F(StreamFiles, AreOneStreamOfOneProcess) {
  StreamOptions options;
  auto stream = Stream::open(folder(), options);
  ASSERT_TRUE(stream.is_ok());
  EXPECT_EQ(Stream::open(folder(), options).status().error().kind, ErrorKind::usage);
  stream = Stream::make();
  options.similarity = 0.9;
  const Status other = Stream::open(folder(), options).status();
  ASSERT_FALSE(other.is_ok());
  EXPECT_EQ(other.error().kind, ErrorKind::usage);
  EXPECT_NE(other.error().message.find("another `similarity`;"), std::string::npos);
  options.similarity = 0.8;
  options.memory = 1 << 30;
  EXPECT_TRUE(Stream::open(folder(), options).is_ok());
  EXPECT_EQ(Stream::read(folder() + "/nowhere").status().error().kind, ErrorKind::not_found);
}

// Sets of shingles that are too many for the part that stays in memory. Every third page is near an
// earlier one, every fifth replaces one, every seventh removes one.
std::vector<Step> large_steps(size_t n) {
  Rng rng(9);
  std::vector<Step> steps;
  for (size_t i = 0; i < n; ++i) {
    Step step;
    step.name = "page " + std::to_string(i % 5 == 0 ? rng.below(i + 1) : i);
    step.is_removal = i % 7 == 6;
    const uint64_t family = i % 3 == 0 ? rng.below(i + 1) : i;
    for (uint64_t element = 0; element < 100; ++element) {
      const uint64_t own = rng.below(20) == 0 ? i << 20 : 0;
      step.elements.push_back(mix64(family << 40 | own | element));
    }
    std::ranges::sort(step.elements);
    steps.push_back(step);
  }
  return steps;
}

TEST_F(StreamFiles, FeaturesBeyondATailLieInAFile) {
  const std::vector<Step> steps = large_steps(16'000);
  StreamOptions options;
  options.similarity = 0.7;
  const std::string features = folder() + "/stream.features.0";
  const auto is_there = [&] {
    return std::filesystem::exists(folder() + "/stream.features.0") ||
           std::filesystem::exists(folder() + "/stream.features.1");
  };
  auto in_memory = Stream::make(options);
  {
    // What a process that was killed left.
    std::filesystem::create_directories(folder());
    test::write_file(features, "left");
    auto stream = Stream::open(folder(), options);
    ASSERT_TRUE(stream.is_ok());
    EXPECT_FALSE(is_there());
    for (const Step& step : steps)
      ASSERT_EQ(text_of(take(*stream, step)), text_of(take(*in_memory, step)));
    EXPECT_TRUE(is_there());
    EXPECT_LT(stream->counts().memory + (4 << 20), in_memory->counts().memory);
    EXPECT_EQ(clusters_of(*stream), clusters_of(*in_memory));
    // Most of what the file holds is of documents that go: what is left is copied to another.
    EXPECT_TRUE(std::filesystem::exists(features));
    std::vector<Step> more;
    for (size_t i = 0; i < 9'000; ++i) more.push_back({"page " + std::to_string(i), {}, 0, true});
    for (size_t i = 0; i < 1000; ++i)
      more.push_back({"new " + std::to_string(i), steps[i].elements});
    for (const Step& step : more) {
      ASSERT_EQ(text_of(take(*stream, step)), text_of(take(*in_memory, step)));
    }
    EXPECT_FALSE(std::filesystem::exists(features));
    EXPECT_TRUE(is_there());
    EXPECT_EQ(clusters_of(*stream), clusters_of(*in_memory));
    for (size_t i = 0; i < 9'000; ++i) {
      if (steps[i].is_removal) continue;
      ASSERT_EQ(text_of(take(*stream, steps[i])), text_of(take(*in_memory, steps[i])));
    }
    ASSERT_TRUE(stream->snapshot().is_ok());
  }
  EXPECT_FALSE(is_there());
  auto again = Stream::open(folder(), options);
  ASSERT_TRUE(again.is_ok());
  EXPECT_TRUE(is_there());
  EXPECT_EQ(clusters_of(*again), clusters_of(*in_memory));
  // All that is read of a document comes from the file.
  size_t related = 0;
  for (size_t i = 0; i < 200; ++i) {
    const auto found = again->related(steps[i].name, 10);
    const auto expected = in_memory->related(steps[i].name, 10);
    ASSERT_EQ(found.is_ok(), expected.is_ok());
    if (!found) continue;
    ASSERT_EQ(found->size(), expected->size());
    for (size_t at = 0; at < found->size(); ++at) {
      EXPECT_EQ((*found)[at].document, (*expected)[at].document);
      EXPECT_EQ((*found)[at].similarity, (*expected)[at].similarity);
    }
    related += found->size();
  }
  EXPECT_GT(related, 20u);
  std::filesystem::resize_file(features, 100);
  // A page that is like a document in the file.
  const auto asked = std::ranges::find_if(steps, [&](const Step& step) {
    const auto found = again->find({.name = "asked", .elements = step.elements});
    return !found.is_ok() && found.status().error().kind == ErrorKind::io;
  });
  ASSERT_NE(asked, steps.end());
  const auto answer = again->add({.name = "asked", .elements = asked->elements});
  ASSERT_FALSE(answer.is_ok());
  EXPECT_EQ(answer.status().error().kind, ErrorKind::io);
  EXPECT_EQ(again->snapshot().error().kind, ErrorKind::io);
}

TEST_F(StreamFiles, ToldAnswersStayTold) {
  for (const bool is_told : {false, true}) {
    std::filesystem::remove_all(folder());
    auto stream = Stream::open(folder());
    take(*stream, {"a", {1, 2, 3}});
    const Status told = is_told ? stream->told() : Status::ok();
    ASSERT_TRUE(told.is_ok());
    take(*stream, {"b", {1, 2, 3}});
    ASSERT_TRUE(stream->flush().is_ok());
    stream = Stream::make();
    stream = Stream::open(folder());
    ASSERT_TRUE(stream.is_ok());
    EXPECT_EQ(stream->progress().answers, 2u);
    EXPECT_EQ(stream->progress().told, is_told ? 1u : 0u);
    EXPECT_EQ(stream->progress().last, "b");
  }
}

TEST_F(StreamFiles, DamageIsAnErrorAndNeverAWrongAnswer) {
  StreamOptions options;
  options.by = StreamBy::simhash;
  {
    auto stream = Stream::open(folder(), options);
    for (const Step& step : random_steps(options, 3, 40)) take(*stream, step);
    ASSERT_TRUE(stream->snapshot().is_ok());
  }
  const std::string path = folder() + "/stream.kith";
  const std::string sound = test::read_file(path);
  Rng rng(5);
  for (int i = 0; i < 200; ++i) {
    std::string damaged = sound;
    damaged[rng.below(damaged.size())] ^= static_cast<char>(1 + rng.below(255));
    test::write_file(path, damaged);
    const auto read = Stream::read(folder());
    ASSERT_FALSE(read.is_ok());
    EXPECT_EQ(read.status().error().kind, ErrorKind::corrupt);
  }
}

// What is forgotten for want of memory depends on how much is counted, which differs in a stream
// that was opened again: what has been said stands nevertheless.
TEST_F(StreamFiles, WhatWasForgottenForMemoryStaysForgotten) {
  StreamOptions options;
  options.memory = 1 << 20;
  Rng rng(11);
  std::string said;
  uint64_t forgotten = 0;
  size_t joined = 0;
  for (int round = 0; round < 40; ++round) {
    Recovered recovered;
    auto stream = Stream::open(folder(), options, recovered.hooks());
    ASSERT_TRUE(stream.is_ok()) << stream.status().error().message;
    ASSERT_EQ(recovered.text(), said);
    ASSERT_EQ(stream->counts().forgotten_room, forgotten);
    if (rng.below(4) == 0) {
      ASSERT_TRUE(stream->snapshot().is_ok());
      said.clear();
    }
    for (uint64_t left = 1 + rng.below(300); left > 0; --left) {
      // One of the families that came last, or one that may be forgotten.
      const uint64_t family = rng.below(8000);
      Elements elements(10);
      for (uint64_t i = 0; i < elements.size(); ++i) elements[i] = mix64(family << 32 | i);
      std::ranges::sort(elements);
      const auto answer =
          stream->add({.name = "page " + std::to_string(rng.below(20'000)), .elements = elements});
      ASSERT_TRUE(answer.is_ok());
      joined += answer->decisions.back().role == StreamRole::leader ? 0 : 1;
      said += text_of(*answer);
    }
    ASSERT_TRUE(stream->flush().is_ok());
    ASSERT_LE(stream->counts().memory, options.memory);
    forgotten = stream->counts().forgotten_room;
  }
  EXPECT_GT(forgotten, 1000u);
  EXPECT_GT(joined, 500u);
}

TEST_F(StreamFiles, RecordsOfFeaturesThatNoPageHasAreDamage) {
  for (const StreamBy by : {StreamBy::shingles, StreamBy::simhash}) {
    std::filesystem::remove_all(folder());
    StreamOptions options;
    options.by = by;
    {
      auto stream = Stream::open(folder(), options);
      ASSERT_TRUE(stream.is_ok());
      take(*stream, {"a", by == StreamBy::shingles ? Elements{1, 2, 3} : Elements{7}});
      ASSERT_TRUE(stream->flush().is_ok());
    }
    // Neither a fingerprint nor a set: two elements, the larger one first.
    const Elements unsound{2, 1};
    Record damaged;
    damaged.name = "b";
    damaged.features = unsound;
    std::string record;
    encode(damaged, record);
    const std::string log = folder() + "/stream.1.log";
    {
      auto writer =
          LogWriter::reopen(storage::posix_file_system(), log, std::filesystem::file_size(log));
      ASSERT_TRUE(writer.is_ok());
      writer->append(record);
      ASSERT_TRUE(writer->flush().is_ok());
    }
    const auto stream = Stream::open(folder(), options);
    ASSERT_FALSE(stream.is_ok());
    EXPECT_EQ(stream.status().error().kind, ErrorKind::corrupt);
    EXPECT_NE(stream.status().error().message.find("features"), std::string::npos);
  }
}

}  // namespace
}  // namespace kith::jobs
