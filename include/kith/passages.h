// Passages: lines, paragraphs and spans of tokens that stand in several documents, and texts
// without them (docs/algorithms/passages.md).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kith/options.h"
#include "kith/progress.h"
#include "kith/report.h"
#include "kith/rows.h"
#include "kith/shingles.h"
#include "kith/status.h"

#pragma GCC visibility push(default)

namespace kith {

enum class PassageUnit : uint8_t {
  span,       // any run of tokens of at least min_tokens
  line,       // lines of at least min_tokens; of markup block elements
  paragraph,  // what stands between blank lines; of markup likewise block elements
};

// What the texts that are written are without.
enum class PassageMode : uint8_t {
  remove,  // all passages
  first,   // all but one occurrence of each (PassageOptions::mode)
  mark,    // nothing: where the passages are is written beside the text
};

struct PassageOptions : ReadOptions, Resources {
  std::string output;  // the run directory; made when it does not exist
  PassageUnit unit = PassageUnit::span;
  // The fewest tokens of a passage, [1, 512]; 0: 50 of a span, 1 of a line or paragraph.
  uint32_t min_tokens = 0;
  // A passage stands in more documents than this, >= 1. How often it stands in one does not count.
  uint32_t max_documents = 1;
  // What tokens are, and so which passages are equal, as in ShingleOptions.
  bool normalize = true;
  Numbers numbers = Numbers::keep;
  // With `first` a passage stays in the document whose text has the smallest hash, at its first
  // occurrence there: that depends neither on the order of the input nor on its names.
  PassageMode mode = PassageMode::remove;
  // Cut whole sentences only: what of a passage is in a sentence that is not all in it stays.
  bool sentences = false;
  double high_loss = 0.5;    // documents that lose more than this share are reported, [0, 1]
  uint32_t examples = 1000;  // the most frequent passages that are listed, [0, 10000]
  ListFormat format = ListFormat::tsv;  // of the lists: passages, losses
  std::string write = {};               // a file of JSON lines to make of the texts; empty: none
};

// The first field that is out of range, as an error of kind usage.
Status validate(const PassageOptions& options);

// min_tokens, or what 0 means for the unit.
uint32_t min_tokens_of(const PassageOptions& options);

struct PassageCounts {
  uint64_t documents = 0;
  uint64_t empty = 0;          // without a unit: shorter than min_tokens
  uint64_t text_bytes = 0;     // of all documents
  uint64_t units = 0;          // windows of min_tokens tokens, lines or paragraphs
  uint64_t anchors = 0;        // hashes of which the candidates were found
  uint64_t candidates = 0;     // units that were compared
  uint64_t repeated = 0;       // of these, that stand in more than max_documents
  uint64_t different = 0;      // different ones of these
  uint64_t with_passages = 0;  // documents
  uint64_t changed = 0;        // documents that lose something, or would, when marked
  uint64_t cuts = 0;           // places where something is taken out
  uint64_t lost_bytes = 0;     // of their texts
  uint64_t emptied = 0;        // documents that lose all but white space
  uint64_t high_losses = 0;    // documents that lose more than high_loss
};

// What the documents of one host, or in one language, lose.
struct PassageLoss {
  std::string name;  // of the host, or the tag of the language
  uint64_t documents = 0;
  uint64_t changed = 0;
  uint64_t text_bytes = 0;
  uint64_t lost_bytes = 0;
};

struct DocumentLoss {
  std::string document;
  uint64_t text_bytes = 0;
  uint64_t lost_bytes = 0;
};

struct PassageReport : JobReport {
  PassageOptions options;
  uint32_t tokens = 1;  // version of the definition of tokens
  PassageCounts passages;
  std::vector<PassageLoss> hosts;      // the ten that lose the most bytes, most first
  std::vector<PassageLoss> languages;  // of changed documents: all, most bytes lost first
  std::vector<DocumentLoss> most;      // the ten documents of high losses that lose most bytes
  uint64_t written_bytes = 0;          // of the file `write`
};

// As JSON, indented; the keys are the field names above.
std::string to_json(const PassageReport& report);

// Finds passages and leaves a run directory at options.output: report.json and the lists passages
// and losses, and with options.write the texts (docs/formats/passages.md). A run that was ended
// begins again with the same call; one that is done is only looked at. The files depend on the
// documents and options only; their order follows that of the input. Blocks until done; thread-safe
// for different outputs.
Result<PassageReport> find_passages(const PassageOptions& options,
                                    const ProgressCallback& progress = {});

// The report of a finished run.
Result<PassageReport> read_passage_report(const std::string& directory);
// Whether a folder holds a run of find_passages(), finished or not.
bool is_passage_run(const std::string& directory);
// Compares the lists with their checksums; the error names what is missing or was changed.
Status verify_passage_run(const std::string& directory);

std::string_view name(PassageUnit value);  // "span", "line", "paragraph"
std::string_view name(PassageMode value);  // "remove", "first", "mark"

}  // namespace kith

#pragma GCC visibility pop
