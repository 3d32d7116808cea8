#include <array>
#include <string_view>

#include <kith/compare.h>
#include <kith/extract.h>
#include <kith/pages.h>
#include <kith/shingles.h>

#include "parts.h"

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
  return !kith::PageReader::open(nowhere);
}
