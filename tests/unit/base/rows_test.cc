#include "kith/rows.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace kith {
namespace {

const std::vector<std::string> words{"a\"b", "c"};

std::string row(const RowFormat& format) {
  std::string out;
  format.append(out, {"x\ty", words, uint64_t{7}, 0.25});
  return out;
}

TEST(RowFormat, TsvHasALineOfNamesAndEscapesTabs) {
  const RowFormat format(ListFormat::tsv, {"text", "words", "count", "share"});
  EXPECT_EQ(format.header(), "text\twords\tcount\tshare\n");
  EXPECT_EQ(row(format), "x\\ty\ta\"b, c\t7\t0.250000\n");
}

TEST(RowFormat, JsonLinesNameEveryField) {
  const RowFormat format(ListFormat::jsonl, {"text", "words", "count", "share"});
  EXPECT_EQ(format.header(), "");
  EXPECT_EQ(row(format), R"({"text":"x\ty","words":["a\"b","c"],"count":7,"share":0.250000})"
                         "\n");
}

}  // namespace
}  // namespace kith
