// A run whose bags come from a program, and the run that they were taken from.
#include "distributed/bag_run.h"

#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "kith/pipeline.h"
#include "kith/topics.h"

#include "support/temp_dir.h"
#include "unit/api/run_tables.h"

namespace kith::distributed {
namespace {

class BagRun : public testing::Test {
 protected:
  BagRun() {
    test::write_file(dir_ / "pages.jsonl", test::three_topics());
    ClusterOptions options = options_of({dir_ / "pages.jsonl"}, dir_ / "run");
    options.bags = BagKind::content;
    options.boilerplate = Boilerplate::keep;
    EXPECT_TRUE(cluster_crawl(options));
  }

  static ClusterOptions options_of(const std::vector<std::string>& inputs,
                                   const std::string& output) {
    ClusterOptions options;
    options.inputs = inputs;
    options.output = output;
    options.threads = 2;
    return options;
  }

  // Of bags of the contents of pages.
  static Result<std::unique_ptr<BagRunWriter>> create(const std::string& folder,
                                                      const test::RunTables& tables,
                                                      std::span<const std::string_view> forms) {
    ClusterOptions options;
    options.bags = BagKind::content;
    options.boilerplate = Boilerplate::keep;
    return BagRunWriter::create(folder, options, tables.stems(), forms, tables.documents());
  }
  static std::unique_ptr<BagRunWriter> writer(const std::string& folder,
                                              const test::RunTables& tables) {
    auto made = create(folder, tables, tables.forms());
    EXPECT_TRUE(made) << (made ? "" : made.error().message);
    return made ? std::move(*made) : nullptr;
  }
  static Status add(BagRunWriter& writer, std::string_view key,
                    const std::vector<uint64_t>& entries) {
    const uint64_t offsets[] = {0, entries.size()};
    return writer.add(std::span(&key, 1), offsets, entries);
  }

  const test::TempDir dir_;
};

TEST_F(BagRun, HasTheFilesOfTheRunThatItsBagsAreOf) {
  const test::RunTables tables(dir_ / "run");
  {
    const auto made = writer(dir_ / "made", tables);
    for (uint32_t id = 0; id < tables.urls.size(); ++id) {
      EXPECT_TRUE(add(*made, tables.key(id), tables.entries(id)));
    }
    EXPECT_TRUE(made->finish());
  }
  for (const char* const name : {"terms.kith", "bags.kith"}) {
    EXPECT_EQ(test::read_file(dir_ / "made" + "/" + name),
              test::read_file(dir_ / "run" + "/" + name))
        << name;
  }
  EXPECT_TRUE(cluster_crawl(options_of({dir_ / "run"}, dir_ / "again")));
  const auto report = cluster_crawl(options_of({dir_ / "made"}, dir_ / "other"));
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->bags.urls, 150);
  EXPECT_EQ(report->bags.fetched, 150);
  EXPECT_EQ(report->bags.empty, 1);
  for (const char* const name : {"neighbours.kith", "clusters.kith", "topics.kith"}) {
    EXPECT_EQ(test::read_file(dir_ / "other" + "/" + name),
              test::read_file(dir_ / "again" + "/" + name))
        << name;
  }
  const auto twice = create(dir_ / "made", tables, tables.forms());
  ASSERT_FALSE(twice);
  EXPECT_NE(twice.error().message.find("has bags already"), std::string::npos);
}

// Two stems that are shown as the same word are one word of a label.
TEST_F(BagRun, HasNoWordTwiceInALabel) {
  const test::RunTables tables(dir_ / "run");
  std::vector<std::string_view> forms = tables.forms();
  for (size_t i = 1; i < forms.size(); i += 2) forms[i] = forms[i - 1];
  auto created = create(dir_ / "made", tables, forms);
  ASSERT_TRUE(created);
  const auto made = std::move(*created);
  for (uint32_t id = 0; id < tables.urls.size(); ++id) {
    EXPECT_TRUE(add(*made, tables.key(id), tables.entries(id)));
  }
  EXPECT_TRUE(made->finish());
  EXPECT_TRUE(cluster_crawl(options_of({dir_ / "made"}, dir_ / "topics")));
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
  const test::RunTables tables(dir_ / "run");
  EXPECT_TRUE(add(*writer(dir_ / "made", tables), tables.key(0), tables.entries(0)));
  EXPECT_FALSE(cluster_crawl(options_of({dir_ / "made"}, dir_ / "other")));
}

TEST_F(BagRun, NamesWhatIsWrongWithAUrl) {
  const test::RunTables tables(dir_ / "run");
  const auto made = writer(dir_ / "made", tables);
  EXPECT_TRUE(add(*made, tables.key(1), tables.entries(1)));
  const auto refused = [&](std::string_view key, const std::vector<uint64_t>& entries) {
    const Status status = add(*made, key, entries);
    EXPECT_FALSE(status);
    return status ? std::string() : status.error().message;
  };
  EXPECT_NE(refused(tables.key(1), {}).find("must ascend"), std::string::npos);
  EXPECT_NE(refused(tables.key(0), {}).find("must ascend"), std::string::npos);
  EXPECT_NE(refused("", {}).find("must ascend"), std::string::npos);
  EXPECT_NE(refused(tables.key(2), {7}).find("weights add up to 100"), std::string::npos);
  const uint64_t all = uint64_t{100} << 48;
  EXPECT_NE(refused(tables.key(2), {all | 1'000'000}).find("has term 1000000"), std::string::npos);
  EXPECT_TRUE(add(*made, tables.key(2), tables.entries(2)));
  const uint64_t beyond[] = {0, 1};
  const std::string key = tables.key(3);
  const std::string_view view = key;
  EXPECT_FALSE(made->add(std::span(&view, 1), beyond, {}));
  EXPECT_FALSE(made->add({}, beyond, {}));
}

}  // namespace
}  // namespace kith::distributed
