// kith clusters, pairs, bags: what a run found, on standard output.
#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include "cli/commands/command.h"
#include "cli/commands/flags.h"
#include "cli/output/console.h"
#include "cli/output/output.h"
#include "cli/output/summary.h"
#include "cli/signals.h"

namespace kith::cli {
namespace {

struct ListFlags {
  std::string directory;
  ListFormat format = ListFormat::tsv;
  std::string output;  // empty: standard output
  bool summary = false;
  unsigned threads = 0;
  std::string memory;
  std::vector<std::string> urls;
};

std::string_view role_of(const Cluster& cluster, size_t member) {
  if (cluster.members.size() == 1) return "single";
  return member == 0 ? "center" : "member";
}

Status print_cluster_rows(const Run& run, const ListFlags& flags, Output& out) {
  using enum RowColumn::Type;
  const RowFormat format(flags.format, {{"cluster", count},
                                        "url",
                                        "role",
                                        {"similarity", share},
                                        "topic",
                                        "language",
                                        {"fetched", boolean},
                                        "date",
                                        "title"});
  KITH_ASSIGN(const TopicColumn topics, TopicColumn::open(run, flags.directory));
  out.header(format);
  for (uint64_t number = 0; number < run.clusters() && out.good(); ++number) {
    KITH_ASSIGN(const Cluster cluster, run.cluster(number));
    for (size_t i = 0; i < cluster.members.size(); ++i) {
      const Related& member = cluster.members[i];
      KITH_ASSIGN(const std::string url, run.url(member.id));
      KITH_ASSIGN(const std::string topic, topics.of(member.id));
      KITH_ASSIGN(const std::string_view language, run.language(member.id));
      KITH_ASSIGN(const bool fetched, run.fetched(member.id));
      KITH_ASSIGN(const std::string date, run.date(member.id));
      KITH_ASSIGN(const std::string_view title, run.title(member.id));
      out.row(format, {number + 1, url, role_of(cluster, i), member.similarity, topic, language,
                       fetched, date, title});
    }
  }
  return Status::ok();
}

Status print_cluster_summary(const Run& run, const ListFlags& flags, Output& out) {
  using enum RowColumn::Type;
  const RowFormat format(flags.format, {{"cluster", count},
                                        {"size", count},
                                        {"hosts", words},
                                        {"label", words},
                                        "center",
                                        "title",
                                        {"fetched", boolean}});
  out.header(format);
  for (uint64_t number = 0; number < run.clusters() && out.good(); ++number) {
    KITH_ASSIGN(const Cluster cluster, run.cluster(number));
    if (cluster.members.size() == 1) break;  // singles come last and have no label
    const UrlId center = cluster.members[0].id;
    KITH_ASSIGN(const std::string url, run.url(center));
    KITH_ASSIGN(const std::string_view title, run.title(center));
    KITH_ASSIGN(const bool fetched, run.fetched(center));
    const std::vector<std::string> hosts = host_texts(cluster);
    out.row(format, {number + 1, uint64_t{cluster.members.size()}, hosts, cluster.label, url, title,
                     fetched});
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
      : run_(run),
        format_(format, {"url_a", "url_b", {"similarity", RowColumn::Type::share}}),
        out_(out) {
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

Status print_run_pairs(const Run& run, const ListFlags& flags, Output& out) {
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

Status print_bags(const Run& run, const ListFlags& flags, Output& out) {
  if (flags.urls.empty()) {
    for (UrlId id = 0; id < run.urls() && out.good(); ++id) KITH_TRY(print_bag(run, id, out));
    return Status::ok();
  }
  for (const std::string& url : flags.urls) {
    KITH_ASSIGN(const UrlId id, run.find(url));
    KITH_TRY(print_bag(run, id, out));  // which names the URL that an alias is folded into
  }
  return Status::ok();
}

}  // namespace

void add_clusters_command(CLI::App& app, Outcome& outcome) {
  const auto flags = std::make_shared<ListFlags>();
  CLI::App* const command = add_reader(
      app, outcome, "clusters", "The clusters of a run, a line per URL", flags,
      [](const Run& run, const ListFlags& given, Output& out) {
        return given.summary ? print_cluster_summary(run, given, out)
                             : print_cluster_rows(run, given, out);
      },
      [](const Stream& stream, const ListFlags& given, Output& out) {
        print_stream_clusters(stream, given.format, given.summary, out);
        return Status::ok();
      });
  command->add_flag(
      "--summary", flags->summary,
      "One line per cluster: number, size, hosts, label, center and its title; no singles");
  add_list_options(*command, flags->format, flags->output);
  command->footer(R"(
Clusters are numbered by size, the largest first; a role is center, member or single; the
similarity is to the center; the topic is a path of 'kith topics'; what was not fetched is known
from links alone, and has no title; the date is that of the capture, where the input has one. Those
of a stream have the numbers and roles of 'kith stream', as of its last snapshot, and no topics.
Hosts are those of a tenth of the members or more, with their share where it is not all.

Examples:
  kith clusters run --summary | head
  kith clusters run | awk -F'\t' '$1 == 3'
  kith clusters run --format jsonl > clusters.jsonl
  kith clusters run --format csv-bom -o clusters.csv       for a spreadsheet
  kith clusters run --format parquet -o clusters.parquet   by the kith of the Python package)");
}

void add_pairs_command(CLI::App& app, Outcome& outcome) {
  const auto flags = std::make_shared<ListFlags>();
  CLI::App* const command = add_reader(
      app, outcome, "pairs",
      "All pairs of URLs at or above the threshold, each once, in the order of the ids of the run",
      flags, print_run_pairs);
  add_resource_flags(*command, flags->memory, flags->threads);
  add_list_options(*command, flags->format, flags->output);
  command->footer(R"(
Pairs are computed anew by the run's engine. In every line url_a < url_b in byte order. What does
not fit the memory is sorted in a folder in $TMPDIR, or else in DIR (in /tmp where DIR cannot be
written to), which is removed at the end, also after Ctrl-C or when a reader such as head has
enough.

Examples:
  kith pairs run | sort -t$'\t' -k3,3gr | head
  kith pairs run --format jsonl | gzip > pairs.jsonl.gz
  TMPDIR=/scratch kith pairs run --memory 1G > pairs.tsv)");
}

void add_bags_command(CLI::App& app, Outcome& outcome) {
  const auto flags = std::make_shared<ListFlags>();
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
