#include "run/input_identity.h"

#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/hash.h"
#include "base/random.h"
#include "support/temp_dir.h"

namespace kith::run {
namespace {

using nlohmann::json;

// What the header says of a fingerprint, byte by byte.
std::string definition(const std::string& content) {
  constexpr size_t block = 16 << 10;
  std::string sample = content;
  if (content.size() > (1 << 20)) {
    sample.clear();
    for (size_t i = 0; i < 15; ++i) {
      sample += content.substr((content.size() - block) / 15 * i, block);
    }
    sample += content.substr(content.size() - block);
  }
  return fmt::format("{:016x}", hash64(sample));
}

TEST(FileFingerprint, IsThatOfTheDefinition) {
  const test::TempDir folder;
  Rng rng(1);
  for (const size_t size : {0, 1, 1000, (1 << 20) - 1, 1 << 20, (1 << 20) + 1, 3 << 20}) {
    std::string content(size, ' ');
    for (char& c : content) c = static_cast<char>(rng() & 0xff);
    const std::string path = folder.path() + "/file";
    test::write_file(path, content);
    const auto fingerprint = file_fingerprint(storage::posix_file_system(), path);
    ASSERT_TRUE(fingerprint) << fingerprint.error().message;
    EXPECT_EQ(*fingerprint, definition(content)) << size;
  }
}

TEST(FileFingerprint, FailsWhereThereIsNoFile) {
  const auto missing = file_fingerprint(storage::posix_file_system(), "/nonexistent/file");
  ASSERT_FALSE(missing);
  EXPECT_NE(missing.error().message.find("/nonexistent/file"), std::string::npos);
}

// Whatever stands in a manifest, there is an answer.
TEST(InputDifference, AnswersToAnythingThatAManifestMayHold) {
  const json now = json::array({{{"name", "a"}, {"size", 5}, {"content", "0"}}});
  for (const char* earlier :
       {"null", "7", "{}", "[]", "[null]", "[[1]]", "[\"a:5:7\"]", R"([{"name": 7}])",
        R"([{"name": "a", "size": "5"}])", R"([{"files": -1}])", R"([{"bags": null}])",
        R"([{"pipe": 1, "name": "a"}])", R"([{"shard": []}, {"bags": 1}])"}) {
    EXPECT_FALSE(input_difference(json::parse(earlier), now).empty()) << earlier;
  }
}

}  // namespace
}  // namespace kith::run
