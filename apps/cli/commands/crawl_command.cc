// kith crawl: the pages of a crawl as kith reads them, one line each.
#include <cstdio>
#include <memory>
#include <utility>

#include "cli/commands/command.h"
#include "cli/output/console.h"
#include "cli/output/output.h"
#include "cli/output/progress_bar.h"
#include "cli/output/summary.h"
#include "cli/read_flags.h"
#include "cli/temporary_folder.h"

namespace kith::cli {
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

With --boilerplate a line per template block of a host instead: host, how many of its pages have the
block, how many pages it has, words, text. 'kith cluster' leaves these blocks out of bags.)";

struct CrawlFlags {
  ReadOptions options;
  std::string max_page;
  ListFormat format = ListFormat::tsv;
  bool boilerplate = false;
  std::string host;  // empty: all
};

Status run_boilerplate(const CrawlFlags& flags) {
  KITH_ASSIGN(const TemporaryFolder folder, TemporaryFolder::create("kith-crawl", "."));
  Output out;
  ProgressBar bar;
  const RowFormat format(flags.format, {"host", "pages", "of", "words", "text"});
  out.header(format);
  bool has_rows = false;
  const auto take = [&](const TemplateBlock& block) {
    if (flags.host.empty() || flags.host == block.host) {
      has_rows = true;
      out.row(format, {block.host, block.pages, block.of, block.words, block.text});
    }
    return out.good();
  };
  const auto counts = list_templates(flags.options, folder.path(), take,
                                     [&](const Progress& progress) { bar.show(progress); });
  bar.clear();
  if (!counts) return counts.error();
  KITH_TRY(out.finish());
  print_crawl(*counts, flags.options, stderr);
  if (counts->pages == 0) return nothing_read(*counts);
  if (!has_rows) {
    row(stderr, "warning", "{} has a template block",
        flags.host.empty() ? "no host" : "no page of " + flags.host);
  }
  return Status::ok();
}

Status run(CrawlFlags& flags) {
  KITH_TRY(read_size_flag("--max-page", flags.max_page, flags.options.max_page));
  if (flags.boilerplate) return run_boilerplate(flags);
  Output out;
  ProgressBar bar;
  const RowFormat format(flags.format,
                         {"url", "status", "type", "charset", "language", "words", "links"});
  // The header waits for a row or the end, so that an input which cannot be read prints nothing.
  bool has_header = false;
  const auto print_header = [&] {
    if (!std::exchange(has_header, true)) out.header(format);
  };
  const auto take = [&](const PageRow& row) {
    print_header();
    out.row(format, {row.url, uint64_t{row.status}, row.type, row.charset, row.language, row.words,
                     row.links});
    return out.good();
  };
  const auto counts =
      list_pages(flags.options, take, [&](const Progress& progress) { bar.show(progress); });
  bar.clear();
  if (counts) print_header();
  KITH_TRY(out.finish());
  if (!counts) return counts.error();
  print_crawl(*counts, flags.options, stderr);
  print_skip_examples(*counts, stderr);
  return counts->pages > 0 ? Status::ok() : nothing_read(*counts);
}

}  // namespace

void add_crawl_command(CLI::App& app, Outcome& outcome) {
  const auto flags = std::make_shared<CrawlFlags>();
  CLI::App* const command =
      app.add_subcommand("crawl", "The pages of a crawl as kith reads them, one line each");
  command->footer(std::string(input_help) + crawl_examples);
  add_read_flags(*command, flags->options, flags->max_page);
  add_format_option(*command, flags->format);
  CLI::Option* const boilerplate = command->add_flag(
      "--boilerplate", flags->boilerplate,
      "The template blocks of every host, which 'kith cluster' leaves out of bags");
  command->add_option("--host", flags->host, "The blocks of this host alone")
      ->type_name("HOST")
      ->needs(boilerplate);
  command->callback([flags, &outcome] {
    if (const Status status = run(*flags); !status) outcome.fail(status.error());
  });
}

}  // namespace kith::cli
