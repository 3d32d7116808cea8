// kith doctor: what an input is, what would be read of it, and what is odd.
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "kith/doctor.h"

#include "cli/commands/command.h"
#include "cli/commands/flags.h"
#include "cli/help/help.h"
#include "cli/output/console.h"
#include "cli/output/output.h"
#include "cli/output/summary.h"

namespace kith::cli {
namespace {

using nlohmann::json;

constexpr const char* doctor_text = R"(
Reads the beginning of each INPUT, and makes no run. Prints the format of its files, what was read
and skipped, statuses, media types, languages, charsets, hosts and dates of the pages, the first
three pages, and what is odd, with the option that helps. Exit code 1 if one of them has no page.

Examples:
  kith doctor crawl.warc.gz
  kith doctor crawl/ --sample 1G
  kith doctor pages.jsonl --include language:de --json)";

struct DoctorFlags {
  DoctorOptions options;
  std::string max_page;
  std::string sample;
  bool json = false;
};

// "200 (12), 404 (3), 7 more".
std::string shares_text(const PageShares& shares, size_t most) {
  std::vector<std::string> parts;
  for (const auto& [name, number] : shares) {
    if (parts.size() == most) {
      parts.push_back(fmt::format("{} more", shares.size() - most));
      break;
    }
    parts.push_back(fmt::format("{} ({})", name, with_commas(number)));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

void print_shares(const char* label, const PageShares& shares) {
  constexpr size_t most = 6;
  if (!shares.empty()) row(stdout, label, "{}", shares_text(shares, most));
}

void print_diagnosis(const Diagnosis& found, const ReadOptions& options) {
  print_to(stdout, "{}\n", printable(found.input));
  print_shares("files", found.formats);
  if (found.files > 0 || found.crawl.records > 0) {
    if (found.bytes > 0) row(stdout, "size", "{}", human_bytes(static_cast<double>(found.bytes)));
    print_crawl(found.crawl, options, stdout);
  }
  print_shares("status", found.statuses);
  print_shares("type", found.media_types);
  print_shares("language", found.languages);
  print_shares("charset", found.charsets);
  print_shares("hosts", found.hosts);
  if (found.dated > 0) {
    row(stdout, "dates", "{} to {} ({})", found.first_date, found.last_date,
        counted(found.dated, "page"));
  }
  for (const std::string& remark : found.remarks) row(stdout, "odd", "{}", with_options(remark));
  if (!found.problem.empty()) row(stdout, "problem", "{}", with_options(found.problem));
  for (const PageSample& page : found.samples) {
    print_to(stdout, "\n  {}\n", printable(page.url));
    if (!page.title.empty()) print_to(stdout, "    {}\n", printable(page.title));
    if (!page.beginning.empty()) print_to(stdout, "    {}\n", printable(page.beginning));
  }
}

json json_of(const PageShares& shares) {
  json list = json::array();
  for (const auto& [name, number] : shares) list.push_back({{"name", name}, {"count", number}});
  return list;
}

json json_of(const Diagnosis& found) {
  json samples = json::array();
  for (const PageSample& page : found.samples) {
    samples.push_back({{"url", page.url}, {"title", page.title}, {"beginning", page.beginning}});
  }
  json remarks = json::array();
  for (const std::string& remark : found.remarks) remarks.push_back(with_options(remark));
  return {{"input", found.input},
          {"problem", with_options(found.problem)},
          {"files", found.files},
          {"formats", json_of(found.formats)},
          {"bytes", found.bytes},
          {"bytes_read", found.bytes_read},
          {"is_whole", found.is_whole},
          {"records", found.crawl.records},
          {"pages", found.crawl.pages},
          {"page_bytes", found.crawl.page_bytes},
          {"skipped", json_of(found.crawl.skipped)},
          {"left_out", json_of(found.crawl.left_out)},
          {"statuses", json_of(found.statuses)},
          {"media_types", json_of(found.media_types)},
          {"languages", json_of(found.languages)},
          {"charsets", json_of(found.charsets)},
          {"hosts", json_of(found.hosts)},
          {"dated", found.dated},
          {"first_date", found.first_date},
          {"last_date", found.last_date},
          {"untitled", found.untitled},
          {"short_texts", found.short_texts},
          {"samples", std::move(samples)},
          {"remarks", std::move(remarks)}};
}

Status run(DoctorFlags& flags) {
  KITH_TRY(read_size_flag("--max-page", flags.max_page, flags.options.max_page));
  KITH_TRY(read_size_flag("--sample", flags.sample, flags.options.sample));
  KITH_ASSIGN(const std::vector<Diagnosis> all, diagnose(flags.options));
  if (flags.json) {
    json list = json::array();
    for (const Diagnosis& found : all) list.push_back(json_of(found));
    constexpr auto replace = json::error_handler_t::replace;
    write_bytes(stdout, json{{"inputs", list}}.dump(2, ' ', false, replace) + "\n");
  }
  for (const Diagnosis& found : all) {
    if (flags.json) break;
    if (&found != &all.front()) print_to(stdout, "\n");
    print_diagnosis(found, flags.options);
  }
  for (const Diagnosis& found : all) {
    if (found.problem.empty()) continue;
    return Error{ErrorKind::not_found, found.crawl.records == 0
                                           ? found.problem
                                           : fmt::format("{}: {}", found.input, found.problem)};
  }
  return Status::ok();
}

}  // namespace

void add_doctor_command(CLI::App& app, Outcome& outcome) {
  const auto flags = std::make_shared<DoctorFlags>();
  CLI::App* const command =
      app.add_subcommand("doctor", "What an input is, what would be read of it, and what is odd");
  command->footer(std::string(input_help) + doctor_text);
  add_read_flags(*command, flags->options, flags->max_page);
  add_url_rules_flag(*command, flags->options.url_rules);
  command->add_option("--sample", flags->sample, "Read so much of each INPUT (default: 64M)")
      ->type_name("SIZE");
  command->add_flag("--json", flags->json, "Print JSON");
  command->callback([flags, &outcome] {
    if (const Status status = run(*flags); !status) outcome.fail(status.error());
  });
}

}  // namespace kith::cli
