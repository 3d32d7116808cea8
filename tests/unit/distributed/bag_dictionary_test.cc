// Words and bags of many machines, put together on one, and `kith cluster` of the same pages.
#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "kith/pipeline.h"

#include "bags/tables.h"
#include "base/random.h"
#include "distributed/bag_run.h"
#include "run/stage_files.h"
#include "storage/file_system.h"
#include "support/temp_dir.h"
#include "text/url/url.h"

namespace kith::distributed {
namespace {

struct BagPage {
  std::string url;
  std::string title;
  std::string text;
};

// Pages of several languages, whose words are frequent and rare.
std::vector<BagPage> make_pages(size_t count) {
  const std::vector<std::string> sentences = {
      "The gardens of the old houses were flooded, and gardening in these houses has stopped.",
      "Die Häuser der alten Stadt wurden überflutet und die Gärten sind nicht mehr da.",
      "Les jardins des maisons anciennes étaient inondés et l'eau n'est pas partie.",
      "Сады старых домов были затоплены, и вода не ушла из города до весны.",
      "古い家の庭は水に浸かり、町から水が引くことはなかった。",
  };
  Rng rng(11);
  std::vector<BagPage> pages;
  for (size_t i = 0; i < count; ++i) {
    BagPage page;
    page.url = "HTTP://Site" + std::to_string(rng.below(9)) + ".Example/Page/../" +
               std::to_string(i) + "#top";
    if (i % 3 == 0) page.title = "Houses and Gardens x" + std::string(1 + rng.below(9), 'q');
    for (uint64_t j = 0; j <= rng.below(6); ++j) {
      page.text += sentences[(i + j * (i % 2)) % sentences.size()];
      for (uint64_t k = rng.below(30); k > 0; --k) {
        page.text += ' ';
        for (int letter = 0; letter < 3; ++letter) {
          page.text.push_back(static_cast<char>('a' + rng.below(8)));
        }
      }
      page.text += " ";
    }
    if (i % 40 == 7) page.text = "of the and 1234";  // no word that counts
    if (i % 40 == 9) page.text = "houses";
    pages.push_back(page);
  }
  return pages;
}

ClusterOptions content_options() {
  ClusterOptions options;
  options.bags = BagKind::content;
  options.boilerplate = Boilerplate::keep;
  options.topics = TopicGraph::none;
  options.check_queries = 0;
  return options;
}

// The bags of a run.
class BagsOfRun {
 public:
  BagsOfRun(const std::vector<BagPage>& pages, ClusterOptions run) {
    std::string lines;
    for (const BagPage& page : pages) {
      lines += "{\"url\":\"" + page.url + "\",\"title\":\"" + page.title + "\",\"text\":\"" +
               page.text + "\"}\n";
    }
    test::write_file(dir_ / "pages.jsonl", lines);
    run.inputs = {dir_ / "pages.jsonl"};
    run.output = dir_ / "run";
    const auto done = cluster_crawl(run);
    EXPECT_TRUE(done) << (done ? "" : done.error().message);
    report_ = done->bags;
    storage::FileSystem& fs = storage::posix_file_system();
    const std::string folder = dir_ / "run/";
    urls_.emplace(*bags::UrlTable::open(fs, folder + std::string(run::urls_file)));
    terms_.emplace(*bags::TermTable::open(fs, folder + std::string(run::terms_file)));
    bags_.emplace(*bags::BagTable::open(fs, folder + std::string(run::bags_file)));
  }

  const BagsCounts& report() const { return report_; }
  const bags::UrlTable& urls() const { return *urls_; }
  const bags::TermTable& terms() const { return *terms_; }
  sketch::Bag bag(uint32_t id) const { return bags_->bags()[id]; }

 private:
  const test::TempDir dir_;
  BagsCounts report_;
  std::optional<bags::UrlTable> urls_;
  std::optional<bags::TermTable> terms_;
  std::optional<bags::BagTable> bags_;
};

std::vector<std::string_view> views_of(const StringList& strings) {
  std::vector<std::string_view> views;
  for (size_t i = 0; i < strings.size(); ++i) views.push_back(strings[i]);
  return views;
}

// What a distributed job does: pages in parts, whose words are counted together.
class BagsOfSteps {
 public:
  BagsOfSteps(const std::vector<BagPage>& pages, const ClusterOptions& options, size_t parts)
      : options_(options) {
    const size_t size = pages.size() / parts + 1;
    for (size_t begin = 0; begin < pages.size(); begin += size) {
      count(std::span(pages).subspan(begin, std::min(size, pages.size() - begin)));
    }
    std::vector<std::string_view> stems;
    std::vector<uint64_t> documents;
    for (const auto& [stem, number] : documents_) {
      if (number < options.min_df) continue;
      stems.push_back(stem);
      documents.push_back(number);
    }
    dictionary_ = *BagDictionary::make(options, std::span(&filled_, 1), stems, documents);
    for (const PageWords& words : parts_) weigh(words);
  }

  const BagDictionary& dictionary() const { return *dictionary_; }
  uint64_t documents(std::string_view stem) const { return documents_.at(std::string(stem)); }
  uint64_t vocabulary() const { return documents_.size(); }
  const PageBags& all() const { return all_; }
  // The form of a stem that is met most often, of equally many the first.
  std::string form(std::string_view stem) const {
    std::string best;
    uint64_t most = 0;
    for (const auto& [form, count] : forms_.at(std::string(stem))) {
      if (count > most) best = form;
      most = std::max(most, count);
    }
    return best;
  }

 private:
  void count(std::span<const BagPage> pages) {
    std::vector<std::string_view> texts;
    std::vector<std::string_view> titles;
    for (const BagPage& page : pages) {
      texts.push_back(page.text);
      titles.push_back(page.title);
    }
    const PageWords words = words_of_texts(options_, texts, titles);
    for (size_t i = 0; i < words.stems.size(); ++i) {
      documents_[std::string(words.stems[i])] += words.documents[i];
    }
    for (size_t i = 0; i < words.forms.size(); ++i) {
      const std::string_view stem = words.stems[words.form_stems[i]];
      forms_[std::string(stem)][std::string(words.forms[i])] += words.form_counts[i];
    }
    filled_ += words.filled;
    parts_.push_back(words);
  }

  void weigh(const PageWords& words) {
    const PageBags bags = *dictionary_->weigh(views_of(words.stems), words.offsets, words.entries);
    for (size_t i = 1; i < bags.offsets.size(); ++i) {
      all_.offsets.push_back(all_.entries.size() + bags.offsets[i]);
    }
    all_.entries.insert(all_.entries.end(), bags.entries.begin(), bags.entries.end());
  }

  const ClusterOptions options_;
  std::vector<PageWords> parts_;
  uint64_t filled_ = 0;
  std::map<std::string, uint64_t> documents_;
  std::map<std::string, std::map<std::string, uint64_t>> forms_;
  std::unique_ptr<BagDictionary> dictionary_;
  PageBags all_;
};

// The places of pages in the order of their keys.
std::vector<uint32_t> order_of(const std::vector<BagPage>& pages) {
  std::vector<std::string_view> urls;
  for (const BagPage& page : pages) urls.push_back(page.url);
  const StringList keys = url_keys(urls);
  std::vector<uint32_t> order(pages.size());
  for (uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::sort(order, {}, [&](uint32_t i) { return keys[i]; });
  return order;
}

void expect_same_terms(const BagsOfSteps& found, const BagsOfRun& run) {
  ASSERT_EQ(found.dictionary().terms(), run.terms().size());
  for (uint32_t term = 0; term < run.terms().size(); ++term) {
    const std::string_view stem = run.terms().stem(term);
    EXPECT_EQ(found.dictionary().find(stem), term);
    EXPECT_EQ(found.documents(stem), run.terms().document_frequency()[term]);
    EXPECT_EQ(found.form(stem), run.terms().surface(term));
  }
}

void expect_same_bags(const std::vector<BagPage>& pages, const PageBags& found,
                      const BagsOfRun& run) {
  ASSERT_EQ(run.urls().size(), pages.size());
  uint32_t id = 0;
  for (const uint32_t place : order_of(pages)) {
    text::Url url;
    ASSERT_TRUE(text::parse_url(pages[place].url, nullptr, url));
    EXPECT_EQ(run.urls().url(id), url.href);
    std::vector<sketch::BagEntry> bag;
    for (uint64_t at = found.offsets[place]; at < found.offsets[place + 1]; ++at) {
      const uint64_t entry = found.entries[at];
      bag.push_back({static_cast<uint32_t>(entry), static_cast<uint32_t>(entry >> 32)});
    }
    EXPECT_TRUE(std::ranges::equal(bag, run.bag(id))) << url.href;
    ++id;
  }
}

TEST(BagDictionary, MakesTheBagsOfARun) {
  const std::vector<BagPage> pages = make_pages(400);
  std::vector<ClusterOptions> all(4, content_options());
  all[1].weighting = Weighting::nmdf;
  all[1].max_terms = 12;
  all[2].weighting = Weighting::tf;
  all[2].min_df = 1;
  all[2].language = "de";
  all[3].min_df = 4;
  all[3].max_df = 0.01;
  all[3].max_page = 1024;
  for (const ClusterOptions& options : all) {
    const BagsOfRun run(pages, options);
    for (const size_t parts : {1, 7}) {
      const BagsOfSteps found(pages, options, parts);
      expect_same_terms(found, run);
      expect_same_bags(pages, found.all(), run);
      EXPECT_EQ(found.vocabulary(), run.report().vocabulary);
      EXPECT_EQ(found.dictionary().frequent_terms(), run.report().frequent_terms);
    }
  }
}

TEST(WordsOfTexts, HaveNoTitleWithoutAText) {
  const std::vector<std::string_view> texts = {"", "gardens"};
  const std::vector<std::string_view> titles = {"houses", "houses"};
  const PageWords words = words_of_texts(content_options(), texts, titles);
  EXPECT_EQ(words.offsets, (std::vector<uint64_t>{0, 0, 2}));
  EXPECT_EQ(words.words, 2);
  EXPECT_EQ(words_of_texts(content_options(), texts).words, 1);
}

TEST(UrlKeys, OrderUrlsAsARunDoes) {
  const std::vector<std::string_view> urls = {"https://b.a.example/x", "ftp://a.example/", "7",
                                              "HTTPS://A.example:443/y#z", "https://a.example/y"};
  const StringList keys = url_keys(urls);
  ASSERT_EQ(keys.size(), urls.size());
  EXPECT_EQ(keys[0], "example a b\t/x");
  EXPECT_EQ(keys[1], "");
  EXPECT_EQ(keys[2], "");
  EXPECT_EQ(keys[3], keys[4]);
}

TEST(BagDictionary, RefusesWhatDoesNotFitTogether) {
  const std::vector<std::string_view> stems = {"hous", "garden"};
  const std::vector<uint64_t> documents = {2, 3};
  const uint64_t filled = 3;
  const uint64_t too_many = uint64_t{1} << 32;
  EXPECT_FALSE(BagDictionary::make(content_options(), std::span(&too_many, 1), stems, documents));
  const auto dictionary =
      *BagDictionary::make(content_options(), std::span(&filled, 1), stems, documents);
  EXPECT_EQ(dictionary->find("garden"), 0u);
  EXPECT_FALSE(dictionary->find("wall"));
  const auto weighs = [&](const std::vector<uint64_t>& offsets,
                          const std::vector<uint64_t>& entries) {
    return dictionary->weigh(stems, offsets, entries).is_ok();
  };
  EXPECT_TRUE(weighs({0, 2}, {packed(0, 1), packed(1, 1)}));
  EXPECT_FALSE(weighs({}, {}));
  EXPECT_FALSE(weighs({0, 3}, {packed(0, 1), packed(1, 1)}));
  EXPECT_FALSE(weighs({2, 0}, {packed(0, 1), packed(1, 1)}));
  EXPECT_FALSE(weighs({0, 2}, {packed(0, 1), packed(2, 1)}));
  EXPECT_FALSE(weighs({0, 2}, {packed(0, 1), packed(1, 0)}));
}

}  // namespace
}  // namespace kith::distributed
