// The steps of bags for many machines, put together on one, beside `kith cluster` of the same
// pages.
#include "kith/bag_steps.h"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "kith/bags.h"
#include "kith/pipeline.h"

#include "bags/tables.h"
#include "base/random.h"
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

ClusterOptions bag_run_options(const BagStepOptions& options) {
  ClusterOptions run;
  run.bags = BagKind::content;
  run.boilerplate = Boilerplate::keep;
  run.weighting = options.weighting;
  run.min_df = options.min_df;
  run.max_df = options.max_df;
  run.max_terms = options.max_terms;
  run.max_page = options.max_page;
  run.language = options.language;
  run.topics = TopicGraph::none;
  run.check_queries = 0;
  return run;
}

// The bags of a run.
class BagsOfRun {
 public:
  BagsOfRun(const std::vector<BagPage>& pages, const BagStepOptions& options) {
    std::string lines;
    for (const BagPage& page : pages) {
      lines += "{\"url\":\"" + page.url + "\",\"title\":\"" + page.title + "\",\"text\":\"" +
               page.text + "\"}\n";
    }
    test::write_file(dir_ / "pages.jsonl", lines);
    ClusterOptions run = bag_run_options(options);
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
  BagsOfSteps(const std::vector<BagPage>& pages, const BagStepOptions& options, size_t parts)
      : steps_(*BagSteps::make(options)) {
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
    dictionary_.emplace(*steps_.dictionary(std::span(&filled_, 1), stems, documents));
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
    const PageWords words = *steps_.words(texts, titles);
    for (size_t i = 0; i < words.stems.size(); ++i) {
      documents_[std::string(words.stems[i])] += words.documents[i];
    }
    for (size_t i = 0; i < words.forms.size(); ++i) {
      const std::string_view stem = words.stems[words.form_stems[i]];
      forms_[std::string(stem)][std::string(words.forms[i])] += words.form_counts[i];
    }
    for (size_t i = 0; i < words.pages(); ++i) filled_ += words.offsets[i] < words.offsets[i + 1];
    parts_.push_back(words);
  }

  void weigh(const PageWords& words) {
    const PageBags bags =
        *dictionary_->weigh(views_of(words.stems), words.offsets, words.terms, words.counts);
    for (size_t i = 1; i < bags.offsets.size(); ++i) {
      all_.offsets.push_back(all_.terms.size() + bags.offsets[i]);
    }
    all_.terms.insert(all_.terms.end(), bags.terms.begin(), bags.terms.end());
    all_.weights.insert(all_.weights.end(), bags.weights.begin(), bags.weights.end());
    all_.rescued += bags.rescued;
    all_.cut_entries += bags.cut_entries;
  }

  const BagSteps steps_;
  std::vector<PageWords> parts_;
  uint64_t filled_ = 0;
  std::map<std::string, uint64_t> documents_;
  std::map<std::string, std::map<std::string, uint64_t>> forms_;
  std::optional<BagDictionary> dictionary_;
  PageBags all_;
};

// The places of pages in the order of their keys.
std::vector<uint32_t> order_of(const std::vector<BagPage>& pages) {
  std::vector<std::string_view> urls;
  for (const BagPage& page : pages) urls.push_back(page.url);
  const StringList keys = BagSteps::url_keys(urls);
  std::vector<uint32_t> order(pages.size());
  for (uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::sort(order, {}, [&](uint32_t i) { return keys[i]; });
  return order;
}

void expect_same_terms(const BagsOfSteps& found, const BagsOfRun& run) {
  ASSERT_EQ(found.dictionary().terms(), run.terms().size());
  for (uint32_t term = 0; term < run.terms().size(); ++term) {
    const std::string_view stem = run.terms().stem(term);
    EXPECT_EQ(found.dictionary().stem(term), stem);
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
      bag.push_back(
          {found.terms[at], static_cast<uint32_t>(found.weights[at] * sketch::weight_one)});
    }
    EXPECT_TRUE(std::ranges::equal(bag, run.bag(id))) << url.href;
    ++id;
  }
}

TEST(BagSteps, MakeTheBagsOfARun) {
  const std::vector<BagPage> pages = make_pages(400);
  for (const BagStepOptions& options :
       {BagStepOptions{}, BagStepOptions{.weighting = Weighting::nmdf, .max_terms = 12},
        BagStepOptions{.weighting = Weighting::tf, .min_df = 1, .language = "de"},
        BagStepOptions{.min_df = 4, .max_df = 0.01, .max_page = 1024}}) {
    const BagsOfRun run(pages, options);
    for (const size_t parts : {1, 7}) {
      const BagsOfSteps found(pages, options, parts);
      expect_same_terms(found, run);
      expect_same_bags(pages, found.all(), run);
      EXPECT_EQ(found.vocabulary(), run.report().vocabulary);
      EXPECT_EQ(found.dictionary().frequent_terms(), run.report().frequent_terms);
      EXPECT_EQ(found.all().rescued, run.report().rescued);
      EXPECT_EQ(found.all().cut_entries, run.report().cut_entries);
    }
  }
}

TEST(BagSteps, GiveWhatBagsTakeAsItIs) {
  const BagsOfSteps found(make_pages(60), {}, 3);
  const PageBags& made = found.all();
  const auto bags = Bags::make({made.offsets, made.terms, made.weights});
  ASSERT_TRUE(bags);
  for (size_t i = 0; i < bags->size(); ++i) {
    for (const BagTerm& entry : (*bags)[i]) {
      const auto begin = made.terms.begin() + static_cast<ptrdiff_t>(made.offsets[i]);
      const auto end = made.terms.begin() + static_cast<ptrdiff_t>(made.offsets[i + 1]);
      const auto at = std::find(begin, end, entry.term);
      ASSERT_NE(at, end);
      EXPECT_EQ(entry.weight, made.weights[static_cast<size_t>(at - made.terms.begin())]);
    }
  }
}

TEST(BagSteps, ReadNoTitleWithoutAText) {
  const auto steps = BagSteps::make();
  const std::vector<std::string_view> texts = {"", "gardens"};
  const std::vector<std::string_view> titles = {"houses", "houses"};
  const auto words = steps->words(texts, titles);
  EXPECT_EQ(words->offsets, (std::vector<uint64_t>{0, 0, 2}));
  EXPECT_EQ(words->words, 2);
  EXPECT_EQ(steps->words(texts)->words, 1);
  EXPECT_FALSE(steps->words(texts, std::span(titles).first(1)));
}

TEST(BagSteps, OrderUrlsAsARunDoes) {
  const std::vector<std::string_view> urls = {"https://b.a.example/x", "ftp://a.example/", "7",
                                              "HTTPS://A.example:443/y#z", "https://a.example/y"};
  const StringList keys = BagSteps::url_keys(urls);
  ASSERT_EQ(keys.size(), urls.size());
  EXPECT_EQ(keys[0], "example a b\t/x");
  EXPECT_EQ(keys[1], "");
  EXPECT_EQ(keys[2], "");
  EXPECT_EQ(keys[3], keys[4]);
}

TEST(BagSteps, NameOptionsOutOfRange) {
  const auto message = [](const BagStepOptions& options) {
    const auto steps = BagSteps::make(options);
    EXPECT_FALSE(steps);
    return steps ? std::string() : steps.error().message;
  };
  EXPECT_NE(message({.min_df = 0}).find("min_df = 0"), std::string::npos);
  EXPECT_NE(message({.max_df = 2}).find("max_df = 2"), std::string::npos);
  EXPECT_NE(message({.max_page = 3}).find("max_page"), std::string::npos);
  EXPECT_NE(message({.language = "tlhingan"}).find("language"), std::string::npos);
}

TEST(BagSteps, NameWordsThatDoNotFitTogether) {
  const auto steps = BagSteps::make();
  const std::vector<std::string_view> stems = {"hous", "garden"};
  const std::vector<std::string_view> twice = {"hous", "hous"};
  const std::vector<uint64_t> documents = {2, 3};
  const auto made = [&](const std::vector<uint64_t>& filled, std::span<const std::string_view> of,
                        std::span<const uint64_t> numbers) {
    return steps->dictionary(filled, of, numbers);
  };
  EXPECT_FALSE(made({2}, stems, documents));
  EXPECT_FALSE(made({3, 3}, stems, documents));
  EXPECT_FALSE(made({3}, stems, std::span(documents).first(1)));
  EXPECT_FALSE(made({3}, twice, documents));
  EXPECT_FALSE(made({uint64_t{1} << 32}, stems, documents));
  const auto dictionary = made({3}, stems, documents);
  ASSERT_TRUE(dictionary);
  EXPECT_EQ(dictionary->stem(0), "garden");
  EXPECT_FALSE(dictionary->find("wall"));
  const auto weighs = [&](const std::vector<uint64_t>& offsets, const std::vector<uint32_t>& terms,
                          const std::vector<uint32_t>& counts) {
    return static_cast<bool>(dictionary->weigh(stems, offsets, terms, counts));
  };
  EXPECT_TRUE(weighs({0, 2}, {0, 1}, {1, 1}));
  EXPECT_FALSE(weighs({0, 3}, {0, 1}, {1, 1}));
  EXPECT_FALSE(weighs({2, 0}, {0, 1}, {1, 1}));
  EXPECT_FALSE(weighs({0, 2}, {1, 0}, {1, 1}));
  EXPECT_FALSE(weighs({0, 2}, {0, 2}, {1, 1}));
  EXPECT_FALSE(weighs({0, 2}, {0, 1}, {1, 0}));
  EXPECT_FALSE(weighs({0, 2}, {0, 1}, {1}));
}

TEST(BagSteps, RefuseToLeaveOutTheTemplatesOfTexts) {
  const auto steps = BagSteps::make({.boilerplate = Boilerplate::remove});
  ASSERT_TRUE(steps);
  const std::vector<std::string_view> texts = {"a text"};
  const auto words = steps->words(texts);
  ASSERT_FALSE(words);
  EXPECT_NE(words.error().message.find("keep boilerplate"), std::string::npos);
}

}  // namespace
}  // namespace kith::distributed
