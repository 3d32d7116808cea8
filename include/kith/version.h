// The version of the library that is linked.
#pragma once

#include <string_view>

#pragma GCC visibility push(default)

namespace kith {

std::string_view version();  // "0.1.0"

// The commit that it was built from, "-dirty" behind it where files differed; empty where the
// sources were neither a git checkout nor an archive of one.
std::string_view commit();

// The day of that commit, "2026-11-25"; empty where commit() is.
std::string_view commit_date();

// The instructions that its innermost loops take on this machine: "AVX-512", "AVX2" or "scalar".
std::string_view simd_path();

}  // namespace kith

#pragma GCC visibility pop
