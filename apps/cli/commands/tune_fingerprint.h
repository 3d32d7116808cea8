// kith tune --for fingerprint: the bits of fingerprints, by a sample of pages.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

#include "kith/fingerprint_bits.h"
#include "kith/rows.h"
#include "kith/status.h"

namespace kith::cli {

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
