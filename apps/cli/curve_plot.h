// The S-curve R(s) as text and as SVG.
#pragma once

#include <string>

#include "kith/tune.h"

namespace kith::cli {

// R(s) over s in [0, 1], `columns` by `rows` characters and the axes around them.
std::string plot_text(const TablePlan& plan, double similarity, size_t columns, size_t rows);

// The same as a standalone SVG document, with the floor and the promised recall marked.
std::string plot_svg(const TablePlan& plan, double similarity);

}  // namespace kith::cli
