// Options that would do nothing next to others are a misunderstanding, and refused.
#pragma once

#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

#include "kith/dedup.h"
#include "kith/options.h"
#include "kith/status.h"
#include "kith/stream.h"

namespace kith::cli {

// Options that do something only under a condition.
struct OptionCondition {
  std::vector<std::string_view> options;  // "--lanes"; "INPUT"
  bool applies;
  std::vector<std::string_view> others;  // by whose values it does not: "--engine"
  std::string_view meant_for;            // "--engine lsh or auto"
};

// An error of kind usage about the first option that the user gave and that does not apply: it
// names the others with their values, given or not, and what the option is for.
Status refuse_idle_options(const CLI::App& command, const std::vector<OptionCondition>& conditions);

// What applies to which values of the other options. What an option says that is so anyway, such
// as --topics none without neighbours, is no misunderstanding.
std::vector<OptionCondition> conditions_of(const ClusterOptions& options);
std::vector<OptionCondition> conditions_of(const DedupOptions& options);
std::vector<OptionCondition> conditions_of(const StreamOptions& options);

}  // namespace kith::cli
