// The collections that the tests of the pairs stage share.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "support/random_bags.h"

namespace kith::similar {

struct NamedBags {
  std::string name;
  test::OwnedBags bags;
};

inline std::vector<NamedBags> edge_collections() {
  using Word = std::pair<uint32_t, double>;
  std::vector<NamedBags> all;
  all.push_back({"none", {}});
  {
    test::OwnedBags bags;
    bags.add(std::vector<Word>{{5, 1.0}, {9, 2.0}});
    all.push_back({"one", std::move(bags)});
  }
  {
    test::OwnedBags bags;
    for (int i = 0; i < 100; ++i) bags.add(std::vector<Word>{{1, 1.0}, {2, 2.0}, {7, 0.5}});
    all.push_back({"all equal", std::move(bags)});
  }
  {
    test::OwnedBags bags;
    for (int i = 0; i < 10; ++i) bags.add({});
    all.push_back({"all empty", std::move(bags)});
  }
  {
    test::OwnedBags bags;
    for (uint32_t i = 0; i < 100; ++i) bags.add(std::vector<Word>{{i % 7, 1.0}});
    all.push_back({"one-word bags", std::move(bags)});
  }
  {
    test::OwnedBags bags;
    for (uint32_t i = 0; i < 100; ++i) bags.add(std::vector<Word>{{i, 1.0}});
    all.push_back({"all different", std::move(bags)});
  }
  {
    test::OwnedBags bags;
    for (uint32_t i = 0; i < 50; ++i) {
      bags.add(std::vector<Word>{{UINT32_MAX, 1.0}, {UINT32_MAX - i % 5, 2.0}, {i, 3.0}});
    }
    all.push_back({"largest term", std::move(bags)});
  }
  {
    // More terms than 16-bit accumulators have room for roundings; some weights of one unit.
    test::OwnedBags bags;
    for (uint32_t i = 0; i < 6; ++i) {
      std::vector<Word> words;
      for (uint32_t term = 0; term < 20'000; ++term)
        words.push_back({term + i * 3000, 1.0 + (term + i) % 3});
      words.push_back({3 + i, i % 2 == 0 ? 1e9 : 1.0});
      bags.add(words);
    }
    bags.add(std::vector<Word>{{100, 1.0}, {20'100, 1.0}});
    all.push_back({"very long bags", std::move(bags)});
  }
  return all;
}

inline std::vector<NamedBags> random_collections(size_t bags = 1200) {
  std::vector<NamedBags> all;
  all.push_back({"clustered", test::random_bags({.bags = bags, .topics = 30, .seed = 11})});
  all.push_back({"zipf", test::random_bags({.bags = bags,
                                            .words = 25,
                                            .vocabulary = 3000,
                                            .topics = 0,
                                            .family_share = 0,
                                            .seed = 12})});
  all.push_back(
      {"duplicates",
       test::random_bags(
           {.bags = bags, .words = 12, .duplicate_share = 0.6, .empty_share = 0.1, .seed = 13})});
  all.push_back({"families", test::random_bags({.bags = bags,
                                                .words = 60,
                                                .topics = 5,
                                                .family_share = 0.8,
                                                .family_edit = 0.05,
                                                .seed = 14})});
  all.push_back(
      {"few words",
       test::random_bags({.bags = bags, .words = 3, .vocabulary = 12, .topics = 0, .seed = 15})});
  return all;
}

inline std::vector<NamedBags> all_collections(size_t bags = 1200) {
  std::vector<NamedBags> all = edge_collections();
  for (NamedBags& named : random_collections(bags)) all.push_back(std::move(named));
  return all;
}

inline std::vector<uint32_t> all_ids(const sketch::BagCollection& bags) {
  std::vector<uint32_t> ids(bags.size());
  for (uint32_t id = 0; id < ids.size(); ++id) ids[id] = id;
  return ids;
}

}  // namespace kith::similar
