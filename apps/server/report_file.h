// The report of a run as one file for a browser.
#pragma once

#include <string>

#include "kith/status.h"

namespace kith::server {

// A page of HTML that asks for nothing: the report of a finished run of kith cluster or kith dedup
// as `kith serve` shows it. An error of kind usage in a program without the web page, else those
// of opening the run.
Result<std::string> report_page(const std::string& directory);

}  // namespace kith::server
