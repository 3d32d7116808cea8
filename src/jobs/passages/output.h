// The last stage: texts are cut, counted and written, and lists are made.
#pragma once

#include <map>
#include <string>

#include "kith/passages.h"
#include "kith/status.h"

#include "jobs/passages/repeated.h"
#include "jobs/passages/runs.h"
#include "run/stage_files.h"

namespace kith::jobs {

inline constexpr std::string_view passage_lists[] = {"passages", "losses"};

// The names of the lists by their formats, without the folder.
std::string passage_list_file(std::string_view list, ListFormat format);

// Writes the lists to the folder of the run, and with options.write the texts under a temporary
// name of it. Fills the report. Returns the checksums of the lists.
Result<run::Checksums> write_passages(const PassageInput& input, PassageRuns& runs,
                                      const FrequentPassages& frequent,
                                      const PassageOptions& options,
                                      const PassageResources& resources, PassageReport& report);

}  // namespace kith::jobs
