// The parts of reports that every kind of run has, as JSON. Internal to this folder.
#pragma once

#include <string_view>
#include <type_traits>

#include <nlohmann/json.hpp>

#include "kith/report.h"

namespace nlohmann {

// An enum is the word that name() has for it; another word is read as the first value.
template <class Enum>
struct adl_serializer<Enum, std::enable_if_t<std::is_enum_v<Enum>>> {
  static void to_json(json& out, Enum value) { out = name(value); }
  static void from_json(const json& in, Enum& value) {
    value = {};
    const auto word = in.get<std::string_view>();
    for (unsigned i = 0; !name(static_cast<Enum>(i)).empty(); ++i) {
      if (name(static_cast<Enum>(i)) == word) value = static_cast<Enum>(i);
    }
  }
};

}  // namespace nlohmann

namespace kith {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(SkippedRecord, kind, file, offset, reason)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(CrawlCounts, files, bytes_in, bytes_unpacked,
                                                records, pages, page_bytes, cut_pages, short_pages,
                                                bare_responses, mended_lines, redirects, skipped,
                                                examples, left_out)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(StageReport, stage, seconds, peak_memory, reused,
                                                damage)

}  // namespace kith
