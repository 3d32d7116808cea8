// Numbers and fields for people and for pipes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace kith::cli {

std::string with_commas(uint64_t number);  // 1,234,567
// "1 page", "1,234 pages"; `many` where it is not `one` with an s.
std::string counted(uint64_t number, std::string_view one, std::string_view many = {});
std::string human_bytes(double bytes);           // 3.4 GB; powers of 1000: of files and texts
std::string human_memory(double bytes);          // 3.2 GiB; powers of 1024: of what --memory bounds
std::string human_seconds(double seconds);       // 0.42 s, 12.3 s, 4 min 05 s, 2 h 13 min
std::string similarity_text(double similarity);  // six decimals: enough to tell pairs apart
std::string percent(double share);               // 97.3 %

}  // namespace kith::cli
