#include "bags/aliases.h"

#include <algorithm>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace kith::bags {
namespace {

Alias alias(std::string_view from, std::string_view to, AliasKind kind = AliasKind::redirect) {
  return {hash128(from), kind, std::string(to)};
}

bool nothing_fetched(const Key128&) {
  return false;
}

AliasMap map_of(std::vector<Alias> aliases, const std::function<bool(const Key128&)>& is_fetched) {
  choose_aliases(aliases, is_fetched);
  return AliasMap::make(aliases);
}

std::string target_in(const AliasMap& map, std::string_view url) {
  const AliasMap::Target* const target = map.find(hash128(url));
  if (target == nullptr) return "";
  EXPECT_EQ(target->key, hash128(target->url));
  return target->url;
}

TEST(AliasMap, FollowsChainsToTheirEnd) {
  const AliasMap map = map_of({alias("a", "b"), alias("b", "c"), alias("x", "c")}, nothing_fetched);
  EXPECT_EQ(target_in(map, "a"), "c");
  EXPECT_EQ(target_in(map, "b"), "c");
  EXPECT_EQ(target_in(map, "x"), "c");
  EXPECT_EQ(target_in(map, "c"), "");
  EXPECT_EQ(map.counts().folded, 3u);
  EXPECT_EQ(map.counts().targets, 1u);
  EXPECT_EQ(map.counts().largest, 3u);
  EXPECT_EQ(map.counts().largest_target, "c");
}

TEST(AliasMap, LeavesCirclesAndWhatLeadsThereAlone) {
  const AliasMap map =
      map_of({alias("a", "b"), alias("b", "a"), alias("x", "a"), alias("s", "s"), alias("p", "q")},
             nothing_fetched);
  for (const char* url : {"a", "b", "x", "s"}) EXPECT_EQ(target_in(map, url), "") << url;
  EXPECT_EQ(target_in(map, "p"), "q");
}

TEST(AliasMap, FollowsTwentyStepsAndNoMore) {
  std::vector<Alias> chain;
  for (int i = 0; i < 30; ++i) chain.push_back(alias(std::to_string(i), std::to_string(i + 1)));
  const AliasMap map = map_of(chain, nothing_fetched);
  EXPECT_EQ(target_in(map, "10"), "30");
  EXPECT_EQ(target_in(map, "9"), "");
}

TEST(AliasMap, OfSeveralTargetsOneCountsWhateverTheOrder) {
  std::vector<Alias> aliases = {alias("a", "r"), alias("a", "c2", AliasKind::canonical),
                                alias("a", "f", AliasKind::refresh),
                                alias("a", "c1", AliasKind::canonical)};
  EXPECT_EQ(target_in(map_of(aliases, nothing_fetched), "a"), "c1");
  std::ranges::reverse(aliases);
  EXPECT_EQ(target_in(map_of(aliases, nothing_fetched), "a"), "c1");
}

TEST(AliasMap, ARedirectOfAFetchedPageDoesNotCount) {
  const auto is_fetched = [](const Key128& url) {
    return url == hash128("a") || url == hash128("b");
  };
  const AliasMap map =
      map_of({alias("a", "t"), alias("b", "t", AliasKind::canonical), alias("x", "a")}, is_fetched);
  EXPECT_EQ(target_in(map, "a"), "");
  EXPECT_EQ(target_in(map, "b"), "t");
  EXPECT_EQ(target_in(map, "x"), "a");
}

TEST(AliasMap, MayBeEmpty) {
  const AliasMap map = map_of({}, nothing_fetched);
  EXPECT_TRUE(map.empty());
  EXPECT_EQ(map.counts().largest, 0u);
  EXPECT_EQ(map.find(hash128("a")), nullptr);
}

TEST(AliasMemory, NamesTheLeastForWhatThereIs) {
  constexpr uint64_t mebibyte = 1 << 20;
  const Alias one = alias("a", "http://example.org/a/longer/target");
  AliasMemory memory(Budget(74 * mebibyte).without(Share::program, 10 * mebibyte));
  uint64_t count = 0;
  for (; memory.status(); ++count) memory.add(one);
  EXPECT_GT(count, 50'000u);
  EXPECT_LT(count * sizeof(Alias), 16 * mebibyte);
  EXPECT_EQ(memory.status().error().kind, ErrorKind::usage);
  EXPECT_TRUE(memory.status().error().message.starts_with(fmt::format(
      "74 MiB of memory are too few for {} aliases and more; memory = 75M is the minimum", count)))
      << memory.status().error().message;
  AliasMemory larger(Budget(75 * mebibyte).without(Share::program, 10 * mebibyte));
  for (uint64_t i = 0; i < count; ++i) larger.add(one);
  EXPECT_TRUE(larger.status().is_ok());
}

}  // namespace
}  // namespace kith::bags
