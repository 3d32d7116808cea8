// kith audit: pages that were answered as pages, but are no content.
#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "kith/audit.h"

#include "cli/commands/command.h"
#include "cli/commands/flags.h"
#include "cli/output/console.h"
#include "cli/output/output.h"
#include "cli/output/summary.h"

namespace kith::cli {
namespace {

constexpr const char* audit_text = R"(
Families of pages that were answered as pages, but are no content: soft_404 (errors and empty
lists), login_wall, consent_wall (cookies, an age), bot_check, parked (hosts for sale, or with
nothing yet), empty_app (frames that scripts fill), redirect, calendar_trap (calendars without
entries), session_trap (a page under many addresses of one pattern). A family is one text, or one
template, at many addresses; its score is the sum of the weights of its reasons.

The input of RUN is read again, as the run has read it. A line per family, the largest first, or
with --list a line per URL of them, or per host with its share. --exclude-list writes the URLs that
kith cluster, dedup and others leave out by their own --exclude-list; of a session_trap one URL
stays.

Examples:
  kith audit run
  kith audit run --list hosts | head
  kith audit run --list urls | awk -F'\t' '$3 == "soft_404"'
  kith audit run --exclude-list no_content.txt > /dev/null
  kith cluster crawl.warc.gz -o better --exclude-list no_content.txt)";

enum class AuditList : uint8_t { families, urls, hosts };

struct AuditFlags {
  AuditOptions options;
  std::string memory;
  AuditList list = AuditList::families;
  ListFormat format = ListFormat::tsv;
  std::string output;        // empty: standard output
  std::string exclude_list;  // empty: none is written
};

void print_families(const Audit& audit, ListFormat list_format, Output& out) {
  using enum RowColumn::Type;
  const RowFormat format(list_format, {{"family", count},
                                       "kind",
                                       {"pages", count},
                                       {"hosts", count},
                                       "host",
                                       "pattern",
                                       {"score", share},
                                       {"reasons", words},
                                       "title",
                                       "url"});
  out.header(format);
  uint64_t number = 0;
  for (const AuditFamily& family : audit.families) {
    out.row(format,
            {++number, name(family.kind), uint64_t{family.urls.size()}, family.hosts, family.host,
             family.pattern, family.score, family.reasons, family.sample, family.urls.front().url});
  }
}

void print_urls(const Audit& audit, ListFormat list_format, Output& out) {
  using enum RowColumn::Type;
  const RowFormat format(list_format, {"url", {"family", count}, "kind", {"stays", boolean}});
  out.header(format);
  uint64_t number = 0;
  for (const AuditFamily& family : audit.families) {
    ++number;
    for (const AuditUrl& url : family.urls) {
      out.row(format, {url.url, number, name(family.kind), url.stays});
    }
  }
}

void print_hosts(const Audit& audit, ListFormat list_format, Output& out) {
  using enum RowColumn::Type;
  const RowFormat format(list_format,
                         {"host", {"pages", count}, {"no_content", count}, {"share", share}});
  out.header(format);
  for (const AuditHost& host : audit.hosts) {
    out.row(format, {host.host, host.pages, host.no_content,
                     static_cast<double>(host.no_content) / static_cast<double>(host.pages)});
  }
}

Status write_exclude_list(const Audit& audit, const std::string& path) {
  const std::string lines = exclude_list(audit);
  const auto named = static_cast<uint64_t>(std::ranges::count(lines, '\n'));
  if (named < audit.no_content) {
    print_message(fmt::format(
        "left out of {}: {}, as it has URLs alone", path,
        counted(audit.no_content - named, "document without a URL", "documents without a URL")));
  }
  return write_file(path, lines);
}

void print_audit_summary(const Audit& audit) {
  struct Sum {
    uint64_t families = 0;
    uint64_t pages = 0;
  };
  std::map<NoContent, Sum> sums;
  for (const AuditFamily& family : audit.families) {
    Sum& sum = sums[family.kind];
    ++sum.families;
    sum.pages += family.urls.size();
  }
  const auto share_of = [](uint64_t part, uint64_t all) {
    return percent(static_cast<double>(part) / static_cast<double>(all));
  };
  row(stderr, "no content", "{} of {} ({}), in {}", with_commas(audit.no_content),
      counted(audit.pages, "page"), share_of(audit.no_content, audit.pages),
      counted(audit.families.size(), "family", "families"));
  for (const auto& [kind, sum] : sums) {
    row(stderr, name(kind), "{} in {}: {}", counted(sum.pages, "page"),
        counted(sum.families, "family", "families"), meaning(kind));
  }
  constexpr size_t most_hosts = 3;
  for (size_t i = 0; i < audit.hosts.size() && i < most_hosts; ++i) {
    const AuditHost& host = audit.hosts[i];
    row(stderr, i == 0 ? "hosts" : "", "{}: {} of {} ({})", host.host, with_commas(host.no_content),
        counted(host.pages, "page"), share_of(host.no_content, host.pages));
  }
}

Status run(AuditFlags& flags) {
  KITH_TRY(read_size_flag("--memory", flags.memory, flags.options.memory));
  Output out(flags.options.tables);
  KITH_TRY(out.open(flags.output));
  ProgressBar bar;
  const auto audit =
      audit_run(flags.options, [&](const Progress& progress) { bar.show(progress); });
  bar.clear();
  if (!audit) return audit.error();
  if (audit->pages == 0) return nothing_read(audit->crawl);
  switch (flags.list) {
    case AuditList::families:
      print_families(*audit, flags.format, out);
      break;
    case AuditList::urls:
      print_urls(*audit, flags.format, out);
      break;
    case AuditList::hosts:
      print_hosts(*audit, flags.format, out);
      break;
  }
  KITH_TRY(out.finish());
  if (!flags.exclude_list.empty()) KITH_TRY(write_exclude_list(*audit, flags.exclude_list));
  print_audit_summary(*audit);
  return Status::ok();
}

}  // namespace

void add_audit_command(CLI::App& app, Outcome& outcome) {
  const auto flags = std::make_shared<AuditFlags>();
  CLI::App* const command = app.add_subcommand(
      "audit", "Pages that are no content: soft 404s, walls, checks, parked hosts, traps");
  command->add_option("RUN", flags->options.run, "The run directory of 'kith cluster' or 'dedup'")
      ->required();
  add_choice<AuditList>(
      *command, "--list", flags->list,
      {{"families", AuditList::families}, {"urls", AuditList::urls}, {"hosts", AuditList::hosts}},
      "What a line is of");
  command
      ->add_option("--exclude-list", flags->exclude_list,
                   "Write the URLs of the families, one in a line; the file is replaced")
      ->type_name("FILE");
  command
      ->add_option("--min-pages", flags->options.min_pages, "Families of fewer pages are left out")
      ->check(from_to(2, 1e9))
      ->capture_default_str();
  command
      ->add_option("--min-score", flags->options.min_score,
                   "Families of a lower score are left out: less finds more, and errs more")
      ->check(from_to(0.5, 10))
      ->capture_default_str();
  add_resource_flags(*command, flags->memory, flags->options.threads);
  add_list_options(*command, flags->format, flags->output);
  command->footer(audit_text);
  command->callback([flags, &outcome] {
    flags->options.tables = outcome.tables;
    if (const Status status = run(*flags); !status) outcome.fail(status.error());
  });
}

}  // namespace kith::cli
