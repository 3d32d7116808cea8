// kith.pages: the pages of a crawl, one after the other.
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>
#include <unistd.h>

#include "kith/pages.h"

#include "bindings.h"
#include "cli/job_options.h"
#include "errors.h"

namespace kith::python {
namespace {

namespace nb = nanobind;
using nb::literals::operator""_a;

// kith.PageReader. Pages are read without the lock of the interpreter: this one keeps threads that
// share an iterator apart.
class PythonPages {
 public:
  explicit PythonPages(PageReader reader) : reader_(std::move(reader)) {}

  // After fork() both processes would read on from one place in the file, each a part of the pages.
  Result<std::optional<CrawledPage>> next() {
    if (::getpid() != process_) {
      return Error{ErrorKind::usage,
                   "pages: the iterator is that of another process, before fork(); call "
                   "kith.pages() in this one"};
    }
    const std::scoped_lock lock(mutex_);
    return reader_.next();
  }

 private:
  const pid_t process_ = ::getpid();
  std::mutex mutex_;
  PageReader reader_;
};

CrawledPage next_page(PythonPages& pages) {
  auto page = [&] {
    const nb::gil_scoped_release released;
    return pages.next();
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
  nb::class_<PythonPages>(module, "PageReader", "An iterator over the pages of a crawl.")
      .def(
          "__iter__", [](nb::handle self) { return nb::borrow(self); },
          nb::sig("def __iter__(self) -> PageReader"))
      .def("__next__", &next_page);
  module.def(
      "page_reader",
      [](const std::vector<std::string>& words, bool split_words) {
        const ClusterOptions options = value_or_raise(cli::cluster_options(words));
        return std::make_unique<PythonPages>(
            value_or_raise(PageReader::open(options, split_words)));
      },
      "words"_a, "split_words"_a);
}

}  // namespace kith::python
