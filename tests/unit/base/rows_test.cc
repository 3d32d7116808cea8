#include "kith/rows.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "kith/table_files.h"

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

TEST(RowFormat, CsvQuotesCommasAndQuotes) {
  const RowFormat format(ListFormat::csv, {"text", "words", "count", "share"});
  EXPECT_EQ(format.header(), "text,words,count,share\n");
  EXPECT_EQ(row(format), "x\\ty,\"a\"\"b, c\",7,0.250000\n");
}

TEST(RowFormat, CsvForSpreadsheetsBeginsWithAByteOrderMark) {
  const RowFormat format(ListFormat::csv_bom, {"text", "words", "count", "share"});
  EXPECT_EQ(format.header(), "\xef\xbb\xbftext,words,count,share\n");
  EXPECT_EQ(row(format), row(RowFormat(ListFormat::csv, {"text", "words", "count", "share"})));
}

TEST(CsvField, IsOneLineWithQuotesDoubled) {
  EXPECT_EQ(csv_field("plain; text"), "plain; text");
  EXPECT_EQ(csv_field("\"\""), R"("""""")");
  EXPECT_EQ(csv_field("a,b\r\n\"c\""), R"("a,b\r\n""c""")");
  EXPECT_EQ(csv_field(R"(C:\new)"), R"(C:\new)");
  EXPECT_EQ(csv_field("\xe2\x80\xae\xff"), R"(\u{202E}\xFF)");
  EXPECT_EQ(csv_field(""), "");
}

TEST(RowFormat, JsonLinesNameEveryField) {
  const RowFormat format(ListFormat::jsonl, {"text", "words", "count", "share"});
  EXPECT_EQ(format.header(), "");
  EXPECT_EQ(row(format), R"({"text":"x\ty","words":["a\"b","c"],"count":7,"share":0.250000})"
                         "\n");
}

// A file of a table has these lines as its rows.
TEST(RowFormat, RowsOfTablesAreJsonLines) {
  const std::vector<RowColumn> columns{"text", "words", "count", "share"};
  for (const ListFormat format : {ListFormat::parquet, ListFormat::arrow}) {
    EXPECT_TRUE(is_table(format));
    EXPECT_EQ(RowFormat(format, columns).header(), "");
    EXPECT_EQ(row(RowFormat(format, columns)), row(RowFormat(ListFormat::jsonl, columns)));
    EXPECT_EQ(extension(format), name(format));
  }
  EXPECT_FALSE(is_table(ListFormat::jsonl));
}

TEST(ListFile, SaysWhoMakesOneWhereNothingDoes) {
  const auto file = create_list_file(nullptr, RowFormat(ListFormat::arrow, {"text"}), {});
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().kind, ErrorKind::usage);
  EXPECT_TRUE(file.error().message.starts_with("--format arrow: this program makes no such files"))
      << file.error().message;
}

}  // namespace
}  // namespace kith
