// The report of kith::find_contamination as JSON.
#include <nlohmann/json.hpp>

#include "kith/contaminated.h"
#include "kith/rows.h"

#include "run/report_json.h"

namespace kith {

std::string to_json(const ContaminationReport& report) {
  using nlohmann::json;
  json suites = json::array();
  for (const ContaminatedSuite& suite : report.suites) {
    suites.push_back({{"name", suite.name},
                      {"files", suite.files},
                      {"fields", suite.fields},
                      {"width", suite.width},
                      {"containment", suite.containment},
                      {"items", suite.items},
                      {"without_text", suite.without_text},
                      {"equal", suite.equal},
                      {"whole", suite.whole},
                      {"too_short", suite.too_short},
                      {"common", suite.common},
                      {"contaminated", suite.contaminated},
                      {"documents", suite.documents}});
  }
  const json all{{"crawl", report.crawl},
                 {"documents", report.documents},
                 {"cut", report.cut},
                 {"contaminated", report.contaminated},
                 {"left_out", report.left_out},
                 {"suites", std::move(suites)},
                 {"text_bytes", report.text_bytes},
                 {"cut_bytes", report.cut_bytes},
                 {"copy",
                  {{"files", report.copy.files},
                   {"bytes_in", report.copy.bytes_in},
                   {"bytes_out", report.copy.bytes_out},
                   {"removed", report.copy.removed},
                   {"kept_by_damage", report.copy.kept_by_damage}}}};
  return escaped_json(all.dump(2, ' ', false, json::error_handler_t::replace));
}

}  // namespace kith
