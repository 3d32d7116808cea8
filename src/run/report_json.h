// The parts of reports that every kind of run has, as JSON. Internal to this folder.
#pragma once

#include <nlohmann/json.hpp>

#include "kith/report.h"

namespace kith {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(SkippedRecord, kind, file, offset, reason)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(CrawlCounts, files, bytes_in, bytes_unpacked,
                                                records, pages, page_bytes, cut_pages, short_pages,
                                                bare_responses, mended_lines, redirects, skipped,
                                                examples, left_out)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(StageReport, stage, seconds, peak_memory, reused,
                                                damage)

}  // namespace kith
