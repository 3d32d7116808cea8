// Pages that are prepared elsewhere, and a stream whose files fail it.
#include "jobs/stream/state.h"

#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "kith/kith.h"
#include "kith/stream_job.h"

#include "jobs/stream/page_input.h"
#include "support/file_limit.h"
#include "support/forwarding_file_system.h"
#include "support/temp_dir.h"
#include "unit/jobs/stream/steps.h"

namespace kith::jobs {
namespace {

StreamOptions near_fingerprints() {
  StreamOptions options;
  options.by = StreamBy::simhash;
  return options;
}

TEST(PreparedPages, AreDecidedAsThoseThatAreAdded) {
  const StreamOptions options = near_fingerprints();
  auto stream = Stream::make(options);
  auto other = Stream::make(options);
  ASSERT_TRUE(stream.is_ok() && other.is_ok());
  State& state = Opener::state(*stream);
  PagePreparer preparer(state);
  std::vector<std::string> prepared;
  std::string expected;
  for (const Step& step : random_steps(options, 8, 100)) {
    expected += text_of(take(*other, step));
    const auto record =
        preparer.prepare(step.is_removal ? RecordKind::removal : RecordKind::page,
                         {.name = step.name, .elements = step.elements, .time_ms = step.time});
    ASSERT_TRUE(record.is_ok());
    prepared.push_back(*record);
  }
  AnswerBatches answers;
  ASSERT_TRUE(state.take_all(prepared, answers).is_ok());
  EXPECT_EQ(text_of(answers.take()), expected);
  EXPECT_EQ(clusters_of(*stream), clusters_of(*other));
}

TEST(PreparedPages, ThatAreNoRecordsChangeNothing) {
  const test::TempDir dir(test::Medium::memory);
  for (const bool has_files : {false, true}) {
    auto stream = has_files ? Stream::open(dir / "stream", near_fingerprints())
                            : Stream::make(near_fingerprints());
    ASSERT_TRUE(stream.is_ok());
    State& state = Opener::state(*stream);
    PagePreparer preparer(state);
    const uint64_t element[] = {7};
    const auto sound = preparer.prepare(RecordKind::page, {.name = "a", .elements = element});
    ASSERT_TRUE(sound.is_ok());
    EXPECT_EQ(preparer.prepare(RecordKind::page, {.name = ""}).error().kind, ErrorKind::usage);
    const uint64_t before = stream->log_bytes();
    AnswerBatches answers;
    const Status status = state.take_all(std::vector<std::string>{*sound, "no record"}, answers);
    ASSERT_FALSE(status.is_ok());
    EXPECT_EQ(status.error().kind, ErrorKind::corrupt);
    EXPECT_EQ(stream->counts().pages, 0u);
    EXPECT_EQ(stream->log_bytes(), before);
    EXPECT_TRUE(state.take_all(std::vector<std::string>{*sound}, answers).is_ok());
    EXPECT_EQ(stream->counts().pages, 1u);
  }
}

// A page whose record fills the buffer of the log is written at once.
TEST(StreamLog, APageForWhichThereIsNoRoomWasNotTaken) {
  const test::TempDir dir(test::Medium::memory);
  auto stream = Stream::open(dir / "stream");
  ASSERT_TRUE(stream.is_ok());
  Elements many(20'000);
  for (size_t i = 0; i < many.size(); ++i) many[i] = i + 1;
  take(*stream, {"first", {1, 2, 3}});
  {
    const test::FileLimit full(10'000);
    const auto added = stream->add({.name = "large", .elements = many});
    ASSERT_FALSE(added.is_ok());
    EXPECT_EQ(added.error().kind, ErrorKind::io);
    EXPECT_FALSE(stream->has("large"));
    // A smaller one has room.
    take(*stream, {"small", {4, 5, 6}});
    EXPECT_TRUE(stream->flush().is_ok());
  }
  take(*stream, {"large", many});
  ASSERT_TRUE(stream->flush().is_ok());
  const StreamCounts counts = stream->counts();
  stream = Stream::make();
  stream = Stream::open(dir / "stream");
  ASSERT_TRUE(stream.is_ok());
  EXPECT_EQ(stream->counts().documents, 3u);
  EXPECT_EQ(stream->counts().pages, counts.pages);
}

// Files get their new names, though whether that is on the disk is not known.
class UnsureRename final : public test::ForwardingFileSystem {
 public:
  Status rename(const std::string& from, const std::string& to) override {
    KITH_TRY(test::ForwardingFileSystem::rename(from, to));
    if (!is_unsure) return Status::ok();
    return Error{ErrorKind::io, "cannot sync the folder"};
  }
  bool is_unsure = false;
};

TEST(StreamSnapshot, ThatHasItsNameBeforeTheErrorGoesOnWithItsOwnLog) {
  const test::TempDir dir(test::Medium::memory);
  const std::string folder = dir / "stream";
  UnsureRename disk;
  {
    auto stream = Opener::open(disk, folder, {});
    ASSERT_TRUE(stream.is_ok());
    take(*stream, {"a", {1, 2, 3}});
    disk.is_unsure = true;
    const Status status = stream->snapshot();
    ASSERT_FALSE(status.is_ok());
    EXPECT_EQ(status.error().message, "cannot sync the folder");
    // Both logs stay: whichever snapshot the disk has, its log is there.
    EXPECT_TRUE(disk.exists(folder + "/stream.1.log"));
    EXPECT_TRUE(disk.exists(folder + "/stream.2.log"));
    take(*stream, {"b", {4, 5, 6}});
    ASSERT_TRUE(stream->flush().is_ok());
  }
  const auto stream = Stream::open(folder);
  ASSERT_TRUE(stream.is_ok());
  EXPECT_TRUE(stream->has("a") && stream->has("b"));
  EXPECT_FALSE(disk.exists(folder + "/stream.1.log"));
}

TEST(PageInput, GivesTheTitleAndTheLanguageThatAreSaid) {
  crawl::Page page;
  page.url = "HTTP://A.example";
  page.body = "<html lang=en><title>Of the page</title><p>text";
  page.time = 5;
  PageInput its_own("", {});
  const StreamPage found = its_own.read(page);
  EXPECT_EQ(found.name, "http://a.example/");
  EXPECT_EQ(found.title, "Of the page");
  EXPECT_EQ(found.language, "en");
  page.title = "Of the line";
  PageInput told("de", {});
  const StreamPage said = told.read(page);
  EXPECT_EQ(said.title, "Of the line");
  EXPECT_EQ(said.language, "de");
  EXPECT_EQ(said.time_ms, 5);
  page.is_cut = true;
  EXPECT_EQ(told.read(page).text, "");
}

TEST(PageInput, SpellsUrlsByRules) {
  crawl::Page page;
  PageInput input("", text::UrlRules::of_valid("common"));
  for (const char* const url : {"http://a.test/?utm_id=1&b", "http://a.test/?b", "an id?&"}) {
    page.url = url;
    EXPECT_EQ(input.read(page).name, page.url.starts_with("http") ? "http://a.test/?b" : url);
  }
  EXPECT_EQ(input.respelled(), 1u);
}

std::string record(const char* url, const std::string& http) {
  return std::string("WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: ") + url +
         "\r\nContent-Type: application/http; msgtype=response\r\nContent-Length: " +
         std::to_string(http.size()) + "\r\n\r\n" + http + "\r\n\r\n";
}

StreamReceiver deaf() {
  return {.begin = [](const StreamProgress&) -> Result<uint64_t> { return 0; },
          .resume = [](const StreamProgress&) { return Status::ok(); },
          .take = [](const StreamAnswer&) { return Status::ok(); },
          .flush = [] { return Status::ok(); },
          .settle = [] { return Status::ok(); }};
}

// A redirect has no text of its own.
TEST(StreamJob, PassesOverRedirects) {
  const test::TempDir dir(test::Medium::memory);
  test::write_file(
      dir / "pages.warc",
      record("http://a.example/old", "HTTP/1.1 301 Moved\r\nLocation: /new\r\n\r\n") +
          record("http://a.example/new",
                 "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>some words of a page"));
  StreamJobOptions options;
  options.inputs = {dir / "pages.warc"};
  options.directory = dir / "stream";
  const auto report = run_stream(options, deaf());
  ASSERT_TRUE(report.is_ok()) << report.status().error().message;
  EXPECT_EQ(report->stream.documents, 1u);
  EXPECT_EQ(report->crawl.redirects, 1u);
  FingerprintBitsOptions tuned;
  tuned.inputs = options.inputs;
  const auto bits = tune_fingerprint_bits(tuned);
  ASSERT_TRUE(bits.is_ok()) << bits.status().error().message;
  EXPECT_EQ(bits->pages, 1u);
}

TEST(StreamJob, NeedsInputsAndAFolder) {
  StreamJobOptions options;
  options.directory = "stream";
  EXPECT_EQ(validate(options).error().kind, ErrorKind::usage);
  options.stream.repair = true;
  EXPECT_TRUE(validate(options).is_ok());
  options.directory.clear();
  const Status status = validate(options);
  ASSERT_FALSE(status.is_ok());
  EXPECT_NE(status.error().message.find("no folder of a stream"), std::string::npos);
  FingerprintBitsOptions tuned;
  tuned.inputs = {"pages.jsonl"};
  for (const double similarity : {-1.0, 0.0, 1.5}) {
    tuned.similarity = similarity;
    EXPECT_EQ(validate(tuned).error().kind, ErrorKind::usage);
  }
}

// Sixteen pages of two topics, as the runs that a dictionary is of have them.
class StreamDictionary : public testing::Test {
 protected:
  StreamDictionary() {
    std::string lines;
    for (int page = 0; page < 16; ++page) {
      const std::string number = std::to_string(page);
      lines += R"({"url": "http://x.example/)" + number + R"(", "html": "<p>)" +
               (page % 2 == 0 ? "guitar chord melody" : "oven butter flour") + " word" +
               std::string(1, static_cast<char>('a' + page)) + "<a href=/" +
               std::to_string((page + 2) % 16) + ">guitar and oven</a>\"}\n";
    }
    test::write_file(dir_ / "pages.jsonl", lines);
  }

  std::string make(BagKind kind) {
    ClusterOptions options;
    options.inputs = {dir_ / "pages.jsonl"};
    options.output = dir_ / "run";
    options.bags = kind;
    options.min_df = 1;
    options.max_df = 1;
    options.max_terms = 3;
    options.threads = 1;
    const auto report = cluster_crawl(options);
    EXPECT_TRUE(report.is_ok()) << report.status().error().message;
    return options.output;
  }
  StreamOptions options(const std::string& run, StreamLeader leader) const {
    StreamOptions options;
    options.by = StreamBy::bags;
    options.dictionary = run;
    options.leader = leader;
    options.similarity = 0.3;
    options.recall = 0.9;
    options.max_tables = 64;
    return options;
  }

  test::TempDir dir_{test::Medium::memory};
};

TEST_F(StreamDictionary, GivesBagsAndMeansTheWordsOfTheRun) {
  const std::string run = make(BagKind::content);
  auto stream = Stream::open(dir_ / "stream", options(run, StreamLeader::mean));
  ASSERT_TRUE(stream.is_ok()) << stream.status().error().message;
  const auto decided = [&](const char* name, const char* text) {
    return stream->add({.name = name, .text = text, .language = "en"})->decisions.back();
  };
  EXPECT_EQ(decided("a", "guitar chord melody").role, StreamRole::leader);
  EXPECT_EQ(decided("b", "melody, a chord, and wordc").cluster, 1u);
  EXPECT_EQ(decided("c", "butter and flour").role, StreamRole::leader);
  EXPECT_EQ(decided("d", "words that no page of the run has").role, StreamRole::leader);
  EXPECT_EQ(stream->counts().empty, 1u);
  ASSERT_TRUE(stream->snapshot().is_ok());
  // Who only reads has no dictionary, and so makes no bag of a page.
  const auto read = Stream::read(dir_ / "stream");
  ASSERT_TRUE(read.is_ok());
  EXPECT_EQ(read->related("a", 5)->front().document, "b");
  const auto found = read->find({.name = "e", .text = "guitar chord"});
  ASSERT_FALSE(found.is_ok());
  EXPECT_EQ(found.status().error().kind, ErrorKind::usage);
}

TEST_F(StreamDictionary, IsNotOfAnchors) {
  const std::string run = make(BagKind::anchor);
  const auto stream = Stream::make(options(run, StreamLeader::first));
  ASSERT_FALSE(stream.is_ok());
  EXPECT_EQ(stream.status().error().kind, ErrorKind::usage);
  EXPECT_NE(stream.status().error().message.find("words around links"), std::string::npos);
}

// The language of a tag is taken as it is said: stems differ.
TEST(StreamLanguage, SaysHowWordsAreCounted) {
  StreamOptions options;
  options.by = StreamBy::bags;
  options.similarity = 0.9;
  options.max_tables = 64;
  for (const char* tag : {"en", "de"}) {
    auto stream = Stream::make(options);
    ASSERT_TRUE(stream.is_ok());
    const auto decided = [&](const char* name, const char* text) {
      return stream->add({.name = name, .text = text, .language = tag})->decisions.back().role;
    };
    EXPECT_EQ(decided("a", "connecting connections connected"), StreamRole::leader);
    const bool is_english = std::string_view(tag) == "en";
    EXPECT_EQ(decided("b", "connect connect connect"),
              is_english ? StreamRole::duplicate : StreamRole::leader);
  }
}

}  // namespace
}  // namespace kith::jobs
