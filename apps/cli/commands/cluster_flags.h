// What `kith cluster` and `kith paper` share: options, and the job itself.
#pragma once

#include <initializer_list>
#include <string>

#include <CLI/CLI.hpp>

#include "kith/options.h"
#include "kith/status.h"

namespace kith::cli {

struct Outcome;

// The options, and the texts of those that are read at the end.
struct ClusterFlags {
  ClusterOptions options;
  std::string similarity;
  std::string memory;
  std::string max_page;
  std::string shard;
  std::string stop_words;
  bool no_check = false;
};

// Which words a bag has: of the kinds of bags that the command makes, the first one by default.
void add_word_flags(CLI::App& command, ClusterFlags& flags, std::initializer_list<BagKind> kinds);

// --no-check and --seed.
void add_check_flags(CLI::App& command, ClusterFlags& flags);

void add_neighbours_flag(CLI::App& command, ClusterFlags& flags);

// --output and --shard.
void add_run_flags(CLI::App& command, ClusterFlags& flags);

// The texts become values of the options; the error names the option.
Status read_cluster_texts(ClusterFlags& flags);

// Does the job, with progress and a summary.
void run_cluster(const ClusterOptions& options, Outcome& outcome);

}  // namespace kith::cli
