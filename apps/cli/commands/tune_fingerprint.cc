#include "cli/commands/tune_fingerprint.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include <fmt/format.h>

#include "cli/commands/command.h"
#include "cli/commands/stream_flags.h"
#include "cli/help/help_format.h"
#include "cli/output/console.h"
#include "cli/output/curve_plot.h"
#include "cli/output/output.h"
#include "cli/output/summary.h"
#include "cli/output/text_format.h"
#include "cli/read_flags.h"

namespace kith::cli {
namespace {

Status print_rows(const FingerprintBitsReport& report, ListFormat list_format) {
  const RowFormat format(list_format, {"bits", "joined", "parted", "chance"});
  Output out;
  out.header(format);
  for (const FingerprintErrors& of : report.errors) {
    out.row(format, {uint64_t{of.bits}, of.joined, of.parted, of.chance});
  }
  return out.finish();
}

double share_of(uint64_t pages, const FingerprintBitsReport& report) {
  return 100 * static_cast<double>(pages) / static_cast<double>(report.pages);
}

void print_table(const FingerprintBitsReport& report, const FingerprintBitsOptions& options) {
  print_to(stdout, "{} with words, {} without; {} resemble another page (resemblance {:.3g})\n",
           counted(report.pages, "page"), with_commas(report.empty), with_commas(report.resembling),
           options.similarity);
  print_to(stdout, "bits   falsely joined   falsely parted   by chance among {} documents\n",
           with_commas(options.documents));
  for (const FingerprintErrors& of : report.errors) {
    print_to(stdout, "{:>4}  {:>6} {:>6.2f} %  {:>6} {:>6.2f} %  {:>8.4f} %{}\n", of.bits,
             of.joined, share_of(of.joined, report), of.parted, share_of(of.parted, report),
             100 * of.chance, of.bits == report.best ? "  <- fewest of all" : "");
  }
}

// A plot ends at a round number of percent that no share is above.
double top_of(const FingerprintBitsReport& report) {
  uint64_t most = 0;
  for (const FingerprintErrors& of : report.errors) most = std::max({most, of.joined, of.parted});
  constexpr double rounds[] = {0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50};
  const auto* const round = std::ranges::lower_bound(rounds, share_of(most, report));
  return round == std::end(rounds) ? 100 : *round;
}

void print_plot(const FingerprintBitsReport& report) {
  const FingerprintErrors& first = report.errors.front();
  const FingerprintErrors& last = report.errors.back();
  const auto curve = [&](char mark, std::string name, uint64_t FingerprintErrors::*count) {
    return Curve{mark, std::move(name), [&report, &first, count](double bits) {
                   const auto place = static_cast<size_t>(std::lround(bits)) - first.bits;
                   return share_of(report.errors[place].*count, report);
                 }};
  };
  const std::vector<Curve> curves = {curve('j', "falsely joined", &FingerprintErrors::joined),
                                     curve('p', "falsely parted", &FingerprintErrors::parted)};
  print_to(stdout, "\nPercent of the pages: j {}, p {}; : {} bits\n\n{}", curves[0].name,
           curves[1].name, report.best,
           plot_text(curves, report.best, report.errors.size(), 17,
                     {static_cast<double>(first.bits), static_cast<double>(last.bits),
                      top_of(report), "bits"}));
}

}  // namespace

void add_fingerprint_flags(CLI::App& command, FingerprintFlags& flags) {
  add_read_flags(command, flags.options, flags.max_page);
  command.get_option("INPUT")->required(false)->description(
      "A sample of pages, for fingerprint: crawl files, folders, or -");
  add_shingle_flags(command, flags.options.shingles);
  end_group(command, cli::group::words);
}

void add_fingerprint_output_flags(CLI::App& command, FingerprintFlags& flags) {
  add_format_option(command, flags.format);
  command.get_option("--format")
      ->description("Print rows with bits, joined, parted and chance alone, for fingerprint");
  end_group(command, cli::group::output);
  command
      .add_option("--memory", flags.memory,
                  "Most memory to use, e.g. 4G (default: 3/4 of all), which the sample must fit")
      ->type_name("SIZE")
      ->group(cli::group::resources);
}

std::vector<std::string_view> fingerprint_options() {
  return {"INPUT",   "--base-url", "--status", "--max-page", "--language", "--strict", "--shingles",
          "--width", "--bag",      "--raw",    "--numbers",  "--memory",   "--format"};
}

Status tune_fingerprint(FingerprintFlags& flags, bool as_rows) {
  if (flags.options.inputs.empty()) {
    return Error{ErrorKind::usage,
                 "--for fingerprint needs a sample of pages; name an INPUT, or - for standard "
                 "input"};
  }
  KITH_TRY(read_size_flag("--max-page", flags.max_page, flags.options.max_page));
  KITH_TRY(read_size_flag("--memory", flags.memory, flags.options.memory));
  KITH_ASSIGN(const FingerprintBitsReport report, tune_fingerprint_bits(flags.options));
  if (as_rows) {
    KITH_TRY(print_rows(report, flags.format));
  } else {
    print_table(report, flags.options);
    print_plot(report);
  }
  print_crawl(report.crawl, flags.options, stderr);
  print_skip_examples(report.crawl, stderr);
  return Status::ok();
}

}  // namespace kith::cli
