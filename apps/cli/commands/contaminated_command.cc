// kith contaminated: items of test sets inside documents.
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kith/contaminated.h"

#include "cli/commands/command.h"
#include "cli/commands/flags.h"
#include "cli/help/help.h"
#include "cli/output/console.h"
#include "cli/output/output.h"
#include "cli/output/summary.h"
#include "cli/program.h"

namespace kith::cli {
namespace {

constexpr const char* contaminated_text = R"(
A row for every item of a test set in every document: suite, item, document, the share of the
item's shingles that one passage has, how many count (0: the item was looked for as a whole), and
the passage with ten words before and after it. A document holds an item when a passage of at most
twice the words of the item has --containment of its shingles, and one at least. Case and
punctuation do not count. A shingle that more than ten items of a suite have tells nothing and does
not count; nor does one of few different words, such as a line of equals signs. Items that are too
short for a shingle, or have none that counts, are found as a whole.

--evals is a file of JSON lines or CSV, with the Python package Parquet, or a folder: each file, and
each folder in it, is a suite, called by its name without extensions. The field of the items is the
first of text, content, question, prompt, problem and the like that rows have; the summary names
it. Rules: 8-gram is 70 % of the shingles of 8 words (PaLM, 2022), 13-gram any shingle of 13 words
(GPT-3, 2020).

Examples:
  kith contaminated pages.jsonl.zst --evals evals/ -o hits.tsv
  kith contaminated pages.jsonl --evals gsm8k.jsonl --eval-field question --summary
  kith contaminated crawl.warc.gz --evals evals/ --rule 13-gram --format jsonl -o hits.jsonl
  kith contaminated corpus/ --evals evals/ -o hits.tsv --write clean/    without these documents
  kith contaminated corpus/ --evals evals/ --write-texts clean.jsonl     without these passages
  kith contaminated corpus/ --evals evals/ --suite humaneval:field=prompt,width=10,containment=0.5)";

enum class Rule : uint8_t { grams_8, grams_13 };

const std::vector<std::pair<std::string, Rule>> rule_names = {{"8-gram", Rule::grams_8},
                                                              {"13-gram", Rule::grams_13}};

ContaminationRule numbers_of(Rule rule) {
  return rule == Rule::grams_8 ? rule_8_gram : rule_13_gram;
}

// The options of the job, and the texts of those that are read at the end.
struct ContaminatedFlags {
  ContaminationOptions options;
  Rule rule = Rule::grams_8;
  std::optional<uint32_t> width;
  std::optional<double> containment;
  std::vector<std::string> suites;
  std::string memory;
  std::string max_page;
};

// What is printed.
struct HitFlags {
  std::string output;
  ListFormat format = ListFormat::tsv;
  bool summary = false;
  bool json = false;
};

// "width=8" of a --suite.
Status read_setting(std::string_view key, std::string_view value, SuiteSettings& settings) {
  const auto reads = [&](auto& number) {
    const auto read = std::from_chars(value.data(), value.data() + value.size(), number);
    return read.ec == std::errc() && read.ptr == value.data() + value.size();
  };
  if (key == "field" && !value.empty()) {
    settings.field = value;
    return Status::ok();
  }
  if (key == "width" && reads(settings.width.emplace())) return Status::ok();
  if (key == "containment" && reads(settings.containment.emplace())) return Status::ok();
  for (const auto& [name, rule] : rule_names) {
    if (key != "rule" || value != name) continue;
    settings.width = numbers_of(rule).width;
    settings.containment = numbers_of(rule).containment;
    return Status::ok();
  }
  return Error{ErrorKind::usage,
               fmt::format("--suite {}: '{}={}' is none of field=NAME, rule=8-gram, rule=13-gram, "
                           "width=N and containment=NUMBER",
                           printable(settings.name), printable(key), printable(value))};
}

// "NAME:KEY=VALUE,KEY=VALUE".
Result<SuiteSettings> read_suite(const std::string& text) {
  const size_t colon = text.rfind(':', text.find('='));
  if (colon == std::string::npos || colon == 0) {
    return Error{ErrorKind::usage,
                 fmt::format("--suite {}: write it as NAME:KEY=VALUE,KEY=VALUE", printable(text))};
  }
  SuiteSettings settings{.name = text.substr(0, colon)};
  std::string_view rest = std::string_view(text).substr(colon + 1);
  for (bool more = true; more;) {
    const std::string_view one = rest.substr(0, rest.find(','));
    const size_t equals = std::min(one.find('='), one.size());
    KITH_TRY(read_setting(one.substr(0, equals), one.substr(std::min(equals + 1, one.size())),
                          settings));
    more = one.size() < rest.size();
    if (more) rest.remove_prefix(one.size() + 1);
  }
  return settings;
}

std::string rule_text(const ContaminatedSuite& suite) {
  return suite.containment == 0
             ? fmt::format("any {}-gram", suite.width)
             : fmt::format("{} of the {}-grams", percent(suite.containment), suite.width);
}

void print_suites(const ContaminationReport& report, std::FILE* out) {
  for (const ContaminatedSuite& suite : report.suites) {
    std::string notes;
    const auto note = [&notes](uint64_t number, std::string_view text) {
      if (number > 0) notes += fmt::format(", {} {}", with_commas(number), text);
    };
    note(suite.equal, "equal to another");
    note(suite.whole, "found as a whole only");
    note(suite.too_short, "too short to be looked for");
    note(suite.without_text, "without text");
    row(out, "suite", "{}: {} of {} in {}; {}{}{}", printable(suite.name),
        with_commas(suite.contaminated), counted(suite.items, "item"),
        counted(suite.documents, "document"), rule_text(suite),
        suite.fields.empty()
            ? ""
            : fmt::format(" of {}", printable(fmt::format("{}", fmt::join(suite.fields, ", ")))),
        notes);
  }
}

void print_contamination(const ContaminationReport& report, const ReadOptions& options,
                         std::FILE* out) {
  print_crawl(report.crawl, options, out);
  if (report.left_out > 0) {
    row(out, "left out", "{} of --evals, by their names no test sets",
        counted(report.left_out, "file"));
  }
  print_suites(report, out);
  row(out, "documents", "{} of {} hold an item{}", with_commas(report.contaminated),
      with_commas(report.documents),
      report.cut == 0 ? "" : fmt::format("; {} were cut at --max-page", with_commas(report.cut)));
  if (report.text_bytes > 0) {
    row(out, "texts", "{} without {} of passages",
        human_bytes(static_cast<double>(report.text_bytes)),
        human_bytes(static_cast<double>(report.cut_bytes)));
  }
  if (report.copy.files == 0 && report.copy.bytes_in == 0) return;
  row(out, "written", "{} of {}, without {}{}",
      human_bytes(static_cast<double>(report.copy.bytes_out)),
      human_bytes(static_cast<double>(report.copy.bytes_in)),
      counted(report.copy.removed, "record"),
      report.copy.kept_by_damage == 0 ? ""
                                      : fmt::format("; {} stay, where the input is damaged",
                                                    with_commas(report.copy.kept_by_damage)));
}

Status read_flags(ContaminatedFlags& flags) {
  KITH_TRY(read_size_flag("--memory", flags.memory, flags.options.memory));
  KITH_TRY(read_size_flag("--max-page", flags.max_page, flags.options.max_page));
  flags.options.rule = numbers_of(flags.rule);
  if (flags.width) flags.options.rule.width = *flags.width;
  if (flags.containment) flags.options.rule.containment = *flags.containment;
  for (const std::string& text : flags.suites) {
    KITH_ASSIGN(SuiteSettings settings, read_suite(text));
    flags.options.suites.push_back(std::move(settings));
  }
  return Status::ok();
}

// Writes a row for each hit, or with --summary for each item.
class HitRows {
 public:
  HitRows(const HitFlags& flags, Output& out)
      : is_summary_(flags.summary), format_(flags.format, columns(flags.summary)), out_(out) {}

  bool take(const ContaminationHit& hit) {
    if (is_summary_) return true;
    out_.header(format_);
    out_.row(format_, {hit.suite, hit.item, hit.document, hit.containment, hit.shingles, hit.before,
                       hit.passage, hit.after});
    return out_.good();
  }

  Status finish(const ContaminationReport& report) {
    out_.header(format_);
    for (const ContaminatedItem& item : report.items) {
      if (!is_summary_) break;
      out_.row(format_, {item.suite, item.item, item.documents, item.containment, item.document,
                         item.passage});
    }
    return out_.finish();
  }

 private:
  static std::vector<RowColumn> columns(bool is_summary) {
    using enum RowColumn::Type;
    if (is_summary) {
      return {"suite", "item", {"documents", count}, {"containment", share}, "document", "passage"};
    }
    return {"suite",  "item",    "document", {"containment", share}, {"shingles", count},
            "before", "passage", "after"};
  }

  const bool is_summary_;
  const RowFormat format_;
  Output& out_;
};

Status run(const ContaminationOptions& options, const HitFlags& flags) {
  if (flags.json && flags.output.empty()) {
    return Error{ErrorKind::usage,
                 "--json: the report goes to standard output when the rows have a file; name it "
                 "with -o FILE"};
  }
  Output out(options.tables);
  KITH_TRY(out.open(flags.output));
  HitRows rows(flags, out);
  ProgressBar bar;
  const auto take = [&](const ContaminationHit& hit) {
    bar.clear();
    return rows.take(hit);
  };
  const auto report =
      find_contamination(options, take, [&](const Progress& progress) { bar.show(progress); });
  bar.clear();
  if (!report) return report.error();
  KITH_TRY(rows.finish(*report));
  if (flags.json) {
    write_bytes(stdout, to_json(*report) + "\n");
  } else {
    print_contamination(*report, options, flags.output.empty() ? stderr : stdout);
  }
  if (report->documents > 0 && !has_no_text_field(report->crawl)) return Status::ok();
  return nothing_read(report->crawl);
}

void add_item_flags(CLI::App& command, ContaminatedFlags& flags) {
  command
      .add_option("--evals", flags.options.evals,
                  "A test set, or a folder of them; may be given again")
      ->type_name("PATH")
      ->required()
      ->allow_extra_args(false);
  command
      .add_option("--eval-field", flags.options.eval_field,
                  "What of a row of a test set is looked for (default: a usual one, such as text, "
                  "question or prompt)")
      ->type_name("FIELD");
  add_choice(command, "--rule", flags.rule, rule_names,
             "When an item is found: 70 % of its shingles of 8 words, or any of 13 words");
  command.add_option("--width", flags.width, "Words of a shingle (default: that of --rule)");
  command.add_option("--containment", flags.containment,
                     "The share of the shingles of an item that a passage must have; 0 is any "
                     "(default: that of --rule)");
  command
      .add_option("--suite", flags.suites,
                  "What differs for one suite: NAME:KEY=VALUE,..., with the keys field, rule, "
                  "width and containment; may be given again")
      ->type_name("SETTINGS")
      ->allow_extra_args(false);
  command
      .add_option("--min-words", flags.options.min_words,
                  "Look for no item of fewer words, as it is found everywhere")
      ->capture_default_str();
  end_group(command, cli::group::similarity);
}

}  // namespace

CLI::App* define_contaminated_command(
    CLI::App& app, std::function<void(const Result<ContaminationOptions>&)> take) {
  const auto flags = std::make_shared<ContaminatedFlags>();
  CLI::App* const command =
      app.add_subcommand("contaminated", "Items of test sets inside documents");
  command->footer(std::string(input_help) + contaminated_text);
  add_read_flags(*command, flags->options, flags->max_page);
  add_item_flags(*command, *flags);
  command
      ->add_option("--write", flags->options.write,
                   "Copy the input there without the documents that hold an item, in its own "
                   "format and compression: a file for a file, else a folder")
      ->type_name("OUT");
  command
      ->add_option("--write-texts", flags->options.write_texts,
                   "Write the texts of all documents to a file of JSON lines, without the passages "
                   "that hold an item")
      ->type_name("FILE");
  end_group(*command, cli::group::output);
  add_resource_flags(*command, flags->memory, flags->options.threads);
  command->callback([flags, take = std::move(take)] {
    const Status status = read_flags(*flags);
    take(status ? Result<ContaminationOptions>(flags->options) : status.error());
  });
  return command;
}

void add_contaminated_command(CLI::App& app, Outcome& outcome) {
  const auto flags = std::make_shared<HitFlags>();
  const auto take = [flags, &outcome](const Result<ContaminationOptions>& options) {
    if (!options) return outcome.fail(options.error());
    ContaminationOptions own = *options;
    own.tables = outcome.tables;
    if (const Status status = run(own, *flags); !status) outcome.fail(status.error());
  };
  CLI::App* const command = define_contaminated_command(app, take);
  command->add_option("-o,--output", flags->output, "A file for the rows; the report is printed")
      ->type_name("FILE");
  add_format_option(*command, flags->format);
  command->add_flag("--summary", flags->summary,
                    "A row for each item that was found: in how many documents, and the best one");
  command->add_flag("--json", flags->json, "The report as JSON; needs -o");
  end_group(*command, cli::group::output);
}

}  // namespace kith::cli
