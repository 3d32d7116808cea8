// kith crawl: the pages of a crawl as kith reads them, one line each.
#include <cstdio>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "command.h"
#include "output.h"
#include "progress_bar.h"
#include "read_flags.h"
#include "summary.h"
#include "temporary_folder.h"
#include "text_format.h"

namespace kith::cli {
namespace {

constexpr const char* examples = R"(
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

constexpr const char* header = "url\tstatus\ttype\tcharset\tlanguage\twords\tlinks";

struct Flags {
  ReadOptions options;
  std::string max_page;
  Format format = Format::tsv;
  bool boilerplate = false;
  std::string host;  // empty: all
};

std::string row_text(const PageRow& row, Format format) {
  if (format == Format::tsv) {
    return fmt::format("{}\t{}\t{}\t{}\t{}\t{}\t{}", tsv_field(row.url), row.status,
                       tsv_field(row.type), row.charset, row.language, row.words, row.links);
  }
  return fmt::format(
      R"({{"url":{},"status":{},"type":{},"charset":"{}","language":"{}","words":{},"links":{}}})",
      json_string(row.url), row.status, json_string(row.type), row.charset, row.language, row.words,
      row.links);
}

std::string row_text(const TemplateBlock& block, Format format) {
  if (format == Format::tsv) {
    return fmt::format("{}\t{}\t{}\t{}\t{}", tsv_field(block.host), block.pages, block.of,
                       block.words, tsv_field(block.text));
  }
  return fmt::format(R"({{"host":{},"pages":{},"of":{},"words":{},"text":{}}})",
                     json_string(block.host), block.pages, block.of, block.words,
                     json_string(block.text));
}

Status run_boilerplate(const Flags& flags) {
  KITH_ASSIGN(const TemporaryFolder folder, TemporaryFolder::create("kith-crawl", "."));
  Output out;
  ProgressBar bar;
  if (flags.format == Format::tsv) out.line("host\tpages\tof\twords\ttext");
  const auto take = [&](const TemplateBlock& block) {
    if (flags.host.empty() || flags.host == block.host) out.line(row_text(block, flags.format));
    return out.good();
  };
  const auto counts = list_templates(flags.options, folder.path(), take,
                                     [&](const Progress& progress) { bar.show(progress); });
  bar.clear();
  if (!counts) return counts.error();
  KITH_TRY(out.finish());
  print_crawl(*counts, flags.options, stderr);
  return Status::ok();
}

Status run(Flags& flags) {
  KITH_TRY(read_size_flag("--max-page", flags.max_page, flags.options.max_page));
  if (flags.boilerplate) return run_boilerplate(flags);
  Output out;
  ProgressBar bar;
  // The header waits for a row or the end, so that an input which cannot be read prints nothing.
  bool has_header = flags.format != Format::tsv;
  const auto print_header = [&] {
    if (!std::exchange(has_header, true)) out.line(header);
  };
  const auto take = [&](const PageRow& row) {
    print_header();
    out.line(row_text(row, flags.format));
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
  return Status::ok();
}

}  // namespace

void add_crawl_command(CLI::App& app, Outcome& outcome) {
  const auto flags = std::make_shared<Flags>();
  CLI::App* const command =
      app.add_subcommand("crawl", "The pages of a crawl as kith reads them, one line each");
  command->footer(std::string(input_help) + examples);
  add_read_flags(*command, flags->options, flags->max_page);
  add_format_option(*command, flags->format);
  CLI::Option* const boilerplate = command->add_flag(
      "--boilerplate", flags->boilerplate,
      "The template blocks of every host, which 'kith cluster' leaves out of bags");
  command->add_option("--host", flags->host, "With --boilerplate: of this host only")
      ->needs(boilerplate);
  command->callback([flags, &outcome] {
    if (const Status status = run(*flags); !status) outcome.fail(status.error());
  });
}

}  // namespace kith::cli
