// kith clusters, pairs, bags, related: what a run found, on standard output.
#include <algorithm>
#include <memory>
#include <optional>

#include <fmt/format.h>
#include <unistd.h>

#include "command.h"
#include "console.h"
#include "output.h"
#include "read_flags.h"
#include "temporary_folder.h"
#include "text_format.h"

namespace kith::cli {
namespace {

struct Flags {
  std::string directory;
  ListFormat format = ListFormat::tsv;
  bool summary = false;
  size_t count = 10;
  unsigned threads = 0;
  std::string memory;
  std::string url;
  std::vector<std::string> urls;
};

// Adds a subcommand that opens the run and calls print(run, flags, out).
template <class Print>
CLI::App* add_reader(CLI::App& app, Outcome& outcome, const char* name, const char* help,
                     const std::shared_ptr<Flags>& flags, Print print) {
  CLI::App* const command = app.add_subcommand(name, help);
  command->add_option("DIR", flags->directory, "The run directory")->required();
  command->callback([flags, &outcome, print] {
    const auto run = Run::open(flags->directory);
    if (!run) return outcome.fail(run.error());
    Output out;
    if (const Status status = print(*run, *flags, out); !status)
      return outcome.fail(status.error());
    if (const Status status = out.finish(); !status) return outcome.fail(status.error());
  });
  return command;
}

// The topics of a run; of one without any, none.
class TopicColumn {
 public:
  static Result<TopicColumn> open(const Run& run, const std::string& directory) {
    TopicColumn column;
    if (run.report().topics.topics == 0) return column;
    KITH_ASSIGN(column.tree_, TopicTree::open(directory));
    return column;
  }
  // The path of the leaf of a page; empty where it has none.
  std::string of(UrlId id) const {
    const auto leaf = tree_ ? tree_->leaf_of(id) : std::nullopt;
    return leaf ? tree_->path(*leaf) : "";
  }
  // The path, and the words of the topics on it: "1.3 (windows, file > drive, disk)".
  std::string described(UrlId id) const {
    const auto leaf = tree_ ? tree_->leaf_of(id) : std::nullopt;
    if (!leaf || *leaf == 0) return "";
    std::vector<std::string> steps;
    for (uint32_t at = *leaf; at != 0; at = tree_->topic(at).parent) {
      std::vector<std::string> words = tree_->topic(at).label;
      words.resize(std::min<size_t>(words.size(), 2));
      steps.insert(steps.begin(), fmt::format("{}", fmt::join(words, ", ")));
    }
    return fmt::format("{} ({})", tree_->path(*leaf), fmt::join(steps, " > "));
  }

 private:
  std::optional<TopicTree> tree_;
};

std::string_view role_of(const Cluster& cluster, size_t member) {
  if (cluster.members.size() == 1) return "single";
  return member == 0 ? "center" : "member";
}

Status print_cluster_rows(const Run& run, const Flags& flags, Output& out) {
  const RowFormat format(flags.format, {"cluster", "url", "role", "similarity", "topic"});
  KITH_ASSIGN(const TopicColumn topics, TopicColumn::open(run, flags.directory));
  out.header(format);
  for (uint64_t number = 0; number < run.clusters() && out.good(); ++number) {
    KITH_ASSIGN(const Cluster cluster, run.cluster(number));
    for (size_t i = 0; i < cluster.members.size(); ++i) {
      KITH_ASSIGN(const std::string url, run.url(cluster.members[i].id));
      const std::string topic = topics.of(cluster.members[i].id);
      out.row(format, {number + 1, url, role_of(cluster, i), cluster.members[i].similarity, topic});
    }
  }
  return Status::ok();
}

Status print_cluster_summary(const Run& run, const Flags& flags, Output& out) {
  const RowFormat format(flags.format, {"cluster", "size", "label", "center", "title"});
  out.header(format);
  for (uint64_t number = 0; number < run.clusters() && out.good(); ++number) {
    KITH_ASSIGN(const Cluster cluster, run.cluster(number));
    if (cluster.members.size() == 1) break;  // singles come last and have no label
    const UrlId center = cluster.members[0].id;
    KITH_ASSIGN(const std::string url, run.url(center));
    KITH_ASSIGN(const std::string_view title, run.title(center));
    out.row(format, {number + 1, uint64_t{cluster.members.size()}, cluster.label, url, title});
  }
  return Status::ok();
}

Status print_related(const Run& run, const Flags& flags, Output& out) {
  KITH_ASSIGN(const UrlId id, run.find(flags.url));
  if (run.report().options.neighbours == 0) {
    return Error{ErrorKind::usage,
                 fmt::format("{0}: keeps no related pages, as it was made with --neighbours 0; "
                             "'kith cluster {0} -o OTHER --neighbours {1}' makes a run of its bags "
                             "that does",
                             flags.directory, flags.count)};
  }
  if (flags.count > run.report().options.neighbours) {
    print_message(
        fmt::format("the run keeps {} neighbours a URL, fewer than -n {}; 'kith cluster "
                    "{} -o OTHER --neighbours {}' makes one that keeps more",
                    run.report().options.neighbours, flags.count, flags.directory, flags.count));
  }
  KITH_ASSIGN(const TopicColumn topics, TopicColumn::open(run, flags.directory));
  const std::string topic = topics.described(id);
  // For people: the rows are about other pages.
  if (!topic.empty() && ::isatty(STDERR_FILENO) != 0) print_message("topic " + topic);
  const RowFormat format(flags.format, {"url", "similarity", "title", "topic"});
  out.header(format);
  KITH_ASSIGN(const std::vector<Related> related, run.related(id, flags.count));
  for (const Related& page : related) {
    KITH_ASSIGN(const std::string url, run.url(page.id));
    KITH_ASSIGN(const std::string_view title, run.title(page.id));
    const std::string its_topic = topics.of(page.id);
    out.row(format, {url, page.similarity, title, its_topic});
  }
  return Status::ok();
}

// Before more pairs come than anybody expects: families of equal pages have the square of their
// size. Runs without degrees cannot tell.
Status announce_pairs(const Run& run, const std::string& directory) {
  constexpr uint64_t many = 100'000'000;
  uint64_t ends = 0;
  for (UrlId id = 0; id < run.urls(); ++id) {
    KITH_ASSIGN(const uint32_t degree, run.degree(id));
    ends += degree;
  }
  if (ends / 2 < many) return Status::ok();
  print_message(
      fmt::format("the run has {} similar pairs: as many lines follow; 'kith cluster {} -o OTHER "
                  "--similarity S' with a higher S has fewer",
                  with_commas(ends / 2), directory));
  return Status::ok();
}

// Prints pairs until one cannot be read.
class PairPrinter {
 public:
  PairPrinter(const Run& run, ListFormat format, Output& out)
      : run_(run), format_(format, {"url_a", "url_b", "similarity"}), out_(out) {
    out_.header(format_);
  }

  Status print(const SimilarPair& pair) {
    status_ = print_line(pair);
    return status_;
  }
  const Status& status() const { return status_; }

 private:
  Status print_line(const SimilarPair& pair) {
    // Pairs come by their left URL, so it is decoded once for all of them.
    if (left_url_.empty() || pair.a != left_) {
      KITH_ASSIGN(left_url_, run_.url(pair.a));
      left_ = pair.a;
    }
    KITH_ASSIGN(const std::string right_url, run_.url(pair.b));
    // Ids are in SURT order; the columns promise the order of strings.
    const auto& [a, b] = std::minmax(left_url_, right_url);
    out_.row(format_, {a, b, pair.similarity});
    return Status::ok();
  }

  const Run& run_;
  const RowFormat format_;
  Output& out_;
  UrlId left_ = 0;
  std::string left_url_;  // empty before the first pair
  Status status_;
};

Status print_pairs(const Run& run, const Flags& flags, Output& out) {
  PairOptions options;
  options.threads = flags.threads;
  KITH_TRY(read_size_flag("--memory", flags.memory, options.memory));
  const auto folder = TemporaryFolder::create("kith-pairs", flags.directory);
  // Small runs need none: only what must be sorted on the disk misses it.
  options.scratch = folder ? folder->path() : flags.directory + "/kith-pairs";
  KITH_TRY(announce_pairs(run, flags.directory));
  PairPrinter printer(run, flags.format, out);
  Status status = run.for_each_pair(
      options, [&](const SimilarPair& pair) { return printer.print(pair).is_ok() && out.good(); });
  KITH_TRY(printer.status());
  const bool misses_folder =
      !folder && !status && status.error().message.find(options.scratch) != std::string::npos;
  return misses_folder ? folder.status() : status;
}

Status print_bag(const Run& run, UrlId id, Output& out) {
  KITH_ASSIGN(const std::string url, run.url(id));
  KITH_ASSIGN(const std::vector<TermWeight> bag, run.bag(id));
  std::string terms;
  for (const TermWeight& entry : bag) {
    terms +=
        fmt::format("{}{}:{:.4f}", terms.empty() ? "" : ",", json_string(entry.term), entry.weight);
  }
  out.line(fmt::format(R"({{"url":{},"terms":{{{}}}}})", json_string(url), terms));
  return Status::ok();
}

Status print_bags(const Run& run, const Flags& flags, Output& out) {
  if (flags.urls.empty()) {
    for (UrlId id = 0; id < run.urls() && out.good(); ++id) KITH_TRY(print_bag(run, id, out));
    return Status::ok();
  }
  for (const std::string& url : flags.urls) {
    KITH_ASSIGN(const UrlId id, run.find(url));
    KITH_TRY(print_bag(run, id, out));
  }
  return Status::ok();
}

}  // namespace

void add_clusters_command(CLI::App& app, Outcome& outcome) {
  const auto flags = std::make_shared<Flags>();
  CLI::App* const command =
      add_reader(app, outcome, "clusters", "The clusters of a run: cluster, url, role, similarity",
                 flags, [](const Run& run, const Flags& given, Output& out) {
                   return given.summary ? print_cluster_summary(run, given, out)
                                        : print_cluster_rows(run, given, out);
                 });
  command->add_flag("--summary", flags->summary,
                    "One line per cluster: number, size, label, center and its title; no singles");
  add_format_option(*command, flags->format);
  command->footer(R"(
Clusters are numbered by size, the largest first; a role is center, member or single; the
similarity is to the center; the topic is a path of 'kith topics'.

Examples:
  kith clusters run --summary | head
  kith clusters run | awk -F'\t' '$1 == 3'
  kith clusters run --format jsonl > clusters.jsonl)");
}

void add_related_command(CLI::App& app, Outcome& outcome) {
  const auto flags = std::make_shared<Flags>();
  CLI::App* const command =
      add_reader(app, outcome, "related", "What is related to a page, most similar first", flags,
                 print_related);
  command->add_option("URL", flags->url, "The page, in any spelling of its URL")->required();
  command->add_option("-n", flags->count, "How many")->capture_default_str();
  add_format_option(*command, flags->format);
  command->footer(R"(
The topics are paths of 'kith topics'; that of the page itself is told on standard error, where that
is a terminal.

Examples:
  kith related run https://example.org/page -n 5
  kith related run https://example.org/page --format jsonl | jq .url)");
}

void add_pairs_command(CLI::App& app, Outcome& outcome) {
  const auto flags = std::make_shared<Flags>();
  CLI::App* const command = add_reader(
      app, outcome, "pairs",
      "All pairs of URLs at or above the threshold, each once, in the order of the ids of the run",
      flags, print_pairs);
  add_resource_flags(*command, flags->memory, flags->threads);
  add_format_option(*command, flags->format);
  command->footer(R"(
Pairs are computed anew by the run's engine. In every line url_a < url_b in byte order. What does
not fit the memory is sorted in a folder in $TMPDIR, or else in DIR (in /tmp where DIR cannot be
written to), which is removed at the end, also after Ctrl-C or when a reader such as head has enough.

Examples:
  kith pairs run | sort -t$'\t' -k3,3gr | head
  kith pairs run --format jsonl | gzip > pairs.jsonl.gz
  TMPDIR=/scratch kith pairs run --memory 1G > pairs.tsv)");
}

void add_bags_command(CLI::App& app, Outcome& outcome) {
  const auto flags = std::make_shared<Flags>();
  CLI::App* const command =
      add_reader(app, outcome, "bags", "The bags of URLs, as JSON lines: stems and their weights",
                 flags, print_bags);
  command->add_option("URL", flags->urls, "These URLs only (default: all)");
  command->footer(R"(
The weights of a bag add up to 100; the heaviest words come first.

Examples:
  kith bags run https://example.org/page
  kith bags run | gzip > bags.jsonl.gz)");
}

}  // namespace kith::cli
