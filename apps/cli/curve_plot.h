// S-curves as text and as SVG.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace kith::cli {

// A chance over a similarity, both in [0, 1].
struct Curve {
  char mark;         // in text
  std::string name;  // in the legend of the SVG; no markup
  std::function<double(double)> value;
};

// The curves over [0, 1], `columns` by `rows` characters and the axes around them, with the
// similarity that was asked for marked. The first curve is drawn over the others.
std::string plot_text(const std::vector<Curve>& curves, double similarity, size_t columns,
                      size_t rows);

// The same as a standalone SVG document, in colours. The value of the first curve at the similarity
// is written beside it. REQUIRES: a curve, a title without markup.
std::string plot_svg(std::string_view title, const std::vector<Curve>& curves, double similarity);

}  // namespace kith::cli
