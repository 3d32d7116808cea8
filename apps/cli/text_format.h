// Numbers and fields for people and for pipes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace kith::cli {

std::string with_commas(uint64_t number);        // 1,234,567
std::string human_bytes(double bytes);           // 3.4 GB; powers of 1000
std::string human_seconds(double seconds);       // 0.42 s, 12.3 s, 4 min 05 s, 2 h 13 min
std::string similarity_text(double similarity);  // six decimals: enough to tell pairs apart
std::string percent(double share);               // 97.3 %

// Control bytes as blanks: foreign text on a terminal.
std::string printable(std::string_view text);

// A TSV field: tabs, line ends and backslashes as \t, \n, \r, \\.
std::string tsv_field(std::string_view text);

// A JSON string with its quotes; invalid UTF-8 becomes U+FFFD.
std::string json_string(std::string_view text);

}  // namespace kith::cli
