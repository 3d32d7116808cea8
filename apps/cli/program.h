// The program behind main(): the Python package runs it, too.
#pragma once

namespace kith::cli {

// Runs the command that the arguments name, the first of which is not read; returns the exit code.
// Once in a process, which it sets up for itself: signals, limits, what happens without memory.
int run_program(int argc, char** argv);

}  // namespace kith::cli
