// How many bits of their fingerprints the pages of a stream should be compared by, measured on a
// sample of them (StreamBy::fingerprint; docs/algorithms/stream.md).
//
//   const auto report = kith::tune_fingerprint_bits({{.inputs = {"sample.jsonl"}}});
//   if (report) options.bits = report->best;
#pragma once

#include <cstdint>
#include <vector>

#include "kith/options.h"
#include "kith/report.h"
#include "kith/shingles.h"
#include "kith/status.h"

#pragma GCC visibility push(default)

namespace kith {

// What goes wrong when pages are alike by the first bits of their fingerprints.
struct FingerprintErrors {
  uint32_t bits = 0;
  // Pages of the sample that share these bits with a page that they do not resemble.
  uint64_t joined = 0;
  // Pages that resemble another page, but share these bits with none that they resemble.
  uint64_t parted = 0;
  // The share of the pages that a stream joins by chance beyond that: those that share these bits
  // with one of the documents that are not of the sample, if all bits are drawn at random.
  double chance = 0;
};

struct FingerprintBitsOptions : ReadOptions {
  ShingleOptions shingles = {};
  double similarity = 0.8;         // from which on pages resemble each other, (0, 1]
  uint64_t documents = 1'000'000;  // of the whole stream
  uint64_t memory = 0;  // bytes of the process; 0 = three quarters of what the machine has
};

// The first field that is out of range, as an error of kind usage.
Status validate(const FingerprintBitsOptions& options);

struct FingerprintBitsReport {
  CrawlCounts crawl;
  uint64_t pages = 0;       // of the sample, without those below
  uint64_t empty = 0;       // that have no shingle, or are too long: they are alike to nothing
  uint64_t resembling = 0;  // pages that resemble another page
  std::vector<FingerprintErrors> errors;  // of 16 to 64 bits
  // The bits with the smallest share of pages that are joined, parted or joined by chance, each
  // counted by itself; of equals the most bits.
  uint32_t best = 64;
};

// Reads pages, and finds which of them resemble each other, exactly. Every capture of a URL is a
// page. The result does not depend on the memory, of which some 60 bytes a shingle are needed; time
// grows with the number of pairs that share one of their rarest shingles. Errors: of the input; of
// kind usage, when no page has words, or the sample needs more than the memory.
Result<FingerprintBitsReport> tune_fingerprint_bits(const FingerprintBitsOptions& options);

}  // namespace kith

#pragma GCC visibility pop
