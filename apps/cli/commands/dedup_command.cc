// kith dedup: near-duplicates, and passages with --unit.
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "cli/commands/command.h"
#include "cli/commands/flags.h"
#include "cli/help/help.h"
#include "cli/output/console.h"
#include "cli/output/summary.h"
#include "cli/program.h"
#include "cli/signals.h"

namespace kith::cli {
namespace {

constexpr const char* dedup_examples = R"(
JSON lines need no url here: a document is then named by its "id", else FILE:LINE. A folder of HTML
or text files (.txt) needs no --base-url: documents are then named by their paths.

DIR gets groups.tsv, pairs.tsv, keep.tsv and losses.tsv (.csv, .jsonl with --format), report.json,
and files from which the same command goes on where it was stopped; with --against also against.tsv,
which names what was removed that way, and for what.

Texts are compared by words, numbers and symbols; case and punctuation do not count without --raw.
A text of punctuation only is compared as it is. Texts are equal when all of these are the same
in the same order; how often a shingle occurs does not count without --bag. Documents without text
are kept: they are in keep.tsv and in what --write writes.

Examples:
  kith dedup pages.jsonl.zst -o run
  kith dedup crawl.warc.gz -o run --similarity 0.9 --keep longest
  kith dedup corpus/ -o run --raw --width 8       the text as it is, case and punctuation too
  kith dedup crawl/ -o run --write clean/         and a copy of the crawl without the others
  kith dedup tuesday.jsonl -o tue --against mon   only what is similar to nothing of Monday's run
  kith dedup zh.jsonl -o run --shingles characters --width 12
  kith dedup crawl/ -o run --method exact         equal texts only
  kith dedup crawl/ --shard 2/4 -o part-2         a quarter of the files; see kith merge --help
  kith dedup crawl/ -o run --method containment     what lies in a longer text
  kith dedup crawl/ -o run --method simhash --distance 7 --similarity 0.9
  kith dedup crawl/ -o run --unit span --write texts.jsonl   texts without repeated passages
  kith dedup crawl/ -o run --unit line --max-documents 10    lines of more than ten documents
  cut -f 1 run/keep.tsv | tail -n +2              the documents to keep)";

struct DedupFlags {
  DedupOptions options;
  std::optional<PassageUnit> unit;  // nothing: whole documents
  PassageOptions passages;
  std::string memory;
  std::string max_page;
  std::string shard;
  std::string max_loss;
  bool no_check = false;
};

void add_text_flags(CLI::App& command, DedupOptions& options) {
  add_choice(command, "--shingles", options.shingles, {ShingleUnit::words, ShingleUnit::characters},
             "What a shingle is made of");
  command.add_option("--width", options.width, "Words or characters of a shingle")
      ->capture_default_str();
  command
      .add_option("--max-documents", options.max_documents,
                  "Drop shingles that more than N documents have, such as those of page frames; 0 "
                  "drops none. With --unit: passages stand in more than N documents, by default "
                  "in more than 1")
      ->type_name("N")
      ->capture_default_str();
  add_choice(command, "--boilerplate", options.boilerplate,
             std::vector<std::pair<std::string, std::optional<Boilerplate>>>{
                 {"remove", Boilerplate::remove}, {"keep", Boilerplate::keep}},
             "Leave menus, side bars and footers out: what stands on many pages of a site; texts "
             "wait in DIR/tmp until that is known. Default: remove of markup in files and folders, "
             "else keep; and keep where only equal documents are looked for");
  command.add_flag("!--no-distinct-titles", options.distinct_titles,
                   "Also remove a page whose title differs from that of the page it is similar to; "
                   "else it stays unless the texts are equal");
  command.add_flag("--bag", options.bag, "A shingle that occurs n times counts n times");
  add_token_flags(command, options.normalize, options.numbers);
  end_group(command, cli::group::words);
}

void add_match_flags(CLI::App& command, DedupFlags& flags) {
  DedupOptions& options = flags.options;
  add_choice(
      command, "--method", options.method,
      {DedupMethod::minhash, DedupMethod::simhash, DedupMethod::supershingle,
       DedupMethod::containment, DedupMethod::exact},
      "How similar documents are found, each pair then verified: by tables of minima, by "
      "fingerprints, or by super-shingles; containment finds what lies in a longer document, which "
      "stays, and exact equal texts only");
  command
      .add_option(
          "--similarity", options.similarity,
          "The smallest one of near-duplicates: shared shingles as a share of those of both, or of "
          "the shorter one (containment)")
      ->capture_default_str();
  command
      .add_option("--recall", options.recall,
                  "Of pairs of that similarity (minhash, supershingle, containment)")
      ->capture_default_str();
  command.add_option("--lanes", options.lanes, "Minima in a signature (minhash, supershingle)")
      ->capture_default_str();
  command
      .add_option("--distance", options.distance,
                  "At most N of 64 bits in which fingerprints differ, up to 7 (simhash)")
      ->capture_default_str();
  command.add_flag(
      "!--no-verify", options.verify,
      "Take every pair whose sketches agree, also those whose shingles are found to be "
      "below the similarity; these are counted");
  command.add_option("--seed", options.seed, "Of everything that is drawn at random")
      ->capture_default_str();
  command.add_flag("--no-check", flags.no_check, "Do not measure the recall on a sample");
  end_group(command, cli::group::similarity);
}

void add_group_flags(CLI::App& command, DedupOptions& options) {
  add_choice(command, "--groups", options.groups, {Grouping::center, Grouping::components},
             "Every member similar to a center, or whatever a chain of pairs joins");
  add_choice(command, "--order", options.order, {CenterOrder::degree, CenterOrder::keep},
             "Centers are documents with the most similar ones, or those that --keep prefers: "
             "then all that is removed is similar to what is kept");
  command
      .add_option(
          "--keep", options.keep,
          "The document of a group that stays, by rules in order: first, longest, shortest, "
          "newest, oldest, inlinks (most pages link to it), quality (most sound text), "
          "score:FIELD (greatest value), source:FILE (names, best first)")
      ->type_name("RULE")
      ->delimiter(',')
      ->default_str("first");
  command
      .add_option(
          "--max-comparisons", options.max_comparisons,
          "The most comparisons with centers in large buckets; 0 is 4,096 for a document and "
          "bucket. What is left out is counted")
      ->type_name("N")
      ->capture_default_str();
  add_choice(command, "--list-pairs", options.list_pairs, {PairList::centers, PairList::all},
             "Of documents that meet in large buckets list each with its center only, or all "
             "similar pairs, which may be very many");
  command
      .add_option(
          "--source-field", options.source_field,
          "The field of rows that names the source of a document, for --keep source and the "
          "list losses; else a source is an INPUT")
      ->type_name("NAME");
  end_group(command, cli::group::lists);
}

void add_passage_flags(CLI::App& command, DedupFlags& flags) {
  PassageOptions& options = flags.passages;
  add_choice(command, "--unit", flags.unit,
             std::vector<std::pair<std::string, std::optional<PassageUnit>>>{
                 {"document", std::nullopt},
                 {"span", PassageUnit::span},
                 {"line", PassageUnit::line},
                 {"paragraph", PassageUnit::paragraph}},
             "Instead of whole documents find passages that stand in several: any run of "
             "--min-tokens, lines, or paragraphs");
  command
      .add_option(
          "--min-tokens", options.min_tokens,
          "The fewest tokens of a passage, up to 512; 0 is 50 of a span, and 1 of a line or "
          "paragraph")
      ->type_name("N")
      ->capture_default_str();
  add_choice(command, "--passages", options.mode,
             {PassageMode::remove, PassageMode::first, PassageMode::mark},
             "What --write, a file of JSON lines, does with them: remove all, or all but one "
             "occurrence of each, or mark where they are");
  command.add_flag("--sentences", options.sentences,
                   "Cut whole sentences only; else whole words (span)");
  command
      .add_option("--high-loss", options.high_loss,
                  "Report documents that lose more than this share of their text")
      ->type_name("S")
      ->capture_default_str();
  command.add_option("--examples", options.examples, "List so many of the most frequent passages")
      ->type_name("N")
      ->capture_default_str();
  end_group(command, cli::group::passages);
}

void add_output_flags(CLI::App& command, DedupFlags& flags) {
  DedupOptions& options = flags.options;
  command.add_option("-o,--output", options.output, "The run directory to make")
      ->type_name("DIR")
      ->required();
  command
      .add_option("--write", options.write,
                  "Copy the input there without the documents that are removed, in its own format "
                  "and compression: a file for a file, else a folder")
      ->type_name("OUT");
  command.add_flag(
      "--annotate", options.annotate,
      "Remove nothing: every row of --write, and of the list documents, says its group, "
      "the size of that, what is kept for it and how similar they are");
  command
      .add_option("--weights", options.weights,
                  "How often a kept document counts that stands for a group of n: 1, log, sqrt, or "
                  "capN (n, at most N)")
      ->type_name("WEIGHT")
      ->capture_default_str();
  command
      .add_option("--max-loss", flags.max_loss,
                  "Write no copy, and fail, where a source or host of 10 documents or more loses a "
                  "larger share of them, such as 20%")
      ->type_name("SHARE");
  command.add_flag("--dry-run", options.dry_run,
                   "Do everything but write the copy; without the flag the rest is then quick");
  command.add_flag(
      "--revisit", options.revisit,
      "Of WARC: let a record take the place of each that --write leaves out, a revisit "
      "where the payload digests are equal, else metadata that names what is kept");
  command
      .add_option("--against", options.against,
                  "Remove first what is like a document of an earlier run of the same options; may "
                  "be given again for further runs")
      ->type_name("DIR")
      ->allow_extra_args(false);
  command
      .add_option("--shard", flags.shard,
                  "Only a part, for 'kith merge': every N-th file, from the I-th on")
      ->type_name("I/N");
  add_format_option(command, options.format, "Of the lists in DIR; csv-bom is for spreadsheets");
  end_group(command, cli::group::output);
}

void run(const PassageOptions& options, Outcome& outcome) {
  announce_stops();
  ProgressBar bar;
  const auto report = find_passages(options, [&](const Progress& progress) { bar.show(progress); });
  bar.clear();
  if (!report) return outcome.fail(report.error());
  end_passages(*report, outcome);
}

void run(const DedupOptions& options, Outcome& outcome) {
  announce_stops();
  ProgressBar bar;
  const auto report = dedup(options, [&](const Progress& progress) { bar.show(progress); });
  bar.clear();
  if (!report) return outcome.fail(report.error());
  if (options.shards > 0) return print_dedup_shard_summary(*report, stderr);
  end_dedup(*report, outcome);
}

Status read_text_flags(DedupFlags& flags) {
  KITH_TRY(read_size_flag("--memory", flags.memory, flags.options.memory));
  KITH_TRY(read_size_flag("--max-page", flags.max_page, flags.options.max_page));
  KITH_TRY(read_shard_flag(flags.shard, flags.options));
  KITH_TRY(read_share_flag("--max-loss", flags.max_loss, flags.options.max_loss));
  if (flags.no_check) flags.options.check_queries = 0;
  return Status::ok();
}

// The options of passages: their own, and those that they share with whole documents.
PassageOptions passage_options(const DedupFlags& flags) {
  PassageOptions options = flags.passages;
  static_cast<ReadOptions&>(options) = flags.options;
  static_cast<Resources&>(options) = flags.options;
  options.unit = flags.unit.value_or(PassageUnit::span);
  options.output = flags.options.output;
  options.max_documents = flags.options.max_documents == 0 ? 1 : flags.options.max_documents;
  options.normalize = flags.options.normalize;
  options.numbers = flags.options.numbers;
  options.format = flags.options.format;
  options.write = flags.options.write;
  return options;
}

Result<DedupJobOptions> job_options(const CLI::App& command, DedupFlags& flags) {
  KITH_TRY(read_text_flags(flags));
  const PassageOptions passages = passage_options(flags);
  KITH_TRY(refuse_idle_options(command, cli::conditions_of(flags.unit, passages)));
  if (flags.unit) return DedupJobOptions(passages);
  KITH_TRY(refuse_idle_options(command, cli::conditions_of(flags.options)));
  return DedupJobOptions(flags.options);
}

}  // namespace

void end_passages(const PassageReport& report, Outcome& outcome) {
  print_passages_summary(report, stderr);
  if (report.passages.documents == 0 || has_no_text_field(report.crawl)) {
    outcome.fail(nothing_read(report.crawl));
  }
}

void end_dedup(const DedupReport& report, Outcome& outcome) {
  print_dedup_summary(report, stderr);
  if (report.documents.documents == 0 || has_no_text_field(report.crawl)) {
    return outcome.fail(nothing_read(report.crawl));
  }
  if (!report.over_max_loss.empty())
    return outcome.fail({ErrorKind::corrupt, too_much_loss(report)});
  if (report.options.strict && !report.check.keeps_promise()) {
    outcome.fail({ErrorKind::corrupt, fmt::format("--strict: {}", broken_promise(report.check))});
  }
}

void define_dedup_command(CLI::App& app, std::function<void(const Result<DedupJobOptions>&)> take) {
  const auto flags = std::make_shared<DedupFlags>();
  CLI::App* const command = app.add_subcommand(
      "dedup", "Near-duplicates: groups, verified pairs, documents to keep; or repeated passages");
  command->footer(std::string(input_help) + dedup_examples);
  add_read_flags(*command, flags->options, flags->max_page);
  add_url_rules_flag(*command, flags->options.url_rules);
  command->get_option("--url-rules")
      ->description(
          "Join spellings of URLs for --captures, --keep inlinks, boilerplate and filters, by "
          "common rules or those of a file; documents keep their names");
  command->get_option("--strict")->description(strict_job_help);
  add_choice(
      *command, "--captures", flags->options.captures,
      {Captures::all, Captures::first, Captures::last},
      "Which captures of a URL are documents, by date; --write copies the others as they are");
  command->get_option("--captures")->group(cli::group::reading);
  add_text_flags(*command, flags->options);
  add_match_flags(*command, *flags);
  add_group_flags(*command, flags->options);
  add_passage_flags(*command, *flags);
  add_output_flags(*command, *flags);
  add_resource_flags(*command, flags->memory, flags->options.threads);
  command->callback(
      [command, flags, take = std::move(take)] { take(job_options(*command, *flags)); });
}

void add_dedup_command(CLI::App& app, Outcome& outcome) {
  define_dedup_command(app, [&outcome](const Result<DedupJobOptions>& options) {
    if (!options) return outcome.fail(options.error());
    DedupJobOptions own = *options;
    std::visit(
        [&](auto& job) {
          job.tables = outcome.tables;
          run(job, outcome);
        },
        own);
  });
}

}  // namespace kith::cli
