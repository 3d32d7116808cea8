// Pages of a run that were answered as pages, but are no content: errors with status 200, walls,
// checks, parked hosts, empty frames of applications, traps (docs/algorithms/audit.md).
//
//   auto audit = kith::audit_run({.run = "my-run"});
//   for (const kith::AuditFamily& family : audit->families) ... family.reasons ...
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kith/options.h"
#include "kith/progress.h"
#include "kith/report.h"
#include "kith/status.h"

#pragma GCC visibility push(default)

namespace kith {

// Why the pages of a family are no content.
enum class NoContent : uint8_t {
  soft_404,       // an error, or an empty list, that is answered as a page
  login_wall,     // only those who are logged in see more
  consent_wall,   // cookies or an age are to be confirmed first
  bot_check,      // visitors are to prove to be no robots, or are turned away
  parked,         // a host that is for sale, or shows nothing yet
  empty_app,      // the frame of an application, which scripts fill
  redirect,       // nothing but a way to another address
  calendar_trap,  // a calendar without entries, of which every page leads to the next
  session_trap,   // a page under many addresses of one pattern; one of them stays
};
std::string_view name(NoContent kind);     // "soft_404", ...
std::string_view meaning(NoContent kind);  // "errors answered as pages", for people

struct AuditOptions : Resources {
  std::string run;  // the directory of a finished run of kith cluster or kith dedup
  // Opens the tables of the input, as ReadOptions::tables.
  std::shared_ptr<TableFiles> tables = {};

  // A family of fewer pages is not looked at, >= 2: what is meant for one address is content.
  uint32_t min_pages = 3;
  // Families of lower scores are left out, [0.5, 10]. docs/algorithms/audit.md has the weights.
  double min_score = 1;
};

// The first field that is out of range, as an error of kind usage.
Status validate(const AuditOptions& options);

struct AuditUrl {
  std::string url;
  bool stays = false;  // one page of a session trap: the others say the same
};

struct AuditFamily {
  NoContent kind = NoContent::soft_404;
  double score = 0;                  // the sum of the weights of its reasons
  std::vector<std::string> reasons;  // for people, the weightiest first
  std::vector<AuditUrl> urls;        // in the order of the input; documents without a URL by name
  uint64_t hosts = 0;                // of these
  std::string host;                  // that has most of them
  std::string pattern;  // of the addresses of most: numbers as 0, what looks random as *
  std::string sample;   // the title of the first one, or how its text begins
};

struct AuditHost {
  std::string host;         // empty for documents without a URL
  uint64_t pages = 0;       // of the run, that were looked at
  uint64_t no_content = 0;  // of these, without those that stay
};

struct Audit {
  uint64_t pages = 0;                 // that were looked at
  uint64_t no_content = 0;            // of these, without those that stay
  std::vector<AuditFamily> families;  // the largest first
  std::vector<AuditHost> hosts;       // that have pages in families; most no_content first
  CrawlCounts crawl;                  // what was read
};

// Reads the input of the run again, as the run has read it. Memory: some 1300 bytes a page with its
// URL, within options.memory; an error of kind usage where that is too small. The same run and
// options give the same audit, whatever memory and threads. Errors: no run, one that was made of
// bags, of values in memory or of standard input; an input that is not where it was (not_found).
Result<Audit> audit_run(const AuditOptions& options, const ProgressCallback& progress = {});

// The URLs of all families, but those that stay, one in a line: ReadOptions::exclude_list takes it.
// Documents without a URL are not in it.
std::string exclude_list(const Audit& audit);

}  // namespace kith

#pragma GCC visibility pop
