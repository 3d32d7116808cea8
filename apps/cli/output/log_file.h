// --log FILE: what a command says, a line each with its time, appended to a file.
#pragma once

#include <string>
#include <string_view>

#include "kith/status.h"

namespace kith::cli {

// From now on log_line() writes to the file at `path`, behind what is in it. At most once.
Status open_log(const std::string& path);

// A line of the time (UTC), the kind and the text, escaped; of a text of several lines each that is
// not empty. Does nothing where no log is open. Thread-safe. A failure is kept for log_status().
void log_line(std::string_view kind, std::string_view text);

// The first failure of log_line(), with the name of the file.
Status log_status();

// For signal handlers, which write to it themselves; -1 where no log is open.
int log_descriptor();

}  // namespace kith::cli
