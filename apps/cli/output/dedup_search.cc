// How near-duplicates were looked for, as kith info says it: plans, pairs, large buckets, tables.
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "cli/output/console.h"
#include "cli/output/output.h"
#include "cli/output/summary.h"

namespace kith::cli {
namespace {

std::string minima_text(uint32_t count) {
  return counted(count, "minimum", "minima");
}

void print_sample_plan(const DedupReport& report, std::FILE* out) {
  if (report.samples.empty()) return;
  uint64_t samples = 0;
  uint64_t looked_up = 0;
  for (const DedupSamples& of_class : report.samples) {
    samples += of_class.samples;
    looked_up += of_class.looked_up;
  }
  row(out, "keys",
      "{} samples, {} of them looked for in longer documents: expected recall {} at containment "
      "{:.3g}",
      with_commas(samples), with_commas(looked_up), percent(report.options.recall),
      report.options.similarity);
}

// What the method joins by, and what is promised of it.
void print_plan(const DedupReport& report, std::FILE* out) {
  const double similarity = report.options.similarity;
  for (const DedupTables& tables : report.tables) {
    if (!tables.chosen) continue;
    row(out, "tables", "{} of {}: expected recall {} at resemblance {:.3g}",
        counted(tables.tables, "table"), minima_text(tables.per_key), percent(tables.recall),
        similarity);
  }
  for (const DedupSuperShingles& keys : report.super_shingles) {
    if (!keys.chosen) continue;
    row(out, "keys",
        "{} super-shingles of {}, {} of them equal: expected recall {} at resemblance {:.3g}",
        keys.groups, minima_text(keys.minima), keys.least, percent(keys.recall), similarity);
  }
  print_sample_plan(report, out);
  const DedupFingerprints& fingerprints = report.fingerprints;
  if (fingerprints.pairs_by_distance.empty()) return;
  row(out, "keys",
      "{} fingerprints, up to {} of 64 bits different: expected recall {} at resemblance {:.3g} "
      "and "
      "equal size",
      with_commas(fingerprints.different), report.options.distance,
      percent(fingerprints.expected_recall), similarity);
}

void print_pairs(const DedupReport& report, std::FILE* out) {
  print_plan(report, out);
  const DedupPairs& pairs = report.pairs;
  const bool none_sought =
      report.options.method == DedupMethod::exact ||
      (report.tables.empty() && report.super_shingles.empty() && report.samples.empty() &&
       report.fingerprints.pairs_by_distance.empty());
  if (none_sought) return;
  const std::string met = pairs.collisions == 0
                              ? std::string()
                              : fmt::format("{} met, ", with_commas(pairs.collisions));
  const std::string splits =
      pairs.split_buckets == 0
          ? ""
          : fmt::format("; {} too large and split, the largest of {} documents",
                        counted(pairs.split_buckets, "bucket was", "buckets were"),
                        with_commas(pairs.largest_split));
  if (report.options.verify) {
    row(out, "pairs", "{}{} compared exactly, {} of them similar ({}){}", met,
        with_commas(pairs.candidates), with_commas(pairs.similar),
        percent(static_cast<double>(pairs.similar) /
                static_cast<double>(std::max<uint64_t>(1, pairs.candidates))),
        splits);
  } else {
    row(out, "pairs", "{}{} taken as they are, {} of them below the similarity{}", met,
        with_commas(pairs.candidates), with_commas(pairs.below_similarity), splits);
  }
}

// What met in large buckets and was compared with centers instead of pair by pair.
void print_large_parts(const DedupReport& report, std::FILE* out) {
  const DedupLargeParts& large = report.large;
  if (large.parts == 0) return;
  row(out, "families", "{}, the largest of {} documents: {} met there",
      counted(large.parts, "large bucket"), with_commas(large.largest),
      counted(large.pairs, "pair"));
  row(out, "", "compared with {} instead: {} of at most {}, {} of them similar",
      counted(large.centers, "center"), counted(large.comparisons, "comparison"),
      with_commas(large.max_comparisons), with_commas(large.similar));
}

void print_tables(const std::vector<DedupTables>& considered, std::FILE* out) {
  if (considered.empty()) return;
  print_to(out, "\n{:>7}{:>8}{:>10}{:>16}{:>8}{:>12}\n", "minima", "tables", "recall", "collisions",
           "split", "estimated");
  for (const DedupTables& tables : considered) {
    print_to(out, "{:>7}{:>8}{:>10}{:>16}{:>8}{:>12}{}\n", tables.per_key, tables.tables,
             percent(tables.recall), with_commas(static_cast<uint64_t>(tables.collisions)),
             percent(tables.split), human_seconds(tables.seconds),
             tables.chosen ? "   chosen" : "");
  }
}

void print_super_shingles(const std::vector<DedupSuperShingles>& considered, std::FILE* out) {
  if (considered.empty()) return;
  print_to(out, "\n{:>7}{:>16}{:>7}{:>10}{:>17}\n", "minima", "super-shingles", "equal", "recall",
           "false positives");
  for (const DedupSuperShingles& keys : considered) {
    print_to(out, "{:>7}{:>16}{:>7}{:>10}{:>17.4f}{}\n", keys.minima, keys.groups, keys.least,
             percent(keys.recall), keys.false_positives, keys.chosen ? "   chosen" : "");
  }
}

void print_samples(const std::vector<DedupSamples>& classes, std::FILE* out) {
  if (classes.empty()) return;
  print_to(out, "\n{:>14}{:>14}{:>12}{:>18}{:>12}\n", "shingles", "documents", "one in",
           "samples, a doc.", "looked up");
  for (const DedupSamples& of_class : classes) {
    const auto documents = static_cast<double>(of_class.documents);
    print_to(out, "{:>14}{:>14}{:>12}{:>18.1f}{:>12.1f}\n",
             fmt::format("{} up", with_commas(of_class.min_elements)),
             with_commas(of_class.documents), with_commas(of_class.one_in),
             static_cast<double>(of_class.samples) / documents,
             static_cast<double>(of_class.looked_up) / documents);
  }
}

void print_distances(const std::vector<uint64_t>& pairs, std::FILE* out) {
  if (pairs.empty()) return;
  print_to(out, "\n{:>8}{:>16}\n", "distance", "pairs");
  for (size_t distance = 0; distance < pairs.size(); ++distance) {
    print_to(out, "{:>8}{:>16}\n", distance, with_commas(pairs[distance]));
  }
}

}  // namespace

void print_dedup_search(const DedupReport& report, std::FILE* out) {
  print_pairs(report, out);
  print_large_parts(report, out);
}

void print_dedup_plans(const DedupReport& report, std::FILE* out) {
  print_tables(report.tables, out);
  print_super_shingles(report.super_shingles, out);
  print_samples(report.samples, out);
  print_distances(report.fingerprints.pairs_by_distance, out);
}

}  // namespace kith::cli
