#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <kith/compare.h>
#include <kith/extract.h>
#include <kith/pages.h>
#include <kith/shingles.h>
#include <kith/table_files.h>

#include "parts.h"

namespace {

// Knows one table, which it cannot open.
class NoTable : public kith::TableFiles {
 public:
  bool has(const std::string& input) const override { return input == "rows://none"; }
  kith::Status schema(const std::string& /*input*/, ArrowSchema& /*schema*/) override {
    return no_table();
  }
  kith::Status read(const std::string& /*input*/, const std::vector<std::string>& /*columns*/,
                    ArrowArrayStream& /*rows*/) override {
    return no_table();
  }
  kith::Status copy(const std::string& /*input*/, std::span<const uint64_t> /*removed*/,
                    const kith::AddedColumns& /*added*/,
                    const std::function<kith::Status(std::string_view)>& /*write*/) override {
    return no_table();
  }

 private:
  static kith::Error no_table() { return {kith::ErrorKind::not_found, "there is no table"}; }
};

bool tables_are_asked_for() {
  kith::ReadOptions options;
  options.inputs = {"rows://none"};
  options.tables = std::make_shared<NoTable>();
  const auto reader = kith::PageReader::open(options);
  return !reader && reader.error().message == "there is no table";
}

}  // namespace

bool text_works() {
  const auto page =
      kith::extract({.bytes = "<title>A</title><p>b <a href=/c>c</a>", .url = "http://a.example/"});
  if (!page || page->title != "A" || page->links.size() != 1) return false;
  const auto terms = kith::split_terms("roses and tulips", "en");
  if (!terms || terms->size() != 2) return false;
  const std::array<std::string_view, 2> texts = {"a b c d e f", "a b c d e g"};
  const auto sets = kith::shingles(texts, {.width = 2});
  if (!sets || !kith::validate(*sets) || sets->size() != 2) return false;
  const auto a = kith::make_document("a", texts[0]);
  const auto b = kith::make_document("b", texts[1]);
  if (!a || !b || kith::compare(*a, *b, {.width = 2})->common != 4) return false;
  // Errors are values.
  kith::ReadOptions nowhere;
  nowhere.inputs = {"no-such-file.warc"};
  return !kith::PageReader::open(nowhere) && tables_are_asked_for();
}
