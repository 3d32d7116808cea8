#include "synthetic/model.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "text/url/url.h"

namespace kith::synthetic {
namespace {

using Words = std::vector<bags::TermCount>;

Words words_of(Model& model, uint32_t id) {
  Words words;
  model.words(model.page(id), words);
  return words;
}

// Plain pages only, all of whose words are of topics.
ModelOptions topical_pages(uint64_t urls, uint32_t topics) {
  return {.urls = urls,
          .topics = topics,
          .topic_share = 1,
          .topic_spread = 0,
          .family_share = 0,
          .copy_share = 0,
          .one_word_share = 0,
          .empty_share = 0};
}

TEST(Model, NoUrlsAndOneUrl) {
  EXPECT_EQ(Model({.urls = 0}).urls(), 0u);
  Model one({.urls = 1});
  EXPECT_EQ(one.topics(), 1u);
  EXPECT_EQ(one.page(0).source, 0u);
  EXPECT_EQ(one.page(0).site, 0u);
}

TEST(Model, RefusesWhatIsOutOfRange) {
  EXPECT_TRUE(validate(ModelOptions{}));
  for (const ModelOptions& bad :
       {ModelOptions{.urls = 50'000'001}, ModelOptions{.vocabulary = 999},
        ModelOptions{.words = 0.5}, ModelOptions{.words = std::nan("")},
        ModelOptions{.topic_share = 1.5}, ModelOptions{.topic_spread = -1},
        ModelOptions{.shared_share = 2}, ModelOptions{.topic_fan_out = 1},
        ModelOptions{.topic_fan_out = 1001}, ModelOptions{.copy_share = -0.1},
        ModelOptions{.family_share = 0.6, .copy_share = 0.5}}) {
    const Status status = validate(bad);
    ASSERT_FALSE(status) << describe(bad);
    EXPECT_EQ(status.error().kind, ErrorKind::usage);
  }
}

TEST(Model, AnyOrderOfAskingGivesTheSame) {
  Model forwards({.urls = 500, .seed = 3});
  Model backwards({.urls = 500, .seed = 3});
  std::vector<Words> words(500);
  for (uint32_t id = 500; id-- > 0;) words[id] = words_of(backwards, id);
  for (uint32_t id = 0; id < 500; ++id) EXPECT_EQ(words_of(forwards, id), words[id]) << id;
}

TEST(Model, AnotherSeedIsAnotherCollection) {
  Model first({.urls = 500, .seed = 1});
  Model second({.urls = 500, .seed = 2});
  size_t equal = 0;
  for (uint32_t id = 0; id < 500; ++id) equal += words_of(first, id) == words_of(second, id);
  EXPECT_LT(equal, 50u);  // empty ones
}

TEST(Model, UrlsAreCanonicalAndInTheOrderOfTheirKeys) {
  const Model model({.urls = 20'000});
  std::string url, key, last;
  text::Url parsed;
  for (uint32_t id = 0; id < model.urls(); ++id) {
    model.url(model.page(id), url);
    ASSERT_TRUE(text::parse_url(url, nullptr, parsed));
    ASSERT_EQ(parsed.href, url);
    text::surt_of_url(url, key);
    ASSERT_LT(last, key);
    last = key;
  }
}

TEST(Model, WordsAscendAndAreOfTheVocabulary) {
  Model model({.urls = 5000, .vocabulary = 2000, .words = 100});
  for (uint32_t id = 0; id < model.urls(); ++id) {
    const Words words = words_of(model, id);
    for (size_t i = 0; i < words.size(); ++i) {
      ASSERT_LT(words[i].term, model.vocabulary());
      ASSERT_GT(words[i].count, 0u);
      if (i > 0) {
        ASSERT_LT(words[i - 1].term, words[i].term);
      }
    }
  }
}

TEST(Model, SharesAndLengthAreThoseAskedFor) {
  Model model({.urls = 20'000, .words = 50});
  double plain = 0, words = 0, families = 0, copies = 0, one_word = 0, empty = 0;
  for (uint32_t id = 0; id < model.urls(); ++id) {
    const Page page = model.page(id);
    const size_t size = words_of(model, id).size();
    if (page.source != id) {
      ++copies;
      EXPECT_LT(page.source, id);
      EXPECT_EQ(words_of(model, id), words_of(model, page.source));
      continue;
    }
    families += page.kind == PageKind::family;
    EXPECT_EQ(page.kind == PageKind::family, page.family != Page::no_family);
    one_word += page.kind == PageKind::one_word;
    empty += page.kind == PageKind::empty;
    if (page.kind == PageKind::one_word) {
      EXPECT_EQ(size, 1u);
    }
    if (page.kind == PageKind::empty) {
      EXPECT_EQ(size, 0u);
    }
    if (page.kind != PageKind::plain) continue;
    ++plain;
    words += static_cast<double>(size);
  }
  EXPECT_NEAR(families / model.urls(), 0.1, 0.01);
  EXPECT_NEAR(copies / model.urls(), 0.05, 0.01);
  EXPECT_NEAR(one_word / model.urls(), 0.01, 0.003);
  EXPECT_NEAR(empty / model.urls(), 0.02, 0.005);
  EXPECT_NEAR(words / plain, 50, 2.5);
}

TEST(Model, WhatOthersHaveNoShareOfIsNotThere) {
  Model model({.urls = 300,
               .topic_share = 0,
               .family_share = 0,
               .copy_share = 1,
               .one_word_share = 0,
               .empty_share = 0});
  // All but the first are copies, in the end of the first.
  for (uint32_t id = 0; id < model.urls(); ++id) EXPECT_EQ(model.page(id).source, 0u);
}

TEST(Model, WithoutSpreadPagesOfTopicWordsHaveNoOthers) {
  Model model(topical_pages(400, 2));
  for (uint32_t id = 0; id < model.urls(); ++id) {
    // The first 1/200 of the vocabulary are words that topics do not have.
    for (const auto& word : words_of(model, id)) EXPECT_GE(word.term, model.vocabulary() / 200);
  }
}

// With topic words that are all shared, pages of a group have words of it that others lack.
TEST(Model, TopicsOfAGroupShareItsWords) {
  ModelOptions options = topical_pages(2000, 20);
  options.shared_share = 1;
  options.topic_fan_out = 3;
  Model model(options);
  EXPECT_TRUE(std::ranges::equal(model.groups(), std::vector<uint32_t>{3, 9}));
  std::vector<std::set<uint32_t>> of_topic(20);
  for (uint32_t id = 0; id < model.urls(); ++id) {
    std::set<uint32_t>& words = of_topic[model.page(id).topic];
    for (const auto& word : words_of(model, id)) words.insert(word.term);
  }
  const auto shared = [&](uint32_t a, uint32_t b) {
    return std::ranges::count_if(of_topic[a],
                                 [&](uint32_t word) { return of_topic[b].contains(word); });
  };
  EXPECT_GT(shared(0, 9), shared(0, 3) + 10);  // the group of the last level, too
  EXPECT_GT(shared(0, 3), shared(0, 1) + 10);  // one of the first level
}

TEST(Model, WordsAreSpeltDifferently) {
  std::set<std::string> met;
  std::string word;
  for (uint32_t term = 0; term < 50'000; ++term) {
    spell(term, word);
    EXPECT_GE(word.size(), 4u);
    EXPECT_TRUE(met.insert(word).second) << word;
  }
}

}  // namespace
}  // namespace kith::synthetic
