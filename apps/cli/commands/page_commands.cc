// kith crawl and route: a line for each page that is read.
#include <cstdio>
#include <functional>
#include <memory>
#include <optional>

#include "cli/commands/command.h"
#include "cli/commands/flags.h"
#include "cli/output/console.h"
#include "cli/output/output.h"
#include "cli/output/summary.h"
#include "cli/signals.h"

namespace kith::cli {

// kith crawl: the pages of a crawl as kith reads them, one line each.

namespace {

constexpr const char* crawl_examples = R"(
Prints a line per page, in the order of the input: url, status (0: the file holds none), media type,
the charset it was decoded from, language ("other": no stemmer), words and links. What was passed
over, and why, follows on standard error.

Examples:
  kith crawl crawl.warc.gz | head
  kith crawl crawl.warc.gz | cut -f5 | sort | uniq -c | sort -rn
  kith crawl part-*.warc.zst --status any --format jsonl | jq 'select(.words == 0).url'
  kith crawl crawl.arc.gz --strict > /dev/null
  kith crawl crawl.warc.gz --boilerplate --host docs.example.org
  kith crawl warcs/ --status any --format cdxj | LC_ALL=C sort > index.cdxj

The last one is an index of the pages, of each URL the first capture in the input, in which pywb and
others find them by URL and date, and 'kith cluster --only' the URLs.

With --boilerplate a line per template block of a host instead: host, how many of its pages have the
block, how many pages it has, words, text. 'kith cluster' leaves these blocks out of bags.)";

struct CrawlFlags {
  ReadOptions options;
  std::string max_page;
  std::optional<ListFormat> format = ListFormat::tsv;  // none: an index
  std::string output;                                  // empty: standard output
  bool boilerplate = false;
  std::string host;  // empty: all
};

Status run_boilerplate(const CrawlFlags& flags) {
  if (!flags.format) {
    return Error{ErrorKind::usage, "--format cdxj: is of pages, and not for --boilerplate"};
  }
  KITH_ASSIGN(const TemporaryFolder folder, TemporaryFolder::create("kith-crawl", "."));
  Output out(flags.options.tables);
  ProgressBar bar;
  using enum RowColumn::Type;
  const RowFormat format(*flags.format,
                         {"host", {"pages", count}, {"of", count}, {"words", count}, "text"});
  KITH_TRY(out.open(flags.output));
  bool has_rows = false;
  const auto take = [&](const TemplateBlock& block) {
    if (flags.host.empty() || flags.host == block.host) {
      has_rows = true;
      out.header(format);
      out.row(format, {block.host, block.pages, block.of, block.words, block.text});
    }
    return out.good();
  };
  const auto counts = list_templates(flags.options, folder.path(), take,
                                     [&](const Progress& progress) { bar.show(progress); });
  bar.clear();
  if (!counts) return counts.error();
  out.header(format);
  KITH_TRY(out.finish());
  print_crawl(*counts, flags.options, stderr);
  if (counts->pages == 0) return nothing_read(*counts);
  if (!has_rows) {
    row(stderr, "warning", "{} has a template block",
        flags.host.empty() ? "no host" : "no page of " + flags.host);
  }
  return Status::ok();
}

// Lists the pages with `take`, and ends as every list of pages does.
Status print_pages(const CrawlFlags& flags, const std::function<bool(const PageRow&)>& take,
                   const std::function<Status(bool is_whole)>& finish) {
  ProgressBar bar;
  const auto counts =
      list_pages(flags.options, take, [&](const Progress& progress) { bar.show(progress); });
  bar.clear();
  KITH_TRY(finish(static_cast<bool>(counts)));
  if (!counts) return counts.error();
  print_crawl(*counts, flags.options, stderr);
  print_skip_examples(*counts, stderr);
  return counts->pages > 0 ? Status::ok() : nothing_read(*counts);
}

Status run_rows(const CrawlFlags& flags) {
  using enum RowColumn::Type;
  Output out(flags.options.tables);
  const RowFormat format(*flags.format, {"url",
                                         {"status", count},
                                         "type",
                                         "charset",
                                         "language",
                                         {"words", count},
                                         {"links", count}});
  // The header waits for a row or the end, so that an input which cannot be read prints and
  // replaces nothing.
  KITH_TRY(out.open(flags.output));
  const auto take = [&](const PageRow& row) {
    out.header(format);
    out.row(format, {row.url, uint64_t{row.status}, row.type, row.charset, row.language, row.words,
                     row.links});
    return out.good();
  };
  return print_pages(flags, take, [&](bool is_whole) {
    if (is_whole) out.header(format);
    return out.finish();
  });
}

Status run_index(const CrawlFlags& flags) {
  Output out;
  Status problem;  // of the first page that is left out, but for a date
  uint64_t lines = 0;
  uint64_t unplaced = 0;
  uint64_t undated = 0;
  KITH_TRY(out.open(flags.output));
  const auto take = [&](const PageRow& row) {
    if (row.date.empty() && row.length > 0) {
      ++undated;
      return true;
    }
    const Result<std::string> line = cdxj_line(row);
    if (!line && unplaced++ == 0) problem = line.status();
    if (!line) return true;
    ++lines;
    out.line(*line);
    return out.good();
  };
  return print_pages(flags, take, [&](bool /*is_whole*/) -> Status {
    KITH_TRY(out.finish());
    if (lines == 0) return problem;
    if (undated > 0) {
      print_message(fmt::format("left out: {} without a date", counted(undated, "page")));
    }
    if (unplaced > 0) {
      print_message(fmt::format("left out: {}; the first: {}", counted(unplaced, "page"),
                                problem.error().message));
    }
    return Status::ok();
  });
}

Status run(CrawlFlags& flags) {
  KITH_TRY(read_size_flag("--max-page", flags.max_page, flags.options.max_page));
  if (flags.boilerplate) return run_boilerplate(flags);
  return flags.format ? run_rows(flags) : run_index(flags);
}

}  // namespace

void add_crawl_command(CLI::App& app, Outcome& outcome) {
  const auto flags = std::make_shared<CrawlFlags>();
  CLI::App* const command =
      app.add_subcommand("crawl", "The pages of a crawl as kith reads them, one line each");
  command->footer(std::string(input_help) + crawl_examples);
  add_read_flags(*command, flags->options, flags->max_page);
  add_url_rules_flag(*command, flags->options.url_rules);
  add_choice<std::optional<ListFormat>>(*command, "--format", flags->format,
                                        {{"tsv", ListFormat::tsv},
                                         {"csv", ListFormat::csv},
                                         {"csv-bom", ListFormat::csv_bom},
                                         {"jsonl", ListFormat::jsonl},
                                         {"parquet", ListFormat::parquet},
                                         {"arrow", ListFormat::arrow},
                                         {"cdxj", std::nullopt}},
                                        "How to print; csv-bom is for spreadsheets, cdxj an index "
                                        "for Wayback machines");
  add_output_option(*command, flags->output);
  CLI::Option* const boilerplate = command->add_flag(
      "--boilerplate", flags->boilerplate,
      "The template blocks of every host, which 'kith cluster' leaves out of bags");
  command->add_option("--host", flags->host, "The blocks of this host alone")
      ->type_name("HOST")
      ->needs(boilerplate);
  command->callback([flags, &outcome] {
    flags->options.tables = outcome.tables;
    if (const Status status = run(*flags); !status) outcome.fail(status.error());
  });
}

// kith route: where new pages belong in a run.

namespace {

struct RouteFlags {
  RouteOptions options;
  std::string max_page;
  ListFormat format = ListFormat::tsv;
  std::string output;  // empty: standard output
};

Status run(RouteFlags& flags) {
  KITH_TRY(read_size_flag("--max-page", flags.max_page, flags.options.max_page));
  Output out(flags.options.tables);
  ProgressBar bar;
  using enum RowColumn::Type;
  const RowFormat format(
      flags.format,
      {"url", "topic", {"fit", share}, {"cluster", count}, "center", {"similarity", share}});
  // The header waits for a row or the end, so that an input which cannot be read prints and
  // replaces nothing.
  KITH_TRY(out.open(flags.output));
  const auto take = [&](const RoutedPage& page) {
    out.header(format);
    const uint64_t cluster = page.center.empty() ? 0 : page.cluster + 1;
    out.row(format, {page.url, page.topic, page.fit, cluster, page.center, page.similarity});
    return out.good();
  };
  const auto counts =
      route_pages(flags.options, take, [&](const Progress& progress) { bar.show(progress); });
  bar.clear();
  if (counts) out.header(format);
  KITH_TRY(out.finish());
  if (!counts) return counts.error();
  print_crawl(*counts, flags.options, stderr);
  return counts->pages > 0 ? Status::ok() : nothing_read(*counts);
}

}  // namespace

void add_route_command(CLI::App& app, Outcome& outcome) {
  const auto flags = std::make_shared<RouteFlags>();
  CLI::App* const command =
      app.add_subcommand("route", "Where new pages belong: their topics and nearest clusters");
  command->add_option("RUN", flags->options.run, "The run directory, which stays as it is")
      ->required();
  add_read_flags(*command, flags->options, flags->max_page);
  command->get_option("INPUT")->required(false);
  add_url_rules_flag(*command, flags->options.url_rules);
  command->get_option("--url-rules")
      ->description(
          "Join spellings of URLs, as in kith cluster (default: by the rules of the run)");
  command->add_option("--threads", flags->options.threads, "Threads (default: one per processor)")
      ->type_name("N");
  add_list_options(*command, flags->format, flags->output);
  command->footer(std::string(input_help) + R"(

Without INPUT pages are read from standard input. A line per page: the path of its topic (see kith
topics), how well its words fit there (up to 1; near 0 they fit nowhere), the number of the cluster
with the most similar center (0: none has a common word), that center, and the similarity to it.

Examples:
  kith route run new.warc.gz
  kith route run new.jsonl --format jsonl | jq 'select(.similarity > 0.3).url'
  zcat new.warc.gz | kith route run)");
  command->callback([flags, &outcome] {
    flags->options.tables = outcome.tables;
    if (flags->options.inputs.empty()) flags->options.inputs.emplace_back("-");
    if (const Status status = run(*flags); !status) outcome.fail(status.error());
  });
}

}  // namespace kith::cli
