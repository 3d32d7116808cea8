#include "cli/output/dedup_summary.h"

#include <algorithm>

#include <fmt/format.h>

#include "cli/output/console.h"
#include "cli/output/summary.h"
#include "cli/output/text_format.h"

namespace kith::cli {
namespace {

std::string minima_text(uint32_t count) {
  return counted(count, "minimum", "minima");
}

void print_documents(const DedupReport& report, std::FILE* out) {
  const DocumentCounts& counts = report.documents;
  if (counts.documents > 0 && counts.documents == counts.empty) {
    row(out, "warning",
        "nothing to compare: no document has text; JSON lines need a field \"text\" or \"html\"");
  }
  row(out, "documents",
      "{} ({} of text), {} of them without text and {} with the {} of an earlier one",
      with_commas(counts.documents), human_bytes(static_cast<double>(counts.text_bytes)),
      with_commas(counts.empty), with_commas(report.pairs.duplicates),
      report.options.method == DedupMethod::exact ? "text" : "shingles");
  if (counts.cut > 0) {
    row(out, "too long", "{} not read to the end (--max-page {}): kept, in no group",
        counted(counts.cut, "document was", "documents were"),
        human_memory(static_cast<double>(report.options.max_page)));
  }
}

void print_shingles(const DedupReport& report, std::FILE* out) {
  const DocumentCounts& counts = report.documents;
  const uint64_t filled = std::max<uint64_t>(1, counts.documents - counts.empty - counts.cut);
  row(out, "shingles", "{:.1f} a document, of {} {}{}",
      static_cast<double>(counts.elements) / static_cast<double>(filled), report.options.width,
      name(report.options.shingles),
      !report.options.normalize ? ", raw"
      : report.options.numbers == Numbers::keep
          ? ""
          : fmt::format(", numbers: {}", name(report.options.numbers)));
  if (report.options.max_documents > 0) {
    row(out, "",
        "{} dropped that more than {} documents have{}, {} times; {} documents have no "
        "others and keep theirs",
        with_commas(counts.common_shingles), with_commas(report.options.max_documents),
        report.options.against.empty() ? "" : " in an earlier run", with_commas(counts.dropped),
        with_commas(counts.rescued));
  }
  if (report.options.keep != Keep::inlinks) return;
  row(out, "in-links", "{} documents have some, of {} links to other URLs",
      with_commas(counts.linked), with_commas(counts.links));
}

void print_against(const DedupAgainst& against, std::FILE* out) {
  for (size_t i = 0; i < against.runs.size(); ++i) {
    const AgainstRun& run = against.runs[i];
    row(out, i == 0 ? "against" : "", "{}: {} removed that are like one of its {} documents{}",
        run.path, with_commas(run.removed), with_commas(run.documents),
        run.tables.tables == 0
            ? ""
            : fmt::format(" ({} of {}: expected recall {})", counted(run.tables.tables, "table"),
                          minima_text(run.tables.per_key), percent(run.tables.recall)));
  }
  if (against.runs.empty()) return;
  row(out, "", "{} removed in all, {} of them with the same shingles{}",
      with_commas(against.removed), with_commas(against.equal),
      against.split_buckets == 0 ? ""
                                 : fmt::format("; {} buckets were too large and split",
                                               with_commas(against.split_buckets)));
  if (against.check.queries == 0) return;
  if (against.check.near == 0) {
    row(out, "", "measured on {} documents: none is like an earlier one", against.check.queries);
    return;
  }
  row(out, "", "measured on {} documents: {} of {} that are like an earlier one were found ({})",
      against.check.queries, with_commas(against.check.found), with_commas(against.check.near),
      percent(against.check.recall));
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

// What may have been missed for it.
void print_left_out(const DedupReport& report, std::FILE* out) {
  const DedupLargeParts& large = report.large;
  if (large.left_out == 0) return;
  row(out, "left out", "{} with centers left out, since a bucket had too many of them{}",
      counted(large.left_out, "comparison"),
      report.options.max_comparisons == 0 ? "" : " (--max-comparisons)");
}

std::string counts_text(const GroupCounts& counts) {
  if (counts.groups == 0) return "no groups";
  return fmt::format("{}, {} removed, {} in the largest group", counted(counts.groups, "group"),
                     counted(counts.removed, "document"), with_commas(counts.largest));
}

void print_groups(const DedupReport& report, std::FILE* out) {
  const DedupGroups& groups = report.groups;
  row(out, "groups", "{}", counts_text(groups));
  row(out, "kept", "{}",
      counted(report.documents.documents - report.against.removed - groups.removed, "document"));
  if (groups.removed > 0) {
    row(out, "removed", "{} of equal text, {} of equal shingles, {} that are similar only",
        with_commas(groups.equal_texts), with_commas(groups.equal_shingles),
        with_commas(groups.removed - groups.equal_texts - groups.equal_shingles));
  }
  if (groups.weak > 0) {
    row(out, "", "{} of the removed are less like what is kept than {:.3g}{}",
        with_commas(groups.weak), report.options.similarity,
        report.options.groups == Grouping::center && report.options.verify
            ? "; --order keep has none"
            : "");
  }
}

// What other ways to make groups of the pairs would have made.
void print_other_groups(const DedupReport& report, std::FILE* out) {
  const DedupGroups& groups = report.groups;
  if (report.options.method == DedupMethod::exact) return;
  row(out, "components", "would be {}", counts_text(groups.components));
  if (report.options.verify) {
    row(out, "unverified", "all candidates joined, they would be {}",
        counts_text(groups.unverified));
  }
}

void print_dedup_check(const DedupCheck& check, std::FILE* out) {
  if (check.queries == 0) return;
  const std::string queries = counted(check.queries, "document");
  if (check.true_pairs == 0) {
    row(out, "measured", "on {} against all others: no similar pair", queries);
    return;
  }
  row(out, "measured", "on {} against all others: {} of {} found ({})", queries,
      with_commas(check.found), counted(check.true_pairs, "similar pair"), percent(check.recall));
  row(out, "", "of {} that {} kept, {} similar to another one that is kept",
      counted(check.kept_queries, "document"), check.kept_queries == 1 ? "is" : "are",
      counted(check.kept_similar, "is", "are"));
}

// First of all, what makes the result worse than it should be.
void print_dedup_warning(const DedupReport& report, std::FILE* out) {
  if (report.check.keeps_promise()) return;
  row(out, "warning", "{}", broken_promise(report.check));
}

void print_copy(const DedupReport& report, std::FILE* out) {
  if (report.options.write.empty()) return;
  const DedupCopy& copy = report.copy;
  if (copy.files == 0) {
    row(out, "written", "no file: every page of the input was removed");
    return;
  }
  row(out, "written", "{} of {} without {}{}", counted(copy.files, "file"),
      human_bytes(static_cast<double>(copy.bytes_out)), counted(copy.removed, "record"),
      copy.kept_by_damage == 0
          ? ""
          : fmt::format("; {} stay where the input is damaged", with_commas(copy.kept_by_damage)));
}

void print_largest_groups(const DedupGroups& groups, std::FILE* out) {
  constexpr size_t most = 5;
  if (!groups.largest_groups.empty()) print_to(out, "\n");
  for (size_t i = 0; i < std::min(most, groups.largest_groups.size()); ++i) {
    const LargeGroup& group = groups.largest_groups[i];
    row(out, i == 0 ? "largest" : "", "{:>8}  {}", with_commas(group.documents), group.kept);
  }
}

// What was removed though its title is another one.
void print_other_titles(const DedupGroups& groups, std::FILE* out) {
  constexpr size_t most = 3;
  if (groups.other_title == 0) return;
  row(out, "titles", "{} removed {} another title than what is kept",
      with_commas(groups.other_title), groups.other_title == 1 ? "has" : "have");
  for (size_t i = 0; i < std::min(most, groups.other_titles.size()); ++i) {
    const LargeGroup& group = groups.other_titles[i];
    row(out, "", "{:>8}  {}", with_commas(group.documents), group.kept);
  }
}

void print_next(const DedupReport& report, std::FILE* out) {
  const std::string& directory = report.options.output;
  const std::string_view format = name(report.options.format);
  print_next_steps({{fmt::format("{}/groups.{}", directory, format),
                     "which documents are removed, and for which one"},
                    {fmt::format("{}/keep.{}", directory, format), "the documents to keep"},
                    {"kith info " + directory, "all that was read, chosen and measured"}},
                   out);
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

std::string broken_promise(const DedupCheck& check) {
  return fmt::format(
      "near-duplicates were missed: the measured recall is {}, at most {}, where {} is expected",
      percent(check.recall), percent(check.recall_upper), percent(check.promised));
}

void print_dedup_summary(const DedupReport& report, std::FILE* out) {
  print_dedup_warning(report, out);
  print_crawl(report.crawl, report.options, out);
  print_documents(report, out);
  print_against(report.against, out);
  print_groups(report, out);
  print_other_titles(report.groups, out);
  print_left_out(report, out);
  print_dedup_check(report.check, out);
  print_copy(report, out);
  print_cost(report, out);
  print_largest_groups(report.groups, out);
  print_next(report, out);
}

void print_dedup_info(const DedupReport& report, std::FILE* out) {
  print_dedup_warning(report, out);
  print_crawl(report.crawl, report.options, out);
  if (report.documents.documents == 0) {
    row(out, "warning", "nothing to compare: {}", no_page_text(report.crawl));
  }
  print_documents(report, out);
  print_boilerplate(report.boilerplate, out);
  print_shingles(report, out);
  print_against(report.against, out);
  print_pairs(report, out);
  print_large_parts(report, out);
  print_left_out(report, out);
  print_groups(report, out);
  print_other_titles(report.groups, out);
  print_other_groups(report, out);
  print_dedup_check(report.check, out);
  print_copy(report, out);
  print_stages(report.stages, report.peak_memory, out);
  print_largest_groups(report.groups, out);
  print_tables(report.tables, out);
  print_super_shingles(report.super_shingles, out);
  print_samples(report.samples, out);
  print_distances(report.fingerprints.pairs_by_distance, out);
  print_boilerplate_hosts(report.boilerplate, out);
  print_skip_examples(report.crawl, out);
}

}  // namespace kith::cli
