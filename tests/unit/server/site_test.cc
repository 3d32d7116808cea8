#include "server/site.h"

#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "support/file_limit.h"
#include "support/served_run.h"
#include "support/temp_dir.h"

namespace kith::server {
namespace {

Request get(std::string target) {
  Request request;
  request.target = std::move(target);
  request.host = "localhost:8080";
  return request;
}

Request post(std::string body, std::string target = "/api/documents") {
  Request request = get(std::move(target));
  request.method = Method::post;
  request.content_type = "application/x-ndjson";
  request.body = std::move(body);
  return request;
}

std::string page(const std::string& name) {
  return R"({"url": "https://)" + name + R"(.example/", "text": "a few words of )" + name + "\"}\n";
}

TEST(Site, AnswersWithTheNumbersOfTheRun) {
  test::ServedRun served;
  ASSERT_TRUE(served.make().is_ok());
  const Response response = served.site().answer(get("/api/related?url=oven.example/0&n=3"));
  ASSERT_EQ(response.status, 200u);
  EXPECT_EQ(response.route, "/api/related");
  const auto answer = Json::parse(response.body);
  const auto run = Run::open(served.path("run"));
  ASSERT_TRUE(run.is_ok());
  const auto expected = run->related_by_site(*run->find("https://oven.example/0"), 3, 0);
  ASSERT_EQ(answer["related"].size(), expected->size());
  for (size_t i = 0; i < expected->size(); ++i) {
    EXPECT_EQ(answer["related"][i]["url"], *run->url((*expected)[i].id));
    EXPECT_EQ(answer["related"][i]["similarity"], (*expected)[i].similarity);
  }
}

TEST(Site, TellsNobodyWhereRunsLie) {
  test::ServedRun served;
  ASSERT_TRUE(served.make().is_ok());
  for (const char* target :
       {"/api/related?url=nowhere.example", "/api/page?url=x", "/api/run", "/api/runs",
        "/api/run?run=other", "/api/stream", "/nothing", "/api/run?run=copies",
        "/api/document?id=0", "/api/topic/99", "/api/topics?under=x", "/api/group?number=1",
        "/api/document?name=x", "/api/overlap?a_id=0&b_id=1"}) {
    EXPECT_EQ(served.site().answer(get(target)).body.find(served.path("")), std::string::npos)
        << target;
  }
}

TEST(Site, TakesPagesWithTheTokenOnly) {
  test::ServedRun served;
  SiteOptions options;
  options.token = "sixteen characters";
  ASSERT_TRUE(served.make(options).is_ok());
  Site& site = served.site();
  Request request = post(page("a"));
  EXPECT_EQ(site.answer(request).status, 401u);
  const uint64_t usual = site.needs(request).max_body;
  request.authorization = "Bearer sixteen charactexs";
  EXPECT_EQ(site.answer(request).status, 401u);
  EXPECT_EQ(site.needs(request).max_body, usual);
  request.authorization = "Bearer sixteen characters";
  EXPECT_EQ(site.answer(request).status, 200u);
  EXPECT_GT(site.needs(request).max_body, usual);
  request.target = "/api/related?url=oven.example/0";
  EXPECT_EQ(site.needs(request).max_body, usual);
}

TEST(Site, AnswersToItsNamesOnly) {
  test::ServedRun served;
  SiteOptions options;
  options.hosts = {"LocalHost.", "[::1]"};
  ASSERT_TRUE(served.make(options).is_ok());
  Request request = get("/healthz");
  for (const char* host : {"localhost", "localhost:80", "localhost:", "LOCALHOST", "localhost.",
                           "Localhost.:80", "[::1]", "[::1]:8080"}) {
    request.host = host;
    EXPECT_EQ(served.site().answer(request).status, 200u) << host;
  }
  for (const char* host : {"evil.example", "localhost.evil.example", "localhost..", "[::2]"}) {
    request.host = host;
    EXPECT_EQ(served.site().answer(request).status, 421u) << host;
  }
  for (const char* host : {"", "localhost:evil.com", "localhost:80:80", "::1", "[::1", "[::1]x",
                           ".", "user@localhost", "localhost/x", "local host"}) {
    request.host = host;
    EXPECT_EQ(served.site().answer(request).status, 400u) << host;
  }
}

TEST(Site, TakesNoPagesFromPagesOfOthers) {
  test::ServedRun served;
  ASSERT_TRUE(served.make().is_ok());
  struct Case {
    const char* type;
    const char* origin;
    const char* site;
    unsigned status;
  };
  constexpr const char* json = "application/x-ndjson";
  for (const Case& of : {Case{json, "", "", 200},
                         {"application/json", "", "", 200},
                         {"Application/JSON ; charset=utf-8", "", "none", 200},
                         {json, "http://localhost:8080", "same-origin", 200},
                         {json, "http://LOCALHOST.:8080", "", 200},
                         {"text/plain", "", "", 415},
                         {"", "", "", 415},
                         {"application/jsonx", "", "", 415},
                         {"multipart/form-data", "", "", 415},
                         {"application/x-www-form-urlencoded", "", "", 415},
                         {json, "http://evil.example", "", 403},
                         {json, "http://localhost", "", 403},
                         {json, "http://localhost:8081", "", 403},
                         {json, "https://localhost:8080.evil.example", "", 403},
                         {json, "null", "", 403},
                         {json, "", "cross-site", 403},
                         {json, "", "same-site", 403},
                         {json, "http://localhost:8080", "cross-site", 403}}) {
    Request request = post(page("a"));
    request.content_type = of.type;
    request.origin = of.origin;
    request.sec_fetch_site = of.site;
    const Response response = served.site().answer(request);
    EXPECT_EQ(response.status, of.status) << of.type << ' ' << of.origin << ' ' << of.site;
    // Nor is a long body read.
    EXPECT_EQ(served.site().needs(request).max_body > (1u << 20), of.status == 200);
  }
}

// What is in the memory is answered at once; what is spelled otherwise is the same question.
TEST(Site, LongQuestionsHaveALaneOfTheirOwn) {
  test::ServedRun served;
  ASSERT_TRUE(served.make().is_ok());
  const Site& site = served.site();
  const auto lane = [&](const char* target) { return site.needs(get(target)).lane; };
  EXPECT_EQ(lane("/healthz"), Lane::instant);
  EXPECT_EQ(lane("/metrics"), Lane::instant);
  EXPECT_EQ(lane("/api/related?url=x"), Lane::quick);
  EXPECT_EQ(lane("/api/topic/1"), Lane::quick);
  EXPECT_EQ(lane("/api/overlap?a=x&b=y"), Lane::slow);
  EXPECT_EQ(lane("/api/%6fverlap?a=x&b=y"), Lane::slow);
  EXPECT_EQ(lane("/%61pi/search?q=x"), Lane::slow);
  EXPECT_EQ(lane("/api/stream"), Lane::slow);
  EXPECT_EQ(site.needs(post("")).lane, Lane::write);
  EXPECT_EQ(site.needs(post("", "/api/documents?dry%5Frun=1")).lane, Lane::slow);
}

TEST(Site, AnswersOfPagesHaveALimit) {
  test::ServedRun served;
  SiteOptions options;
  options.memory = 8 << 20;  // an answer may have 256 KB
  ASSERT_TRUE(served.make(options).is_ok());
  std::string lines;
  for (int number = 0; number < 9000; ++number) lines += page(std::to_string(number));
  const Response first = served.site().answer(post(lines));
  EXPECT_EQ(first.status, 413u);
  EXPECT_LT(first.body.size(), 3u << 18);
  const Json answer = Json::parse(first.body);
  const auto taken = answer["taken"]["lines"].get<uint64_t>();
  EXPECT_GT(taken, 100u);
  EXPECT_LT(taken, 9000u);
  EXPECT_EQ(answer["decisions"].size(), taken);
  EXPECT_NE(answer["error"]["message"].get<std::string>().find("first " + std::to_string(taken)),
            std::string::npos);
  EXPECT_EQ(Json::parse(served.site().answer(get("/api/stream")).body)["documents"], taken);
  // The rest goes on where the answer has ended.
  lines.erase(0, answer["taken"]["bytes"].get<size_t>());
  const Json second = Json::parse(served.site().answer(post(lines)).body);
  EXPECT_EQ(second["decisions"][0]["document"], "https://" + std::to_string(taken) + ".example/");
  const Response preview = served.site().answer(post(lines, "/api/documents?dry_run=1"));
  EXPECT_EQ(preview.status, 413u);
  EXPECT_EQ(Json::parse(preview.body)["pages"].size(), Json::parse(preview.body)["taken"]["lines"]);
}

// Lines are given to the stream in parts, of which a client sees nothing.
TEST(Site, NamesLinesOfTheWholeBody) {
  test::ServedRun served;
  ASSERT_TRUE(served.make().is_ok());
  std::string lines;
  for (int number = 0; number < 50; ++number) lines += page(std::to_string(number)) + "\n";
  const size_t offset = lines.size();
  lines += "{broken\n" + page("last");
  const Json answer = Json::parse(served.site().answer(post(lines)).body);
  EXPECT_EQ(answer["decisions"].size(), 51u);
  EXPECT_EQ(answer["taken"], (Json{{"lines", 102}, {"bytes", lines.size()}}));
  EXPECT_EQ(answer["skipped"]["lines"], 1);
  EXPECT_EQ(answer["skipped"]["examples"][0]["offset"], offset);
  const auto reason = answer["skipped"]["examples"][0]["reason"].get<std::string>();
  EXPECT_TRUE(reason.starts_with("line 101: ")) << reason;
}

// What is packed has no bound when it is unpacked.
TEST(Site, TakesNothingPacked) {
  test::ServedRun served;
  ASSERT_TRUE(served.make().is_ok());
  for (const std::string& body :
       {std::string("\x1f\x8b\x08\0 and more", 13), std::string("\x28\xb5\x2f\xfd and more"),
        std::string("\x50\x2a\x4d\x18 and more")}) {
    EXPECT_EQ(served.site().answer(post(body)).status, 415u);
    const Json answer = Json::parse(served.site().answer(post("\n" + body + "\n")).body);
    EXPECT_EQ(answer["skipped"]["lines"], 1);
  }
  Request request = post(page("a"));
  request.content_encoding = "gzip";
  EXPECT_EQ(served.site().answer(request).status, 415u);
}

TEST(Site, WithoutAStreamTakesNoPages) {
  SiteOptions options;
  const auto site = Site::open(options);
  ASSERT_TRUE(site.is_ok());
  EXPECT_EQ((*site)->answer(post(page("a"))).status, 404u);
  EXPECT_LE((*site)->needs(post(page("a"))).max_body, 1u << 20);
  EXPECT_EQ((*site)->answer(get("/api/stream")).status, 404u);
  EXPECT_TRUE((*site)->close().is_ok());
  // Nor has it a run.
  const auto said = [&](const char* target) {
    const Response response = (*site)->answer(get(target));
    EXPECT_EQ(response.status, 404u);
    return Json::parse(response.body)["error"]["message"].get<std::string>();
  };
  EXPECT_EQ(said("/api/related?url=x"), "this server has no run of kith cluster");
  EXPECT_EQ(said("/api/run"), "this server has no run");
  EXPECT_EQ(said("/api/run?run=x"), "there is no run 'x'; /api/runs lists those there are");
}

TEST(Site, RunsOfOneNameHaveNumbers) {
  test::ServedRun served;
  ASSERT_TRUE(served.make().is_ok());
  SiteOptions options;
  options.directories = {served.path("run"), served.path("run/"), served.path("copies"),
                         served.path("run")};
  const auto site = Site::open(options);
  ASSERT_TRUE(site.is_ok());
  const Json runs = Json::parse((*site)->answer(get("/api/runs")).body)["runs"];
  ASSERT_EQ(runs.size(), 4u);
  EXPECT_EQ(runs[1]["name"], "run-2");
  EXPECT_EQ(runs[3]["name"], "run-3");
  EXPECT_EQ((*site)->answer(get("/api/topics?run=copies")).status, 404u);
  EXPECT_EQ((*site)->answer(get("/api/topics?run=run-3")).status, 200u);
  EXPECT_TRUE((*site)->warm_up().is_ok());
}

TEST(Site, RefusesNamesThatAreNone) {
  SiteOptions options;
  options.hosts = {"localhost", "local host"};
  const auto site = Site::open(options);
  ASSERT_FALSE(site.is_ok());
  EXPECT_EQ(site.error().kind, ErrorKind::usage);
  EXPECT_NE(site.error().message.find("local host"), std::string::npos);
}

TEST(Site, PostsAreWholeQuestions) {
  test::ServedRun served;
  ASSERT_TRUE(served.make().is_ok());
  Site& site = served.site();
  EXPECT_EQ(site.answer(post(page("a"), "/api/documents?dry_run=maybe")).status, 400u);
  EXPECT_EQ(site.answer(post(page("a"), "/api/documents?wet_run=1")).status, 400u);
  EXPECT_EQ(site.answer(post(page("a"), "/api/runs")).status, 405u);
  EXPECT_EQ(site.answer(get("/api/documents")).status, 405u);
  EXPECT_EQ(site.answer(get("/api/%zz")).status, 400u);
  Request other = get("/api/runs");
  other.method = Method::other;
  EXPECT_EQ(site.answer(other).status, 405u);
  Request identity = post(page("a"));
  identity.content_encoding = "identity";
  EXPECT_EQ(site.answer(identity).status, 200u);
  EXPECT_EQ(Json::parse(site.answer(get("/api/stream")).body)["documents"], 1);
}

// What begins like something packed, and is not.
TEST(Site, NamesTenLinesThatAreNoPages) {
  test::ServedRun served;
  ASSERT_TRUE(served.make().is_ok());
  std::string lines = "P is no skippable frame\n";
  for (int number = 0; number < 14; ++number) lines += "{broken\n";
  lines += R"({"url": "https://a.example/", "title": "no text"})";
  const Json skipped = Json::parse(served.site().answer(post(lines)).body)["skipped"];
  EXPECT_EQ(skipped["lines"], 16);
  ASSERT_EQ(skipped["examples"].size(), 10u);
  EXPECT_EQ(skipped["examples"][0]["offset"], 0);
  EXPECT_TRUE(skipped["examples"][9]["reason"].get<std::string>().starts_with("line 10: "));
}

TEST(Site, SaysItsOwnerThatTheDiskIsFull) {
  test::ServedRun served;
  std::vector<std::string> notes;
  SiteOptions options;
  options.note = [&](const std::string& message) { notes.push_back(message); };
  ASSERT_TRUE(served.make(options).is_ok());
  {
    const test::FileLimit full(20);
    const Response response = served.site().answer(post(page("a")));
    EXPECT_EQ(response.status, 500u);
    EXPECT_EQ(response.body.find(served.path("")), std::string::npos);
    EXPECT_EQ(Json::parse(response.body)["taken"], (Json{{"lines", 0}, {"bytes", 0}}));
  }
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_NE(notes[0].find(served.path("stream")), std::string::npos) << notes[0];
  EXPECT_EQ(served.site().answer(post(page("a"))).status, 200u);
}

TEST(Documents, MayBeSentLater) {
  const test::TempDir dir(test::Medium::memory);
  ASSERT_TRUE(Stream::open(dir / "stream").is_ok());
  auto stream = StreamService::open({.directory = dir / "stream", .memory = 512 << 20});
  ASSERT_TRUE(stream.is_ok());
  const LineOptions options{.problem_of = [](const Error&) { return Problem{503, "no memory"}; }};
  const test::FileLimit full(20);
  const Response response = add_documents(*stream, page("a"), options);
  EXPECT_EQ(response.status, 503u);
  ASSERT_EQ(response.fields.size(), 1u);
  EXPECT_EQ(response.fields[0].first, "Retry-After");
  EXPECT_NE(response.body.find("no memory; the first 0 lines of the body (0 bytes) were taken"),
            std::string::npos);
}

// Lines whose answers are long are taken a few at a time.
TEST(Site, LongAnswersComeFromShortParts) {
  test::ServedRun served;
  ASSERT_TRUE(served.make().is_ok());
  std::string lines;
  const std::string name = std::string(20'000, 'x');
  for (int number = 0; number < 60; ++number) lines += page(name + "/" + std::to_string(number));
  const Json answer = Json::parse(served.site().answer(post(lines)).body);
  EXPECT_EQ(answer["taken"]["lines"], 60);
  ASSERT_EQ(answer["decisions"].size(), 60u);
  EXPECT_TRUE(answer["decisions"][59]["document"].get<std::string>().ends_with("/59.example/"));
}

// Read by ThreadSanitizer.
TEST(Site, AnswersOnManyThreads) {
  test::ServedRun served;
  ASSERT_TRUE(served.make().is_ok());
  Site& site = served.site();
  const std::vector<std::string> targets{"/api/related?url=oven.example/1&words=3",
                                         "/api/page?url=guit.example/2",
                                         "/api/run",
                                         "/api/cluster?number=1",
                                         "/api/topics",
                                         "/api/search?q=oven",
                                         "/api/stream",
                                         "/api/compare?a=oven.example/1&b=oven.example/2",
                                         "/api/page?url=unknown.example",
                                         "/api/groups",
                                         "/api/pairs?number=1",
                                         "/api/document?name=https://oven.example/1",
                                         "/api/overlap?a_id=0&b_id=1",
                                         "/api/run?run=copies",
                                         "/api/search?run=copies&q=guit"};
  std::vector<std::thread> threads;
  for (unsigned thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&, thread] {
      for (unsigned turn = 0; turn < 30; ++turn) {
        for (const std::string& target : targets) {
          EXPECT_LT(site.answer(get(target)).status, 500u) << target;
        }
        const std::string name = std::to_string(thread) + "-" + std::to_string(turn);
        EXPECT_EQ(site.answer(post(page(name))).status, 200u);
        EXPECT_EQ(site.answer(post(page(name), "/api/documents?dry_run=1")).status, 200u);
        site.metrics().count("/api/related", 200, .001, 10);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_TRUE(site.close().is_ok());
  EXPECT_EQ(Json::parse(site.answer(get("/api/stream")).body)["documents"], 120);
  EXPECT_NE(site.metrics().text().find("kith_request_seconds_count{route=\"/api/related\"} 120"),
            std::string::npos);
}

}  // namespace
}  // namespace kith::server
