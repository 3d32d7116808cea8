// What kith tune plots, and --for fingerprint: the bits of fingerprints, by a sample of pages.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

#include "kith/rows.h"
#include "kith/status.h"
#include "kith/stream_job.h"

namespace kith::cli {

// Curves as text, and S-curves as SVG.

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

// kith tune --for fingerprint: the bits of fingerprints, by a sample of pages.

struct FingerprintFlags {
  FingerprintBitsOptions options;
  std::string max_page;
  std::string memory;
  ListFormat format = ListFormat::tsv;
};

// Defines INPUT and the flags that say how it is read, and those of the output. `flags` outlive the
// parsing.
void add_fingerprint_flags(CLI::App& command, FingerprintFlags& flags);
void add_fingerprint_output_flags(CLI::App& command, FingerprintFlags& flags);

// The names of these, which nothing but fingerprints has.
std::vector<std::string_view> fingerprint_options();

// Prints a table and a plot, or with as_rows the table alone, in flags.format.
Status tune_fingerprint(FingerprintFlags& flags, bool as_rows);

}  // namespace kith::cli
