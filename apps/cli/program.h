// The program behind main(), and the options of its jobs: the Python package has the same.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "kith/contaminated.h"
#include "kith/dedup.h"
#include "kith/options.h"
#include "kith/passages.h"
#include "kith/status.h"

namespace CLI {
class App;
}

namespace kith::cli {

// Runs the command that the arguments name, the first of which is not read; returns the exit code.
// Once in a process, which it sets up for itself: signals, limits, what happens without memory.
// tables: what reads and makes Parquet files and other tables; null: nothing does.
int run_program(int argc, char** argv, std::shared_ptr<TableFiles> tables = {});

// The options of the jobs, without the job being run. What follows the word "cluster", "paper",
// "dedup", "contaminated" or "merge" on a command line. An error of kind usage says what the
// program would say. Ranges are checked by the jobs. Thread-safe.
Result<ClusterOptions> cluster_options(const std::vector<std::string>& arguments);
Result<ClusterOptions> paper_options(const std::vector<std::string>& arguments);
// What `kith dedup` is to find: near-duplicates, or with --unit passages.
using DedupJobOptions = std::variant<DedupOptions, PassageOptions>;
Result<DedupJobOptions> dedup_job_options(const std::vector<std::string>& arguments);
// Of near-duplicates only: --unit is an error.
Result<DedupOptions> dedup_options(const std::vector<std::string>& arguments);
Result<MergeOptions> merge_options(const std::vector<std::string>& arguments);
Result<ContaminationOptions> contamination_options(const std::vector<std::string>& arguments);

// The names of the options of a job, without the dashes and "help": "similarity", "no-check".
std::vector<std::string> option_names(const std::string& job);

// How a job command is added, whatever is done with its options then; the status is what is wrong
// with them.
void define_cluster_command(CLI::App& app, std::function<void(const Result<ClusterOptions>&)> take);
void define_paper_command(CLI::App& app, std::function<void(const Result<ClusterOptions>&)> take);
void define_dedup_command(CLI::App& app, std::function<void(const Result<DedupJobOptions>&)> take);
void define_merge_command(CLI::App& app, std::function<void(const Result<MergeOptions>&)> take);
// Without the options of what is printed, which come to the command that is returned.
CLI::App* define_contaminated_command(
    CLI::App& app, std::function<void(const Result<ContaminationOptions>&)> take);

}  // namespace kith::cli
