// kith.Run: a finished run of kith.cluster.
#include <algorithm>
#include <optional>

#include <fmt/format.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "kith/kith.h"

#include "bindings.h"

namespace kith::python {
namespace {

namespace nb = nanobind;

// A run and its topics. Immutable, thread-safe.
class OpenRun {
 public:
  explicit OpenRun(std::string directory)
      : directory_(std::move(directory)), run_(value_or_raise(Run::open(directory_))) {
    if (run_.report().topics.topics > 0) tree_ = value_or_raise(TopicTree::open(directory_));
  }

  const Run& run() const { return run_; }
  const std::string& directory() const { return directory_; }
  const TopicTree* topics() const { return tree_ ? &*tree_ : nullptr; }

  std::string topic_of(UrlId id) const { return tree_ ? value_or_raise(tree_->path_of(id)) : ""; }

 private:
  std::string directory_;
  Run run_;
  std::optional<TopicTree> tree_;
};

std::string url_of(const Run& run, UrlId id) {
  return value_or_raise(run.url(id));
}

Table pages(OpenRun& open) {
  const Run& run = open.run();
  Table table{{{"url", ColumnType::text},
               {"title", ColumnType::text},
               {"fetched", ColumnType::flag},
               {"language", ColumnType::text},
               {"inlinks", ColumnType::count},
               {"topic", ColumnType::text},
               {"date", ColumnType::text}}};
  for (UrlId id = 0; id < run.urls(); ++id) {
    table.columns[0].add(std::string_view(url_of(run, id)));
    table.columns[1].add(value_or_raise(run.title(id)));
    table.columns[2].add(value_or_raise(run.fetched(id)));
    table.columns[3].add(value_or_raise(run.language(id)));
    table.columns[4].add(uint64_t{value_or_raise(run.inlinks(id))});
    table.columns[5].add(std::string_view(open.topic_of(id)));
    table.columns[6].add(std::string_view(value_or_raise(run.date(id))));
  }
  return table;
}

std::string_view role_of(size_t members, size_t member) {
  if (members == 1) return "single";
  return member == 0 ? "center" : "member";
}

Table empty_cluster_table() {
  return {{{"cluster", ColumnType::count},
           {"url", ColumnType::text},
           {"role", ColumnType::text},
           {"similarity", ColumnType::number},
           {"topic", ColumnType::text},
           {"language", ColumnType::text},
           {"fetched", ColumnType::flag},
           {"date", ColumnType::text},
           {"title", ColumnType::text}}};
}

void add_cluster(const OpenRun& open, uint64_t number, Table& table) {
  const Cluster cluster = value_or_raise(open.run().cluster(number));
  for (size_t i = 0; i < cluster.members.size(); ++i) {
    const Related& member = cluster.members[i];
    table.columns[0].add(number + 1);
    table.columns[1].add(std::string_view(url_of(open.run(), member.id)));
    table.columns[2].add(role_of(cluster.members.size(), i));
    table.columns[3].add(member.similarity);
    table.columns[4].add(std::string_view(open.topic_of(member.id)));
    table.columns[5].add(value_or_raise(open.run().language(member.id)));
    table.columns[6].add(value_or_raise(open.run().fetched(member.id)));
    table.columns[7].add(std::string_view(value_or_raise(open.run().date(member.id))));
    table.columns[8].add(value_or_raise(open.run().title(member.id)));
  }
}

Table clusters(OpenRun& open) {
  Table table = empty_cluster_table();
  for (uint64_t number = 0; number < open.run().clusters(); ++number) {
    add_cluster(open, number, table);
  }
  return table;
}

Table cluster_of(OpenRun& open, const std::string& url) {
  Table table = empty_cluster_table();
  const UrlId id = value_or_raise(open.run().find(url));
  add_cluster(open, value_or_raise(open.run().cluster_of(id)), table);
  return table;
}

Table cluster_summary(OpenRun& open) {
  const Run& run = open.run();
  Table table{{{"cluster", ColumnType::count},
               {"size", ColumnType::count},
               {"hosts", ColumnType::text},
               {"label", ColumnType::text},
               {"center", ColumnType::text},
               {"title", ColumnType::text}}};
  for (uint64_t number = 0; number < run.clusters(); ++number) {
    const Cluster cluster = value_or_raise(run.cluster(number));
    if (cluster.members.size() == 1) break;  // singles come last
    std::vector<std::string> hosts;
    for (const HostShare& share : cluster.hosts) hosts.push_back(share.host);
    table.columns[0].add(number + 1);
    table.columns[1].add(uint64_t{cluster.members.size()});
    table.columns[2].add(std::string_view(in_one_text(hosts)));
    table.columns[3].add(std::string_view(in_one_text(cluster.label)));
    table.columns[4].add(std::string_view(url_of(run, cluster.members[0].id)));
    table.columns[5].add(value_or_raise(run.title(cluster.members[0].id)));
  }
  return table;
}

struct RelatedQuery {
  size_t n;
  bool other_sites;
  std::optional<size_t> per_site;
};

Table related(OpenRun& open, const std::string& url, const RelatedQuery& query) {
  constexpr size_t usual_per_site = 3;
  const Run& run = open.run();
  const UrlId id = value_or_raise(run.find(url));
  const bool has_other_sites = run.report().pairs.has_other_sites();
  const size_t per_site = query.per_site.value_or(has_other_sites ? usual_per_site : 0);
  Table table{{{"url", ColumnType::text},
               {"similarity", ColumnType::number},
               {"title", ColumnType::text},
               {"topic", ColumnType::text},
               {"fetched", ColumnType::flag},
               {"date", ColumnType::text},
               {"words", ColumnType::text}}};
  const auto found = query.other_sites ? run.related_on_other_sites(id, query.n)
                                       : run.related_by_site(id, query.n, per_site);
  constexpr size_t shared_words = 8;
  for (const Related& page : value_or_raise(found)) {
    table.columns[0].add(std::string_view(url_of(run, page.id)));
    table.columns[1].add(page.similarity);
    table.columns[2].add(value_or_raise(run.title(page.id)));
    table.columns[3].add(std::string_view(open.topic_of(page.id)));
    table.columns[4].add(value_or_raise(run.fetched(page.id)));
    table.columns[5].add(std::string_view(value_or_raise(run.date(page.id))));
    table.columns[6].add(
        std::string_view(in_one_text(value_or_raise(run.shared_words(id, page.id, shared_words)))));
  }
  return table;
}

// Every topic before its children.
void list_topics(const TopicTree& tree, uint32_t number, uint32_t depth,
                 std::vector<uint32_t>& list) {
  const Topic topic = tree.topic(number);
  for (uint32_t i = 0; i < topic.children && depth > 0; ++i) {
    list.push_back(topic.first_child + i);
    list_topics(tree, topic.first_child + i, depth - 1, list);
  }
}

struct TopicQuery {
  std::optional<uint32_t> depth;
  std::optional<size_t> topics;
  std::string under;
};

std::vector<uint32_t> select_topics(const TopicTree& tree, const TopicQuery& query) {
  const uint32_t under = value_or_raise(tree.find(query.under));
  if (query.topics) return tree.cut(*query.topics, under);
  std::vector<uint32_t> list;
  list_topics(tree, under, query.depth.value_or(tree.depth()), list);
  return list;
}

Table topics(OpenRun& open, const TopicQuery& query) {
  if (query.depth && query.topics) {
    throw Raised{{ErrorKind::usage, "depth and topics: name one of them"}};
  }
  // Says how to make one where there is none.
  if (open.topics() == nullptr) raise_error(TopicTree::open(open.directory()).status());
  const TopicTree& tree = *open.topics();
  Table table{{{"topic", ColumnType::text},
               {"pages", ColumnType::count},
               {"children", ColumnType::count},
               {"cohesion", ColumnType::number},
               {"label", ColumnType::text},
               {"exemplar", ColumnType::text},
               {"title", ColumnType::text},
               {"fetched", ColumnType::flag},
               {"language", ColumnType::text}}};
  for (const uint32_t number : select_topics(tree, query)) {
    const Topic topic = tree.topic(number);
    table.columns[0].add(std::string_view(topic.path));
    table.columns[1].add(topic.pages);
    table.columns[2].add(uint64_t{topic.children});
    table.columns[3].add(topic.cohesion);
    table.columns[4].add(
        std::string_view(in_one_text(value_or_raise(written_label(open.run(), tree, number)))));
    table.columns[5].add(std::string_view(url_of(open.run(), topic.exemplar)));
    table.columns[6].add(value_or_raise(open.run().title(topic.exemplar)));
    table.columns[7].add(value_or_raise(open.run().fetched(topic.exemplar)));
    table.columns[8].add(
        value_or_raise(main_language(open.run(), value_or_raise(tree.pages(number)))));
  }
  return table;
}

Table pairs(OpenRun& open, const PairOptions& options) {
  Table table{{{"url_a", ColumnType::text},
               {"url_b", ColumnType::text},
               {"similarity", ColumnType::number}}};
  const Run& run = open.run();
  raise_error(run.for_each_pair(options, [&](const SimilarPair& pair) {
    const std::string a = url_of(run, pair.a);
    const std::string b = url_of(run, pair.b);
    table.columns[0].add(std::string_view(std::min(a, b)));
    table.columns[1].add(std::string_view(std::max(a, b)));
    table.columns[2].add(pair.similarity);
    return true;
  }));
  return table;
}

Table bags(OpenRun& open, const std::optional<std::vector<std::string>>& urls) {
  const Run& run = open.run();
  Table table{
      {{"url", ColumnType::text}, {"terms", ColumnType::texts}, {"weights", ColumnType::numbers}}};
  const auto add = [&](UrlId id) {
    std::vector<std::string> terms;
    std::vector<double> weights;
    for (TermWeight& entry : value_or_raise(run.bag(id))) {
      terms.push_back(std::move(entry.term));
      weights.push_back(entry.weight);
    }
    table.columns[0].add(std::string_view(url_of(run, id)));
    table.columns[1].add(terms);
    table.columns[2].add(weights);
  };
  if (urls) {
    for (const std::string& url : *urls) add(value_or_raise(run.find(url)));
  } else {
    for (UrlId id = 0; id < run.urls(); ++id) add(id);
  }
  return table;
}

}  // namespace

void add_run(nb::module_& module) {
  nb::class_<OpenRun>(module, "Run", "A finished run of kith.cluster; kith.open() makes it.")
      .def(nb::init<std::string>(), nb::arg("directory"))
      .def_prop_ro("directory", &OpenRun::directory, "Where the run is.")
      .def_prop_ro("_report", [](const OpenRun& open) { return to_json(open.run().report()); })
      .def(
          "__len__", [](const OpenRun& open) { return open.run().urls(); }, "The number of URLs.")
      .def(
          "__contains__",
          [](const OpenRun& open, const std::string& url) { return open.run().find(url).is_ok(); },
          nb::arg("url"), "Whether the run knows a URL, in any spelling.")
      .def(
          "pages", [](OpenRun& open) { return make_table([&] { return pages(open); }); },
          "All URLs, in SURT order: url, title, fetched, language, inlinks, topic, date.")
      .def(
          "clusters", [](OpenRun& open) { return make_table([&] { return clusters(open); }); },
          "All clusters, the largest first, each center before its members: cluster (from 1), "
          "url,\n"
          "role (center, member or single), similarity to the center, topic, language, fetched, "
          "date (of the capture), title.")
      .def(
          "cluster_summary",
          [](OpenRun& open) { return make_table([&] { return cluster_summary(open); }); },
          "Clusters of two and more: cluster, size, hosts, label, center, title.")
      .def(
          "cluster",
          [](OpenRun& open, const std::string& url) {
            return make_table([&] { return cluster_of(open, url); });
          },
          nb::arg("url"), "The cluster of a URL, with the columns of clusters().")
      .def(
          "related",
          [](OpenRun& open, const std::string& url, size_t n, bool other_sites,
             std::optional<size_t> per_site) {
            return make_table([&] { return related(open, url, {n, other_sites, per_site}); });
          },
          nb::arg("url"), nb::arg("n") = 10, nb::kw_only(), nb::arg("other_sites") = false,
          nb::arg("per_site") = nb::none(),
          "Up to n related pages, most similar first: url, similarity, title, topic, fetched, "
          "words (that\n"
          "both bags have, heaviest first). other_sites: of other hosts only. per_site: at most "
          "so\n"
          "many of one host, 0 for no limit; 3 unless the run keeps no pages of other hosts.")
      .def(
          "topics",
          [](OpenRun& open, std::optional<uint32_t> depth, std::optional<size_t> topics_,
             std::string under) {
            return make_table([&] { return topics(open, {depth, topics_, std::move(under)}); });
          },
          nb::kw_only(), nb::arg("depth") = nb::none(), nb::arg("topics") = nb::none(),
          nb::arg("under") = "",
          "The tree of topics, each before its children: topic (a path such as 1.3), pages,\n"
          "children, cohesion, label, exemplar, title, fetched (of the exemplar), language (of "
          "most\n"
          "pages). depth: the number of levels. topics: a cut with about this number. under: only\n"
          "what is below this path.")
      .def(
          "_pairs",
          [](OpenRun& open, std::string scratch, uint64_t memory, unsigned threads) {
            return make_table([&] { return pairs(open, {{memory, threads}, scratch}); });
          },
          nb::arg("scratch"), nb::arg("memory"), nb::arg("threads"))
      .def(
          "bags",
          [](OpenRun& open, const std::optional<std::vector<std::string>>& urls) {
            return make_table([&] { return bags(open, urls); });
          },
          nb::arg("urls") = nb::none(),
          "The bag of each of these URLs, or of all: url, terms (stems, heaviest first), weights\n"
          "(which add up to 100).")
      .def(
          "verify",
          [](OpenRun& open) {
            const Status status = [&] {
              const nb::gil_scoped_release released;
              return open.run().verify();
            }();
            raise_error(status);
          },
          "Reads every file and compares checksums. Raises CorruptError that names a damaged one.");
}

}  // namespace kith::python
