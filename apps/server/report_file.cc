#include "report_file.h"

#include <string_view>

#include <fmt/format.h>

#include "cluster_api.h"
#include "dedup_api.h"
#include "embedded.h"
#include "file_name.h"

namespace kith::server {
namespace {

constexpr std::string_view place = "%CONTENT%";

// JSON inside an element of HTML: no text in it can end the element, or begin a comment.
std::string element_text(const Json& json) {
  const std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  std::string safe;
  safe.reserve(text.size());
  for (const char c : text) {
    if (c == '<') {
      safe += "\\u003c";
    } else {
      safe += c;
    }
  }
  return safe;
}

Result<Json> report_of(const std::string& directory) {
  if (is_dedup_run(directory)) {
    KITH_ASSIGN(const DedupApi api, DedupApi::open(directory));
    KITH_ASSIGN(Json report, api.report());
    report["kind"] = "dedup";
    return report;
  }
  KITH_ASSIGN(const ClusterApi api, ClusterApi::open(directory));
  KITH_ASSIGN(Json report, api.report());
  report["kind"] = "cluster";
  return report;
}

}  // namespace

Result<std::string> report_page(const std::string& directory) {
  std::string page(embedded_report());
  const size_t at = page.find(place);
  if (at == std::string::npos) {
    return Error{ErrorKind::usage,
                 "report --html: this kith was built without the web page (KITH_BUILD_WEB, which "
                 "needs npm), and a report needs it; 'kith info' prints the numbers"};
  }
  KITH_ASSIGN(Json content, report_of(directory));
  content["name"] = file_name_of(directory);
  return page.replace(at, place.size(), element_text(content));
}

}  // namespace kith::server
