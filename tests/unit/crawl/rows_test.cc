// Rows of CSV and tables: which are found again, what quotes cost, which columns are read.
#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kith/table_files.h"

#include "crawl/read/page_reader.h"
#include "crawl/read/row_fields.h"
#include "crawl_testing.h"
#include "support/temp_dir.h"

namespace kith::crawl::test {
namespace {

using kith::test::TempDir;
using kith::test::write_file;
using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> names_of(const RowFields& fields) {
  std::vector<std::string> names;
  for (const RowFields::Field& field : fields.all()) names.push_back(field.name);
  return names;
}

TEST(RowFields, NamesReplaceTheUsualOnes) {
  EXPECT_THAT(
      names_of(RowFields()),
      ElementsAre("text", "content", "raw_content", "html", "markdown", "url", "warc_target_uri",
                  "id", "doc_id", "title", "warc_date", "timestamp", "date", "time"));
  EXPECT_EQ(names_of(RowFields()).size(), RowFields::max_fields);
  ReadOptions options;
  options.text_field = "t";
  options.id_field = "i";
  EXPECT_THAT(names_of(RowFields(options)),
              ElementsAre("t", "i", "title", "warc_date", "timestamp", "date", "time"));
  EXPECT_THAT(names_of(RowFields(options, true)), ElementsAre("t", "i", "title", "time"));
  options.html_field = "h";
  options.url_field = "u";
  options.title_field = "T";
  options.time_field = "w.t";
  const RowFields fields(options);
  EXPECT_THAT(names_of(fields), ElementsAre("h", "t", "u", "i", "T", "w.t"));
  EXPECT_TRUE(fields.is_in_path("w"));
  EXPECT_FALSE(fields.is_in_path("w.t"));
  EXPECT_FALSE(fields.is_in_path("T"));
}

TEST(Csv, RowsAreFoundAgain) {
  TempDir dir;
  std::string rows = "id,text\n";
  for (int i = 0; i < 20'000; ++i) rows += fmt::format("{},\"text\nof {}\"\n\n", i, i);
  write_file(dir / "a.csv", rows);
  CrawlOptions options;
  options.nameless = true;
  PageFinder finder(options);
  for (const uint64_t record : {19'999u, 0u, 7'000u}) {
    std::string found;
    const auto search = finder.find(dir / "a.csv", record, std::chrono::seconds(60),
                                    [&](const Page& page) { found = std::string(page.body); });
    EXPECT_EQ(search.value(), PageSearch::found);
    EXPECT_EQ(found, fmt::format("text\nof {}", record));
  }
}

// Each quote opens a value that only the end of the file ends, or that one behind it makes wrong.
TEST(Csv, QuotesTakeLinearTime) {
  TempDir dir;
  for (const std::string_view line :
       {"a,\"b\"\"\n", "a,\"b\n", "\"a\"b,c\n", "\"\"\"\n", "a,\"b\"c\n"}) {
    std::string rows = "id,text\n";
    while (rows.size() < 4'000'000) rows += line;
    write_file(dir / "a.csv", rows);
    const auto start = std::chrono::steady_clock::now();
    const Crawl crawl = read_file_as_crawl(dir / "a.csv");
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20)) << line;
    EXPECT_GT(crawl.pages.size() + crawl.skipped(Skip::damaged) + crawl.skipped(Skip::empty), 10u)
        << line;
  }
}

// A table in memory that has two columns of texts, with a null in each: "text" and "id".
class TwoColumns : public TableFiles {
 public:
  bool has(const std::string& input) const override { return input == "-"; }

  Status schema(const std::string& /*input*/, ArrowSchema& schema) override {
    fill(schema);
    return Status::ok();
  }

  Status read(const std::string& /*input*/, const std::vector<std::string>& columns,
              ArrowArrayStream& rows) override {
    asked = columns;
    rows = {};
    rows.private_data = this;
    rows.get_schema = [](ArrowArrayStream* self, ArrowSchema* out) {
      static_cast<TwoColumns*>(self->private_data)->fill(*out);
      return 0;
    };
    rows.get_next = [](ArrowArrayStream* self, ArrowArray* out) {
      return static_cast<TwoColumns*>(self->private_data)->next(*out);
    };
    rows.get_last_error = [](ArrowArrayStream*) { return "the disk is on fire"; };
    rows.release = [](ArrowArrayStream* self) { self->release = nullptr; };
    return Status::ok();
  }

  Status copy(const std::string& /*input*/, std::span<const uint64_t> /*removed*/,
              const AddedColumns& /*added*/,
              const std::function<Status(std::string_view bytes)>& write) override {
    return write("copied");
  }

  std::vector<std::string> asked;
  int batches = 2;
  bool fails = false;

 private:
  static ArrowSchema column(const char* format, const char* name) {
    ArrowSchema schema{};
    schema.format = format;
    schema.name = name;
    return schema;
  }

  static void fill(ArrowSchema& schema) {
    static ArrowSchema text = column("u", "text");
    static ArrowSchema id = column("u", "id");
    static ArrowSchema* children[] = {&text, &id};
    schema = column("+s", "");
    schema.n_children = 2;
    schema.children = children;
    schema.release = [](ArrowSchema* self) { self->release = nullptr; };
  }

  static ArrowArray array(int64_t length, int64_t n_buffers, const void** buffers) {
    ArrowArray array{};
    array.length = length;
    array.n_buffers = n_buffers;
    array.buffers = buffers;
    return array;
  }

  int next(ArrowArray& out) {
    out = {};
    if (batches == 0) return fails ? 1 : 0;
    --batches;
    // The first row is beside the batch: its offset is 1.
    static const int32_t offsets[] = {0, 0, 3, 6, 9};
    static const uint8_t valid[] = {0b01110};
    static const void* text_buffers[] = {valid, offsets, "onetwosix"};
    static const uint8_t valid_ids[] = {0b00110};
    static const void* id_buffers[] = {valid_ids, offsets, "a1 a2 a3 "};
    static ArrowArray text = array(4, 3, text_buffers);
    static ArrowArray id = array(4, 3, id_buffers);
    static ArrowArray* children[] = {&text, &id};
    static const void* none[] = {nullptr};
    out = array(3, 1, none);
    out.offset = 1;
    out.n_children = 2;
    out.children = children;
    out.release = [](ArrowArray* self) { self->release = nullptr; };
    return 0;
  }
};

TEST(Tables, RowsOfBatches) {
  CrawlOptions options{.inputs = {"-"}};
  const auto tables = std::make_shared<TwoColumns>();
  options.tables = tables;
  options.nameless = true;
  const Crawl crawl = read_crawl(options);
  EXPECT_THAT(tables->asked, ElementsAre("text", "id"));
  EXPECT_THAT(crawl.urls(), ElementsAre("a1 ", "a2 ", "-:3", "a1 ", "a2 ", "-:6"));
  EXPECT_EQ(crawl.pages.front().body, "one");
  EXPECT_EQ(crawl.report.records, 6u);
}

TEST(Tables, AFailureIsAnError) {
  CrawlOptions options{.inputs = {"-"}};
  const auto tables = std::make_shared<TwoColumns>();
  tables->fails = true;
  options.tables = tables;
  auto reader = PageReader::open(options, {});
  PageBatch batch;
  Result<bool> more = reader->next(batch);
  while (more && *more) more = reader->next(batch);
  ASSERT_FALSE(more.is_ok());
  EXPECT_THAT(more.error().message, HasSubstr("behind row 6: the disk is on fire"));
}

TEST(Tables, ColumnsThatWereNamedMustBeThere) {
  CrawlOptions options{.inputs = {"-"}};
  options.tables = std::make_shared<TwoColumns>();
  ReadOptions names;
  names.text_field = "body";
  options.fields = RowFields(names);
  EXPECT_THAT(PageReader::open(options, {}).error().message,
              HasSubstr("no column 'body'; there are text, id"));
}

}  // namespace
}  // namespace kith::crawl::test
