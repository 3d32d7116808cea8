// The reports of all jobs as JSON and back: enums, options that may be left open, what every report
// has, and the text as a whole. A job defines the JSON of its own parts and has its report written
// and read by these.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include <nlohmann/json.hpp>

#include "kith/report.h"
#include "kith/rows.h"
#include "kith/status.h"

#include "run/json.h"

namespace nlohmann {

// An enum is the word that name() has for it; another word is read as the first value, and
// refused by keeps_values().
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

// What is chosen for the input is "auto".
template <class T>
struct adl_serializer<std::optional<T>> {
  static void to_json(json& out, const std::optional<T>& value) {
    if (value) {
      out = *value;
    } else {
      out = "auto";
    }
  }
  static void from_json(const json& in, std::optional<T>& value) {
    // A comparison with the value itself would end the program where there is no memory.
    const bool is_open = in.is_string() && in.get<std::string_view>() == "auto";
    value = is_open ? std::nullopt : std::optional<T>(in.get<T>());
  }
};

}  // namespace nlohmann

namespace kith {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(SkippedRecord, kind, file, offset, reason)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(CrawlCounts, files, bytes_in, bytes_unpacked,
                                                records, pages, page_bytes, cut_pages, short_pages,
                                                bare_responses, mended_lines, redirects, skipped,
                                                examples, left_out, named, found)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(HostBoilerplate, host, words, left_out)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(BoilerplateReport, words, left_out, kept_whole,
                                                hosts, blocks, most)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(MemoryShare, share, bytes)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(StageReport, stage, seconds, peak_memory, reused,
                                                damage, memory)

namespace run {

// Paths and skip reasons may hold any bytes; JSON may not.
template <class AnyReport>
std::string report_text(const AnyReport& report) {
  return escaped_json(
      nlohmann::json(report).dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
}

// A report with one item in each list that all jobs have: the beginning of a shape (fits()).
template <class AnyReport>
AnyReport with_one_item_each() {
  AnyReport report;
  report.options.inputs = {""};
  report.crawl.skipped = {{"", 0}};
  report.crawl.left_out = {{"", 0}};
  report.crawl.examples = {{}};
  report.stages = {{}};
  report.stages.front().memory = {{}};
  return report;
}

// Reads what report_text() wrote; unknown keys are passed over, missing ones keep defaults. `shape`
// is a report of that kind with one item in each list.
template <class AnyReport>
Result<AnyReport> read_report_text(std::string_view text, const nlohmann::json& shape) {
  const Error damaged{ErrorKind::corrupt, "is no report of kith"};
  const nlohmann::json parsed = parse_json(text);
  if (!fits(parsed, shape)) return damaged;
  // The one place where the JSON library can only answer by an exception: a list too short.
  try {
    auto report = parsed.get<AnyReport>();
    if (!keeps_values(parsed, nlohmann::json(report))) return damaged;
    return report;
  } catch (const nlohmann::json::exception&) {
    return damaged;
  }
}

}  // namespace run
}  // namespace kith
