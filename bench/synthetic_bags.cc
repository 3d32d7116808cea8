// synthetic_bags: a collection of bags of any size, as a run directory that `kith cluster` takes
// as its input. The model is docs/algorithms/synthetic.md.
//
//   synthetic_bags --urls 20000000 -o bags20m && kith cluster bags20m -o run20m
#include <cstdio>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "bags/tables.h"
#include "synthetic/collection.h"
#include "synthetic/similarities.h"

namespace kith::synthetic {
namespace {

struct Flags {
  ModelOptions model;
  std::string directory;
  std::string truth;
  bool similarities = false;
};

void add_flags(CLI::App& app, Flags& flags) {
  ModelOptions& model = flags.model;
  app.add_option("-o,--output", flags.directory, "The run directory to make")->required();
  app.add_option("--truth", flags.truth,
                 "Also write what every URL is about (TSV, 60 bytes per URL)");
  app.add_flag("--similarities", flags.similarities,
               "Also print how similar pages are, within a topic and across");
  app.add_option("--urls", model.urls, "URLs, up to 50 million")->capture_default_str();
  app.add_option("--seed", model.seed, "Another seed, another collection")->capture_default_str();
  app.add_option("--topics", model.topics, "Topics, of Zipf sizes")->default_str("URLs / 50");
  app.add_option("--vocabulary", model.vocabulary, "Words, of Zipf frequencies")
      ->default_str("200 sqrt(URLs)");
  app.add_option("--words-per-bag", model.words, "Distinct words of a bag on average")
      ->capture_default_str();
  app.add_option("--topic-words", model.topic_share,
                 "Share of a bag's words that come from its topic; the others are general")
      ->capture_default_str();
  app.add_option("--topic-spread", model.topic_spread,
                 "How much pages differ in that: by up to this share of it")
      ->capture_default_str();
  app.add_option("--shared-words", model.shared_share,
                 "Share of a bag's topic words that its subtopic shares with others")
      ->capture_default_str();
  app.add_option("--topic-fan-out", model.topic_fan_out,
                 "Topics stand in a tree: so many groups at the top and in each group")
      ->default_str("no groups");
  app.add_option("--families", model.family_share, "Share of pages made of a site's template")
      ->capture_default_str();
  app.add_option("--copies", model.copy_share, "Share of exact duplicates")->capture_default_str();
  app.add_option("--one-word", model.one_word_share, "Share of bags of one word")
      ->capture_default_str();
  app.add_option("--empty", model.empty_share, "Share of empty bags")->capture_default_str();
}

void print(const Report& report, const std::string& directory) {
  const BagsCounts& bags = report.bags;
  const StageReport& stage = report.stages.back();
  const auto urls = static_cast<double>(bags.urls > 0 ? bags.urls : 1);
  if (stage.reused) {
    fmt::print("{}: holds this collection already\n", directory);
    return;
  }
  fmt::print(
      "{}: {} URLs, {} of them with an empty bag, {:.1f} words per bag, {} words of {} count; "
      "{:.1f} s, {:.2f} us per URL, {:.0f} MB of memory\n",
      directory, bags.urls, bags.empty, static_cast<double>(bags.entries) / urls, bags.terms,
      bags.vocabulary, stage.seconds, 1e6 * stage.seconds / urls,
      static_cast<double>(stage.peak_memory) / 1e6);
}

Status print_similarities(const Flags& flags) {
  constexpr uint32_t samples = 20'000;
  KITH_ASSIGN(const auto table,
              bags::BagTable::open(storage::posix_file_system(), flags.directory + "/bags.kith"));
  const Model model(flags.model);
  fmt::print("pairs\tsampled\tmean\tp10\tp25\tp50\tp75\tp90\n");
  for (const PairSimilarities& row :
       measure_similarities(table.bags(), model, samples, flags.model.seed)) {
    const Quantiles& q = row.quantiles;
    fmt::print("{}\t{}\t{:.3f}\t{:.3f}\t{:.3f}\t{:.3f}\t{:.3f}\t{:.3f}\n", row.pairs, row.sampled,
               row.mean, q.p10, q.p25, q.p50, q.p75, q.p90);
  }
  return Status::ok();
}

int fail(const Error& error) {
  fmt::print(stderr, "synthetic_bags: {}\n", error.message);
  return error.kind == ErrorKind::usage ? 2 : 1;
}

int run(int argc, char** argv) {
  CLI::App app("Makes a run directory of synthetic bags, for 'kith cluster DIR -o RUN'.");
  app.name("synthetic_bags");
  Flags flags;
  add_flags(app, flags);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  const auto report =
      write_collection(storage::posix_file_system(), flags.directory, flags.model, flags.truth);
  if (!report) return fail(report.error());
  print(*report, flags.directory);
  if (!flags.similarities) return 0;
  if (const Status status = print_similarities(flags); !status) return fail(status.error());
  return 0;
}

}  // namespace
}  // namespace kith::synthetic

int main(int argc, char** argv) {
  return kith::synthetic::run(argc, argv);
}
