#include "synthetic/collection.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "bags/tables.h"
#include "jobs/cluster/run_directory.h"
#include "sketch/bag.h"
#include "support/temp_dir.h"

namespace kith::synthetic {
namespace {

storage::FileSystem& fs() {
  return storage::posix_file_system();
}

// The files of a run directory, opened as the stages after bags do.
struct Tables {
  bags::UrlTable urls;
  bags::TitleTable titles;
  bags::TermTable terms;
  bags::BagTable bags;

  explicit Tables(const std::string& directory) {
    urls = bags::UrlTable::open(fs(), directory + "/urls.kith").value();
    titles = bags::TitleTable::open(fs(), directory + "/titles.kith").value();
    terms = bags::TermTable::open(fs(), directory + "/terms.kith").value();
    bags = bags::BagTable::open(fs(), directory + "/bags.kith").value();
  }
};

Report write(const std::string& directory, const ModelOptions& options,
             const std::string& truth = "") {
  const auto report = write_collection(fs(), directory, options, truth);
  EXPECT_TRUE(report) << report.error().message;
  return *report;
}

std::string all_files(const std::string& directory) {
  std::string bytes;
  for (const std::string_view name : run::bag_files) {
    bytes += test::read_file(directory + "/" + std::string(name));
  }
  return bytes;
}

class CollectionOfSize : public ::testing::TestWithParam<uint64_t> {};

TEST_P(CollectionOfSize, IsARunWhoseBagsAreFinished) {
  const test::TempDir folder;
  const std::string run = folder / "run";
  const Report report = write(run, {.urls = GetParam()});
  EXPECT_EQ(report.bags.urls, GetParam());
  const auto opened = jobs::RunDirectory::open(fs(), run, "bags");
  ASSERT_TRUE(opened) << opened.error().message;
  EXPECT_EQ(opened->report().bags.entries, report.bags.entries);
  EXPECT_FALSE(fs().exists(opened->scratch()));

  const Tables tables(run);
  EXPECT_TRUE(tables.urls.verify());
  EXPECT_TRUE(tables.titles.verify());
  EXPECT_TRUE(tables.terms.verify());
  EXPECT_TRUE(tables.bags.verify());
  ThreadPool pool(1);
  EXPECT_TRUE(tables.bags.check_entries(tables.terms.size(), pool));
  EXPECT_EQ(tables.urls.size(), GetParam());
  EXPECT_EQ(tables.titles.size(), GetParam());
  EXPECT_EQ(tables.bags.bags().size(), GetParam());
  EXPECT_EQ(tables.bags.bags().entries().size(), report.bags.entries);
  EXPECT_EQ(tables.terms.size(), report.bags.terms);
}

INSTANTIATE_TEST_SUITE_P(Sizes, CollectionOfSize, ::testing::Values(0, 1, 1000));

TEST(Collection, TheSameSeedGivesTheSameBytes) {
  const test::TempDir folder;
  write(folder / "a", {.urls = 2000}, folder / "a.tsv");
  write(folder / "b", {.urls = 2000}, folder / "b.tsv");
  write(folder / "c", {.urls = 2000, .seed = 2}, folder / "c.tsv");
  EXPECT_EQ(all_files(folder / "a"), all_files(folder / "b"));
  EXPECT_EQ(test::read_file(folder / "a.tsv"), test::read_file(folder / "b.tsv"));
  EXPECT_NE(all_files(folder / "a"), all_files(folder / "c"));
}

TEST(Collection, IsKeptWhenFinishedAndRefusedWhenAnother) {
  const test::TempDir folder;
  write(folder / "run", {.urls = 100});
  const Report again = write(folder / "run", {.urls = 100}, folder / "truth.tsv");
  EXPECT_TRUE(again.stages.back().reused);
  EXPECT_TRUE(fs().exists(folder / "truth.tsv"));
  const auto other = write_collection(fs(), folder / "run", {.urls = 101}, "");
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().kind, ErrorKind::usage);
  EXPECT_EQ(Tables(folder / "run").urls.size(), 100u);
}

TEST(Collection, LeavesNothingBehindWhenItFails) {
  const test::TempDir folder;
  test::write_file(folder / "file", "");
  const auto report = write_collection(fs(), folder / "file/run", {.urls = 10}, "");
  EXPECT_FALSE(report);
  const auto bad = write_collection(fs(), folder / "run", {.urls = 10, .words = 0}, "");
  ASSERT_FALSE(bad);
  EXPECT_FALSE(fs().exists(folder / "run"));
}

TEST(Collection, TheTruthNamesEveryUrlInOrder) {
  const test::TempDir folder;
  write(folder / "run", {.urls = 500}, folder / "truth.tsv");
  const std::string truth = test::read_file(folder / "truth.tsv");
  std::string expected_urls = "url\n";
  Tables(folder / "run").urls.for_each([&](uint32_t, std::string_view url) {
    expected_urls.append(url).append("\n");
  });
  std::string urls;
  for (size_t begin = 0; begin < truth.size(); begin = truth.find('\n', begin) + 1) {
    const size_t end = truth.find('\n', begin);
    const std::string_view line = std::string_view(truth).substr(begin, end - begin);
    EXPECT_EQ(std::ranges::count(line, '\t'), 4) << line;
    urls.append(line.substr(0, line.find('\t'))).append("\n");
  }
  EXPECT_EQ(urls, expected_urls);
}

class Mean {
 public:
  void add(double value) {
    sum_ += value;
    ++count_;
  }
  double value() const { return count_ > 0 ? sum_ / count_ : 0; }

 private:
  double sum_ = 0;
  double count_ = 0;
};

TEST(Collection, BagsAgreeWithTheTruth) {
  const test::TempDir folder;
  const ModelOptions options{.urls = 3000};
  write(folder / "run", options);
  const Tables tables(folder / "run");
  const sketch::BagCollection& bags = tables.bags.bags();
  const Model model(options);
  std::vector<Page> pages;
  for (uint32_t id = 0; id < model.urls(); ++id) pages.push_back(model.page(id));

  Mean family, subtopic, topic, strangers;
  for (uint32_t a = 0; a < 1500; ++a) {
    for (uint32_t b = a + 1; b < model.urls(); b += 2) {
      if (bags[a].empty() || bags[b].empty()) continue;
      const double s = sketch::similarity(bags[a], bags[b]);
      const bool are_plain = pages[a].kind == PageKind::plain && pages[b].kind == PageKind::plain;
      if (pages[a].source == pages[b].source) {
        EXPECT_EQ(s, 1.0);
      } else if (pages[a].family != Page::no_family && pages[a].family == pages[b].family &&
                 pages[a].family_site == pages[b].family_site) {
        family.add(s);
      } else if (are_plain && pages[a].topic != pages[b].topic) {
        strangers.add(s);
      } else if (are_plain && pages[a].subtopic == pages[b].subtopic) {
        subtopic.add(s);
      } else if (are_plain) {
        topic.add(s);
      }
    }
  }
  EXPECT_GT(family.value(), 0.4);
  EXPECT_GT(subtopic.value(), 0.12);
  EXPECT_LT(subtopic.value(), 0.4);
  EXPECT_GT(topic.value(), 1.5 * strangers.value());
  EXPECT_LT(topic.value(), subtopic.value() / 1.5);
  EXPECT_GT(strangers.value(), 0.004);
  EXPECT_LT(strangers.value(), 0.03);
}

}  // namespace
}  // namespace kith::synthetic
