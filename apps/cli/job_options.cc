#include "cli/job_options.h"

#include <optional>
#include <utility>

#include "cli/commands/command.h"
#include "cli/help/usage.h"

namespace kith::cli {
namespace {

template <class Options>
using Define = void (*)(CLI::App& app, std::function<void(const Result<Options>&)> take);

template <class Options>
Result<Options> options_of(const std::string& job, const std::vector<std::string>& arguments,
                           Define<Options> define) {
  CLI::App app;
  app.set_help_flag();
  std::optional<Result<Options>> options;
  define(app, [&](const Result<Options>& result) { options.emplace(result); });
  app.get_subcommand(job)->set_help_flag();
  refuse_negative_numbers(app);
  std::vector<std::string> words{job};
  words.insert(words.end(), arguments.begin(), arguments.end());
  try {
    // The parser wants them from the last to the first.
    app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
  } catch (const CLI::ParseError& error) {
    return Error{ErrorKind::usage, usage_message(app, words, error)};
  }
  return *std::move(options);
}

}  // namespace

Result<ClusterOptions> cluster_options(const std::vector<std::string>& arguments) {
  return options_of<ClusterOptions>("cluster", arguments, define_cluster_command);
}

Result<ClusterOptions> paper_options(const std::vector<std::string>& arguments) {
  return options_of<ClusterOptions>("paper", arguments, define_paper_command);
}

Result<DedupOptions> dedup_options(const std::vector<std::string>& arguments) {
  return options_of<DedupOptions>("dedup", arguments, define_dedup_command);
}

Result<MergeOptions> merge_options(const std::vector<std::string>& arguments) {
  return options_of<MergeOptions>("merge", arguments, define_merge_command);
}

std::vector<std::string> option_names(const std::string& job) {
  CLI::App app;
  define_cluster_command(app, {});
  define_paper_command(app, {});
  define_dedup_command(app, {});
  define_merge_command(app, {});
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_subcommand(job)->get_options()) {
    for (const std::string& name : option->get_lnames()) {
      if (name != "help") names.push_back(name);
    }
  }
  return names;
}

}  // namespace kith::cli
