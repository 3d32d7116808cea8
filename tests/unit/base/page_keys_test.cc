#include "base/page_keys.h"

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <vector>

#include <gtest/gtest.h>

namespace kith::test {
namespace {

TEST(PageKeys, KnowWhatWasAdded) {
  PageKeys keys;
  EXPECT_TRUE(keys.add({1, 2}));
  EXPECT_TRUE(keys.add({1, 3}));
  EXPECT_TRUE(keys.add({65, 2}));
  EXPECT_FALSE(keys.add({1, 2}));
  EXPECT_EQ(keys.size(), 3u);
  EXPECT_FALSE(keys.has_better());
}

TEST(PageKeys, WithoutDatesTheFirstInTheInputIsTheBest) {
  PageKeys keys(Captures::last);
  keys.ignore_dates();
  EXPECT_TRUE(keys.add({1, 2}, 1000));
  EXPECT_FALSE(keys.add({1, 2}, 2000));
  EXPECT_FALSE(keys.add({1, 2}));
  EXPECT_FALSE(keys.has_better());
}

// The captures of one URL that are taken, by their places.
std::vector<size_t> taken(Captures captures, const std::vector<int64_t>& times) {
  PageKeys keys(captures);
  for (size_t i = 0; i < times.size(); ++i) EXPECT_EQ(keys.add({1, 2}, times[i]), i == 0);
  keys.end_adding();
  EXPECT_FALSE(keys.has_better());
  std::vector<size_t> places;
  for (size_t i = 0; i < times.size(); ++i) {
    if (keys.take({1, 2}, times[i])) places.push_back(i);
  }
  EXPECT_FALSE(keys.take({1, 3}, times[0]));
  return places;
}

TEST(PageKeys, TakeTheBestCaptureOnce) {
  const auto first = [](const std::vector<int64_t>& times) {
    return taken(Captures::first, times);
  };
  const auto last = [](const std::vector<int64_t>& times) { return taken(Captures::last, times); };
  using Places = std::vector<size_t>;
  EXPECT_EQ(first({3000, 1000, 2000}), Places{1});
  EXPECT_EQ(last({1000, 3000, 2000}), Places{1});
  EXPECT_EQ(first({no_time, 2000, no_time}), Places{1});
  EXPECT_EQ(last({no_time, 2000, no_time}), Places{1});
  EXPECT_EQ(first({no_time, no_time}), Places{0});
  EXPECT_EQ(last({no_time, no_time}), Places{0});
  // Of the same second the first in the input.
  EXPECT_EQ(first({2000, 1999, 1001, 1000}), Places{1});
  EXPECT_EQ(last({1000, 2001, 2999}), Places{1});
  // What 32 bits do not hold is at their ends.
  EXPECT_EQ(first({1000, -5000, -9000}), Places{1});
  EXPECT_EQ(last({1000, 9'000'000'000'000, 9'900'000'000'000}), Places{1});
}

TEST(PageKeys, SayWhetherABetterOneHasCome) {
  PageKeys keys(Captures::first);
  keys.add({1, 2}, 1000);
  keys.add({1, 2}, 2000);
  keys.add({1, 2});
  EXPECT_FALSE(keys.has_better());
  keys.add({1, 2}, 0);
  EXPECT_TRUE(keys.has_better());
}

// The twin sorts.
TEST(PageKeys, TakeWhatSortingTakes) {
  std::mt19937_64 random(1);
  for (const Captures captures : {Captures::first, Captures::last}) {
    std::vector<std::pair<uint64_t, int64_t>> input;
    for (int i = 0; i < 5000; ++i) {
      input.emplace_back(random() % 500,
                         random() % 8 == 0 ? no_time : int64_t(random() % 20) * 500);
    }
    PageKeys keys(captures);
    std::map<uint64_t, std::vector<size_t>> by_url;
    for (size_t i = 0; i < input.size(); ++i) {
      keys.add({input[i].first, 7}, input[i].second);
      by_url[input[i].first].push_back(i);
    }
    std::set<size_t> best;
    for (auto& [url, places] : by_url) {
      const auto rank = [&](size_t place) {
        const int64_t seconds = input[place].second / 1000;
        if (input[place].second == no_time) return INT64_MAX;
        return captures == Captures::first ? seconds : -seconds;
      };
      best.insert(*std::ranges::min_element(places, {}, rank));
    }
    EXPECT_EQ(keys.size(), by_url.size());
    for (size_t i = 0; i < input.size(); ++i) {
      EXPECT_EQ(keys.take({input[i].first, 7}, input[i].second), best.contains(i)) << i;
    }
  }
}

}  // namespace
}  // namespace kith::test
