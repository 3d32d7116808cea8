#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <vector>

#include <fmt/format.h>

#include "cli/commands/command.h"
#include "cli/commands/flags.h"
#include "cli/commands/tune.h"
#include "cli/help/help.h"
#include "cli/output/console.h"
#include "cli/output/output.h"
#include "cli/output/summary.h"

namespace kith::cli {
namespace {

constexpr double width = 640, height = 400, left = 60, right = 20, top = 40, bottom = 50;

double x_of(double similarity) {
  return left + similarity * (width - left - right);
}
double y_of(double chance) {
  return height - bottom - chance * (height - top - bottom);
}

std::string svg_axes() {
  std::string svg;
  for (int tick = 0; tick <= 10; ++tick) {
    const double value = tick / 10.0;
    svg += fmt::format(
        R"(<path d="M{0:.1f} {1:.1f}V{2:.1f}M{3:.1f} {4:.1f}H{5:.1f}" stroke="#ddd"/>
<text x="{0:.1f}" y="{6:.1f}" text-anchor="middle">{7:.1f}</text>)"
        R"(<text x="{8:.1f}" y="{9:.1f}" text-anchor="end">{7:.1f}</text>
)",
        x_of(value), y_of(0), y_of(1), x_of(0), y_of(value), x_of(1), y_of(0) + 16, value,
        x_of(0) - 6, y_of(value) + 4);
  }
  return svg;
}

std::string svg_curve(const Curve& curve, std::string_view colour, double stroke, double legend_y) {
  std::string path;
  constexpr int points = 200;
  for (int i = 0; i <= points; ++i) {
    const double s = static_cast<double>(i) / points;
    path += fmt::format("{}{:.2f} {:.2f}", i == 0 ? "M" : "L", x_of(s), y_of(curve.value(s)));
  }
  return fmt::format(
      R"(<path d="{}" fill="none" stroke="{}" stroke-width="{}"/>
<text x="{}" y="{:.1f}" fill="{}">{}</text>
)",
      path, colour, stroke, left + 8, legend_y, colour, curve.name);
}

}  // namespace

std::string plot_text(const std::vector<Curve>& curves, double marked, size_t columns, size_t rows,
                      const PlotAxes& axes) {
  std::vector<std::string> canvas(rows, std::string(columns, ' '));
  const double step = (axes.to - axes.from) / static_cast<double>(columns - 1);
  const auto marked_column = static_cast<size_t>(std::lround((marked - axes.from) / step));
  for (std::string& line : canvas) line[marked_column] = ':';
  for (auto curve = curves.rbegin(); curve != curves.rend(); ++curve) {
    const bool is_first = curve + 1 == curves.rend();
    for (size_t column = 0; column < columns; ++column) {
      const double value = curve->value(axes.from + static_cast<double>(column) * step) / axes.top;
      const auto row = static_cast<size_t>(std::lround(value * static_cast<double>(rows - 1)));
      canvas[rows - 1 - row][column] = is_first && column == marked_column ? 'O' : curve->mark;
    }
  }
  std::string plot;
  for (size_t row = 0; row < rows; ++row) {
    const double share = 1.0 - static_cast<double>(row) / static_cast<double>(rows - 1);
    plot += fmt::format("{:>5.{}f} |{}\n", share * axes.top, axes.top < 10 ? 2 : 1, canvas[row]);
  }
  plot += fmt::format("      +{}\n", std::string(columns, '-'));
  const std::string from = fmt::format("{}", axes.from);
  const std::string to = fmt::format("{} {}", axes.name, axes.to);
  plot += fmt::format("       {}{:>{}}\n", from, to, columns - from.size());
  return plot;
}

std::string plot_svg(std::string_view title, const std::vector<Curve>& curves, double similarity) {
  constexpr std::array<std::string_view, 8> colours{"#1f77b4", "#ff7f0e", "#2ca02c", "#9467bd",
                                                    "#8c564b", "#e377c2", "#7f7f7f", "#17becf"};
  std::string svg = fmt::format(
      R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {0} {1}" font-family="sans-serif" font-size="12">
<rect width="{0}" height="{1}" fill="white"/>
<text x="{2}" y="20" font-size="14">{3}</text>
)",
      width, height, left, title);
  svg += svg_axes();
  for (size_t i = curves.size(); i-- > 0;) {
    svg += svg_curve(curves[i], colours[i % colours.size()], i == 0 ? 2.5 : 1.2,
                     top + 14 + 15 * static_cast<double>(i));
  }
  const double chance = curves.front().value(similarity);
  svg += fmt::format(
      R"(<path d="M{0:.1f} {1:.1f}V{2:.1f}" stroke="#d62728" stroke-dasharray="4 3"/>
<circle cx="{0:.1f}" cy="{3:.1f}" r="4" fill="#d62728"/>
<text x="{4:.1f}" y="{5:.1f}" text-anchor="{6}">R({7:.3g}) = {8:.4f}</text>
<text x="{9:.1f}" y="{10:.1f}" text-anchor="middle">similarity s</text>
</svg>
)",
      x_of(similarity), y_of(0), y_of(1), y_of(chance),
      x_of(similarity) + (similarity > 0.7 ? -8 : 8), y_of(chance) + 16,
      similarity > 0.7 ? "end" : "start", similarity, chance, x_of(0.5), height - 12);
  return svg;
}

namespace {

Status print_rows(const FingerprintBitsReport& report, ListFormat list_format) {
  using enum RowColumn::Type;
  const RowFormat format(
      list_format, {{"bits", count}, {"joined", share}, {"parted", share}, {"chance", share}});
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
