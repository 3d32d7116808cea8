// Options and reports of `kith dedup` as JSON and back.
#pragma once

#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "kith/dedup.h"
#include "kith/status.h"

namespace kith::jobs {

// The options that decide what the binary files hold; not inputs, output, memory, threads, nor what
// only the lists and the check depend on.
nlohmann::json identity_of(const DedupOptions& options);

// Reads what to_json(DedupReport) wrote; unknown keys are passed over, missing ones keep defaults.
Result<DedupReport> dedup_report_from_json(std::string_view text);

}  // namespace kith::jobs
