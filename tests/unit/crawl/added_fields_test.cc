// Copies of JSON lines whose rows get fields.
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "crawl/copy/record_copy.h"
#include "crawl_testing.h"
#include "record_copying.h"
#include "support/temp_dir.h"

namespace kith::crawl::test {
namespace {

TEST(AddedFields, AreTheLastMembers) {
  EXPECT_EQ(with_members("{}", R"({"k":1})"), R"({"k":1})");
  EXPECT_EQ(with_members(" { } \n", R"({"k":1})"), " {\"k\":1} \n");
  EXPECT_EQ(with_members("{\"a\": \"}{\" }\r\n", R"({"k":1,"l":"x"})"),
            "{\"a\": \"}{\",\"k\":1,\"l\":\"x\"}\r\n");
}

TEST(AddedFields, TakeThePlaceOfThoseOfTheirNames) {
  EXPECT_EQ(with_members(R"({"k": [1, {"k": "}"}], "a": 2})", R"({"k":1})"), R"({"a": 2,"k":1})");
  EXPECT_EQ(with_members(R"({"a": "\"k\"", "k": "\\\"", "b": {"k": 3}})", R"({"k":1})"),
            R"({"a": "\"k\"","b": {"k": 3},"k":1})");
  EXPECT_EQ(with_members(R"({"k": null})", R"({"k":1})"), R"({"k":1})");
}

TEST(AddedFields, OfAFileWithADictionaryAreReadWithoutIt) {
  const kith::test::TempDir dir;
  std::vector<std::string> lines;
  for (int i = 0; i < 300; ++i)
    lines.push_back(fmt::format("{{\"id\":{},\"text\":\"row {}\"}}\n", i, i * i));
  const std::string dictionary = zstd_dictionary(lines);
  std::string file = zstd_skippable(13, dictionary);
  std::string expected;
  for (const std::string& line : lines) {
    file += zstd(line, dictionary);
    expected += line.substr(0, line.size() - 2) + ",\"k\":1}\n";
  }
  kith::test::write_file(dir / "a.jsonl.zst", file);
  const Result<CopyPlan> plan = plan_copy({.inputs = {dir / "a.jsonl.zst"}}, dir / "b.jsonl.zst");
  ASSERT_TRUE(plan.is_ok()) << plan.error().message;
  ThreadPool pool(1);
  const CopyChanges changes{
      .removed = [](uint32_t) -> Result<std::vector<uint64_t>> { return std::vector<uint64_t>(); },
      .added = [](uint32_t, uint64_t) { return std::string(R"({"k":1})"); }};
  const auto report = write_copy(storage::posix_file_system(), pool, *plan, changes);
  ASSERT_TRUE(report.is_ok()) << report.error().message;
  EXPECT_EQ(unpack(kith::test::read_file(dir / "b.jsonl.zst"), Codec::zstd), expected);
}

}  // namespace
}  // namespace kith::crawl::test
