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
  EXPECT_TRUE(refused([](StreamOptions& of) { of.similarity = 1.5; }));
  EXPECT_TRUE(refused([](StreamOptions& of) { of.recall = 1; }));
  EXPECT_TRUE(refused([](StreamOptions& of) { of.max_tables = 1; }));
  EXPECT_TRUE(refused([](StreamOptions& of) { of.shingles.width = 0; }));
  EXPECT_TRUE(refused([](StreamOptions& of) { of.half_life_ms = -1; }));
  EXPECT_TRUE(refused([](StreamOptions& of) { of.forget_after_ms = -1; }));
  EXPECT_TRUE(refused([](StreamOptions& of) { of.max_skew_ms = -1; }));
  EXPECT_TRUE(refused([](StreamOptions& of) { of.dictionary = "run"; }));
  EXPECT_TRUE(refused([](StreamOptions& of) { of.forget_after_ms = of.forget_after_pages = 1; }));
  EXPECT_TRUE(refused([](StreamOptions& of) { of.similarity = 1, of.half_life_ms = 1; }));
  EXPECT_TRUE(refused([](StreamOptions& of) { of.by = StreamBy::simhash, of.distance = 8; }));
  EXPECT_TRUE(refused([](StreamOptions& of) { of.lanes = 100; }));
  EXPECT_TRUE(refused([](StreamOptions& of) { of.lanes = 0; }));
  EXPECT_TRUE(refused([](StreamOptions& of) { of.by = StreamBy::bags, of.lanes = 1040; }));
  EXPECT_TRUE(refused([](StreamOptions& of) { of.by = StreamBy::fingerprint, of.bits = 15; }));
  EXPECT_TRUE(refused([](StreamOptions& of) { of.by = StreamBy::fingerprint, of.bits = 65; }));
  EXPECT_TRUE(refused([](StreamOptions& of) {
    of.by = StreamBy::fingerprint;
    of.half_life_ms = 1;
  }));
  EXPECT_TRUE(refused([](StreamOptions& of) {
    of.by = StreamBy::simhash;
    of.measure = StreamMeasure::containment;
  }));
  for (const double out_of_range : {0.0, 1.5}) {
    EXPECT_TRUE(refused([&](StreamOptions& of) {
      of.measure = StreamMeasure::containment;
      of.similarity = out_of_range;
    }));
    EXPECT_TRUE(refused([&](StreamOptions& of) {
      of.measure = StreamMeasure::containment;
      of.recall = out_of_range;
    }));
  }
  auto stream = Stream::make();
  ASSERT_TRUE(stream.is_ok());
  const Elements twice{5, 5};
  EXPECT_EQ(stream->add({.name = "", .text = "a"}).error().kind, ErrorKind::usage);
  EXPECT_EQ(stream->add({.name = "a", .text = "a", .elements = twice}).error().kind,
            ErrorKind::usage);
  EXPECT_EQ(stream->add({.name = "a", .elements = twice}).error().kind, ErrorKind::usage);
  EXPECT_EQ(stream->remove({.name = ""}).error().kind, ErrorKind::usage);
  EXPECT_EQ(stream->counts().pages, 0u);
}

TEST(Stream, RefusesElementsThatItsKindDoesNotHave) {
  const Elements two{5, 6};
  for (const StreamBy by : {StreamBy::simhash, StreamBy::fingerprint, StreamBy::bags}) {
    StreamOptions options;
    options.by = by;
    if (by == StreamBy::bags) options.max_tables = 64;
    auto stream = Stream::make(options);
    ASSERT_TRUE(stream.is_ok());
    const auto added = stream->add({.name = "a", .elements = two});
    ASSERT_FALSE(added.is_ok()) << name(by);
    EXPECT_EQ(added.error().kind, ErrorKind::usage);
    EXPECT_NE(added.error().message.find("elements: of a stream by"), std::string::npos);
    EXPECT_EQ(stream->counts().pages, 0u);
  }
}

// At a similarity of 1 a document must lie in the other as a whole.
TEST(Stream, JoinsByContainmentAtOne) {
  StreamOptions options;
  options.measure = StreamMeasure::containment;
  options.similarity = 1;
  auto stream = Stream::make(options);
  ASSERT_TRUE(stream.is_ok());
  take(*stream, {"all", {1, 2, 3, 4, 5, 6}});
  const auto decided = [&](const char* name, const Elements& elements) {
    return take(*stream, {name, elements}).decisions.back();
  };
  EXPECT_EQ(decided("part", {2, 5}).role, StreamRole::member);
  EXPECT_EQ(decided("more", {1, 2, 3, 4, 5, 6, 7}).leader, "all");
  EXPECT_EQ(decided("other", {2, 5, 8}).role, StreamRole::leader);
}

// By shingles a page's time has no bound where the skew has none.
TEST(Stream, TakesTimesOfAnyFutureWithoutAMostSkew) {
  for (const int64_t most : {int64_t{0}, int64_t{1000}}) {
    StreamOptions options;
    options.max_skew_ms = most;
    auto stream = Stream::make(options);
    ASSERT_TRUE(stream.is_ok());
    constexpr int64_t far = INT64_MAX / 2;
    take(*stream, {"a", {1, 2, 3}, 7});
    take(*stream, {"b", {4, 5, 6}, far});
    EXPECT_EQ(stream->time_ms(), most == 0 ? far : 7);
    EXPECT_EQ(stream->counts().ahead, most == 0 ? 0u : 1u);
  }
}

TEST(Stream, FreesTheNamesOfDocumentsThatWent) {
  StreamOptions options;
  options.by = StreamBy::fingerprint;
  auto stream = Stream::make(options);
  ASSERT_TRUE(stream.is_ok());
  const auto name_of = [](size_t page) { return std::to_string(page) + std::string(200, 'x'); };
  constexpr size_t pages = 20'000;
  for (size_t page = 0; page < pages; ++page) take(*stream, {name_of(page), {page + 1}});
  const uint64_t before = stream->counts().memory;
  for (size_t page = 0; page < pages; ++page) {
    if (page % 20 > 0) take(*stream, {name_of(page), {}, 0, true});
  }
  take(*stream, {"new", {1}});
  EXPECT_LT(stream->counts().memory + pages * 200 / 2, before);
  for (size_t page = 0; page < pages; ++page) {
    ASSERT_EQ(stream->has(name_of(page)), page % 20 == 0) << page;
  }
  EXPECT_EQ(stream->cluster_of("new")->members.front().document, name_of(0));
}

TEST(Stream, WithoutFilesHasNothingToWrite) {
  auto stream = Stream::make();
  ASSERT_TRUE(stream.is_ok());
  take(*stream, {"a", {1, 2, 3}});
  EXPECT_TRUE(stream->flush().is_ok());
  EXPECT_TRUE(stream->sync().is_ok());
  EXPECT_TRUE(stream->snapshot().is_ok());
  EXPECT_TRUE(stream->told().is_ok());
  EXPECT_EQ(stream->log_bytes(), 0u);
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
