// Scripts that complete the words of a kith command in a shell, made of what --help is made of.
#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace kith::cli {

enum class Shell { bash, zsh, fish };

std::string completions(const CLI::App& program, Shell shell);

// What 'kith help' takes: the commands, and the topics of help_topics.h.
std::vector<std::string> topic_names(const CLI::App& program);

}  // namespace kith::cli
