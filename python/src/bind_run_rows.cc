// What kith.spark needs of runs: their rows by numbers, some at a time, and bags for them.
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "kith/bags.h"
#include "kith/run.h"
#include "kith/topics.h"

#include "arrays.h"
#include "bindings.h"
#include "cli/program.h"

namespace kith::python {
namespace {

namespace nb = nanobind;
using nb::literals::operator""_a;

// A finished run, whose URLs are known by their ids. Immutable.
class RunRows {
 public:
  explicit RunRows(const std::string& directory) : run_(value_or_raise(Run::open(directory))) {
    if (run_.report().topics.topics > 0) tree_ = value_or_raise(TopicTree::open(directory));
  }

  const Run& run() const { return run_; }
  bool has_topics() const { return tree_.has_value(); }

  // Those of clusters from the number `first` on, all of each, until there are so many rows.
  Table clusters(uint64_t first, uint64_t rows) const;
  // Up to n related pages of each URL in [begin, end).
  Table related(UrlId begin, UrlId end, size_t n) const;
  // Every topic before its children. REQUIRES: has_topics().
  Table topics() const;

 private:
  Run run_;
  std::optional<TopicTree> tree_;
};

Table RunRows::clusters(uint64_t first, uint64_t rows) const {
  Table table{{{"cluster", ColumnType::count},
               {"row", ColumnType::count},
               {"role", ColumnType::text},
               {"similarity", ColumnType::number},
               {"center_row", ColumnType::count},
               {"topic", ColumnType::text}}};
  for (uint64_t number = first; number < run_.clusters() && table.rows() < rows; ++number) {
    const Cluster cluster = value_or_raise(run_.cluster(number));
    const UrlId center = cluster.members.front().id;
    const std::string_view role_of_center = cluster.members.size() == 1 ? "single" : "center";
    for (const Related& member : cluster.members) {
      table.columns[0].add(number + 1);
      table.columns[1].add(uint64_t{member.id});
      table.columns[2].add(member.id == center ? role_of_center : "member");
      table.columns[3].add(member.similarity);
      table.columns[4].add(uint64_t{center});
      table.columns[5].add(
          std::string_view(tree_ ? value_or_raise(tree_->path_of(member.id)) : std::string()));
    }
  }
  return table;
}

Table RunRows::related(UrlId begin, UrlId end, size_t n) const {
  Table table{{{"row", ColumnType::count},
               {"rank", ColumnType::count},
               {"related_row", ColumnType::count},
               {"similarity", ColumnType::number}}};
  for (UrlId id = begin; id < end; ++id) {
    uint64_t rank = 0;
    for (const Related& near : value_or_raise(run_.related(id, n))) {
      table.columns[0].add(uint64_t{id});
      table.columns[1].add(++rank);
      table.columns[2].add(uint64_t{near.id});
      table.columns[3].add(near.similarity);
    }
  }
  return table;
}

Table RunRows::topics() const {
  Table table{{{"topic", ColumnType::text},
               {"pages", ColumnType::count},
               {"children", ColumnType::count},
               {"cohesion", ColumnType::number},
               {"label", ColumnType::text},
               {"exemplar_row", ColumnType::count}}};
  for (uint32_t number = 1; number < tree_->topics(); ++number) {
    const Topic topic = tree_->topic(number);
    table.columns[0].add(std::string_view(topic.path));
    table.columns[1].add(topic.pages);
    table.columns[2].add(uint64_t{topic.children});
    table.columns[3].add(topic.cohesion);
    table.columns[4].add(
        std::string_view(in_one_text(value_or_raise(written_label(run_, *tree_, number)))));
    table.columns[5].add(uint64_t{topic.exemplar});
  }
  return table;
}

// Writes all pairs to a new file, which may be large: a, b, similarity of each.
Status write_pairs(const Run& run, const std::string& path, const PairOptions& options) {
  static_assert(sizeof(SimilarPair) == 16);
  const auto failed = [&] {
    return Error{ErrorKind::io, fmt::format("{}: {}", path, std::strerror(errno))};
  };
  std::ofstream file(path, std::ios::binary);
  KITH_TRY(run.for_each_pair(options, [&](const SimilarPair& pair) {
    file.write(reinterpret_cast<const char*>(&pair), sizeof(pair));
    return file.good();
  }));
  file.close();
  return file.good() ? Status::ok() : Status(failed());
}

// The entries of bags (distributed::PageBags) with these terms and weights, which need not be
// scaled.
Result<std::vector<uint64_t>> entries_of(const BagsView& view) {
  KITH_ASSIGN(const Bags bags, Bags::make(view, 1));
  std::vector<uint64_t> entries;
  for (size_t i = 0; i < bags.size(); ++i) {
    for (const BagTerm& entry : bags[i]) {
      entries.push_back(static_cast<uint64_t>(entry.weight * (1 << 16)) << 32 | entry.term);
    }
  }
  return entries;
}

}  // namespace

void add_run_rows(nb::module_& module) {
  nb::class_<RunRows>(module, "RunRows", "The rows of a finished run, by numbers.")
      .def(nb::init<std::string>(), "directory"_a)
      .def("__len__", [](const RunRows& self) { return self.run().urls(); })
      .def_prop_ro("has_topics", &RunRows::has_topics)
      .def(
          "clusters",
          [](const RunRows& self, uint64_t first, uint64_t rows) {
            return make_table([&] { return self.clusters(first, rows); });
          },
          "first"_a, "rows"_a)
      .def(
          "related",
          [](const RunRows& self, UrlId begin, UrlId end, size_t n) {
            return make_table([&] { return self.related(begin, end, n); });
          },
          "begin"_a, "end"_a, "n"_a)
      .def("topics", [](const RunRows& self) { return make_table([&] { return self.topics(); }); })
      .def(
          "write_pairs",
          [](const RunRows& self, const std::string& path, const std::string& scratch,
             uint64_t memory, unsigned threads) {
            const Status written = [&] {
              const nb::gil_scoped_release released;
              return write_pairs(self.run(), path, {{memory, threads}, scratch});
            }();
            raise_error(written);
          },
          "path"_a, "scratch"_a, "memory"_a, "threads"_a);
  module.def(
      "bag_entries",
      [](const Input<uint64_t>& offsets, const Input<uint32_t>& terms,
         const Input<double>& weights) {
        return vector_of(unlocked([&] {
          return entries_of({span_of(offsets), span_of(terms), span_of(weights)});
        }));
      },
      "offsets"_a, "terms"_a, "weights"_a);
  module.def(
      "check_cluster_options",
      [](const std::vector<std::string>& words) {
        raise_error(validate(value_or_raise(cli::cluster_options(words))));
      },
      "words"_a);
}

}  // namespace kith::python
