// Questions about runs of kith cluster that a run of two small topics has no answer to.
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "kith/kith.h"

#include "base/random.h"
#include "server/site.h"
#include "support/temp_dir.h"
#include "unit/server/asked.h"

namespace kith::server {
namespace {

std::string line(const std::string& url, const std::string& title, const std::string& text) {
  return R"({"url": "https://)" + url + R"(", "title": ")" + title + R"(", "text": ")" + text +
         "\"}\n";
}

// Some of the twenty words of a topic.
std::string some_words(Rng& rng, const std::string& topic) {
  std::string letters = "abcdefghijklmnopqrst";
  std::string text;
  for (int left = 8; left > 0; --left) {
    const size_t at = rng.below(letters.size());
    text += topic + letters[at] + " ";
    letters.erase(at, 1);
  }
  return text;
}

// Four topics of two parts, each of 16 pages on two hosts, a page of few words and one that is like
// no other.
std::string pages_of_topics() {
  Rng rng(1);
  std::string lines;
  for (int topic = 0; topic < 4; ++topic) {
    const std::string word = "topic" + std::string(1, static_cast<char>('a' + topic));
    for (int part = 0; part < 2; ++part) {
      const std::string name = word + static_cast<char>('x' + part);
      for (int page = 0; page < 16; ++page) {
        lines += line((page % 3 == 0 ? "one" : "two") + std::string(".example/") + name + "/" +
                          std::to_string(page),
                      "About " + name, some_words(rng, word) + some_words(rng, "part" + name));
      }
    }
  }
  lines += line("short.example/", "short", "one");
  lines += line("alone.example/", "Alone", "entirely other things stand upon this single page");
  return lines;
}

class ClusterAnswers : public testing::Test {
 protected:
  ClusterOptions usual() const {
    ClusterOptions job;
    job.output = dir_ / "run";
    job.bags = BagKind::content;
    job.min_df = 1;
    job.max_df = 1;
    job.threads = 1;
    return job;
  }
  // A site of one run of these pages.
  Site& serve(const std::string& lines, ClusterOptions job, SiteOptions options = {}) {
    site_.reset();
    std::filesystem::remove_all(job.output);
    test::write_file(dir_ / "pages.jsonl", lines);
    job.inputs = {dir_ / "pages.jsonl"};
    const auto report = cluster_crawl(job);
    EXPECT_TRUE(report.is_ok()) << report.status().error().message;
    options.directories = {job.output};
    auto site = Site::open(options);
    EXPECT_TRUE(site.is_ok()) << site.status().error().message;
    site_ = std::move(*site);
    return *site_;
  }

  test::TempDir dir_{test::Medium::memory};
  std::unique_ptr<Site> site_;
};

TEST_F(ClusterAnswers, TopicsLeadDownToTheirPages) {
  Site& site = serve(pages_of_topics(), usual());
  const Json top = asked(site, "/api/topics?depth=1");
  ASSERT_GT(top["topics"].size(), 1u);
  EXPECT_EQ(top["complete"], true);
  const std::string path = top["topics"][0]["path"];
  const Json topic = asked(site, "/api/topic/" + path + "?size=1000");
  EXPECT_EQ(topic["topic"]["path"], path);
  EXPECT_EQ(topic["topic"]["pages"], topic["list"]["rows"]);
  EXPECT_EQ(topic["pages"].size(), topic["topic"]["pages"]);
  EXPECT_TRUE(topic["topic"].contains("hosts") && topic["topic"].contains("language"));
  EXPECT_TRUE(topic["topic"].contains("exemplar"));
  EXPECT_TRUE(topic["parents"].empty());
  EXPECT_EQ(topic["children"].size(), topic["topic"]["children"]);
  // The root is all of them, and every cut has them once.
  const Json root = asked(site, "/api/topic/");
  uint64_t pages = 0;
  for (const Json& child : root["children"]) pages += child["pages"].get<uint64_t>();
  EXPECT_EQ(root["topic"]["pages"], pages);
  uint64_t cut = 0;
  const Json topics = asked(site, "/api/topics?n=10")["topics"];
  for (const Json& of : topics) cut += of["pages"].get<uint64_t>();
  EXPECT_EQ(cut, pages);
  EXPECT_EQ(refused(site, "/api/topic/9.9.9", 404), "the run has no topic 9.9.9");
  EXPECT_EQ(refused(site, "/api/topics?under=x", 404), "the run has no topic x");
}

TEST_F(ClusterAnswers, TopicsHaveTheirParents) {
  Site& site = serve(pages_of_topics(), usual());
  // The deepest topic.
  std::string path;
  const Json topics = asked(site, "/api/topics?n=1000")["topics"];
  for (const Json& of : topics) {
    const std::string own = of["path"];
    if (std::ranges::count(own, '.') > std::ranges::count(path, '.')) path = own;
  }
  ASSERT_NE(path.find('.'), std::string::npos) << "the tree has one level only";
  const Json topic = asked(site, "/api/topic/" + path);
  ASSERT_EQ(static_cast<ptrdiff_t>(topic["parents"].size()), std::ranges::count(path, '.'));
  EXPECT_EQ(topic["parents"][0]["path"], path.substr(0, path.find('.')));
  EXPECT_TRUE(topic["children"].empty());
  // Its pages say the same of it.
  const std::string url = topic["pages"][0]["url"];
  const Json page = asked(site, "/api/page?url=" + url);
  EXPECT_EQ(page["page"]["topics"].back()["path"], path);
  EXPECT_EQ(page["page"]["topics"].size(), topic["parents"].size() + 1);
  EXPECT_EQ(asked(site, "/api/related?url=" + url)["page"]["topic"], path);
  // A leaf has no level below it.
  EXPECT_TRUE(asked(site, "/api/topics?under=" + path)["topics"].empty());
}

TEST_F(ClusterAnswers, RunsWithoutTopicsSaySo) {
  ClusterOptions job = usual();
  job.topics = TopicGraph::none;
  Site& site = serve(pages_of_topics(), job);
  for (const char* target : {"/api/topics", "/api/topic/1"}) {
    EXPECT_NE(refused(site, target, 404).find("the run has no topics"), std::string::npos);
  }
  EXPECT_TRUE(asked(site, "/api/page?url=one.example/topicax/0")["page"]["topics"].empty());
  EXPECT_EQ(asked(site, "/api/related?url=one.example/topicax/0")["page"]["topic"], "");
  EXPECT_EQ(asked(site, "/api/runs")["runs"][0]["topics"], 0);
  const Json results = asked(site, "/api/search?q=topicax")["results"];
  EXPECT_FALSE(results.empty());
  for (const Json& found : results) EXPECT_NE(found["kind"], "topic");
}

TEST_F(ClusterAnswers, APageWithoutWordsHasNoTopic) {
  Site& site = serve(pages_of_topics() + line("empty.example/", "", "..."), usual());
  EXPECT_TRUE(asked(site, "/api/page?url=empty.example")["page"]["topics"].empty());
}

TEST_F(ClusterAnswers, RunsOfNoPageHaveAnswers) {
  Site& site = serve("{broken\n", usual());
  EXPECT_EQ(asked(site, "/api/runs")["runs"][0]["urls"], 0);
  EXPECT_EQ(refused(site, "/api/cluster?number=1", 404), "the run has no clusters");
  EXPECT_EQ(refused(site, "/api/page?url=a.example", 404), "the run does not know a.example");
  EXPECT_TRUE(asked(site, "/api/clusters")["clusters"].empty());
  EXPECT_TRUE(asked(site, "/api/search?q=a")["results"].empty());
  EXPECT_EQ(asked(site, "/api/run")["distributions"]["nearest_similarity"]["sampled"], 0);
  // The root of its topics has no page, and so none that stands for it.
  EXPECT_TRUE(asked(site, "/api/topics")["topics"].empty());
  const Json root = asked(site, "/api/topic/")["topic"];
  EXPECT_EQ(root["pages"], 0);
  EXPECT_FALSE(root.contains("exemplar"));
}

TEST_F(ClusterAnswers, ClustersAreAskedForByOneThing) {
  Site& site = serve(pages_of_topics(), usual());
  EXPECT_EQ(refused(site, "/api/cluster?number=1&url=alone.example", 400),
            "url and number: give one of them");
  EXPECT_NE(refused(site, "/api/cluster?number=0", 400), "");
  EXPECT_NE(refused(site, "/api/cluster?number=100000", 400), "");
  const Json alone = asked(site, "/api/cluster?url=alone.example");
  EXPECT_EQ(alone["cluster"]["size"], 1);
  EXPECT_EQ(alone["lookup"]["found"], "https://alone.example/");
  const Json smallest = asked(site, "/api/clusters?sort=smallest&size=1");
  const Json largest = asked(site, "/api/clusters?sort=largest&size=1");
  EXPECT_LE(smallest["clusters"][0]["size"], largest["clusters"][0]["size"]);
}

// Links are drawn between members only, though pages have similar ones in other clusters.
TEST_F(ClusterAnswers, LinksLieWithinACluster) {
  ClusterOptions job = usual();
  job.similarity = 0.15;
  Site& site = serve(pages_of_topics(), job);
  const auto clusters = asked(site, "/api/clusters")["list"]["rows"].get<uint64_t>();
  uint64_t links = 0;
  for (uint64_t number = 1; number <= clusters; ++number) {
    const Json cluster = asked(site, "/api/cluster?number=" + std::to_string(number));
    for (const Json& link : cluster["cluster"]["links"]) {
      EXPECT_LT(link[0], cluster["cluster"]["size"]);
      EXPECT_LT(link[1], cluster["cluster"]["size"]);
      EXPECT_NE(link[0], link[1]);
      ++links;
    }
  }
  EXPECT_GT(links, 0u);
}

TEST_F(ClusterAnswers, ComparisonsNameSomeOfTheTerms) {
  std::string lines = pages_of_topics();
  std::string many;
  for (char a = 'a'; a <= 'z'; ++a) {
    for (char b = 'a'; b <= 'k'; ++b) many += std::string("q") + a + b + a + b + " ";
  }
  lines += line("many.example/", "many", many) + line("more.example/", "more", many + "and more");
  ClusterOptions job = usual();
  job.max_terms = 0;
  Site& site = serve(lines, job);
  const Json compared = asked(site, "/api/compare?a=many.example&b=more.example");
  EXPECT_EQ(compared["terms"].size(), 200u);
  EXPECT_GT(compared["similarity"], 0.9);
}

TEST_F(ClusterAnswers, ReportsNameFilesWithoutTheirFolders) {
  ClusterOptions job = usual();
  test::write_file(dir_ / "classes.tsv", "https://one.example/topicax/0\tfirst\n");
  job.within = dir_ / "classes.tsv";
  Site& site = serve(pages_of_topics() + "{broken\n", job);
  const Response response = site.answer(question("/api/run"));
  ASSERT_EQ(response.status, 200u);
  EXPECT_EQ(response.body.find(dir_.path()), std::string::npos);
  EXPECT_NE(response.body.find("\"classes.tsv\""), std::string::npos);
  EXPECT_NE(response.body.find("\"pages.jsonl\""), std::string::npos);
}

TEST_F(ClusterAnswers, DistributionsAreThoseOfTheRun) {
  for (const EngineChoice engine : {EngineChoice::lsh, EngineChoice::exact}) {
    ClusterOptions job = usual();
    job.engine = engine;
    Site& site = serve(pages_of_topics(), job);
    const Json of = asked(site, "/api/run")["distributions"];
    uint64_t pages = 0;
    for (const Json& size : of["cluster_sizes"]) {
      pages += size[0].get<uint64_t>() * size[1].get<uint64_t>();
    }
    EXPECT_EQ(pages, asked(site, "/api/runs")["runs"][0]["urls"]);
    EXPECT_GT(of["nearest_similarity"]["without"], 0);
    const Json& curve = of["s_curve"];
    EXPECT_EQ(curve.size(), engine == EngineChoice::lsh ? 101u : 0u);
    if (curve.empty()) continue;
    EXPECT_EQ(curve[0][1], 0);
    EXPECT_EQ(curve[100][1], 1);
  }
}

// The beginning of a word is asked for, and not what stands inside.
TEST_F(ClusterAnswers, SearchFindsBeginningsOfWords) {
  Site& site = serve(pages_of_topics(), usual());
  const auto kinds = [&](const std::string& asked_for) {
    std::set<std::string> found_kinds;
    const Json found = asked(site, "/api/search?q=" + asked_for);
    EXPECT_EQ(found["complete"], true) << asked_for;
    for (const Json& of : found["results"]) found_kinds.insert(of["kind"].get<std::string>());
    return found_kinds;
  };
  EXPECT_TRUE(kinds("about").contains("title"));
  EXPECT_TRUE(kinds("bout").empty());
  EXPECT_EQ(kinds("https://alone.example/"), std::set<std::string>{"url"});
  EXPECT_EQ(kinds("lone.ex"), std::set<std::string>{"host"});
  // No word at all.
  EXPECT_TRUE(kinds("..").empty());
  EXPECT_TRUE(kinds("/").empty());
}

// Of a run whose files are damaged its owner is told more than who asks.
TEST_F(ClusterAnswers, DamageIsToldToTheOwner) {
  std::vector<std::string> notes;
  SiteOptions options;
  options.note = [&](const std::string& message) { notes.push_back(message); };
  Site& site = serve(pages_of_topics(), usual(), options);
  for (const auto& entry : std::filesystem::directory_iterator(dir_ / "run")) {
    if (!entry.path().filename().string().starts_with("urls")) continue;
    std::fstream file(entry.path(), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(64);
    file.write(std::string(200, '\x55').data(), 200);
  }
  EXPECT_FALSE(site.warm_up().is_ok());
  const std::string said = refused(site, "/api/page?url=one.example/topicax/0", 500);
  EXPECT_EQ(said.find(dir_.path()), std::string::npos);
  ASSERT_FALSE(notes.empty());
  EXPECT_NE(notes.front().find(dir_.path()), std::string::npos);
}

TEST(LookThrough, GoesOnWhileThereIsTime) {
  uint64_t seen = 0;
  const auto quick = [&](uint64_t) -> Result<bool> {
    ++seen;
    return true;
  };
  EXPECT_TRUE(*look_through(300, quick));
  EXPECT_EQ(seen, 300u);
  const auto until_ten = [](uint64_t i) -> Result<bool> { return i < 10; };
  EXPECT_FALSE(*look_through(300, until_ten));
  const auto failing = [](uint64_t) -> Result<bool> { return Error{ErrorKind::io, "gone"}; };
  EXPECT_EQ(look_through(300, failing).error().message, "gone");
  seen = 0;
  const auto slow = [&](uint64_t) -> Result<bool> {
    ++seen;
    std::this_thread::sleep_for(std::chrono::microseconds(300));
    return true;
  };
  EXPECT_FALSE(*look_through(10'000, slow));
  EXPECT_LT(seen, 1000u);
}

TEST(AsciiLower, ChangesLettersOnly) {
  std::string lower = "what was here before";
  make_ascii_lower("AbZ@[`{ Ä9", lower);
  EXPECT_EQ(lower, "abz@[`{ Ä9");
}

}  // namespace
}  // namespace kith::server
