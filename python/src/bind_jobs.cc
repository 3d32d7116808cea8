// The jobs: kith.cluster, kith.paper, kith.dedup, kith.merge. Their options are words of the
// command line.
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>
#include <unistd.h>

#include "kith/kith.h"
#include "kith/pages.h"
#include "kith/tune.h"

#include "bindings.h"
#include "cli/program.h"
#include "python_progress.h"
#include "python_tables.h"

namespace kith::python {
namespace {

namespace nb = nanobind;
using Words = std::vector<std::string>;

// Runs a job with the lock of the interpreter released; the report comes back as JSON.
template <class Options, class Job>
std::string run_job(const Result<Options>& options, Job job, const nb::object& tables,
                    const nb::object& progress) {
  Options values = value_or_raise(options);
  values.tables = tables_of(tables);
  PythonProgress show(progress);
  auto report = [&] {
    const nb::gil_scoped_release released;
    return job(values, std::ref(show));
  }();
  show.raise_waiting();
  return to_json(value_or_raise(std::move(report)));
}

int run_command(Words arguments, const nb::object& tables) {
  arguments.insert(arguments.begin(), "kith");
  std::vector<char*> pointers;
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  const std::shared_ptr<TableFiles> opener = tables_of(tables);
  const nb::gil_scoped_release released;
  return cli::run_program(static_cast<int>(arguments.size()), pointers.data(), opener);
}

}  // namespace

void add_jobs(nb::module_& module) {
  module.def(
      "cluster",
      [](const Words& words, const nb::object& tables, const nb::object& progress) {
        return run_job(cli::cluster_options(words), cluster_crawl, tables, progress);
      },
      nb::arg("words"), nb::arg("tables").none(), nb::arg("progress").none());
  module.def(
      "paper",
      [](const Words& words, const nb::object& tables, const nb::object& progress) {
        return run_job(cli::paper_options(words), cluster_crawl, tables, progress);
      },
      nb::arg("words"), nb::arg("tables").none(), nb::arg("progress").none());
  module.def(
      "dedup",
      [](const Words& words, const nb::object& tables, const nb::object& progress) {
        const auto options = value_or_raise(cli::dedup_job_options(words));
        if (const auto* const passages = std::get_if<PassageOptions>(&options)) {
          return run_job(Result<PassageOptions>(*passages), find_passages, tables, progress);
        }
        return run_job(Result<DedupOptions>(std::get<DedupOptions>(options)), dedup, tables,
                       progress);
      },
      nb::arg("words"), nb::arg("tables").none(), nb::arg("progress").none());
  module.def(
      "merge",
      [](const Words& words, const nb::object& tables, const nb::object& progress) {
        const auto options = cli::merge_options(words);
        if (options && !options->shards.empty() && is_dedup_run(options->shards.front())) {
          return run_job(options, merge_dedup, tables, progress);
        }
        return run_job(options, merge, tables, progress);
      },
      nb::arg("words"), nb::arg("tables").none(), nb::arg("progress").none());
  module.def("option_names", &cli::option_names, nb::arg("job"));
  module.def(
      "bytes_of", [](const std::string& size) { return value_or_raise(parse_size(size)); },
      nb::arg("size"));
  module.def("run_command", &run_command, nb::arg("arguments"), nb::arg("tables").none());
}

// kith.tune: which tables find pairs of a similarity, and what they promise.
namespace {

using nb::literals::operator""_a;

Table table_plans(double similarity, double recall, uint32_t lanes, uint32_t max_tables) {
  Table table{{{"per_key", ColumnType::count},
               {"tables", ColumnType::count},
               {"recall", ColumnType::number},
               {"false_negatives", ColumnType::number},
               {"false_positives", ColumnType::number}}};
  for (const TablePlan& plan :
       value_or_raise(plan_all_tables(similarity, recall, lanes, max_tables))) {
    table.columns[0].add(uint64_t{plan.per_key});
    table.columns[1].add(uint64_t{plan.tables});
    table.columns[2].add(plan.recall);
    table.columns[3].add(plan.false_negatives);
    table.columns[4].add(plan.false_positives);
  }
  return table;
}

}  // namespace

void add_tune(nb::module_& module) {
  module.def(
      "tune",
      [](double similarity, double recall, uint32_t lanes, uint32_t max_tables) {
        return make_table([&] { return table_plans(similarity, recall, lanes, max_tables); });
      },
      "similarity"_a, nb::kw_only(), "recall"_a = 0.9, "lanes"_a = 128, "max_tables"_a = 512,
      "For each k the fewest tables with keys of k lanes that find pairs of a similarity with "
      "this\n"
      "recall: per_key (k), tables (l), recall, and how far the S-curve is from a step at the\n"
      "similarity (false_negatives, false_positives). UsageError when none does; it names the "
      "best.\n\n"
      "    >>> kith.tune(0.8, recall=0.95).rows()[0]['per_key']\n"
      "    1\n");
  module.def(
      "recall_at",
      [](double similarity, uint32_t per_key, uint32_t tables, uint32_t lanes) {
        TablePlan plan;
        plan.lanes = lanes;
        plan.per_key = per_key;
        plan.tables = tables;
        raise_error(validate(plan));
        if (!(similarity >= 0 && similarity <= 1)) {
          throw Raised{
              {ErrorKind::usage, fmt::format("similarity {}: must be from 0 to 1", similarity)}};
        }
        return recall_at(plan, similarity);
      },
      "similarity"_a, nb::kw_only(), "per_key"_a, "tables"_a, "lanes"_a = 128,
      "R(s), the chance that a pair of this similarity meets in one of the tables at least: the\n"
      "S-curve. similarity: [0, 1]; per_key: 1 to 8; tables: 1 to 1024. UsageError else.\n\n"
      "    >>> [round(kith.recall_at(s, per_key=4, tables=16), 2) for s in (0.2, 0.5, 0.8)]\n"
      "    [0.03, 0.64, 1.0]\n");
}

// kith.pages: the pages of a crawl, one after the other.
namespace {

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
      .def_ro("is_cut", &CrawledPage::is_cut, "Longer than max_page, and cut there.")
      .def_ro("date", &CrawledPage::date, "Of the capture; empty when not known.");
  nb::class_<PythonPages>(module, "PageReader", "An iterator over the pages of a crawl.")
      .def(
          "__iter__", [](nb::handle self) { return nb::borrow(self); },
          nb::sig("def __iter__(self) -> PageReader"))
      .def("__next__", &next_page);
  module.def(
      "page_reader",
      [](const std::vector<std::string>& words, const nb::object& tables, bool split_words) {
        ClusterOptions options = value_or_raise(cli::cluster_options(words));
        options.tables = tables_of(tables);
        return std::make_unique<PythonPages>(
            value_or_raise(PageReader::open(options, split_words)));
      },
      "words"_a, "tables"_a.none(), "split_words"_a);
}

}  // namespace kith::python
