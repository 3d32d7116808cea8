// Near-duplicate documents: which are nearly the same text, in which groups, and which to keep
// (docs/algorithms/near-duplicates.md).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kith/options.h"
#include "kith/progress.h"
#include "kith/report.h"
#include "kith/status.h"

namespace kith {

enum class DedupMethod : uint8_t {
  minhash,  // pairs found by LSH tables of MinHash signatures, each verified by its shingles
  exact,    // documents with equal sets of shingles only
};

enum class ShingleUnit : uint8_t { words, characters };

enum class Grouping : uint8_t {
  center,      // CENTER: every member is similar to the center of its group
  components,  // whatever a chain of similar pairs joins, however far its ends are apart
};

// Which documents become centers first.
enum class CenterOrder : uint8_t {
  degree,  // those with the most similar documents; of equal ones the first in the input
  keep,    // those that Keep prefers: the center of a group is then the document that is kept, and
           // every document that is removed is similar to it
};

// The one document of a group that stays. Of equal ones the first in the input.
enum class Keep : uint8_t { first, longest, shortest };  // by bytes of text

enum class ListFormat : uint8_t { tsv, jsonl };

struct DedupOptions : ReadOptions {
  std::string output;  // the run directory; made when it does not exist
  DedupMethod method = DedupMethod::minhash;
  ShingleUnit shingles = ShingleUnit::words;
  uint32_t width = 5;       // words or characters of a shingle, [1, 256]
  bool bag = false;         // a shingle that occurs n times counts n times
  bool normalize = true;    // letters only, in lower case; else the text as it stands
  double similarity = 0.8;  // the least resemblance of near-duplicates, (0, 1]
  double recall = 0.99;     // of pairs of that resemblance, (0, 1)
  uint32_t lanes = 128;     // minima of a signature: a multiple of 16 in [16, 1024]
  Grouping groups = Grouping::center;
  CenterOrder order = CenterOrder::keep;
  Keep keep = Keep::first;
  ListFormat format = ListFormat::tsv;  // of the lists: groups, pairs, keep
  std::string write = {};               // where a copy of the input goes, without what is removed;
                                        // empty: nowhere (docs/formats/copy.md)
  uint32_t check_queries = 200;         // documents compared with all others; 0 = no check
  uint64_t seed = 1;
  uint64_t memory = 0;   // bytes; 0 = three quarters of what the machine has
  unsigned threads = 0;  // 0 = one per processor
};

// The first field that is out of range, as an error of kind usage.
Status validate(const DedupOptions& options);

struct DocumentCounts {
  uint64_t documents = 0;
  uint64_t empty = 0;       // without a word: kept, and in no group
  uint64_t text_bytes = 0;  // of text, markup taken away
  uint64_t elements = 0;    // of all documents
};

// Tables that were considered: the fewest of k minima a key that reach the recall.
struct DedupTables {
  uint32_t per_key = 0;   // k
  uint32_t tables = 0;    // l
  double recall = 0;      // R(s) at the similarity
  double collisions = 0;  // pairs expected to meet, once for each table
  double split = 0;       // share of documents expected in buckets too large to compare
  double seconds = 0;     // estimated, of one core
  bool chosen = false;
};

struct DedupPairs {
  uint64_t duplicates = 0;     // documents with the elements of an earlier one, not compared
  uint64_t collisions = 0;     // pairs of different documents that met, once for each table
  uint64_t candidates = 0;     // pairs that agreed often enough to be compared exactly
  uint64_t similar = 0;        // of these, similar
  uint64_t split_buckets = 0;  // too large to compare, over all tables
  uint64_t largest_split = 0;
  uint64_t blocks = 0;  // that the documents were cut into, to fit the memory
};

// How documents fall into groups of two or more.
struct GroupCounts {
  uint64_t groups = 0;
  uint64_t removed = 0;  // documents of groups, but for the one of each that is kept
  uint64_t largest = 0;  // documents
};

struct LargeGroup {
  uint64_t documents = 0;
  std::string kept;
};

struct DedupGroups : GroupCounts {
  // Removed documents that resemble the one that is kept less than the similarity. They resemble
  // the center of their group enough, or, in components, some other member.
  uint64_t weak = 0;
  GroupCounts components;  // what connected components of the verified pairs would be
  GroupCounts unverified;  // and of all candidates, without verification
  std::vector<LargeGroup> largest_groups;  // up to ten
};

struct DedupCheck {
  uint32_t queries = 0;     // 0 when the check was not asked for
  uint64_t true_pairs = 0;  // of a query with another document, of distinct sets of shingles
  uint64_t found = 0;       // of these
  double recall = 1;
};

// The copy of the input.
struct DedupCopy {
  uint64_t files = 0;  // 0 when none was asked for
  uint64_t bytes_in = 0;
  uint64_t bytes_out = 0;
  uint64_t removed = 0;         // records
  uint64_t kept_by_damage = 0;  // that were to be removed, but lie where the input is damaged
};

struct DedupReport {
  std::string version;
  DedupOptions options;
  unsigned threads = 0;
  uint64_t memory = 0;
  CrawlCounts crawl;
  DocumentCounts documents;
  std::vector<DedupTables> tables;  // by k
  DedupPairs pairs;
  DedupGroups groups;
  DedupCheck check;
  DedupCopy copy;
  std::vector<StageReport> stages;
};

// As JSON, indented; the keys are the field names above.
std::string to_json(const DedupReport& report);

// Finds groups of near-duplicates and leaves a run directory at options.output: binary files
// (docs/formats/dedup.md), report.json, and the lists groups, pairs and keep. Stages that an
// interrupted or earlier run of the same options has finished are taken from the directory when
// their files match their checksums. The files depend on the input and the options only, not on
// threads, memory or timing. Blocks until done; thread-safe for different outputs.
Result<DedupReport> dedup(const DedupOptions& options, const ProgressCallback& progress = {});

// Whether a directory holds a run of dedup(), finished or not; runs of cluster() are not.
bool is_dedup_run(const std::string& directory);

// Opens the report of a finished run of dedup(). An error when the directory holds none.
Result<DedupReport> read_dedup_report(const std::string& directory);

// Reads every file of a finished run and compares checksums; the error names the file.
Status verify_dedup_run(const std::string& directory);

// The words of the command line and of manifests.
std::string_view name(DedupMethod value);
std::string_view name(ShingleUnit value);
std::string_view name(Grouping value);
std::string_view name(CenterOrder value);
std::string_view name(Keep value);
std::string_view name(ListFormat value);

}  // namespace kith
