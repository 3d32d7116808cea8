// kith cluster: the whole job.
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <memory>

#include <fmt/format.h>

#include "command.h"
#include "job_options.h"
#include "progress_bar.h"
#include "read_flags.h"
#include "stop_message.h"
#include "stop_words_file.h"
#include "summary.h"

namespace kith::cli {
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
  kith cluster run -o paper --preset paper
  kith cluster run -o sorted --within classes.tsv
  kith cluster crawl/ --shard 2/4 -o part-2    a quarter of the files; see kith merge --help)";

struct ClusterFlags {
  ClusterOptions options;
  std::string similarity = "auto";
  std::string memory;
  std::string max_page;
  std::string preset;
  std::string shard;
  std::string stop_words;
  RelatedBags related = RelatedBags::smoothed;
  bool no_topics = false;
  bool no_check = false;
  bool aliases = false;
  bool no_aliases = false;
};

// "2/4": the second of four.
Status read_shard_flag(const std::string& text, ClusterOptions& options) {
  if (text.empty()) return Status::ok();
  const size_t slash = std::min(text.find('/'), text.size());
  const char* const end = text.data() + text.size();
  const auto number = std::from_chars(text.data(), text.data() + slash, options.shard);
  const auto count = std::from_chars(std::min(text.data() + slash + 1, end), end, options.shards);
  const bool is_read = number.ec == std::errc() && number.ptr == text.data() + slash &&
                       count.ec == std::errc() && count.ptr == end;
  if (is_read && options.shards > 0) return Status::ok();
  return Error{ErrorKind::usage,
               fmt::format("--shard {}: must be I/N, as in 2/4: the second of four", text)};
}

// The flags that are read as text become values; the error names the flag.
Status read_text_flags(ClusterFlags& flags) {
  if (flags.similarity != "auto") {
    double value = 0;
    if (!CLI::detail::lexical_cast(flags.similarity, value)) {
      return Error{ErrorKind::usage,
                   fmt::format("--similarity {}: must be 'auto' or a number", flags.similarity)};
    }
    flags.options.similarity = value;
  }
  KITH_TRY(read_size_flag("--memory", flags.memory, flags.options.memory));
  KITH_TRY(read_size_flag("--max-page", flags.max_page, flags.options.max_page));
  if (!flags.preset.empty()) paper_preset(flags.options);
  KITH_TRY(read_shard_flag(flags.shard, flags.options));
  if (!flags.stop_words.empty()) {
    KITH_ASSIGN(flags.options.stop_words, read_stop_words(flags.stop_words));
  }
  if (flags.no_topics) flags.options.topics = false;
  if (flags.no_check) flags.options.check_queries = 0;
  if (flags.aliases || flags.no_aliases) flags.options.aliases = flags.aliases;
  return Status::ok();
}

void add_bag_flags(CLI::App& command, ClusterFlags& flags) {
  ClusterOptions& options = flags.options;
  add_choice(command, "--bags", options.bags, {BagKind::both, BagKind::anchor, BagKind::content},
             "Words around the links to a URL, the words of the page, or both");
  command
      .add_option("--content-share", options.content_share,
                  "Of the words of the page in bags of both; where a URL has one kind alone it is "
                  "all")
      ->capture_default_str();
  add_choice(
      command, "--urls", options.urls, {UrlScope::fetched, UrlScope::seen, UrlScope::all},
      "Which URLs get a bag: fetched pages alone, also those linked from two hosts or three pages, "
      "or every linked URL");
  add_choice(command, "--boilerplate", options.boilerplate,
             {Boilerplate::remove, Boilerplate::keep},
             "Leave menus, side bars and footers out: what stands on many pages of a site");
  add_choice(command, "--links", options.links, {LinkScope::all, LinkScope::external},
             "Links that count for anchor bags: all, or from other hosts only");
  command.add_option("--window", options.window,
                     "Words taken on either side of a link [16 with both kinds of bags, else 8]");
  CLI::Option* const fold =
      command.add_flag("--aliases", flags.aliases,
                       "Fold a URL that is redirected, refreshed or not canonical into its target; "
                       "done with both kinds of bags unless --no-aliases is given");
  command.add_flag("--no-aliases", flags.no_aliases, "Do not fold such URLs")->excludes(fold);
  command.add_option("--max-terms", options.max_terms,
                     "Words of a bag, those of the largest weights; 0: all [160 with both kinds of "
                     "bags, else 0]");
  add_choice(command, "--weighting", options.weighting,
             {Weighting::tf_idf, Weighting::nmdf, Weighting::tf}, "Weight of a word in a bag");
  command.add_option("--min-df", options.min_df, "Drop words that are in fewer bags")
      ->capture_default_str();
  command.add_option("--max-df", options.max_df, "Drop words that are in a larger share of bags")
      ->capture_default_str();
  command
      .add_option("--stop-words", flags.stop_words,
                  "Drop the words of this file as well, in all their forms")
      ->type_name("FILE");
}

void add_similarity_flags(CLI::App& command, ClusterFlags& flags) {
  ClusterOptions& options = flags.options;
  command
      .add_option("--similarity", flags.similarity,
                  "The threshold: 'auto' follows the crawl, or a number up to 1")
      ->type_name("auto|NUMBER")
      ->capture_default_str();
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
      .add_option("--neighbours", options.neighbours,
                  "Related pages kept for every URL; with 0 pairs are looked for only where the "
                  "order is by degree")
      ->capture_default_str();
  command
      .add_option("--other-sites", options.other_sites,
                  "Related pages of other hosts kept for every URL, however little similar; none "
                  "with --neighbours 0 or in a crawl of one host")
      ->capture_default_str();
  command.add_flag("--similar-only", options.similar_only,
                   "Keep no related page below the threshold, of other hosts neither; with LSH "
                   "tables pairs take less than half of the time");
  add_choice(command, "--related", flags.related, {RelatedBags::smoothed, RelatedBags::plain},
             "The bags by which related pages are found: of a page and its neighbours together, so "
             "that more of them are of one topic, or of the page alone; plain with --similar-only "
             "or --neighbours 0");
  command.add_option("--seed", options.seed, "Of everything that is drawn at random")
      ->capture_default_str();
  command
      .add_option(
          "--within", options.within,
          "A table of URLs and classes, as kith classify makes it: no cluster has URLs of two "
          "classes; URLs without one count as a class")
      ->type_name("FILE");
  add_choice(
      command, "--topic-graph", options.topic_graph,
      {TopicGraph::full, TopicGraph::mutual, TopicGraph::clusters},
      "The graph that topics are made of: each page and its nearest pages; only those that are "
      "near to each other, in half of the memory; or the clusters");
  command
      .add_flag("--no-topics", flags.no_topics,
                "Make no tree of topics; there is none with --neighbours 0 either")
      ->excludes(command.get_option("--topic-graph"));
  command.add_flag("--no-check", flags.no_check,
                   "Do not measure recall and precision on a sample of URLs");
}

// After the flags that a preset replaces.
void add_preset_flag(CLI::App& command, ClusterFlags& flags) {
  CLI::Option* const preset = command.add_option(
      "--preset", flags.preset,
      "paper: the pipeline of Haveliwala, Gionis and Indyk, step by step, with "
      "its parameters, and a threshold of 0.2 unless --similarity says otherwise");
  preset->check(CLI::IsMember({"paper"}))->type_name("paper");
  for (const char* const replaced :
       {"--engine", "--recall", "--lanes", "--max-tables", "--min-words", "--order", "--assign",
        "--other-sites", "--similar-only", "--related", "--within", "--topic-graph", "--urls",
        "--content-share", "--boilerplate"}) {
    preset->excludes(command.get_option(replaced));
  }
}

// ClusterFlags that would do nothing beside others.
Status check_bag_flags(const CLI::App& command, const ClusterFlags& flags) {
  const BagKind bags = flags.options.bags;
  if (!flags.preset.empty() && command.count("--bags") > 0 && bags == BagKind::both) {
    return Error{ErrorKind::usage, "--preset paper: has bags of one kind; name another --bags"};
  }
  if (command.count("--content-share") > 0 && bags != BagKind::both) {
    return Error{ErrorKind::usage, "--content-share: is about --bags both; leave one of them out"};
  }
  if (command.count("--urls") > 0 && bags == BagKind::content) {
    return Error{ErrorKind::usage,
                 "--urls: a URL that was not fetched has no content; leave it out, or --bags"};
  }
  return Status::ok();
}

void run(const ClusterOptions& options, Outcome& outcome) {
  announce_stops();
  ProgressBar bar;
  const auto report = cluster_crawl(options, [&](const Progress& progress) { bar.show(progress); });
  bar.clear();
  if (!report) return outcome.fail(report.error());
  if (options.shards > 0) {
    const bool is_of_run = Run::open(options.inputs.front()).is_ok();
    return print_shard_summary(*report, !is_of_run, stderr);
  }
  print_summary(*report, stderr);
  if (options.strict && !report->check.keeps_promise()) {
    outcome.fail({ErrorKind::corrupt, fmt::format("--strict: {}", broken_promise(report->check))});
  }
}

}  // namespace

void define_cluster_command(CLI::App& app,
                            std::function<void(const Result<ClusterOptions>&)> take) {
  const auto flags = std::make_shared<ClusterFlags>();
  CLI::App* const command =
      app.add_subcommand("cluster", "From a crawl to clusters and related pages: the whole job");
  command->footer(std::string(input_help) + cluster_examples);
  add_read_flags(*command, flags->options, flags->max_page);
  command->get_option("--strict")->description(strict_job_help);
  command->add_option("-o,--output", flags->options.output, "The run directory to make")
      ->type_name("DIR")
      ->required();
  command
      ->add_option(
          "--shard", flags->shard,
          "Only a part, for 'kith merge': every N-th file, from the I-th on; of a run that "
          "is the INPUT, the signatures of its I-th part")
      ->type_name("I/N");
  add_bag_flags(*command, *flags);
  add_similarity_flags(*command, *flags);
  add_preset_flag(*command, *flags);
  add_resource_flags(*command, flags->memory, flags->options.threads);
  command->callback([command, flags, take = std::move(take)] {
    if (command->count("--related") > 0) flags->options.related = flags->related;
    Status status = check_bag_flags(*command, *flags);
    if (status) status = read_text_flags(*flags);
    take(status ? Result<ClusterOptions>(flags->options) : status.error());
  });
}

void add_cluster_command(CLI::App& app, Outcome& outcome) {
  define_cluster_command(app, [&outcome](const Result<ClusterOptions>& options) {
    if (!options) return outcome.fail(options.error());
    run(*options, outcome);
  });
}

}  // namespace kith::cli
