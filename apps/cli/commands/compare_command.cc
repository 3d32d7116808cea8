// kith compare: two documents, or two URLs of a run.
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "kith/dedup.h"

#include "cli/commands/command.h"
#include "cli/commands/flags.h"
#include "cli/help/help.h"
#include "cli/output/comparison.h"
#include "cli/output/output.h"

namespace kith::cli {
namespace {

struct CompareFlags {
  std::string a;
  std::string b;
  std::string run;
  std::string html;
  CompareOptions options;
  DocumentFormat input = DocumentFormat::automatic;
  DiffLength diff = DiffLength::brief;
  bool json = false;
};

bool is_url(std::string_view name) {
  return name.starts_with("http://") || name.starts_with("https://");
}

Status check_names(const CompareFlags& flags) {
  if (flags.a == "-" && flags.b == "-") {
    return Error{ErrorKind::usage, "standard input is one document: give the other one as a file"};
  }
  for (const std::string& name : {flags.a, flags.b}) {
    if (!is_url(name)) continue;
    return Error{
        ErrorKind::usage,
        fmt::format("{}: kith does not fetch; give a file, or --run DIR for a URL of a run", name)};
  }
  for (const std::string& name : {flags.a, flags.b}) {
    std::error_code ignored;
    if (flags.html.empty() || !std::filesystem::equivalent(name, flags.html, ignored)) continue;
    return Error{ErrorKind::usage, fmt::format("--html {}: would replace the document", name)};
  }
  return Status::ok();
}

Status compare_documents(const CompareFlags& flags) {
  KITH_TRY(check_names(flags));
  KITH_TRY(validate(flags.options));
  KITH_ASSIGN(const Document a, read_document(flags.a, flags.input));
  KITH_ASSIGN(const Document b, read_document(flags.b, flags.input));
  KITH_ASSIGN(const Comparison comparison, compare(a, b, flags.options));
  if (!flags.html.empty()) KITH_TRY(write_file(flags.html, comparison_html(a, b, comparison)));
  Output out;
  if (flags.json) {
    out.line(comparison_json(a, b, comparison));
  } else {
    print_comparison(a, b, comparison, out);
    print_diff(a, b, comparison, flags.diff, out);
  }
  return out.finish();
}

// What is about texts, of which a run keeps none, and what is about shingles, which only a run of
// kith dedup keeps.
std::vector<OptionCondition> conditions_of(const CompareFlags& flags) {
  const bool of_documents = flags.run.empty();
  const bool has_shingles = of_documents || is_dedup_run(flags.run);
  return {
      {{"--shingles", "--width", "--bag", "--raw", "--numbers", "--input", "--diff", "--html"},
       of_documents,
       {"--run"},
       "documents: a run keeps no texts"},
      {{"--smallest", "--super-shingle"},
       has_shingles,
       {"--run"},
       "documents and runs of kith dedup: one of kith cluster keeps bags of words"},
      {{"--diff"}, !flags.json, {"--json"}, "text: JSON has all passages"},
      {{"--numbers"},
       flags.options.normalize || flags.options.numbers == Numbers::keep,
       {"--raw"},
       "texts that are not compared as they are"},
  };
}

Status compare_in_dedup(const CompareFlags& flags) {
  KITH_ASSIGN(const ShingleComparison comparison,
              kith::compare_in_dedup(flags.run, flags.a, flags.b, flags.options));
  Output out;
  if (flags.json) {
    out.line(shingle_comparison_json(flags.a, flags.b, comparison));
  } else {
    print_shingle_comparison(flags.a, flags.b, comparison, out);
  }
  return out.finish();
}

Status compare_urls(const CompareFlags& flags) {
  KITH_ASSIGN(const Run run, Run::open(flags.run));
  KITH_ASSIGN(const UrlId a, run.find(flags.a));
  KITH_ASSIGN(const UrlId b, run.find(flags.b));
  KITH_ASSIGN(const BagComparison comparison, compare_bags(run, a, b, flags.options));
  KITH_ASSIGN(const std::string url_a, run.url(a));
  KITH_ASSIGN(const std::string url_b, run.url(b));
  Output out;
  if (flags.json) {
    out.line(bag_comparison_json(url_a, url_b, comparison, flags.options));
  } else {
    print_bag_comparison(url_a, url_b, comparison, flags.options, out);
  }
  return out.finish();
}

void add_text_flags(CLI::App& command, CompareFlags& flags) {
  command
      .add_option("--run", flags.run,
                  "A and B are URLs of this run, whose bags are compared; or names of documents of "
                  "a run of kith dedup, whose shingles are")
      ->type_name("DIR");
  add_choice(command, "--input", flags.input,
             {DocumentFormat::automatic, DocumentFormat::text, DocumentFormat::html},
             "What files are; auto looks at the name and the first tag");
  end_group(command, cli::group::reading);
  add_choice<bool>(command, "--shingles", flags.options.characters,
                   {{"words", false}, {"characters", true}}, "What shingles are made of");
  command.add_option("--width", flags.options.width, "Words or characters of a shingle")
      ->capture_default_str();
  command.add_flag("--bag", flags.options.bag, "A shingle that occurs n times counts n times");
  add_token_flags(command, flags.options.normalize, flags.options.numbers);
  end_group(command, cli::group::words);
}

void add_estimate_flags(CLI::App& command, CompareOptions& options) {
  command.add_option("--lanes", options.lanes, "Minima of MinHash")->capture_default_str();
  command.add_option("--smallest", options.smallest, "s of MIN_s")->capture_default_str();
  command.add_option("--super-shingle", options.super_shingle, "Minima of a super-shingle")
      ->capture_default_str();
  command.add_option("--confidence", options.confidence, "Of the bounds")->capture_default_str();
  end_group(command, cli::group::similarity);
}

void add_output_flags(CLI::App& command, CompareFlags& flags) {
  add_choice<DiffLength>(
      command, "--diff", flags.diff,
      {{"brief", DiffLength::brief}, {"full", DiffLength::full}, {"none", DiffLength::none}},
      "Passages: without the middle of long ones, whole, or none");
  command.add_option("--html", flags.html, "Write a page with both texts side by side, too")
      ->type_name("FILE");
  command.add_flag("--json", flags.json, "Everything as one line of JSON");
  end_group(command, cli::group::output);
}

}  // namespace

void add_compare_command(CLI::App& app, Outcome& outcome) {
  const auto flags = std::make_shared<CompareFlags>();
  CLI::App* const command =
      app.add_subcommand("compare", "Two documents: how similar, by which estimate, and where");
  command->add_option("A", flags->a, "A text or HTML file, - for standard input, or a URL of a run")
      ->required();
  command->add_option("B", flags->b, "Likewise")->required();
  add_text_flags(*command, *flags);
  add_estimate_flags(*command, flags->options);
  add_output_flags(*command, *flags);
  command->footer(R"(
Prints exact values first, then what each sketch would have said, then the passages: "=" in both,
"-" only in A, "+" only in B, "<" in A and elsewhere in B, ">" the reverse. A shared passage has
at least --width words. Of HTML the text is compared that a crawl would read. The exit code is 0
also when the documents differ. Of short texts, such as answers of a few sentences, single words
(--width 1) tell copies that were reworded a little better than five (AUC .975 and .965 on the
answers of Clough and Stevenson, 2011).

Examples:
  kith compare old.html new.html
  kith compare a.txt b.txt --width 3 --html diff.html
  pdftotext a.pdf - | kith compare - b.txt --diff none
  kith compare a.txt b.txt --json | jq .resemblance
  kith compare --run dedup-run doc-17 doc-40
  kith compare --run run https://example.org/a https://example.org/b)");
  command->callback([flags, command, &outcome] {
    Status status = refuse_idle_options(*command, conditions_of(*flags));
    if (status) {
      status = flags->run.empty()         ? compare_documents(*flags)
               : is_dedup_run(flags->run) ? compare_in_dedup(*flags)
                                          : compare_urls(*flags);
    }
    if (!status) outcome.fail(status.error());
  });
}

}  // namespace kith::cli
