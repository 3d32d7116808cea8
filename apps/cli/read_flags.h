// The flags of every command that reads a crawl or works on one for long.
#pragma once

#include <string>

#include <CLI/CLI.hpp>

#include "kith/options.h"

namespace kith::cli {

// What --strict means where recall is measured.
inline constexpr const char* strict_job_help =
    "Fail at the first damaged record, and at the end when the measured recall is below what is "
    "expected";

// INPUT and the flags that say how it is read. `options` and `max_page` outlive the parsing; the
// latter takes the text of --max-page, for read_size_flag.
void add_read_flags(CLI::App& command, ReadOptions& options, std::string& max_page);

// --memory, as text for read_size_flag, and --threads. Both outlive the parsing.
void add_resource_flags(CLI::App& command, std::string& memory, unsigned& threads);

// Turns the text of a flag, if there is any, into bytes; the error names the flag.
Status read_size_flag(const char* flag, const std::string& text, uint64_t& size);

// What INPUT may be, for the help.
extern const char* const input_help;

}  // namespace kith::cli
