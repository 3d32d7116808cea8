// kith route: where new pages belong in a run.
#include <cstdio>
#include <memory>
#include <utility>

#include "cli/commands/command.h"
#include "cli/output/output.h"
#include "cli/output/progress_bar.h"
#include "cli/output/summary.h"
#include "cli/read_flags.h"

namespace kith::cli {
namespace {

struct RouteFlags {
  RouteOptions options;
  std::string max_page;
  ListFormat format = ListFormat::tsv;
};

Status run(RouteFlags& flags) {
  KITH_TRY(read_size_flag("--max-page", flags.max_page, flags.options.max_page));
  Output out;
  ProgressBar bar;
  const RowFormat format(flags.format, {"url", "topic", "fit", "cluster", "center", "similarity"});
  // The header waits for a row or the end, so that an input which cannot be read prints nothing.
  bool has_header = false;
  const auto print_header = [&] {
    if (!std::exchange(has_header, true)) out.header(format);
  };
  const auto take = [&](const RoutedPage& page) {
    print_header();
    const uint64_t cluster = page.center.empty() ? 0 : page.cluster + 1;
    out.row(format, {page.url, page.topic, page.fit, cluster, page.center, page.similarity});
    return out.good();
  };
  const auto counts =
      route_pages(flags.options, take, [&](const Progress& progress) { bar.show(progress); });
  bar.clear();
  if (counts) print_header();
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
  command->add_option("--threads", flags->options.threads, "Threads (default: one per processor)")
      ->type_name("N");
  add_format_option(*command, flags->format);
  command->footer(std::string(input_help) + R"(

Without INPUT pages are read from standard input. A line per page: the path of its topic (see kith
topics), how well its words fit there (up to 1; near 0 they fit nowhere), the number of the cluster
with the most similar center (0: none has a common word), that center, and the similarity to it.

Examples:
  kith route run new.warc.gz
  kith route run new.jsonl --format jsonl | jq 'select(.similarity > 0.3).url'
  zcat new.warc.gz | kith route run)");
  command->callback([flags, &outcome] {
    if (flags->options.inputs.empty()) flags->options.inputs.emplace_back("-");
    if (const Status status = run(*flags); !status) outcome.fail(status.error());
  });
}

}  // namespace kith::cli
