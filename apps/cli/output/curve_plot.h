// Curves as text, and S-curves as SVG.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace kith::cli {

// A chance over a similarity, both in [0, 1], or another value over what the axes say.
struct Curve {
  char mark;         // in text
  std::string name;  // in the legend of the SVG; no markup
  std::function<double(double)> value;
};

// What a plot shows: values from 0 to `top` over [from, to].
struct PlotAxes {
  double from = 0;
  double to = 1;
  double top = 1;
  std::string name = "similarity";  // of the horizontal one
};

// The curves in `columns` by `rows` characters and the axes around them, with the place `marked` on
// the horizontal one. The first curve is drawn over the others. REQUIRES: values within the axes.
std::string plot_text(const std::vector<Curve>& curves, double marked, size_t columns, size_t rows,
                      const PlotAxes& axes = {});

// Curves over [0, 1] as a standalone SVG document, in colours. The value of the first curve at the
// similarity is written beside it. REQUIRES: a curve, a title without markup.
std::string plot_svg(std::string_view title, const std::vector<Curve>& curves, double similarity);

}  // namespace kith::cli
