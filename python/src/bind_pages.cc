// kith.pages: the pages of a crawl, one after the other.
#include <optional>

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "kith/pages.h"

#include "bindings.h"
#include "cli/job_options.h"
#include "errors.h"

namespace kith::python {
namespace {

namespace nb = nanobind;
using nb::literals::operator""_a;

CrawledPage next_page(PageReader& reader) {
  auto page = [&] {
    const nb::gil_scoped_release released;
    return reader.next();
  }();
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
  std::optional<CrawledPage> next = value_or_raise(std::move(page));
  if (!next) throw nb::stop_iteration();
  return std::move(*next);
}

}  // namespace

void add_pages(nb::module_& module) {
  nb::class_<CrawledPage, ExtractedPage>(module, "CrawledPage",
                                         "A page of a crawl: one that pages() gives.")
      .def_ro("url", &CrawledPage::url, "Its canonical URL.")
      .def_ro("status", &CrawledPage::status, "Of HTTP; 0 when the crawl holds none.")
      .def_ro("is_cut", &CrawledPage::is_cut, "Longer than max_page, and cut there.");
  nb::class_<PageReader>(module, "PageReader", "An iterator over the pages of a crawl.")
      .def(
          "__iter__", [](nb::handle self) { return nb::borrow(self); },
          nb::sig("def __iter__(self) -> PageReader"))
      .def("__next__", &next_page, nb::lock_self());
  module.def(
      "page_reader",
      [](const std::vector<std::string>& words, bool split_words) {
        const ClusterOptions options = value_or_raise(cli::cluster_options(words));
        return value_or_raise(PageReader::open(options, split_words));
      },
      "words"_a, "split_words"_a);
}

}  // namespace kith::python
