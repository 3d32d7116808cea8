// kith tune: parameters for a similarity and a recall, and their S-curves.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "cli/commands/command.h"
#include "cli/commands/flags.h"
#include "cli/commands/tune.h"
#include "cli/help/help.h"
#include "cli/output/console.h"
#include "cli/output/output.h"

namespace kith::cli {
namespace {

enum class Search { bags, minhash, supershingle, simhash, fingerprint };

const std::vector<std::pair<std::string, Search>> searches = {
    {"bags", Search::bags},
    {"minhash", Search::minhash},
    {"supershingle", Search::supershingle},
    {"simhash", Search::simhash},
    {"fingerprint", Search::fingerprint}};

struct TuneFlags {
  Search search = Search::bags;
  std::optional<double> similarity;
  std::optional<double> recall;
  uint32_t lanes = 128;
  std::optional<uint32_t> max_tables;
  uint32_t groups = 6;
  uint32_t least = 2;
  uint32_t distance = 3;
  uint64_t documents = 1'000'000;
  std::string svg;
  FingerprintFlags fingerprint;
};

// A mark for the curve of a small number: 1 to 9, then letters.
char mark_of(uint32_t number) {
  return static_cast<char>(number < 10 ? '0' + number : 'a' + (number - 10) % 26);
}

// The curve of the chosen plan first, as '*', and those of the others. same(plan) tells the chosen
// one; number(plan) is its mark and comes behind `name` in the legend.
template <class Plan, class Number>
std::vector<Curve> curves_of(const std::vector<Plan>& plans, const Plan& chosen,
                             std::string_view name, const Number& number) {
  std::vector<Curve> curves;
  const auto add = [&](const Plan& plan, char mark) {
    curves.push_back({mark, fmt::format("{} = {}", name, number(plan)),
                      [plan](double s) { return recall_at(plan, s); }});
  };
  add(chosen, '*');
  for (const Plan& plan : plans) {
    if (number(plan) != number(chosen)) add(plan, mark_of(number(plan)));
  }
  return curves;
}

Status print_curves(const std::vector<Curve>& curves, std::string_view title, double similarity,
                    const std::string& svg) {
  print_to(stdout, "\n   s     R(s)\n");
  for (int i = 1; i <= 10; ++i) {
    print_to(stdout, "{:>5.2f}  {:>7.4f}\n", i / 10.0, curves.front().value(i / 10.0));
  }
  print_to(stdout, "\n* {}", curves.front().name);
  for (size_t i = 1; i < curves.size(); ++i) {
    print_to(stdout, "   {} {}", curves[i].mark, curves[i].name);
  }
  print_to(stdout, "\n{}", plot_text(curves, similarity, 64, 17));
  if (svg.empty()) return Status::ok();
  return write_file(svg, plot_svg(title, curves, similarity));
}

void print_areas(double false_negatives, double false_positives) {
  print_to(stdout, "area of false negatives {:.4f}, of false positives {:.4f}\n", false_negatives,
           false_positives);
}

// These are the schemes of the books; the program's own may differ.
void print_choice_of_dedup(std::string_view choice) {
  print_to(stdout, "'kith dedup' chooses {}; 'kith info RUN' shows its choice\n", choice);
}

Status tune_bags(const TuneFlags& flags) {
  const double similarity = flags.similarity.value_or(0.2);
  KITH_ASSIGN(const std::vector<TablePlan> plans,
              plan_all_tables(similarity, flags.recall.value_or(0.9), flags.lanes,
                              flags.max_tables.value_or(512)));
  print_to(stdout, "  k     l  R({:<4.3g})  key bytes per URL  false negatives  false positives\n",
           similarity);
  for (const TablePlan& plan : plans) {
    print_to(stdout, "{:>3} {:>5}  {:>7.4f}  {:>15}  {:>15.4f}  {:>15.4f}\n", plan.per_key,
             plan.tables, plan.recall, 8 * plan.tables, plan.false_negatives, plan.false_positives);
  }
  print_to(stdout,
           "'kith cluster' takes the cheapest for its crawl. Below: the most selective keys.\n\n");
  const TablePlan& plan = plans.back();
  print_to(stdout, "k = {} minima per key, l = {} tables, m = {} minima per signature\n",
           plan.per_key, plan.tables, plan.lanes);
  print_to(stdout, "R({:.3g}) = {:.4f}: the chance that a pair at the threshold is found\n",
           similarity, plan.recall);
  print_areas(plan.false_negatives, plan.false_positives);
  print_to(stdout, "cost: {} key bytes per URL, {} bucket look-ups\n", 8 * plan.tables,
           plan.tables);
  const auto curves = curves_of(plans, plan, "k", [](const TablePlan& of) { return of.per_key; });
  return print_curves(curves,
                      fmt::format("R(s): {} tables, {} of {} minima per key", plan.tables,
                                  plan.per_key, plan.lanes),
                      similarity, flags.svg);
}

Status tune_minhash(const TuneFlags& flags) {
  const double similarity = flags.similarity.value_or(0.8);
  const double recall = flags.recall.value_or(0.99);
  KITH_ASSIGN(const std::vector<BandPlan> plans, plan_all_bands(similarity, recall, flags.lanes));
  KITH_ASSIGN(const BandPlan plan, plan_bands(similarity, recall, flags.lanes));
  print_to(
      stdout,
      "  r     b  minima  R({:<4.3g})  key bytes per document  false negatives  false positives\n",
      similarity);
  for (const BandPlan& row : plans) {
    print_to(stdout, "{:>3} {:>5}  {:>6}  {:>7.4f}  {:>20}  {:>15.4f}  {:>15.4f}\n", row.rows,
             row.bands, row.rows * row.bands, row.recall, 8 * row.bands, row.false_negatives,
             row.false_positives);
  }
  print_to(stdout, "\nb = {} bands of r = {} minima: the fewest false positives\n", plan.bands,
           plan.rows);
  print_choice_of_dedup("tables of k minima drawn from all, by measured cost");
  print_to(stdout, "R({:.3g}) = {:.4f}: the chance that a pair of that resemblance is compared\n",
           similarity, plan.recall);
  print_areas(plan.false_negatives, plan.false_positives);
  const auto curves = curves_of(plans, plan, "r", [](const BandPlan& of) { return of.rows; });
  return print_curves(curves, fmt::format("R(s): {} bands of {} minima", plan.bands, plan.rows),
                      similarity, flags.svg);
}

Status tune_super_shingles(const TuneFlags& flags) {
  const double similarity = flags.similarity.value_or(0.8);
  KITH_ASSIGN(const std::vector<SuperShinglePlan> plans,
              plan_all_super_shingles(similarity, flags.recall.value_or(0.99), flags.lanes,
                                      flags.groups, flags.least));
  print_to(stdout, "  s  minima  R({:<4.3g})  false negatives  false positives\n", similarity);
  for (const SuperShinglePlan& row : plans) {
    print_to(stdout, "{:>3}  {:>6}  {:>7.4f}  {:>15.4f}  {:>15.4f}\n", row.minima,
             row.minima * row.groups, row.recall, row.false_negatives, row.false_positives);
  }
  const SuperShinglePlan& plan = plans.back();
  print_to(stdout,
           "\ns = {} minima per super-shingle, {} super-shingles, of which {} must be equal\n",
           plan.minima, plan.groups, plan.least);
  print_choice_of_dedup("how many super-shingles, too");
  print_to(stdout, "R({:.3g}) = {:.4f}: the chance that a pair of that resemblance is compared\n",
           similarity, plan.recall);
  print_areas(plan.false_negatives, plan.false_positives);
  const auto curves =
      curves_of(plans, plan, "s", [](const SuperShinglePlan& of) { return of.minima; });
  return print_curves(curves,
                      fmt::format("R(s): {} of {} super-shingles of {} minima", plan.least,
                                  plan.groups, plan.minima),
                      similarity, flags.svg);
}

std::string blocks_text(const FingerprintTables& plan) {
  return plan.inner == 0 ? fmt::format("{}", plan.outer)
                         : fmt::format("{}, {}", plan.outer, plan.inner);
}

std::string prefix_text(const FingerprintTables& plan) {
  return plan.min_prefix == plan.max_prefix
             ? fmt::format("{}", plan.max_prefix)
             : fmt::format("{}-{}", plan.min_prefix, plan.max_prefix);
}

void print_fingerprint_tables(const TuneFlags& flags, const std::vector<FingerprintTables>& designs,
                              const FingerprintTables& plan) {
  print_to(stdout, "\ntables for k = {}, {} documents:\n", flags.distance,
           with_commas(flags.documents));
  print_to(stdout, "tables  blocks  prefix bits  candidates a query  query        memory\n");
  for (const FingerprintTables& row : designs) {
    const bool chosen = row.tables == plan.tables && row.outer == plan.outer;
    print_to(stdout, "{:>6}  {:>6}  {:>11}  {:>18.6g}  {:<11}  {}{}\n", row.tables,
             blocks_text(row), prefix_text(row), row.candidates,
             fmt::format("{:.4g} us", row.nanoseconds / 1000),
             human_bytes(8.0 * row.tables * static_cast<double>(flags.documents)),
             chosen ? " <- fastest" : "");
  }
}

Status tune_simhash(const TuneFlags& flags) {
  const double similarity = flags.similarity.value_or(0.95);
  KITH_ASSIGN(const std::vector<FingerprintPlan> plans, plan_all_fingerprints(similarity));
  KITH_ASSIGN(const std::vector<FingerprintTables> designs,
              plan_all_fingerprint_tables(flags.documents, flags.distance));
  KITH_ASSIGN(
      const FingerprintTables tables,
      plan_fingerprint_tables(flags.documents, flags.distance, flags.max_tables.value_or(64)));
  print_to(stdout, "  k  R({:<4.3g})  false negatives  false positives\n", similarity);
  for (const FingerprintPlan& row : plans) {
    print_to(stdout, "{:>3}  {:>7.4f}  {:>15.4f}  {:>15.4f}\n", row.distance, row.recall,
             row.false_negatives, row.false_positives);
  }
  const FingerprintPlan& plan = plans[flags.distance];
  print_fingerprint_tables(flags, designs, tables);
  print_to(stdout,
           "\nR({:.3g}) = {:.4f}: the chance that a pair of that cosine is within {} bits\n",
           similarity, plan.recall, plan.distance);
  print_areas(plan.false_negatives, plan.false_positives);
  const auto curves =
      curves_of(plans, plan, "k", [](const FingerprintPlan& of) { return of.distance; });
  return print_curves(curves, fmt::format("R(s): at most {} of 64 bits differ", plan.distance),
                      similarity, flags.svg);
}

// What applies to which search.
std::vector<OptionCondition> conditions_of(Search search) {
  const bool is_fingerprint = search == Search::fingerprint;
  const bool is_simhash = search == Search::simhash;
  const bool is_super = search == Search::supershingle;
  const bool has_lanes = !is_fingerprint && !is_simhash;
  return {
      {{"--lanes", "--recall"}, has_lanes, {"--for"}, "--for bags, minhash or supershingle"},
      {{"--max-tables"}, search == Search::bags || is_simhash, {"--for"}, "--for bags or simhash"},
      {{"--groups", "--least"}, is_super, {"--for"}, "--for supershingle"},
      {{"--distance"}, is_simhash, {"--for"}, "--for simhash"},
      {{"--documents"}, is_simhash || is_fingerprint, {"--for"}, "--for simhash or fingerprint"},
      {{"--svg"}, !is_fingerprint, {"--for"}, "the other searches"},
      {fingerprint_options(), is_fingerprint, {"--for"}, "--for fingerprint"},
  };
}

Status run(TuneFlags& flags, const CLI::App& command) {
  KITH_TRY(refuse_idle_options(command, conditions_of(flags.search)));
  switch (flags.search) {
    case Search::bags:
      return tune_bags(flags);
    case Search::minhash:
      return tune_minhash(flags);
    case Search::supershingle:
      return tune_super_shingles(flags);
    case Search::simhash:
      return tune_simhash(flags);
    case Search::fingerprint:
      flags.fingerprint.options.similarity = flags.similarity.value_or(0.8);
      flags.fingerprint.options.documents = flags.documents;
      return tune_fingerprint(flags.fingerprint, command.count("--format") > 0);
  }
  return Status::ok();
}

}  // namespace

void add_tune_command(CLI::App& app, Outcome& outcome) {
  const auto flags = std::make_shared<TuneFlags>();
  CLI::App* const command =
      app.add_subcommand("tune",
                         "Parameters for a similarity and a recall; the S-curves. For "
                         "fingerprints the bits to compare, by a sample of pages");
  add_fingerprint_flags(*command, flags->fingerprint);
  add_choice(*command, "--for", flags->search, searches, "What looks for pairs");
  command->add_option(
      "--similarity", flags->similarity,
      "The threshold (default: 0.2 of bags, a resemblance of 0.8, a cosine of 0.95)");
  command->add_option("--recall", flags->recall,
                      "Of pairs at the threshold (default: 0.9 of bags, 0.99); not for simhash, "
                      "whose tables find every pair within --distance, and for fingerprint");
  command->add_option("--lanes", flags->lanes, "Minima in a signature")->capture_default_str();
  command->add_option("--max-tables", flags->max_tables,
                      "Tables at most (default: 512 of bags, 64 of simhash)");
  command->add_option("--groups", flags->groups, "Super-shingles")->capture_default_str();
  command->add_option("--least", flags->least, "Super-shingles that must be equal")
      ->capture_default_str();
  command->add_option("--distance", flags->distance, "Bits that may differ, for simhash")
      ->capture_default_str();
  command
      ->add_option("--documents", flags->documents,
                   "How many, for the cost of simhash, and for the pages of a stream that share a "
                   "fingerprint by chance")
      ->capture_default_str();
  end_group(*command, cli::group::similarity);
  command->add_option("--svg", flags->svg, "Write the S-curves as SVG, too")->type_name("FILE");
  add_fingerprint_output_flags(*command, flags->fingerprint);
  command->footer(R"(
With --for fingerprint INPUT is a sample of the pages of a stream. For 16 to 64 bits it counts
the pages that share them with a page that they do not resemble (falsely joined), and those that
share them with none of the pages that they do resemble (falsely parted); the shares are drawn.
Only there may an INPUT be given, and the options of how it is read and cut into shingles.

Of all curves in the plot, * is the one that is described. Shingles of one word suit short texts,
such as answers of a few sentences, a little better than those of five (AUC .975 and .965 on the
answers of Clough and Stevenson, 2011).

Examples:
  kith tune --similarity 0.2 --recall 0.9
  kith tune --similarity 0.5 --recall 0.99 --svg curve.svg
  kith tune --for minhash --similarity 0.8 --recall 0.99
  kith tune --for supershingle --similarity 0.95 --recall 0.85
  kith tune --for simhash --distance 3 --documents 8000000000
  kith tune --for fingerprint sample.jsonl --similarity 0.9)");
  command->callback([flags, command, &outcome] {
    if (const Status status = run(*flags, *command); !status) outcome.fail(status.error());
  });
}

}  // namespace kith::cli
