// kith.extract: what a page says, and where it points.
#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <fmt/format.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include "kith/extract.h"

#include "bindings.h"
#include "texts.h"

namespace kith::python {
namespace {

namespace nb = nanobind;
using nb::literals::operator""_a;

std::vector<std::string_view> links_of(const ExtractedPage& page) {
  std::vector<std::string_view> urls;
  for (const PageLink& link : page.links) {
    if (!link.url.empty()) urls.push_back(link.url);
  }
  return urls;
}

std::vector<std::string_view> words_of(const ExtractedPage& page) {
  std::vector<std::string_view> words;
  for (size_t i = 0; i < page.words.size(); ++i) words.push_back(page.words[i]);
  return words;
}

// The pages of the arguments. A header or a URL by itself is that of all pages.
std::vector<PageBytes> pages_of(const Texts& bytes, const Texts& urls, const Texts& types) {
  std::vector<PageBytes> pages;
  const auto at = [&](const Texts& texts, size_t i, const char* name) {
    if (texts.is_one) return texts.views[0];
    if (texts.views.size() == bytes.views.size()) return texts.views[i];
    throw Raised{{ErrorKind::usage,
                  fmt::format("{}: {} values for {} pages; give one for all, or one for each", name,
                              texts.views.size(), bytes.views.size())}};
  };
  for (size_t i = 0; i < bytes.views.size(); ++i) {
    pages.push_back({bytes.views[i], at(urls, i, "url"), at(types, i, "content_type")});
  }
  return pages;
}

Table empty_table() {
  return {{{"url", ColumnType::text},
           {"title", ColumnType::text},
           {"text", ColumnType::text},
           {"language", ColumnType::text},
           {"charset", ColumnType::text},
           {"words", ColumnType::count},
           {"links", ColumnType::texts},
           {"error", ColumnType::text}}};
}

void add_row(std::string_view url, const Result<ExtractedPage>& extracted, Table& table) {
  const bool is_read = extracted.is_ok();
  const ExtractedPage none;
  const ExtractedPage& page = is_read ? *extracted : none;
  table.columns[0].add(url);
  table.columns[1].add(std::string_view(page.title));
  table.columns[2].add(std::string_view(page.text));
  table.columns[3].add(std::string_view(page.language));
  table.columns[4].add(std::string_view(page.charset));
  table.columns[5].add(page.word_count);
  table.columns[6].add(links_of(page));
  table.columns[7].add(is_read ? std::string_view() : extracted.error().message);
}

// Some pages at a time, so that what is made of them lies in few places and near.
Table table_of(std::span<const PageBytes> pages, const ExtractOptions& options, unsigned threads) {
  constexpr size_t pages_per_batch = 512;
  Table table = empty_table();
  for (size_t begin = 0; begin < pages.size(); begin += pages_per_batch) {
    const auto batch = pages.subspan(begin, std::min(pages_per_batch, pages.size() - begin));
    const auto extracted = value_or_raise(extract(batch, options, threads));
    for (size_t i = 0; i < batch.size(); ++i) add_row(batch[i].url, extracted[i], table);
    if (begin > 0) continue;
    for (Column& column : table.columns) column.expect(pages.size());
  }
  return table;
}

ExtractedPage extract_one(const std::variant<nb::str, nb::bytes>& html, const nb::object& url,
                          const nb::object& content_type, const std::string& language,
                          unsigned /*threads*/) {
  const nb::handle object = std::visit([](const auto& one) { return nb::handle(one); }, html);
  const Texts bytes = take_texts(object, "html");
  const Texts urls = take_texts(url, "url");
  const Texts types = take_texts(content_type, "content_type");
  return value_or_raise(extract(pages_of(bytes, urls, types)[0], {.language = language}));
}

PythonTable extract_many(const nb::object& html, const nb::object& url,
                         const nb::object& content_type, const std::string& language,
                         unsigned threads) {
  const Texts bytes = take_texts(html, "html");
  const Texts urls = take_texts(url, "url");
  const Texts types = take_texts(content_type, "content_type");
  const std::vector<PageBytes> pages = pages_of(bytes, urls, types);
  const ExtractOptions options{.language = language, .words = false};
  return make_table([&] { return table_of(pages, options, threads); });
}

}  // namespace

void add_extract(nb::module_& module) {
  nb::class_<ExtractedPage>(module, "Page", "What a page says: the result of extract().")
      .def_ro("text", &ExtractedPage::text, "The text; blanks are one, block elements leave one.")
      .def_ro("title", &ExtractedPage::title, "The title, which is no part of the text.")
      .def_ro("language", &ExtractedPage::language,
              "A tag such as 'en'; 'other' when kith has no stemmer for it.")
      .def_ro("charset", &ExtractedPage::charset, "What the bytes were decoded from.")
      .def_prop_ro("words", &words_of, "The words of the text, in lower case.")
      .def_prop_ro("links", &links_of, "The URLs of its links, absolute and canonical.")
      .def("__repr__", [](const ExtractedPage& page) {
        return fmt::format("<kith.Page '{}': {} words, {} links>", page.title, page.word_count,
                           page.links.size());
      });
  module.def(
      "extract", &extract_one, "html"_a, nb::kw_only(), "url"_a = "", "content_type"_a = "",
      "language"_a = "", "threads"_a = 0,
      "The text, title, language and links of pages, as kith.cluster reads them.\n\n"
      "html: one str or bytes, which gives a Page; or many, as a sequence or an Arrow column, "
      "which\n"
      "give a Table: url, title, text, language, charset, words (their number), links, error "
      "(empty\n"
      "where the page was read). url: of the page, or one for each; relative links need it.\n"
      "content_type: the header, likewise; without it HTML is told by the first tag. language: of\n"
      "every page, as a tag or a name; without it it is detected. threads: 0 for one per "
      "processor.\n"
      "Raises UsageError where a page by itself is no text or HTML.\n\n"
      "    >>> page = kith.extract('<title>Tea</title><a href=/pot>A pot</a> of tea', "
      "url='https://a.example/')\n"
      "    >>> page.title, page.text, page.links\n"
      "    ('Tea', 'A pot of tea', ['https://a.example/pot'])\n");
  module.def("extract", &extract_many, "html"_a, nb::kw_only(), "url"_a = "", "content_type"_a = "",
             "language"_a = "", "threads"_a = 0);
}

}  // namespace kith::python
