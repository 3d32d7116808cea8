// The stream and its slow twin (model.h).
#include "kith/stream.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"
#include "unit/jobs/stream/model.h"
#include "unit/jobs/stream/steps.h"

namespace kith::jobs {
namespace {

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
    EXPECT_EQ(role("d", " \n"), StreamRole::leader);
    EXPECT_EQ(role("e", " \n"), StreamRole::leader);
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
  EXPECT_NE(status.error().message.find("recall = 1.5"), std::string::npos);
}

}  // namespace
}  // namespace kith::jobs
