// Pages of topics whose words change with time: each topic has words of its own, and all share some
// others, of which now and then one is replaced by a new one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/random.h"

namespace kith::test {

struct DriftingPage {
  std::string name;
  std::string text;  // 8 words of the topic, 8 that are common, 4 that no other page has
  int64_t time_ms = 0;
  uint32_t topic = 0;
};

// The same pages for the same numbers.
class DriftingPages {
 public:
  static constexpr uint32_t words_of_topic = 8;
  static constexpr uint32_t noise = 4;

  // drift: pages for each word that is replaced. The time between pages is constant.
  DriftingPages(uint64_t seed, uint32_t topics, uint32_t drift, int64_t ms_between)
      : rng_(seed), drift_(drift), ms_between_(ms_between), words_(topics + 1) {
    for (uint32_t topic = 0; topic <= topics; ++topic) {
      for (uint32_t i = 0; i < words_of_topic; ++i) words_[topic].push_back(new_word(topic));
    }
  }

  DriftingPage next() {
    if (++made_ % drift_ == 0) {
      const auto topic = static_cast<uint32_t>(rng_.below(words_.size()));
      words_[topic][rng_.below(words_of_topic)] = new_word(topic);
    }
    DriftingPage page;
    page.name = "http://drift.example/" + std::to_string(made_);
    page.time_ms = static_cast<int64_t>(made_) * ms_between_;
    page.topic = static_cast<uint32_t>(rng_.below(common()));
    std::vector<std::string> words = words_[page.topic];
    words.insert(words.end(), words_[common()].begin(), words_[common()].end());
    for (uint32_t i = 0; i < noise; ++i) words.push_back(spelt(next_word_++));
    for (size_t i = words.size(); i-- > 1;) std::swap(words[i], words[rng_.below(i + 1)]);
    for (const std::string& word : words) page.text += word + " ";
    return page;
  }

  uint32_t common() const { return static_cast<uint32_t>(words_.size() - 1); }
  // The topic that has or had a word, or common(); nothing that is below for any other.
  uint32_t topic_of(const std::string& word) const {
    const auto found = topics_.find(word);
    return found == topics_.end() ? UINT32_MAX : found->second;
  }
  bool is_current(const std::string& word, uint32_t topic) const {
    return std::ranges::find(words_[topic], word) != words_[topic].end();
  }

 private:
  // Different for every number, and its own stem: it ends with a letter that no ending has.
  static std::string spelt(uint64_t number) {
    std::string word = "q";
    for (; number > 0; number /= 16) word += "bcdfghjklmnpqrtv"[number % 16];
    return word + "x";
  }
  std::string new_word(uint32_t topic) {
    std::string word = "z" + spelt(next_word_++);
    topics_[word] = topic;
    return word;
  }

  Rng rng_;
  const uint32_t drift_;
  const int64_t ms_between_;
  uint64_t made_ = 0;
  uint64_t next_word_ = 1;
  std::vector<std::vector<std::string>> words_;
  std::unordered_map<std::string, uint32_t> topics_;
};

}  // namespace kith::test
