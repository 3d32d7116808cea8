// Options and reports as JSON and back.
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "kith/options.h"
#include "kith/report.h"
#include "kith/status.h"

namespace kith::run {

// The options that decide what the files hold; not inputs, output, memory, threads, check.
nlohmann::json identity_of(const ClusterOptions& options);

// `options` with the values in `changed`, an object of some of identity_of()'s keys.
ClusterOptions with_values(const ClusterOptions& options, const nlohmann::json& changed);

// Parses text; a discarded value when it is no JSON, or nested deeper than any file of kith, since
// what is done with a value goes as deep as the value does.
nlohmann::json parse_json(std::string_view text);

// The text of a JSON object with one member more, `checksum`: the XXH3-64 of the object without it,
// written without spaces. REQUIRES: `object` is the text of a JSON object.
std::string with_checksum(std::string_view object);
// Whether a text is such an object, and nothing of it has changed but its spaces.
bool matches_checksum(std::string_view text);

// Whether values are of the types that `shape` has under the same keys; null fits any. The
// library would cast a number of any size to any type of number.
bool fits(const nlohmann::json& value, const nlohmann::json& shape);

// Whether all whole numbers and words of `value` stand under the same keys of `again`, which was
// made of what was read of it: a number out of range does not, nor a word that an enum has not.
bool keeps_values(const nlohmann::json& value, const nlohmann::json& again);

// An option of an identity as errors name it: "window = 16", "no `language`"; "`stop_words`" where
// its value is too long to be told. The program says it as it would be typed.
std::string option_text(const nlohmann::json& options, const std::string& key);
// What the options of `earlier` are where those of `now` are others: "window = 16 instead of window
// = 4", "another `within`".
std::string option_difference(const nlohmann::json& earlier, const nlohmann::json& now,
                              const std::string& key);

// What the plan stage has chosen, threshold and engine, as JSON: the same for the same choice.
std::string plan_text(const Report& report);

// Reads what to_json(Report) wrote; unknown keys are passed over, missing ones keep defaults.
Result<Report> report_from_json(std::string_view text);

}  // namespace kith::run
