// Numbers and fields for people and for pipes.
#pragma once

#include <cstdint>
#include <string>

namespace kith::cli {

std::string with_commas(uint64_t number);        // 1,234,567
std::string human_bytes(double bytes);           // 3.4 GB; powers of 1000
std::string human_seconds(double seconds);       // 0.42 s, 12.3 s, 4 min 05 s, 2 h 13 min
std::string similarity_text(double similarity);  // six decimals: enough to tell pairs apart
std::string percent(double share);               // 97.3 %

}  // namespace kith::cli
