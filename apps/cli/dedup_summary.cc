#include "dedup_summary.h"

#include <algorithm>

#include <fmt/format.h>

#include "summary.h"
#include "text_format.h"

namespace kith::cli {
namespace {

template <class... Args>
void row(std::FILE* out, std::string_view label, fmt::format_string<Args...> format,
         Args&&... args) {
  fmt::print(out, "{:<12}{}\n", label, fmt::format(format, std::forward<Args>(args)...));
}

void print_documents(const DedupReport& report, std::FILE* out) {
  const DocumentCounts& counts = report.documents;
  row(out, "documents", "{} ({} of text), of them {} without text and {} equal to an earlier one",
      with_commas(counts.documents), human_bytes(static_cast<double>(counts.text_bytes)),
      with_commas(counts.empty), with_commas(report.pairs.duplicates));
  const uint64_t filled = std::max<uint64_t>(1, counts.documents - counts.empty);
  row(out, "shingles", "{:.1f} a document, of {} {}{}",
      static_cast<double>(counts.elements) / static_cast<double>(filled), report.options.width,
      name(report.options.shingles), report.options.normalize ? "" : ", raw");
}

void print_pairs(const DedupReport& report, std::FILE* out) {
  const auto chosen = std::ranges::find(report.tables, true, &DedupTables::chosen);
  if (chosen == report.tables.end()) return;
  row(out, "tables", "{} of {} minima each: {} of the pairs of resemblance {:.3g} are promised",
      chosen->tables, chosen->per_key, percent(chosen->recall), report.options.similarity);
  const DedupPairs& pairs = report.pairs;
  row(out, "pairs", "{} met in the tables, {} compared exactly, {} of them similar ({}){}",
      with_commas(pairs.collisions), with_commas(pairs.candidates), with_commas(pairs.similar),
      percent(static_cast<double>(pairs.similar) /
              static_cast<double>(std::max<uint64_t>(1, pairs.candidates))),
      pairs.split_buckets == 0
          ? ""
          : fmt::format("; {} buckets were too large and split, the largest of {}",
                        with_commas(pairs.split_buckets), with_commas(pairs.largest_split)));
}

std::string counts_text(const GroupCounts& counts) {
  return fmt::format("{} groups, {} removed, the largest of {}", with_commas(counts.groups),
                     with_commas(counts.removed), with_commas(counts.largest));
}

void print_groups(const DedupReport& report, std::FILE* out) {
  const DedupGroups& groups = report.groups;
  row(out, "groups", "{}", counts_text(groups));
  row(out, "kept", "{} documents", with_commas(report.documents.documents - groups.removed));
  if (groups.weak > 0) {
    row(out, "", "{} of the removed resemble what is kept less than {:.3g}{}",
        with_commas(groups.weak), report.options.similarity,
        report.options.groups == Grouping::center ? "; --order keep has none" : "");
  }
  if (report.options.method == DedupMethod::exact) return;
  row(out, "components", "would be {}", counts_text(groups.components));
  row(out, "unverified", "they would be {}", counts_text(groups.unverified));
}

void print_check(const DedupCheck& check, std::FILE* out) {
  if (check.queries == 0) return;
  row(out, "measured", "on {} documents against all others: {} of {} similar pairs found ({})",
      check.queries, with_commas(check.found), with_commas(check.true_pairs),
      percent(check.recall));
}

void print_copy(const DedupReport& report, std::FILE* out) {
  const DedupCopy& copy = report.copy;
  if (copy.files == 0) return;
  row(out, "written", "{} {} of {} without {} records{}", with_commas(copy.files),
      copy.files == 1 ? "file" : "files", human_bytes(static_cast<double>(copy.bytes_out)),
      with_commas(copy.removed),
      copy.kept_by_damage == 0
          ? ""
          : fmt::format("; {} stay where the input is damaged", with_commas(copy.kept_by_damage)));
}

void print_largest(const DedupGroups& groups, std::FILE* out) {
  constexpr size_t most = 5;
  for (size_t i = 0; i < std::min(most, groups.largest_groups.size()); ++i) {
    const LargeGroup& group = groups.largest_groups[i];
    row(out, i == 0 ? "largest" : "", "{:>8}  {}", with_commas(group.documents),
        printable(group.kept));
  }
}

}  // namespace

void print_dedup_summary(const DedupReport& report, std::FILE* out) {
  print_crawl(report.crawl, report.options, out);
  print_documents(report, out);
  print_pairs(report, out);
  print_groups(report, out);
  print_largest(report.groups, out);
  print_check(report.check, out);
  print_copy(report, out);
  print_stages(report.stages, out);
}

void print_dedup_info(const DedupReport& report, std::FILE* out) {
  print_dedup_summary(report, out);
  if (!report.tables.empty()) {
    fmt::print(out, "\n{:>7}{:>8}{:>10}{:>16}{:>8}{:>12}\n", "minima", "tables", "recall",
               "collisions", "split", "estimated");
  }
  for (const DedupTables& tables : report.tables) {
    fmt::print(out, "{:>7}{:>8}{:>10}{:>16}{:>8}{:>12}{}\n", tables.per_key, tables.tables,
               percent(tables.recall), with_commas(static_cast<uint64_t>(tables.collisions)),
               percent(tables.split), human_seconds(tables.seconds),
               tables.chosen ? "   chosen" : "");
  }
  print_skip_examples(report.crawl, out);
}

}  // namespace kith::cli
