// kith cluster, paper and merge: from a crawl to clusters.
#include <cstdio>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "cli/commands/command.h"
#include "cli/commands/flags.h"
#include "cli/help/help.h"
#include "cli/output/console.h"
#include "cli/output/summary.h"
#include "cli/program.h"
#include "cli/signals.h"

namespace kith::cli {

// kith cluster: the whole job.

namespace {

constexpr const char* cluster_examples = R"(
An INPUT that is a run directory of kith gives its bags: the crawl is not read again.

Examples:
  kith cluster crawl.warc.gz -o run
  kith cluster part-*.warc.gz -o run --memory 4G --threads 8
  kith cluster pages.jsonl.zst -o run --bags content --similarity 0.2
  kith cluster site/ --base-url https://example.org/ -o run
  zcat crawl.warc.gz | kith cluster - -o run --links external
  kith cluster run -o finer --similarity 0.4
  kith cluster run -o sorted --within classes.tsv
  kith cluster crawl/ --shard 2/4 -o part-2    a quarter of the files; see kith merge --help)";

// Which URLs have bags, and of what, beyond the words.
void add_url_flags(CLI::App& command, ClusterOptions& options) {
  add_choice(
      command, "--urls", options.urls, {UrlScope::fetched, UrlScope::seen, UrlScope::all},
      "Which URLs get a bag: fetched pages alone, also those linked from two hosts or three pages, "
      "or every linked URL");
  add_choice(command, "--boilerplate", options.boilerplate,
             {Boilerplate::remove, Boilerplate::keep},
             "Leave menus, side bars and footers out: what stands on many pages of a site");
  command
      .add_option("--content-share", options.content_share,
                  "Of the words of the page in bags of both; where a URL has one kind alone it is "
                  "all")
      ->capture_default_str();
  end_group(command, cli::group::words);
}

void add_similarity_flags(CLI::App& command, ClusterFlags& flags) {
  ClusterOptions& options = flags.options;
  command
      .add_option("--similarity", flags.similarity,
                  "The threshold: 'auto' follows the crawl, or a number up to 1")
      ->type_name("auto|NUMBER")
      ->default_str("auto");
  add_choice(
      command, "--engine", options.engine,
      {EngineChoice::automatic, EngineChoice::exact, EngineChoice::lsh},
      "How similar pages are found; auto takes the exact one up to two minutes of one core, else "
      "the cheaper");
  command.add_option("--recall", options.recall, "Of pairs at the threshold, with the LSH engine")
      ->capture_default_str();
  command.add_option("--lanes", options.lanes, "Minima in a signature")->capture_default_str();
  command.add_option("--max-tables", options.max_tables, "LSH tables at most")
      ->capture_default_str();
  command
      .add_option(
          "--min-words", options.min_words,
          "A URL whose bag has fewer different words is in no cluster except that of its copies")
      ->capture_default_str();
  add_choice(
      command, "--order", options.order,
      {Order::automatic, Order::degree, Order::mass, Order::inlinks, Order::url, Order::random},
      "In which order URLs may become centers");
  add_choice(command, "--assign", options.assign, {Assign::first, Assign::best},
             "Join the earliest similar center, or the most similar");
  command
      .add_option(
          "--within", options.within,
          "A table of URLs and classes, as kith classify makes it: no cluster has URLs of two "
          "classes; URLs without one count as a class")
      ->type_name("FILE");
  add_check_flags(command, flags);
  end_group(command, cli::group::similarity);
}

void add_list_flags(CLI::App& command, ClusterFlags& flags) {
  ClusterOptions& options = flags.options;
  add_neighbours_flag(command, flags);
  command
      .add_option("--other-sites", options.other_sites,
                  "Related pages of other hosts kept for every URL, however little similar; 0: "
                  "none, as in a crawl of one host")
      ->capture_default_str();
  add_choice(command, "--related", options.related,
             std::vector<std::pair<std::string, std::optional<RelatedPages>>>{
                 {"smoothed", RelatedPages::smoothed},
                 {"plain", RelatedPages::plain},
                 {"similar", RelatedPages::similar}},
             "Related pages are the nearest by the bags of a page and its neighbours together, so "
             "that more of them are of one topic; by the page's own bag; or of these only the ones "
             "at or above the threshold: with LSH tables pairs then take less than half of the "
             "time [smoothed]");
  add_choice(
      command, "--topics", options.topics,
      {TopicGraph::full, TopicGraph::mutual, TopicGraph::clusters, TopicGraph::none},
      "The graph that topics are made of: each page and its nearest pages; only those that are "
      "near to each other, in half of the memory; or the clusters. none makes no topics");
  end_group(command, cli::group::lists);
}

}  // namespace

void define_cluster_command(CLI::App& app,
                            std::function<void(const Result<ClusterOptions>&)> take) {
  const auto flags = std::make_shared<ClusterFlags>();
  CLI::App* const command =
      app.add_subcommand("cluster", "From a crawl to clusters and related pages: the whole job");
  command->footer(std::string(input_help) + cluster_examples);
  add_read_flags(*command, flags->options, flags->max_page);
  add_url_rules_flag(*command, flags->options.url_rules);
  command->get_option("--strict")->description(strict_job_help);
  add_captures_flag(*command, flags->options.captures);
  add_word_flags(*command, *flags, {BagKind::both, BagKind::anchor, BagKind::content});
  add_url_flags(*command, flags->options);
  add_similarity_flags(*command, *flags);
  add_list_flags(*command, *flags);
  add_run_flags(*command, *flags);
  add_resource_flags(*command, flags->memory, flags->options.threads);
  command->callback([command, flags, take = std::move(take)] {
    Status status = read_cluster_texts(*flags);
    if (status) status = refuse_idle_options(*command, conditions_of(flags->options));
    take(status ? Result<ClusterOptions>(flags->options) : status.error());
  });
}

void add_cluster_command(CLI::App& app, Outcome& outcome) {
  define_cluster_command(app, [&outcome](const Result<ClusterOptions>& options) {
    if (!options) return outcome.fail(options.error());
    ClusterOptions own = *options;
    own.tables = outcome.tables;
    run_cluster(own, outcome);
  });
}

// kith paper: the pipeline of the paper, step by step.

namespace {

constexpr const char* paper_examples = R"(
The steps, their order and their parameters are those of Haveliwala, Gionis and Indyk, Scalable
Techniques for Clustering the Web (2000): every URL that is seen has a bag, pairs meet in 125 rounds
of 3 of 80 minima, and CENTER scans them in the order of URLs. There are no topics. 'kith info DIR'
prints the times next to Table 1 of the paper.

The bags of an INPUT that is a run directory of kith are taken as they are. They may not be those of
the paper then, and have no time in the table.

Examples:
  kith paper crawl.warc.gz -o paper
  kith paper crawl.warc.gz -o paper --bags content --similarity 0.3
  kith info paper)";

}  // namespace

void define_paper_command(CLI::App& app, std::function<void(const Result<ClusterOptions>&)> take) {
  const auto flags = std::make_shared<ClusterFlags>();
  CLI::App* const command = app.add_subcommand(
      "paper", "From a crawl to clusters as in the paper of 2000, with the times of its Table 1");
  command->footer(std::string(input_help) + paper_examples);
  add_read_flags(*command, flags->options, flags->max_page);
  add_url_rules_flag(*command, flags->options.url_rules);
  command->get_option("--strict")->description(strict_job_help);
  add_captures_flag(*command, flags->options.captures);
  add_word_flags(*command, *flags, {BagKind::anchor, BagKind::content});
  command->add_option("--similarity", flags->options.similarity, "The threshold, up to 1")
      ->type_name("NUMBER")
      ->default_str("0.2");
  add_check_flags(*command, *flags);
  end_group(*command, cli::group::similarity);
  add_neighbours_flag(*command, *flags);
  command->get_option("--neighbours")
      ->description("Related pages kept for every URL, of those at or above the threshold");
  end_group(*command, cli::group::lists);
  add_run_flags(*command, *flags);
  add_resource_flags(*command, flags->memory, flags->options.threads);
  command->callback([command, flags, take = std::move(take)] {
    Status status = read_cluster_texts(*flags);
    if (status) {
      paper_preset(flags->options);
      status = refuse_idle_options(*command, conditions_of(flags->options));
    }
    if (!status) return take(status.error());
    take(flags->options);
  });
}

void add_paper_command(CLI::App& app, Outcome& outcome) {
  define_paper_command(app, [&outcome](const Result<ClusterOptions>& options) {
    if (!options) return outcome.fail(options.error());
    ClusterOptions own = *options;
    own.tables = outcome.tables;
    run_cluster(own, outcome);
  });
}

// kith merge: shards of a crawl, read on several machines, become one run.

namespace {

constexpr const char* merge_examples = R"(
DIR are all shards of one crawl, 1 to N, in any order: what 'kith cluster INPUT... --shard I/N' or
'kith dedup INPUT... --shard I/N' has left, with the same inputs and options for every I. The run is
the one that the same command without --shard would make, file by file. Where INPUT is a run, shards
hold signatures of its bags: the merge takes the bags from that run.

Examples:
  kith cluster /data/*.warc.gz --shard 1/2 -o part-1     on one machine
  kith cluster /data/*.warc.gz --shard 2/2 -o part-2     on another one
  kith merge part-1 part-2 -o run
  kith merge dedup-1 dedup-2 -o run --write clean/       where all files of the input are)";

struct MergeFlags {
  MergeOptions options;
  std::string memory;
};

void merge_clusters(const MergeOptions& options, ProgressBar& bar, Outcome& outcome) {
  const auto report = merge(options, [&](const Progress& progress) { bar.show(progress); });
  bar.clear();
  if (!report) return outcome.fail(report.error());
  print_summary(*report, stderr);
  if (report->bags.urls == 0) outcome.fail(nothing_read(report->crawl));
}

void run(const MergeOptions& options, Outcome& outcome) {
  announce_stops();
  ProgressBar bar;
  const bool is_of_dedup = !options.shards.empty() && is_dedup_run(options.shards.front());
  if (!is_of_dedup) return merge_clusters(options, bar, outcome);
  const auto report = merge_dedup(options, [&](const Progress& progress) { bar.show(progress); });
  bar.clear();
  if (!report) return outcome.fail(report.error());
  end_dedup(*report, outcome);
}

}  // namespace

void define_merge_command(CLI::App& app, std::function<void(const Result<MergeOptions>&)> take) {
  const auto flags = std::make_shared<MergeFlags>();
  CLI::App* const command =
      app.add_subcommand("merge", "From the shards of a crawl to the run on the whole");
  command->footer(merge_examples);
  command->add_option("DIR", flags->options.shards, "The directories of all shards")->required();
  command->add_option("-o,--output", flags->options.output, "The run directory to make")
      ->type_name("DIR")
      ->required();
  command
      ->add_option("--write", flags->options.write,
                   "Of shards of dedup: copy the input there without the documents that are "
                   "removed; all of its files must be here")
      ->type_name("OUT");
  add_resource_flags(*command, flags->memory, flags->options.threads);
  command->callback([flags, take = std::move(take)] {
    const Status status = read_size_flag("--memory", flags->memory, flags->options.memory);
    take(status ? Result<MergeOptions>(flags->options) : status.error());
  });
}

void add_merge_command(CLI::App& app, Outcome& outcome) {
  define_merge_command(app, [&outcome](const Result<MergeOptions>& options) {
    if (!options) return outcome.fail(options.error());
    MergeOptions own = *options;
    own.tables = outcome.tables;
    run(own, outcome);
  });
}

}  // namespace kith::cli
