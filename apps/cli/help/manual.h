// Manual pages of kith, in the macros of man(7), made of what --help is made of.
#pragma once

#include <string>

#include <CLI/CLI.hpp>

namespace kith::cli {

// kith.1: the commands, the options of all of them, and the topics of help_topics.h.
std::string program_manual(const CLI::App& program);

// kith-COMMAND.1.
std::string command_manual(const CLI::App& command);

}  // namespace kith::cli
