// The flags of what is compared by shingles, and those of kith stream.
#pragma once

#include <string>
#include <string_view>

#include <CLI/CLI.hpp>

#include "kith/shingles.h"
#include "kith/status.h"
#include "kith/stream.h"

namespace kith::cli {

// What is read as text first.
struct StreamFlagTexts {
  std::string forget_after;
  std::string half_life;
  std::string max_skew;
};

// --raw and --numbers: what of a text counts. Both outlive the parsing.
void add_token_flags(CLI::App& command, bool& normalize, Numbers& numbers);

// --shingles, --width, --bag, --raw and --numbers. `options` outlives the parsing.
void add_shingle_flags(CLI::App& command, ShingleOptions& options);

// Defines the flags that fill `options`. Both outlive the parsing.
void add_stream_flags(CLI::App& command, StreamOptions& options, StreamFlagTexts& texts);

// After the parsing: reads the texts, and refuses flags that do nothing with the others.
Status read_stream_flags(const CLI::App& command, const StreamFlagTexts& texts,
                         StreamOptions& options);

// "90s", "30m", "6h", "7d", "250ms": milliseconds. An error names the flag.
Result<int64_t> parse_duration(std::string_view flag, std::string_view text);

}  // namespace kith::cli
