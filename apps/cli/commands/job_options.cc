#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "cli/commands/command.h"
#include "cli/commands/flags.h"
#include "cli/help/help.h"
#include "cli/output/output.h"
#include "cli/program.h"

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

Result<DedupJobOptions> dedup_job_options(const std::vector<std::string>& arguments) {
  return options_of<DedupJobOptions>("dedup", arguments, define_dedup_command);
}

Result<DedupOptions> dedup_options(const std::vector<std::string>& arguments) {
  KITH_ASSIGN(const DedupJobOptions options, dedup_job_options(arguments));
  if (const auto* const documents = std::get_if<DedupOptions>(&options)) return *documents;
  return Error{ErrorKind::usage, "--unit: is for files, and a run directory as output"};
}

Result<ContaminationOptions> contamination_options(const std::vector<std::string>& arguments) {
  const auto define = [](CLI::App& app,
                         std::function<void(const Result<ContaminationOptions>&)> take) {
    define_contaminated_command(app, std::move(take));
  };
  return options_of<ContaminationOptions>("contaminated", arguments, define);
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
  define_contaminated_command(app, {});
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_subcommand(job)->get_options()) {
    for (const std::string& name : option->get_lnames()) {
      if (name != "help") names.push_back(name);
    }
  }
  return names;
}

namespace {

// "--engine exact"; "--method minhash, the default"; of a flag "--json".
std::string with_value(const CLI::App& command, std::string_view name) {
  const CLI::Option* const option = command.get_option(std::string(name));
  if (option->get_items_expected_max() == 0) return std::string(name);
  if (option->count() > 0) {
    return printable(fmt::format("{} {}", name, fmt::join(option->results(), ",")));
  }
  return fmt::format("{} {}, the default", name, option->get_default_str());
}

// "a", "a and b", "a, b and c".
std::string listed(const std::vector<std::string>& words) {
  std::string text = words.front();
  for (size_t i = 1; i < words.size(); ++i) {
    text += (i + 1 < words.size() ? ", " : " and ") + words[i];
  }
  return text;
}

}  // namespace

Status refuse_idle_options(const CLI::App& command,
                           const std::vector<OptionCondition>& conditions) {
  for (const OptionCondition& condition : conditions) {
    if (condition.applies) continue;
    for (const std::string_view option : condition.options) {
      const CLI::Option* const given = command.get_option_no_throw(std::string(option));
      if (given == nullptr || given->count() == 0) continue;
      std::vector<std::string> others;
      for (const std::string_view other : condition.others) {
        others.push_back(with_value(command, other));
      }
      return Error{ErrorKind::usage, fmt::format("{}: has no effect with {}; it is for {}", option,
                                                 listed(others), condition.meant_for)};
    }
  }
  return Status::ok();
}

std::vector<OptionCondition> conditions_of(const ClusterOptions& options) {
  const bool exact = options.engine == EngineChoice::exact;
  const bool has_anchors = options.bags != BagKind::content;
  const bool has_lists = options.neighbours > 0;
  const bool draws = options.engine != EngineChoice::exact || !options.similarity ||
                     options.check_queries > 0 || options.order == Order::mass ||
                     options.order == Order::random;
  return {
      {{"--content-share"}, options.bags == BagKind::both, {"--bags"}, "--bags both"},
      {{"--urls"},
       has_anchors,
       {"--bags"},
       "--bags both or anchor: a URL that was not fetched has no content"},
      {{"--window"}, has_anchors, {"--bags"}, "--bags both or anchor"},
      {{"--links"},
       has_anchors || options.order == Order::inlinks,
       {"--bags"},
       "--bags both or anchor, and for --order inlinks"},
      {{"--recall", "--lanes", "--max-tables"},
       !exact || options.order == Order::mass,
       {"--engine"},
       "--engine lsh or auto, and for --order mass"},
      {{"--seed"},
       draws,
       {"--engine", "--similarity", "--no-check"},
       "what is drawn at random, and here is nothing"},
      {{"--other-sites"},
       has_lists || options.other_sites == 0,
       {"--neighbours"},
       "--neighbours above 0"},
      {{"--topics"},
       has_lists || options.topics == TopicGraph::none,
       {"--neighbours"},
       "--neighbours above 0"},
      {{"--related"}, has_lists, {"--neighbours"}, "--neighbours above 0"},
  };
}

namespace {

bool keeps_by_inlinks(const DedupOptions& options) {
  return std::ranges::find(options.keep, "inlinks") != options.keep.end();
}

}  // namespace

std::vector<OptionCondition> conditions_of(const DedupOptions& options) {
  const DedupMethod method = options.method;
  const bool exact = method == DedupMethod::exact;
  const bool signs = method == DedupMethod::minhash || method == DedupMethod::supershingle;
  // With a similarity of 1 equal documents are looked for, whatever the method, except where what
  // is found is not verified, or is a part.
  const bool finds_pairs =
      options.similarity < 1 || !options.verify || method == DedupMethod::containment;
  const bool tells_urls_apart = options.captures != Captures::all || keeps_by_inlinks(options) ||
                                options.boilerplate != Boilerplate::keep ||
                                !options.include.empty() || !options.exclude.empty() ||
                                !options.only.empty() || !options.exclude_list.empty();
  constexpr std::string_view not_exact = "the other methods";
  constexpr std::string_view less_than_1 = "a lower one";
  return {
      {{"--similarity", "--no-distinct-titles", "--groups", "--order", "--max-comparisons",
        "--list-pairs", "--no-verify"},
       !exact,
       {"--method"},
       not_exact},
      {{"--no-distinct-titles", "--groups", "--order", "--max-comparisons", "--list-pairs",
        "--recall", "--distance"},
       finds_pairs,
       {"--similarity"},
       less_than_1},
      {{"--recall"},
       signs || method == DedupMethod::containment,
       {"--method"},
       "--method minhash, supershingle or containment"},
      {{"--lanes"}, signs, {"--method"}, "--method minhash or supershingle"},
      {{"--distance"}, method == DedupMethod::simhash, {"--method"}, "--method simhash"},
      {{"--seed"}, !exact, {"--method"}, not_exact},
      {{"--url-rules", "--unwrap"},
       tells_urls_apart,
       {"--captures", "--boilerplate"},
       "--captures first or last, --keep inlinks, --boilerplate remove, and filters of pages: "
       "otherwise every record is a document, whatever its URL"},
      {{"--seed"},
       signs || options.check_queries > 0,
       {"--method", "--no-check"},
       "what is drawn at random, and here is nothing"},
      {{"--numbers"},
       options.normalize || options.numbers == Numbers::keep,
       {"--raw"},
       "texts that are not compared as they are"},
  };
}

std::vector<OptionCondition> conditions_of(std::optional<PassageUnit> unit,
                                           const PassageOptions& options) {
  constexpr std::string_view whole = "--unit document";
  const bool has_filters =
      !options.include.empty() || !options.exclude.empty() || !options.only.empty();
  return {
      {{"--captures",
        "--shingles",
        "--width",
        "--boilerplate",
        "--no-distinct-titles",
        "--bag",
        "--method",
        "--similarity",
        "--recall",
        "--lanes",
        "--distance",
        "--no-verify",
        "--seed",
        "--no-check",
        "--groups",
        "--order",
        "--keep",
        "--max-comparisons",
        "--list-pairs",
        "--revisit",
        "--against",
        "--shard"},
       !unit,
       {"--unit"},
       whole},
      {{"--min-tokens", "--passages", "--high-loss", "--examples"},
       unit.has_value(),
       {"--unit"},
       "--unit span, line or paragraph"},
      {{"--url-rules", "--unwrap"}, !unit || has_filters, {"--unit"}, "filters of pages"},
      {{"--sentences"}, unit == PassageUnit::span, {"--unit"}, "--unit span"},
      {{"--numbers"},
       !unit || options.normalize || options.numbers == Numbers::keep,
       {"--raw"},
       "texts that are not compared as they are"},
  };
}

std::vector<OptionCondition> conditions_of(const StreamOptions& options) {
  const StreamBy by = options.by;
  const bool is_signed = by == StreamBy::shingles || by == StreamBy::bags;
  const bool is_fingerprint = by == StreamBy::fingerprint;
  const bool is_bags = by == StreamBy::bags;
  const bool has_tables = options.measure == StreamMeasure::resemblance;
  return {
      {{"--similarity-of"}, by == StreamBy::shingles, {"--by"}, "--by shingles"},
      {{"--similarity", "--recall", "--lanes", "--seed"},
       is_signed,
       {"--by"},
       "--by shingles or bags"},
      {{"--distance"}, by == StreamBy::simhash, {"--by"}, "--by simhash"},
      {{"--max-tables", "--half-life"},
       !is_fingerprint,
       {"--by"},
       "--by shingles, simhash or bags"},
      {{"--assign"},
       !is_fingerprint,
       {"--by"},
       "--by shingles, simhash or bags: of equal fingerprints there is one leader"},
      {{"--bits"}, is_fingerprint, {"--by"}, "--by fingerprint"},
      {{"--shingles", "--width", "--bag", "--raw", "--numbers"},
       !is_bags,
       {"--by"},
       "--by shingles, simhash or fingerprint"},
      {{"--dictionary", "--language", "--leader"}, is_bags, {"--by"}, "--by bags"},
      {{"--lanes", "--max-tables", "--seed"},
       has_tables,
       {"--similarity-of"},
       "--similarity-of resemblance: containment is found without signatures"},
      {{"--assign", "--themes", "--leader"}, !options.pairs, {"--pairs"}, "clusters"},
      {{"--numbers"},
       options.shingles.normalize || options.shingles.numbers == Numbers::keep,
       {"--raw"},
       "texts that are not compared as they are"},
  };
}

}  // namespace kith::cli
