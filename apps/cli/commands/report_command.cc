// kith report: the report of a run as a file for a browser.
#include <memory>

#include "cli/commands/command.h"
#include "cli/output/output.h"
#include "server/page.h"

namespace kith::cli {
namespace {

struct ReportFlags {
  std::string directory;
  std::string html;
};

Status write_report(const ReportFlags& flags) {
  KITH_ASSIGN(const std::string page, server::report_page(flags.directory));
  return write_file(flags.html, page);
}

}  // namespace

void add_report_command(CLI::App& app, Outcome& outcome) {
  const auto flags = std::make_shared<ReportFlags>();
  CLI::App* const command = app.add_subcommand(
      "report", "The report of a run as a page of HTML: counts, times, sizes, measured recall");
  command
      ->add_option("DIR", flags->directory, "The run directory of 'kith cluster' or 'kith dedup'")
      ->required();
  command->add_option("--html", flags->html, "The file to write; it is replaced")
      ->type_name("FILE")
      ->required();
  command->footer(R"(
The file shows what 'kith serve' shows as the report of a run, and needs nothing else: no server, no
network. 'kith info' prints the same numbers.

Examples:
  kith report run --html report.html
  kith report dedup-run --html dedup.html)");
  command->callback([flags, &outcome] {
    if (const Status status = write_report(*flags); !status) outcome.fail(status.error());
  });
}

}  // namespace kith::cli
