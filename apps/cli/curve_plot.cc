#include "curve_plot.h"

#include <cmath>
#include <vector>

#include <fmt/format.h>

namespace kith::cli {

std::string plot_text(const TablePlan& plan, double similarity, size_t columns, size_t rows) {
  std::vector<std::string> canvas(rows, std::string(columns, ' '));
  const auto column_of = [&](double s) {
    return static_cast<size_t>(std::lround(s * static_cast<double>(columns - 1)));
  };
  for (std::string& line : canvas) line[column_of(similarity)] = ':';
  for (size_t column = 0; column < columns; ++column) {
    const double s = static_cast<double>(column) / static_cast<double>(columns - 1);
    const auto height =
        static_cast<size_t>(std::lround(recall_at(plan, s) * static_cast<double>(rows - 1)));
    canvas[rows - 1 - height][column] = column == column_of(similarity) ? 'O' : '*';
  }
  std::string plot;
  for (size_t row = 0; row < rows; ++row) {
    const double r = 1.0 - static_cast<double>(row) / static_cast<double>(rows - 1);
    plot += fmt::format("{:>5.2f} |{}\n", r, canvas[row]);
  }
  plot += fmt::format("      +{}\n", std::string(columns, '-'));
  plot += fmt::format("       0{:>{}}\n", "similarity 1", columns - 1);
  return plot;
}

std::string plot_svg(const TablePlan& plan, double similarity) {
  constexpr double width = 640, height = 400, left = 60, right = 20, top = 40, bottom = 50;
  const auto x = [&](double s) { return left + s * (width - left - right); };
  const auto y = [&](double r) { return height - bottom - r * (height - top - bottom); };
  std::string svg = fmt::format(
      R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {0} {1}" font-family="sans-serif" font-size="12">
<rect width="{0}" height="{1}" fill="white"/>
<text x="{2}" y="20" font-size="14">R(s): {3} tables, {4} of {5} minima a key</text>
)",
      width, height, left, plan.tables, plan.per_key, plan.lanes);
  for (int tick = 0; tick <= 10; ++tick) {
    const double value = tick / 10.0;
    svg += fmt::format(
        R"(<path d="M{0:.1f} {1:.1f}V{2:.1f}M{3:.1f} {4:.1f}H{5:.1f}" stroke="#ddd"/>
<text x="{0:.1f}" y="{6:.1f}" text-anchor="middle">{7:.1f}</text><text x="{8:.1f}" y="{9:.1f}" text-anchor="end">{7:.1f}</text>
)",
        x(value), y(0), y(1), x(0), y(value), x(1), y(0) + 16, value, x(0) - 6, y(value) + 4);
  }
  std::string path;
  constexpr int points = 200;
  for (int i = 0; i <= points; ++i) {
    const double s = static_cast<double>(i) / points;
    path += fmt::format("{}{:.2f} {:.2f}", i == 0 ? "M" : "L", x(s), y(recall_at(plan, s)));
  }
  svg += fmt::format(R"(<path d="{}" fill="none" stroke="#1f77b4" stroke-width="2"/>
)",
                     path);
  svg += fmt::format(
      R"(<path d="M{0:.1f} {1:.1f}V{2:.1f}" stroke="#d62728" stroke-dasharray="4 3"/>
<circle cx="{0:.1f}" cy="{3:.1f}" r="4" fill="#d62728"/>
<text x="{4:.1f}" y="{5:.1f}">R({6:.3g}) = {7:.4f}</text>
<text x="{8:.1f}" y="{9:.1f}" text-anchor="middle">similarity s</text>
</svg>
)",
      x(similarity), y(0), y(1), y(plan.recall), x(similarity) + 8, y(plan.recall) + 16, similarity,
      plan.recall, x(0.5), height - 12);
  return svg;
}

}  // namespace kith::cli
