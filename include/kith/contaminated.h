// Items of test sets inside documents (docs/algorithms/contamination.md).
//
//   kith::ContaminationOptions options;
//   options.inputs = {"pages.jsonl"};
//   options.evals = {"evals/"};
//   const auto report = kith::find_contamination(options, [](const kith::ContaminationHit& hit) {
//     ... hit.suite, hit.item, hit.document, hit.passage ...
//     return true;
//   });
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kith/dedup.h"
#include "kith/options.h"
#include "kith/progress.h"
#include "kith/report.h"
#include "kith/status.h"

#pragma GCC visibility push(default)

namespace kith {

// When a document holds an item: within a passage of at most twice the tokens of the item it has
// this share of its shingles, and one at least. A shingle of fewer different tokens than half of
// the width does not count.
struct ContaminationRule {
  uint32_t width = 8;        // tokens of a shingle, [2, 256]
  double containment = 0.7;  // [0, 1]; 0: any shingle will do
};

// 70 % of the 8-grams (PaLM: Chowdhery et al. 2022, section 8).
inline constexpr ContaminationRule rule_8_gram = {8, 0.7};
// Any 13-gram (GPT-3: Brown et al. 2020, appendix C).
inline constexpr ContaminationRule rule_13_gram = {13, 0};

// A shingle that more different items of a suite have, such as one of instructions, tells nothing
// about any of them, and does not count.
inline constexpr uint32_t max_items_of_shingle = 10;

// What differs for one suite.
struct SuiteSettings {
  std::string name;        // of the suite
  std::string field = {};  // as ContaminationOptions::eval_field; empty: as there
  std::optional<uint32_t> width = {};
  std::optional<double> containment = {};
};

struct ContaminationOptions : ReadOptions, Resources {
  // Test sets: files of rows, and folders. A suite is a file that is named or lies in a folder that
  // is, or all files of a folder below that. It is called by its name without extensions.
  std::vector<std::string> evals = {};
  // The field of their rows that is looked for; empty: of each file a usual one ("text",
  // "question", "prompt", ...).
  std::string eval_field = {};
  ContaminationRule rule = {};
  std::vector<SuiteSettings> suites = {};
  uint32_t min_words = 5;  // an item of fewer tokens is not looked for, >= 1
  // Copy the inputs there without the documents that hold an item; empty: no copy. As
  // DedupOptions::write.
  std::string write = {};
  // A file of JSON lines to make of the texts of all documents, without the passages that have
  // enough of an item; empty: none.
  std::string write_texts = {};
};

// The first field that is out of range, as an error of kind usage.
Status validate(const ContaminationOptions& options);

// An item in a document. The views are valid during the call they are handed to.
struct ContaminationHit {
  std::string_view suite;
  std::string_view item;      // its URL or id, else FILE:ROW
  std::string_view document;  // likewise
  double containment = 0;     // the share of the item's shingles in the passage, (0, 1]
  uint64_t shingles = 0;      // of the item that count; 0: it was looked for as a whole
  // The words of the document from the first to the last shingle that was found there, cut after
  // 1000 bytes, and up to ten words before and after.
  std::string_view before;
  std::string_view passage;
  std::string_view after;
};

// An item that is in at least one document.
struct ContaminatedItem {
  std::string suite;
  std::string item;
  uint64_t documents = 0;
  double containment = 0;  // the largest one
  std::string document;    // the first with that
  std::string passage;     // of that
};

// A suite, and what became of its items.
struct ContaminatedSuite {
  std::string name;
  uint64_t files = 0;
  std::vector<std::string> fields;  // that were read
  uint32_t width = 0;
  double containment = 0;
  uint64_t items = 0;         // rows with a text
  uint64_t without_text = 0;  // rows without
  uint64_t equal = 0;         // items with the tokens of an earlier one of the suite
  uint64_t whole = 0;  // of the others, found as a whole only: too short for a shingle, or without
                       // one that counts
  uint64_t too_short = 0;     // items of fewer tokens than min_words, which are not looked for
  uint64_t common = 0;        // shingles that do not count, as too many items have them
  uint64_t contaminated = 0;  // items that are in a document
  uint64_t documents = 0;     // that have an item of the suite
};

struct ContaminationReport {
  CrawlCounts crawl;       // of the documents
  uint64_t documents = 0;  // that were read
  uint64_t cut = 0;        // of these, longer than max_page: only their beginnings were looked at
  uint64_t contaminated = 0;  // documents with an item
  uint64_t left_out = 0;      // files of the folders of test sets that are no rows or texts
  std::vector<ContaminatedSuite> suites;  // by name
  std::vector<ContaminatedItem> items;    // by suite, in the order of its rows
  DedupCopy copy;
  uint64_t text_bytes = 0;  // with write_texts: of all texts
  uint64_t cut_bytes = 0;   // of these, what they are without
};

// As JSON, indented; the keys are the field names above, without the items.
std::string to_json(const ContaminationReport& report);

// Reads the test sets, then all documents of the inputs, and calls take(hit) for every item in
// every document: in the order of the documents, then of suites, then of items, until it returns
// false; then what was found so far, without a copy. Every hit is verified by its tokens, not by
// hashes alone.
//
// The same hits for any number of threads and any memory. Memory: some 24 bytes for every token of
// the test sets, 300 for every item that is found. Errors: of kind usage also where a test set is
// missing, is empty, or has no field that is known; those of reading; and of the copy as for
// kith::dedup. Blocks until done; calls back on the calling thread. Thread-safe.
Result<ContaminationReport> find_contamination(
    const ContaminationOptions& options, const std::function<bool(const ContaminationHit&)>& take,
    const ProgressCallback& progress = {});

}  // namespace kith

#pragma GCC visibility pop
