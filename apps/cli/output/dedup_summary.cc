#include <algorithm>

#include <fmt/format.h>

#include "cli/output/console.h"
#include "cli/output/output.h"
#include "cli/output/summary.h"

namespace kith::cli {
namespace {

void print_documents(const DedupReport& report, std::FILE* out) {
  const DocumentCounts& counts = report.documents;
  if (counts.documents > 0 && counts.documents == counts.empty) {
    row(out, "warning", "nothing to compare: {}",
        has_no_text_field(report.crawl) ? no_page_text(report.crawl) : "no document has text");
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
  if (std::ranges::find(report.options.keep, "inlinks") == report.options.keep.end()) return;
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
                          counted(run.tables.per_key, "minimum", "minima"),
                          percent(run.tables.recall)));
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
  if (report.options.dry_run || !report.over_max_loss.empty()) {
    row(out, "written", "nothing{}", report.options.dry_run ? " (--dry-run)" : "");
    return;
  }
  if (copy.files == 0) {
    row(out, "written", "no file: every page of the input was removed");
    return;
  }
  row(out, "written", "{} of {} without {}{}{}", counted(copy.files, "file"),
      human_bytes(static_cast<double>(copy.bytes_out)), counted(copy.removed, "record"),
      copy.replaced == 0 ? ""
                         : fmt::format(", {} replaced by a revisit or metadata record",
                                       with_commas(copy.replaced)),
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

// Which parts of the documents lose most: of each kind one, and more where documents are about to
// be left out of a copy.
void print_losses(const DedupReport& report, std::FILE* out) {
  const size_t most = report.options.write.empty() ? 1 : 3;
  const char* head = "loss";
  for (const std::string_view part : {"source", "host", "path"}) {
    size_t shown = 0;
    for (const DedupLoss& loss : report.losses) {
      if (loss.part != part || ++shown > most) continue;
      row(out, head, "{} of {} documents ({}) of the {} {}", with_commas(loss.removed),
          with_commas(loss.documents), percent(loss.share()), part, loss.name);
      head = "";
    }
  }
}

void print_over_max_loss(const DedupReport& report, std::FILE* out) {
  for (const DedupLoss& loss : report.over_max_loss) {
    row(out, loss.part, "{} loses {} of {} documents ({})", loss.name, with_commas(loss.removed),
        with_commas(loss.documents), percent(loss.share()));
    for (const LargeGroup& group : loss.groups) {
      row(out, "", "{:>7} for {}", with_commas(group.documents), group.kept);
    }
    for (const RemovedExample& example : loss.examples) {
      row(out, "", "        such as {}", example.removed);
    }
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

}  // namespace

std::string broken_promise(const DedupCheck& check) {
  return fmt::format(
      "near-duplicates were missed: the measured recall is {}, at most {}, where {} is expected",
      percent(check.recall), percent(check.recall_upper), percent(check.promised));
}

std::string too_much_loss(const DedupReport& report) {
  const DedupLoss& most = report.over_max_loss.front();
  return fmt::format(
      "--max-loss {}: the {} {} would lose {} of its documents; nothing was written. "
      "Look at {}/losses.{}, then change what is kept or the limit",
      percent(report.options.max_loss), most.part, most.name, percent(most.share()),
      report.options.output, extension(report.options.format));
}

void print_dedup_summary(const DedupReport& report, std::FILE* out) {
  print_dedup_warning(report, out);
  print_crawl(report.crawl, report.options, out);
  print_documents(report, out);
  print_against(report.against, out);
  print_groups(report, out);
  print_other_titles(report.groups, out);
  print_losses(report, out);
  print_left_out(report, out);
  print_dedup_check(report.check, out);
  print_copy(report, out);
  print_cost(report, out);
  print_largest_groups(report.groups, out);
  print_over_max_loss(report, out);
  print_next(report, out);
}

void print_dedup_shard_summary(const DedupReport& report, std::FILE* out) {
  print_crawl(report.crawl, report.options, out);
  row(out, "documents", "{}", counted(report.documents.documents, "document"));
  print_shard(report.options, true, report.crawl.files, out);
  print_stages(report.stages, report.peak_memory, out);
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
  print_dedup_search(report, out);
  print_left_out(report, out);
  print_groups(report, out);
  print_other_titles(report.groups, out);
  print_losses(report, out);
  print_other_groups(report, out);
  print_dedup_check(report.check, out);
  print_copy(report, out);
  print_stages(report.stages, report.peak_memory, out);
  print_largest_groups(report.groups, out);
  print_dedup_plans(report, out);
  print_boilerplate_hosts(report.boilerplate, out);
  print_timeline(report.crawl, out);
  print_skip_examples(report.crawl, out);
}

}  // namespace kith::cli
