#include "cli/output/curve_plot.h"

#include <array>
#include <cmath>

#include <fmt/format.h>

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
<text x="{0:.1f}" y="{6:.1f}" text-anchor="middle">{7:.1f}</text><text x="{8:.1f}" y="{9:.1f}" text-anchor="end">{7:.1f}</text>
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

}  // namespace kith::cli
