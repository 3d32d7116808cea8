// The files that the stages of `kith dedup` leave (docs/formats/dedup.md).
#pragma once

#include <string_view>

#include "run/stage_files.h"

namespace kith::jobs {

inline constexpr std::string_view documents_file = "documents.kith";
inline constexpr std::string_view names_file = "names.kith";
inline constexpr std::string_view shingles_file = "shingles.kith";
inline constexpr std::string_view sketches_file = "sketches.kith";
inline constexpr std::string_view common_file = "common.kith";
inline constexpr std::string_view title_words_file = "title_words.kith";
inline constexpr std::string_view inlinks_file = "inlinks.kith";
inline constexpr std::string_view against_file = "against.kith";
inline constexpr std::string_view fingerprints_file = "fingerprints.kith";
inline constexpr std::string_view matches_file = "matches.kith";
inline constexpr std::string_view groups_file = "groups.kith";
inline constexpr std::string_view documents_stage = "documents";
inline constexpr std::string_view against_stage = "against";
inline constexpr std::string_view matches_stage = "matches";
inline constexpr std::string_view groups_stage = "groups";

run::StageFiles dedup_stage_files();

}  // namespace kith::jobs
