// Questions about runs of kith dedup: groups, earlier runs, and texts that are not at hand.
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "kith/kith.h"

#include "server/site.h"
#include "support/temp_dir.h"
#include "unit/server/asked.h"

namespace kith::server {
namespace {

std::string document(const std::string& name, const std::string& text) {
  return R"({"id": ")" + name + R"(", "text": ")" + text + "\"}\n";
}

std::string words(int begin, int end) {
  std::string text;
  for (int word = begin; word < end; ++word) text += "word" + std::to_string(word) + " ";
  return text;
}

class DedupAnswers : public testing::Test {
 protected:
  DedupAnswers() {
    // Two that are equal, one that is near, one that is like none.
    lines_ = document("a", words(0, 60)) + document("b", words(0, 60)) +
             document("c", words(0, 58) + "other words") + document("alone", words(500, 560));
  }
  DedupOptions usual() const {
    DedupOptions job;
    job.output = dir_ / "copies";
    job.similarity = 0.5;
    job.threads = 1;
    return job;
  }
  std::string pages() const { return dir_ / "pages.jsonl"; }
  Site& serve(DedupOptions job, SiteOptions options = {}) {
    site_.reset();
    std::filesystem::remove_all(job.output);
    test::write_file(pages(), lines_);
    job.inputs = {pages()};
    const auto report = dedup(job);
    EXPECT_TRUE(report.is_ok()) << report.status().error().message;
    options.directories = {job.output};
    auto site = Site::open(options);
    EXPECT_TRUE(site.is_ok()) << site.status().error().message;
    site_ = std::move(*site);
    return *site_;
  }

  test::TempDir dir_{test::Medium::memory};
  std::string lines_;
  std::unique_ptr<Site> site_;
};

TEST_F(DedupAnswers, DocumentsSayWhatBecameOfThem) {
  Site& site = serve(usual());
  const auto of = [&](const char* name) {
    return asked(site, std::string("/api/document?name=") + name)["document"];
  };
  EXPECT_EQ(of("a")["role"], "kept");
  EXPECT_EQ(of("a")["group"], 1);
  EXPECT_FALSE(of("a").contains("equal_to"));
  EXPECT_EQ(of("b")["role"], "removed");
  EXPECT_EQ(of("b")["equal_to"]["name"], "a");
  EXPECT_EQ(of("c")["role"], "removed");
  EXPECT_LT(of("c")["resemblance"], 1);
  EXPECT_EQ(of("c")["file"], "pages.jsonl");
  EXPECT_EQ(of("alone")["role"], "kept");
  EXPECT_FALSE(of("alone").contains("group") || of("alone").contains("resemblance"));
}

TEST_F(DedupAnswers, DocumentsAndGroupsAreAskedForByOneThing) {
  Site& site = serve(usual());
  EXPECT_EQ(refused(site, "/api/document?name=a&id=0", 400), "name and id: give one of them");
  EXPECT_EQ(refused(site, "/api/document?id=4", 404), "the run has no document 4");
  EXPECT_EQ(refused(site, "/api/document?name=none", 404), "the run has no document named none");
  EXPECT_NE(refused(site, "/api/document?id=-1", 400), "");
  EXPECT_EQ(refused(site, "/api/group?number=1&name=a", 400),
            "number, name and id: give one of them");
  EXPECT_EQ(refused(site, "/api/group?number=1&id=0", 400),
            "number, name and id: give one of them");
  EXPECT_EQ(refused(site, "/api/group?number=2", 404), "the run has no group 2");
  EXPECT_NE(refused(site, "/api/group?name=alone", 404).find("alone is in no group"),
            std::string::npos);
  const Json group = asked(site, "/api/group?name=c");
  EXPECT_EQ(group["group"]["kept"]["name"], "a");
  EXPECT_EQ(group["documents"].size(), 3u);
  EXPECT_EQ(asked(site, "/api/pairs?name=c")["list"]["rows"],
            asked(site, "/api/pairs?name=c")["pairs"].size());
  EXPECT_NE(refused(site, "/api/pairs?name=alone", 404), "");
}

TEST_F(DedupAnswers, RunsOfNoDocumentHaveAnswers) {
  lines_ = "{broken\n";
  Site& site = serve(usual());
  EXPECT_EQ(asked(site, "/api/runs")["runs"][0]["documents"], 0);
  EXPECT_EQ(refused(site, "/api/document?id=0", 404), "the run has no document 0");
  EXPECT_EQ(refused(site, "/api/group?number=1", 404), "the run has no group 1");
  EXPECT_TRUE(asked(site, "/api/groups")["groups"].empty());
  EXPECT_EQ(asked(site, "/api/search?q=a")["complete"], true);
  EXPECT_EQ(asked(site, "/api/run")["distributions"]["pair_similarity"]["sampled"], 0);
}

TEST_F(DedupAnswers, SearchEndsWithTheLastOrWhereThereAreEnough) {
  Site& site = serve(usual());
  const Json all = asked(site, "/api/search?q=A");
  ASSERT_EQ(all["results"].size(), 2u);
  EXPECT_EQ(all["results"][1]["name"], "alone");
  EXPECT_EQ(all["complete"], true);
  const Json first = asked(site, "/api/search?q=a&n=1");
  EXPECT_EQ(first["results"].size(), 1u);
  EXPECT_EQ(first["complete"], true);
  EXPECT_TRUE(asked(site, "/api/search?q=xyz")["results"].empty());
}

TEST_F(DedupAnswers, TextsStandSideBySide) {
  const std::string begin = words(0, 40);
  const std::string moved = words(100, 130);
  lines_ = document("a", begin + moved + words(200, 240)) +
           document("b", moved + begin + words(200, 238));
  DedupOptions job = usual();
  job.similarity = 0.3;
  Site& site = serve(job);
  const Json texts = asked(site, "/api/overlap?a=a&b=b")["texts"];
  ASSERT_EQ(texts["state"], "found");
  // What was moved names its twin, and that names it.
  size_t twins = 0;
  for (size_t i = 0; i < texts["passages"].size(); ++i) {
    const Json& passage = texts["passages"][i];
    if (!passage.contains("twin")) continue;
    ++twins;
    const Json& twin = texts["passages"][passage["twin"].get<size_t>()];
    EXPECT_EQ(twin["twin"], i);
  }
  EXPECT_GE(twins, 2u);
}

TEST_F(DedupAnswers, TextsThatAreNotAtHandAreSaid) {
  lines_ += document("long", words(0, 120'000)) + document("blank", " ");
  Site& site = serve(usual());
  const auto reason = [&](const char* a, const char* b) {
    const Json texts = asked(site, std::string("/api/overlap?a=") + a + "&b=" + b)["texts"];
    EXPECT_EQ(texts["state"], "none") << a << " " << b;
    return texts.value("reason", "");
  };
  EXPECT_EQ(reason("a", "long"), "The texts are too long to be shown side by side.");
  EXPECT_NE(reason("a", "blank"), "");
  std::filesystem::remove(pages());
  const std::string gone = reason("a", "c");
  EXPECT_NE(gone, "");
  EXPECT_EQ(gone.find(dir_.path()), std::string::npos);
}

TEST_F(DedupAnswers, EarlierRunsAreNamedWithoutTheirFolders) {
  DedupOptions earlier = usual();
  earlier.output = dir_ / "earlier";
  serve(earlier);
  lines_ = document("again", words(0, 60)) + document("new", words(900, 960)) + "{broken\n";
  DedupOptions job = usual();
  job.against = {dir_ / "earlier"};
  job.write = dir_ / "written";
  // Files and folders that options name, and the input as the source of what is lost.
  test::write_file(dir_ / "left_out", "http://nowhere.test/\n");
  job.exclude_list = dir_ / "left_out";
  test::write_file(dir_ / "order", "pages.jsonl\n");
  job.keep = {"longest", "source:" + (dir_ / "order")};
  Site& site = serve(job);
  const Json of = asked(site, "/api/document?name=again")["document"];
  EXPECT_EQ(of["role"], "removed");
  EXPECT_EQ(of["earlier"]["run"], "earlier");
  EXPECT_EQ(of["earlier"]["name"], "a");
  EXPECT_FALSE(asked(site, "/api/document?name=new")["document"].contains("earlier"));
  const Response report = site.answer(question("/api/run"));
  ASSERT_EQ(report.status, 200u);
  EXPECT_EQ(report.body.find(dir_.path()), std::string::npos);
  for (const char* const name : {"\"earlier\"", "\"left_out\"", "source:order"}) {
    EXPECT_NE(report.body.find(name), std::string::npos) << name;
  }
  EXPECT_EQ(asked(site, "/api/runs")["runs"][0]["removed"], 1);
}

// The curve is that of the tables or super-shingles that were chosen; other methods have none.
TEST_F(DedupAnswers, DistributionsFollowTheMethod) {
  for (const DedupMethod method :
       {DedupMethod::minhash, DedupMethod::simhash, DedupMethod::supershingle,
        DedupMethod::containment, DedupMethod::exact}) {
    SCOPED_TRACE(name(method));
    DedupOptions job = usual();
    job.method = method;
    if (method == DedupMethod::supershingle) job.similarity = 0.9;
    Site& site = serve(job);
    const Json of = asked(site, "/api/run")["distributions"];
    const bool has_curve = method == DedupMethod::minhash || method == DedupMethod::supershingle;
    EXPECT_EQ(of["s_curve"].size(), has_curve ? 101u : 0u);
    uint64_t pairs = 0;
    for (const Json& count : of["pair_similarity"]["counts"]) pairs += count.get<uint64_t>();
    EXPECT_EQ(pairs, of["pair_similarity"]["sampled"]);
    EXPECT_FALSE(of["group_sizes"].empty());
  }
}

}  // namespace
}  // namespace kith::server
