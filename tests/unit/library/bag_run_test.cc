// A run whose bags come from a program, beside the run that they were taken from.
#include "kith/bag_run.h"

#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "kith/pipeline.h"
#include "kith/topics.h"

#include "bags/tables.h"
#include "base/rng.h"
#include "storage/file_system.h"
#include "support/temp_dir.h"

namespace kith {
namespace {

// Of three topics, each page of some of its words; one page has no word.
std::string crawl_lines() {
  Rng rng(3);
  std::string lines;
  for (int i = 0; i < 150; ++i) {
    std::string text;
    for (int k = 0; k < 30 && i != 7; ++k) {
      text += std::string(1, static_cast<char>('k' + i % 3));
      for (int letter = 0; letter < 2; ++letter) {
        text.push_back(static_cast<char>('a' + rng.below(5)));
      }
      text += " ";
    }
    lines += "{\"url\":\"https://site" + std::to_string(i % 5) + ".example/" + std::to_string(i) +
             "\",\"text\":\"" + (text.empty() ? "of the and" : text) + "\"}\n";
  }
  return lines;
}

struct RunTables {
  explicit RunTables(const std::string& run)
      : urls(*bags::UrlTable::open(storage::posix_file_system(), run + "/urls.kith")),
        terms(*bags::TermTable::open(storage::posix_file_system(), run + "/terms.kith")),
        bags(*bags::BagTable::open(storage::posix_file_system(), run + "/bags.kith")) {}

  std::vector<BagRunTerm> made_terms() const {
    std::vector<BagRunTerm> made;
    for (uint32_t term = 0; term < terms.size(); ++term) {
      made.push_back({terms.stem(term), terms.surface(term), terms.document_frequency()[term]});
    }
    return made;
  }
  std::string key(uint32_t id) const {
    const std::string url = urls.url(id);
    const std::string_view views[] = {url};
    return BagSteps::url_keys(views).bytes;
  }
  std::vector<uint64_t> entries(uint32_t id) const {
    std::vector<uint64_t> packed;
    for (const BagEntry& entry : bags.bags()[id]) {
      packed.push_back(uint64_t{entry.weight} << 32 | entry.term);
    }
    return packed;
  }

  bags::UrlTable urls;
  bags::TermTable terms;
  bags::BagTable bags;
};

class BagRun : public testing::Test {
 protected:
  BagRun() {
    test::write_file(dir_ / "pages.jsonl", crawl_lines());
    ClusterOptions options = options_of({dir_ / "pages.jsonl"}, dir_ / "run");
    options.bags = BagKind::content;
    options.boilerplate = Boilerplate::keep;
    EXPECT_TRUE(cluster(options));
  }

  static ClusterOptions options_of(const std::vector<std::string>& inputs,
                                   const std::string& output) {
    ClusterOptions options;
    options.inputs = inputs;
    options.output = output;
    options.threads = 2;
    return options;
  }

  static std::unique_ptr<BagRunWriter> writer(const std::string& folder, const RunTables& tables) {
    auto made = BagRunWriter::create(folder, {}, tables.made_terms());
    EXPECT_TRUE(made) << (made ? "" : made.error().message);
    return made ? std::move(*made) : nullptr;
  }

  const test::TempDir dir_;
};

TEST_F(BagRun, HasTheFilesOfTheRunThatItsBagsAreOf) {
  const RunTables tables(dir_ / "run");
  {
    const auto made = writer(dir_ / "made", tables);
    for (uint32_t id = 0; id < tables.urls.size(); ++id) {
      EXPECT_TRUE(made->add({tables.key(id), tables.entries(id)}));
    }
    EXPECT_TRUE(made->finish());
  }
  for (const char* const name : {"urls.kith", "terms.kith", "bags.kith"}) {
    EXPECT_EQ(test::read_file(dir_ / "made" + "/" + name),
              test::read_file(dir_ / "run" + "/" + name))
        << name;
  }
  EXPECT_TRUE(cluster(options_of({dir_ / "run"}, dir_ / "again")));
  const auto report = cluster(options_of({dir_ / "made"}, dir_ / "other"));
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->bags.urls, 150);
  EXPECT_EQ(report->bags.fetched, 150);
  EXPECT_EQ(report->bags.empty, 1);
  for (const char* const name : {"neighbours.kith", "clusters.kith", "topics.kith"}) {
    EXPECT_EQ(test::read_file(dir_ / "other" + "/" + name),
              test::read_file(dir_ / "again" + "/" + name))
        << name;
  }
  const auto twice = BagRunWriter::create(dir_ / "made", {}, tables.made_terms());
  ASSERT_FALSE(twice);
  EXPECT_NE(twice.error().message.find("has bags already"), std::string::npos);
}

// Two stems that are shown as the same word are one word of a label.
TEST_F(BagRun, HasNoWordTwiceInALabel) {
  const RunTables tables(dir_ / "run");
  std::vector<BagRunTerm> terms = tables.made_terms();
  for (size_t i = 1; i < terms.size(); i += 2) terms[i].word = terms[i - 1].word;
  auto created = BagRunWriter::create(dir_ / "made", {}, terms);
  ASSERT_TRUE(created);
  const auto made = std::move(*created);
  for (uint32_t id = 0; id < tables.urls.size(); ++id) {
    EXPECT_TRUE(made->add({tables.key(id), tables.entries(id)}));
  }
  EXPECT_TRUE(made->finish());
  EXPECT_TRUE(cluster(options_of({dir_ / "made"}, dir_ / "topics")));
  const auto tree = TopicTree::open(dir_ / "topics");
  ASSERT_TRUE(tree);
  EXPECT_GT(tree->topics(), 3);
  size_t words = 0;
  for (uint32_t number = 0; number < tree->topics(); ++number) {
    const std::vector<std::string> label = tree->topic(number).label;
    EXPECT_EQ(std::set<std::string>(label.begin(), label.end()).size(), label.size());
    words += label.size();
  }
  EXPECT_GT(words, 10);
}

TEST_F(BagRun, IsNoneUntilItIsFinished) {
  const RunTables tables(dir_ / "run");
  EXPECT_TRUE(writer(dir_ / "made", tables)->add({tables.key(0), tables.entries(0)}));
  EXPECT_FALSE(cluster(options_of({dir_ / "made"}, dir_ / "other")));
}

TEST_F(BagRun, NamesWhatIsWrongWithAUrl) {
  const RunTables tables(dir_ / "run");
  const auto made = writer(dir_ / "made", tables);
  EXPECT_TRUE(made->add({tables.key(1), tables.entries(1)}));
  const auto refused = [&](std::string_view key, const std::vector<uint64_t>& entries) {
    const Status status = made->add({key, entries});
    EXPECT_FALSE(status);
    return status ? std::string() : status.error().message;
  };
  EXPECT_NE(refused(tables.key(1), {}).find("must ascend"), std::string::npos);
  EXPECT_NE(refused(tables.key(0), {}).find("must ascend"), std::string::npos);
  EXPECT_NE(refused("", {}).find("must ascend"), std::string::npos);
  EXPECT_NE(refused(tables.key(2), {7}).find("weights add up to 100"), std::string::npos);
  const uint64_t all = uint64_t{100} << 48;
  EXPECT_NE(refused(tables.key(2), {all | 1'000'000}).find("has term 1000000"), std::string::npos);
  EXPECT_TRUE(made->add({tables.key(2), tables.entries(2)}));
}

}  // namespace
}  // namespace kith
