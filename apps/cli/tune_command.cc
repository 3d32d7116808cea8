// kith tune: LSH parameters for a similarity and a recall.
#include <cstdio>
#include <fstream>
#include <memory>

#include <fmt/format.h>

#include "command.h"
#include "curve_plot.h"

namespace kith::cli {
namespace {

struct Flags {
  double similarity = 0.2;
  double recall = 0.9;
  uint32_t lanes = 128;
  uint32_t max_tables = 512;
  std::string svg;
};

Status write_svg(const std::string& path, const std::string& svg) {
  std::ofstream file(path, std::ios::binary);
  file << svg;
  file.close();
  if (file) return Status::ok();
  return Error{ErrorKind::io,
               fmt::format("cannot write {}: is the folder there and writable?", path)};
}

void print_choices(const std::vector<TablePlan>& plans, double similarity) {
  fmt::print("  k     l  R({:<4.3g})  key bytes a URL\n", similarity);
  for (const TablePlan& plan : plans) {
    fmt::print("{:>3} {:>5}  {:>7.4f}  {:>15}\n", plan.per_key, plan.tables, plan.recall,
               8 * plan.tables);
  }
  fmt::print(
      "'kith cluster' takes the cheapest for its crawl. Below: the most selective keys.\n\n");
}

Status run(const Flags& flags) {
  KITH_ASSIGN(const std::vector<TablePlan> plans,
              plan_all_tables(flags.similarity, flags.recall, flags.lanes, flags.max_tables));
  print_choices(plans, flags.similarity);
  const TablePlan& plan = plans.back();
  fmt::print("k = {} minima a key, l = {} tables, m = {} minima a signature\n", plan.per_key,
             plan.tables, plan.lanes);
  fmt::print("R({:.3g}) = {:.4f}: the chance that a pair at the floor is found\n", flags.similarity,
             plan.recall);
  fmt::print("area of false negatives {:.4f}, of false positives {:.4f}\n", plan.false_negatives,
             plan.false_positives);
  fmt::print("cost: {} key bytes a URL, {} bucket look-ups\n\n", 8 * plan.tables, plan.tables);
  fmt::print("   s     R(s)\n");
  for (int i = 1; i <= 10; ++i) {
    fmt::print("{:>5.2f}  {:>7.4f}\n", i / 10.0, recall_at(plan, i / 10.0));
  }
  fmt::print("\n{}", plot_text(plan, flags.similarity, 64, 17));
  if (flags.svg.empty()) return Status::ok();
  return write_svg(flags.svg, plot_svg(plan, flags.similarity));
}

}  // namespace

void add_tune_command(CLI::App& app, Outcome& outcome) {
  const auto flags = std::make_shared<Flags>();
  CLI::App* const command =
      app.add_subcommand("tune", "LSH parameters for a similarity and a recall; the S-curve");
  command->add_option("--similarity", flags->similarity, "The floor")->capture_default_str();
  command->add_option("--recall", flags->recall, "Of pairs at the floor")->capture_default_str();
  command->add_option("--lanes", flags->lanes, "Minima in a signature")->capture_default_str();
  command->add_option("--max-tables", flags->max_tables, "LSH tables at most")
      ->capture_default_str();
  command->add_option("--svg", flags->svg, "Write the S-curve as SVG, too")->type_name("FILE");
  command->footer(R"(
Examples:
  kith tune --similarity 0.2 --recall 0.9
  kith tune --similarity 0.5 --recall 0.99 --svg curve.svg)");
  command->callback([flags, &outcome] {
    if (const Status status = run(*flags); !status) outcome.fail(status.error());
  });
}

}  // namespace kith::cli
