// What the user reads who ends a long command with Ctrl-C, or a system that shuts down.
#pragma once

#include <string_view>

namespace kith::cli {

// From now on SIGINT, SIGTERM and SIGHUP end the program as they do by default, after one line on
// standard error and in the log: that the same command goes on, and behind which stage. Signals
// that are ignored stay so (nohup).
void announce_stops();

// Names the stage that the line tells of: the last one that is finished. One thread at a time.
void set_finished_stage(std::string_view stage);

}  // namespace kith::cli
