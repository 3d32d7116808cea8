// The stream and its slow twin (model.h), and what is left of it when it is cut off.
#include "kith/stream.h"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/rng.h"
#include "storage/file_system.h"
#include "stream/log.h"
#include "stream/record.h"
#include "support/temp_dir.h"
#include "unit/stream/model.h"

namespace kith::stream {
namespace {

using Elements = Model::Elements;

struct Step {
  std::string name;
  Elements elements;
  int64_t time = 0;
  bool is_removal = false;
};

// A few families of similar sets, or of near fingerprints, under names that come again.
std::vector<Step> random_steps(const StreamOptions& options, uint64_t seed, size_t n) {
  Rng rng(seed);
  std::vector<Step> steps;
  int64_t time = 1'000'000;
  for (size_t i = 0; i < n; ++i) {
    Step step;
    step.name = "page " + std::to_string(rng.below(n / 2));
    time += static_cast<int64_t>(rng.below(200));
    // Now and then a clock that runs backwards.
    step.time = rng.below(10) == 0 ? time - 500 : time;
    step.is_removal = rng.below(12) == 0;
    const uint64_t family = rng.below(8);
    if (options.by == StreamBy::shingles) {
      const uint64_t size = 10 + rng.below(options.measure == StreamMeasure::containment ? 40 : 8);
      for (uint64_t element = 0; element < size; ++element) {
        if (rng.below(16) > 0) step.elements.push_back(mix64(family << 32 | element));
      }
      std::ranges::sort(step.elements);
    } else {
      uint64_t fingerprint = mix64(family + 1);
      for (uint64_t flips = rng.below(4); flips > 0; --flips) fingerprint ^= 1ull << rng.below(64);
      step.elements = {fingerprint};
    }
    if (rng.below(40) == 0) step.elements.clear();
    steps.push_back(step);
  }
  return steps;
}

StreamAnswer take(Stream& stream, const Step& step) {
  const StreamPage page{.name = step.name, .elements = step.elements, .time_ms = step.time};
  const auto answer = step.is_removal ? stream.remove(page) : stream.add(page);
  EXPECT_TRUE(answer.is_ok()) << answer.status().error().message;
  return answer.is_ok() ? *answer : StreamAnswer();
}

StreamAnswer take(Model& model, const StreamOptions& options, Step step) {
  if (options.by == StreamBy::fingerprint && options.bits < 64 && !step.elements.empty()) {
    step.elements[0] &= ~(UINT64_MAX >> options.bits);
  }
  StreamAnswer answer = step.is_removal ? model.remove(step.name, step.time)
                                        : model.add(step.name, step.elements, step.time);
  if (options.pairs) answer.decisions.clear();
  return answer;
}

std::string text_of(const StreamAnswer& answer) {
  std::string text;
  for (const StreamDecision& of : answer.decisions) {
    text += of.document + " " + std::to_string(of.cluster) + " " + std::string(name(of.role)) +
            " " + std::to_string(of.similarity) + " " + of.leader + " " + std::to_string(of.size) +
            "\n";
  }
  for (const StreamPair& pair : answer.pairs) {
    text += pair.earlier + " " + pair.later + " " + std::to_string(pair.similarity) + "\n";
  }
  return text;
}

// The clusters with all members, by number.
std::map<uint64_t, std::vector<std::string>> clusters_of(const Stream& stream) {
  std::map<uint64_t, std::vector<std::string>> clusters;
  for (const StreamCluster& cluster : stream.clusters()) {
    for (const StreamMember& member : cluster.members) {
      clusters[cluster.number].push_back(member.document);
    }
  }
  return clusters;
}

std::map<uint64_t, std::vector<std::string>> clusters_of(const Model& model) {
  std::map<uint64_t, std::vector<std::string>> clusters;
  for (const Model::Group& group : model.groups()) {
    for (const Model::Document& member : group.members) {
      clusters[group.number].push_back(member.name);
    }
  }
  return clusters;
}

// One of every kind, with every rule that makes a difference to it.
std::vector<StreamOptions> all_options() {
  std::vector<StreamOptions> all;
  // Tables that miss nothing to speak of: what is compared are decisions, one by one.
  StreamOptions sets;
  sets.similarity = 0.6;
  sets.recall = 0.9999999;
  sets.max_tables = 256;
  StreamOptions contained = sets;
  contained.measure = StreamMeasure::containment;
  contained.similarity = 0.9;
  StreamOptions near;
  near.by = StreamBy::simhash;
  StreamOptions equal;
  equal.by = StreamBy::fingerprint;
  equal.bits = 16;
  for (StreamOptions options : {sets, contained, near, equal}) {
    all.push_back(options);
    options.assign = Assign::first;
    all.push_back(options);
    options.forget_after_pages = 40;
    all.push_back(options);
    options.forget_after_pages = 0;
    options.forget_after_ms = 3000;
    options.most_leaders = 5;
    all.push_back(options);
    if (options.by == StreamBy::fingerprint) continue;
    options.most_leaders = 0;
    options.forget_after_ms = 0;
    options.half_life_ms = 20'000;
    all.push_back(options);
    options.pairs = true;
    all.push_back(options);
  }
  return all;
}

TEST(Stream, DecidesAsThePlainLoopsDo) {
  size_t number = 0;
  for (const StreamOptions& options : all_options()) {
    SCOPED_TRACE(number);
    auto stream = Stream::make(options);
    ASSERT_TRUE(stream.is_ok()) << stream.status().error().message;
    Model model(options);
    for (const Step& step : random_steps(options, ++number, 300)) {
      ASSERT_EQ(text_of(take(*stream, step)), text_of(take(model, options, step)));
    }
    EXPECT_EQ(clusters_of(*stream), clusters_of(model));
  }
}

TEST(Stream, FindsWhatAPageWouldJoinAndAddsNothing) {
  StreamOptions options;
  options.by = StreamBy::simhash;
  auto stream = Stream::make(options);
  ASSERT_TRUE(stream.is_ok());
  take(*stream, {"a", {0b0000}, 0});
  take(*stream, {"b", {0b111111}, 0});
  const uint64_t asked[] = {0b0111};
  const auto found = stream->find({.name = "c", .elements = asked});
  ASSERT_TRUE(found.is_ok());
  ASSERT_EQ(found->size(), 2u);
  EXPECT_EQ((*found)[0].leader, "a");
  EXPECT_EQ((*found)[1].similarity, 1 - 3 / 64.0);
  EXPECT_EQ(stream->counts().documents, 2u);
  EXPECT_EQ(stream->cluster_of("b")->number, 2u);
  EXPECT_EQ(stream->cluster_of("c").error().kind, ErrorKind::not_found);
}

TEST(Stream, TextsBecomeShinglesAndFingerprints) {
  for (const StreamBy by : {StreamBy::shingles, StreamBy::simhash, StreamBy::fingerprint}) {
    StreamOptions options;
    options.by = by;
    auto stream = Stream::make(options);
    ASSERT_TRUE(stream.is_ok());
    const auto role = [&](const char* name, const char* text) {
      return stream->add({.name = name, .text = text})->decisions.back().role;
    };
    EXPECT_EQ(role("a", "a rose is a rose is a rose"), StreamRole::leader);
    EXPECT_EQ(role("b", "A rose is a rose is a rose!"), StreamRole::duplicate);
    EXPECT_EQ(role("c", "quite another text about a different thing"), StreamRole::leader);
    EXPECT_EQ(role("a", "a rose is a rose is a rose"), StreamRole::duplicate);
    EXPECT_EQ(role("d", "1 2 3"), StreamRole::leader);
    EXPECT_EQ(role("e", "1 2 3"), StreamRole::leader);
    EXPECT_EQ(stream->counts().empty, 2u);
  }
}

TEST(Stream, MemoryIsHeldByForgetting) {
  StreamOptions options;
  options.memory = 1 << 20;
  auto stream = Stream::make(options);
  ASSERT_TRUE(stream.is_ok());
  for (uint64_t page = 0; page < 3000; ++page) {
    Elements elements(100);
    for (uint64_t i = 0; i < elements.size(); ++i) elements[i] = mix64(page << 32 | i);
    std::ranges::sort(elements);
    take(*stream, {"page " + std::to_string(page), elements});
    ASSERT_LE(stream->counts().memory, options.memory);
  }
  const StreamCounts counts = stream->counts();
  EXPECT_EQ(counts.forgotten_room + counts.clusters, 3000u);
  EXPECT_GT(counts.clusters, 100u);
  EXPECT_TRUE(stream->cluster_of("page 2999").is_ok());
}

TEST(Stream, RefusesWhatMakesNoSense) {
  const auto refused = [](auto change) {
    StreamOptions options;
    change(options);
    const Status status = validate(options);
    return !status.is_ok() && status.error().kind == ErrorKind::usage;
  };
  EXPECT_TRUE(refused([](StreamOptions& of) { of.similarity = 0; }));
  EXPECT_TRUE(refused([](StreamOptions& of) { of.recall = 1; }));
  EXPECT_TRUE(refused([](StreamOptions& of) { of.max_tables = 1; }));
  EXPECT_TRUE(refused([](StreamOptions& of) { of.shingles.width = 0; }));
  EXPECT_TRUE(refused([](StreamOptions& of) { of.half_life_ms = -1; }));
  EXPECT_TRUE(refused([](StreamOptions& of) { of.forget_after_ms = of.forget_after_pages = 1; }));
  EXPECT_TRUE(refused([](StreamOptions& of) { of.similarity = 1, of.half_life_ms = 1; }));
  EXPECT_TRUE(refused([](StreamOptions& of) { of.by = StreamBy::simhash, of.distance = 8; }));
  EXPECT_TRUE(refused([](StreamOptions& of) { of.lanes = 100; }));
  EXPECT_TRUE(refused([](StreamOptions& of) { of.lanes = 0; }));
  EXPECT_TRUE(refused([](StreamOptions& of) { of.by = StreamBy::bags, of.lanes = 1040; }));
  EXPECT_TRUE(refused([](StreamOptions& of) { of.by = StreamBy::fingerprint, of.bits = 15; }));
  EXPECT_TRUE(refused([](StreamOptions& of) {
    of.by = StreamBy::fingerprint;
    of.half_life_ms = 1;
  }));
  EXPECT_TRUE(refused([](StreamOptions& of) {
    of.by = StreamBy::simhash;
    of.measure = StreamMeasure::containment;
  }));
  auto stream = Stream::make();
  ASSERT_TRUE(stream.is_ok());
  const Elements twice{5, 5};
  EXPECT_EQ(stream->add({.name = "", .text = "a"}).error().kind, ErrorKind::usage);
  EXPECT_EQ(stream->add({.name = "a", .text = "a", .elements = twice}).error().kind,
            ErrorKind::usage);
  EXPECT_EQ(stream->add({.name = "a", .elements = twice}).error().kind, ErrorKind::usage);
  EXPECT_EQ(stream->counts().pages, 0u);
}

// Seven tables of one minimum find 1 - 0.7^7 = 0.9176 of what is at 0.3; by bags the low bytes may
// lose some of that.
TEST(Stream, RefusesTablesThatMissTheRecall) {
  StreamOptions options;
  options.similarity = 0.3;
  options.recall = 0.917;
  options.max_tables = 7;
  EXPECT_TRUE(validate(options).is_ok());
  options.by = StreamBy::bags;
  EXPECT_FALSE(validate(options).is_ok());
  options.max_tables = 8;
  EXPECT_TRUE(validate(options).is_ok());
  // What is out of range is named as it was given.
  options.recall = 1.5;
  const Status status = validate(options);
  ASSERT_FALSE(status.is_ok());
  EXPECT_NE(status.error().message.find("recall 1.5 "), std::string::npos);
}

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
      auto stream = Stream::open(folder(), options);
      ASSERT_TRUE(stream.is_ok()) << stream.status().error().message;
      // Some records may have been cut off; what is there is told, and the rest comes again.
      at = stream->next_of("steps");
      ASSERT_GE(at, snapshot_at);
      EXPECT_EQ(text_of(stream->recovered()), text_of_steps(expected, snapshot_at, at));
      if (stream->progress().was_cut) snapshot_at = at;
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
      const uint64_t size = std::filesystem::file_size(log());
      std::filesystem::resize_file(log(), size - rng.below(std::min<uint64_t>(size, 300) + 1));
    }
    auto read = Stream::read(folder());
    ASSERT_TRUE(read.is_ok());
    EXPECT_EQ(read->next_of("steps"), snapshot_at);
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
  EXPECT_NE(other.error().message.find("another --similarity;"), std::string::npos);
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
    auto stream = Stream::open(folder(), options);
    ASSERT_TRUE(stream.is_ok()) << stream.status().error().message;
    ASSERT_EQ(text_of(stream->recovered()), said);
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
      ASSERT_TRUE(writer->append(record).is_ok());
      ASSERT_TRUE(writer->flush().is_ok());
    }
    const auto stream = Stream::open(folder(), options);
    ASSERT_FALSE(stream.is_ok());
    EXPECT_EQ(stream.status().error().kind, ErrorKind::corrupt);
    EXPECT_NE(stream.status().error().message.find("features"), std::string::npos);
  }
}

}  // namespace
}  // namespace kith::stream
