// kith tune --for fingerprint: the bits of fingerprints, by a sample of pages.
#pragma once

#include <string>

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

// Defines INPUT and the flags that say how it is read. `flags` outlive the parsing.
void add_fingerprint_flags(CLI::App& command, FingerprintFlags& flags);

// An error that names the first of these that was given.
Status refuse_fingerprint_flags(const CLI::App& command);

// Prints a table and a plot, or with as_rows the table alone, in flags.format.
Status tune_fingerprint(FingerprintFlags& flags, bool as_rows);

}  // namespace kith::cli
