#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cli/output/console.h"
#include "cli/output/output.h"
#include "cli/output/summary.h"

namespace kith::cli {
namespace {

double share_of(uint64_t part, uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

std::string bytes_text(uint64_t bytes) {
  return human_bytes(static_cast<double>(bytes));
}

void print_found(const PassageReport& report, std::FILE* out) {
  const PassageCounts& counts = report.passages;
  const PassageOptions& options = report.options;
  row(out, "documents", "{} ({} of text), {} shorter than {}", with_commas(counts.documents),
      bytes_text(counts.text_bytes), with_commas(counts.empty),
      counted(min_tokens_of(options), "token"));
  const std::string unit =
      options.unit == PassageUnit::span
          ? fmt::format("windows of {} tokens", with_commas(min_tokens_of(options)))
          : fmt::format("{}s", name(options.unit));
  row(out, "compared", "{} of {} {}, found by {} hashes", with_commas(counts.candidates),
      with_commas(counts.units), unit, with_commas(counts.anchors));
  row(out, "repeated", "{} {}, {} of them different, stand in more than {}",
      with_commas(counts.repeated), unit, with_commas(counts.different),
      counted(options.max_documents, "document"));
}

// most: hosts, languages and documents that are named at the most.
void print_loss(const PassageReport& report, size_t most, std::FILE* out) {
  const PassageCounts& counts = report.passages;
  const bool is_marked = report.options.mode == PassageMode::mark;
  row(out, is_marked ? "marked" : "cut", "{} in {}: {} of text ({})", counted(counts.cuts, "place"),
      counted(counts.changed, "document"), bytes_text(counts.lost_bytes),
      percent(share_of(counts.lost_bytes, counts.text_bytes)));
  if (counts.emptied > 0) {
    row(out, "", "{} of nothing else", counted(counts.emptied, "document is", "documents are"));
  }
  if (counts.high_losses > 0) {
    row(out, "high loss", "{} more than {} of the text",
        counted(counts.high_losses, "document loses", "documents lose"),
        percent(report.options.high_loss));
  }
  for (size_t i = 0; i < std::min(most, report.most.size()); ++i) {
    const DocumentLoss& loss = report.most[i];
    row(out, "", "{:>8} of {}  {}", bytes_text(loss.lost_bytes), bytes_text(loss.text_bytes),
        loss.document);
  }
}

void print_table(const char* heading, const std::vector<PassageLoss>& losses, size_t most,
                 std::FILE* out) {
  for (size_t i = 0; i < std::min(most, losses.size()); ++i) {
    const PassageLoss& loss = losses[i];
    row(out, i == 0 ? heading : "", "{:>8} of {} lost ({}) in {}  {}", bytes_text(loss.lost_bytes),
        bytes_text(loss.text_bytes), percent(share_of(loss.lost_bytes, loss.text_bytes)),
        counted(loss.changed, "document"), loss.name);
  }
}

void print_report(const PassageReport& report, size_t most, std::FILE* out) {
  print_crawl(report.crawl, report.options, out);
  print_found(report, out);
  print_loss(report, most, out);
  print_table("hosts", report.hosts, most, out);
  print_table("languages", report.languages, most, out);
  if (report.options.write.empty()) return;
  row(out, "written", "{} ({})", report.options.write, bytes_text(report.written_bytes));
}

}  // namespace

void print_passages_summary(const PassageReport& report, std::FILE* out) {
  constexpr size_t most = 3;
  const PassageOptions& options = report.options;
  print_report(report, most, out);
  print_cost(report, out);
  const std::string_view format = extension(options.format);
  print_next_steps(
      {{fmt::format("{}/passages.{}", options.output, format),
        "the most frequent passages, with hosts, languages and an example"},
       {fmt::format("{}/losses.{}", options.output, format), "what each document loses"}},
      out);
}

void print_passages_info(const PassageReport& report, std::FILE* out) {
  print_report(report, SIZE_MAX, out);
  print_stages(report.stages, report.peak_memory, out);
  print_skip_examples(report.crawl, out);
}

}  // namespace kith::cli
