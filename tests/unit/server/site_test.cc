#include "server/site.h"

#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "support/served_run.h"

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
  for (const char* target : {"/api/related?url=nowhere.example", "/api/page?url=x", "/api/run",
                             "/api/runs", "/api/run?run=other", "/api/stream", "/nothing",
                             "/api/run?run=copies", "/api/document?id=0", "/api/group?number=1",
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
  const uint64_t usual = site.max_body(request);
  request.authorization = "Bearer sixteen charactexs";
  EXPECT_EQ(site.answer(request).status, 401u);
  EXPECT_EQ(site.max_body(request), usual);
  request.authorization = "Bearer sixteen characters";
  EXPECT_EQ(site.answer(request).status, 200u);
  EXPECT_GT(site.max_body(request), usual);
  request.target = "/api/related?url=oven.example/0";
  EXPECT_EQ(site.max_body(request), usual);
}

TEST(Site, AnswersToItsNamesOnly) {
  test::ServedRun served;
  SiteOptions options;
  options.hosts = {"localhost", "[::1]"};
  ASSERT_TRUE(served.make(options).is_ok());
  Request request = get("/healthz");
  for (const char* host : {"localhost", "localhost:80", "[::1]", "[::1]:8080"}) {
    request.host = host;
    EXPECT_EQ(served.site().answer(request).status, 200u) << host;
  }
  for (const char* host : {"", "evil.example", "localhost.evil.example", "::1", "[::1"}) {
    request.host = host;
    EXPECT_EQ(served.site().answer(request).status, 421u) << host;
  }
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
