// What an input is, what would be read of it, and what is odd, without a run: `kith doctor`.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "kith/options.h"
#include "kith/report.h"
#include "kith/status.h"

#pragma GCC visibility push(default)

namespace kith {

struct DoctorOptions : ReadOptions {
  uint64_t sample = 64u << 20;  // bytes of each input, as they lie on the disk, that are read, >= 1
};

// Numbers of pages by what they have in common, the most first.
using PageShares = std::vector<std::pair<std::string, uint64_t>>;

struct PageSample {
  std::string url;
  std::string title;
  std::string beginning;  // of the text, up to 160 bytes
};

// Of one input. All numbers are of what was read of it.
struct Diagnosis {
  std::string input;
  std::string problem;  // why it is no input, or has no page; empty where it has
  uint64_t files = 0;
  PageShares formats;  // files by format and compression: "WARC", "HTML"; empty of a pipe
  uint64_t bytes = 0;  // of all files; 0 of a pipe
  uint64_t bytes_read = 0;
  bool is_whole = true;  // all of it was read
  CrawlCounts crawl;
  PageShares statuses;  // of HTTP; "none" where the file holds none
  PageShares media_types;
  PageShares languages;  // tags; "other" for those without a stemmer
  PageShares charsets;
  PageShares hosts;
  uint64_t dated = 0;               // pages with a date of their capture
  std::string first_date;           // of these, "2026-11-24T12:00:00Z"; empty without any
  std::string last_date;            // the same
  uint64_t untitled = 0;            // pages without a title
  uint64_t short_texts = 0;         // pages of fewer than five words
  std::vector<PageSample> samples;  // the first three
  // What is odd, and what to do about it: sentences that name fields of options as `max_page`.
  std::vector<std::string> remarks;
};

// Reads the inputs as `kith cluster` would, each up to `sample` bytes and the page there, and looks
// at the beginning of each of their files. What is wrong with one is its problem; an error is an
// option out of range. HTML that needs a base URL is read with one that stands for it.
Result<std::vector<Diagnosis>> diagnose(const DoctorOptions& options);

}  // namespace kith

#pragma GCC visibility pop
