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
#include "kith/rows.h"
#include "kith/shingles.h"
#include "kith/status.h"

#pragma GCC visibility push(default)

namespace kith {

enum class DedupMethod : uint8_t {
  minhash,       // pairs that meet in LSH tables of MinHash signatures
  simhash,       // pairs whose SimHash fingerprints differ in few bits
  supershingle,  // pairs that share super-shingles of MinHash signatures
  containment,   // contained documents: samples of the shorter one that are in the longer one
  exact,         // documents of equal text only: the same tokens in the same order
};

enum class Grouping : uint8_t {
  center,      // CENTER: every member is similar to the center of its group
  components,  // whatever a chain of similar pairs joins, however far its ends are apart
};

// Which documents become centers first. By containment it is always the one with the most elements,
// of equal ones that which `keep` prefers, and the center is what is kept.
enum class CenterOrder : uint8_t {
  degree,  // those with the most similar documents; of equal ones the first in the input
  keep,  // those that `keep` prefers: the center of a group is then the document that is kept, and
         // every document that is removed is similar to it
};

// Which pairs of documents that meet in a large bucket are in the list of pairs.
enum class PairList : uint8_t {
  centers,  // those of a document and the center that it has joined
  all,      // all similar ones, which are very many in a large family
};

// Which documents are near-duplicates, and which one of a group stays.
struct DuplicateOptions {
  DedupMethod method = DedupMethod::minhash;
  // The minimum of near-duplicates, (0, 1]: of their resemblance. By the method containment it is
  // that of the document with fewer elements in the one with more, and only what is contained is
  // ever removed.
  double similarity = 0.8;
  double recall = 0.99;  // of pairs of that similarity, (0, 1): minhash, supershingle, containment
  // Minima of a signature: a multiple of 16 in [16, 1024]: minhash, supershingle.
  uint32_t lanes = 128;
  uint32_t distance = 3;  // the most bits of 64 in which fingerprints differ, [0, 7]: simhash
  // Whether pairs that were found are compared exactly and must have the similarity. If not, they
  // are pairs whatever their similarity. Not for containment and exact.
  bool verify = true;
  Grouping groups = Grouping::center;
  CenterOrder order = CenterOrder::keep;
  // Which document of a group stays, by rules in order: the next one decides where one finds two
  // equal, and at last the first in the input; none: that alone. They are
  //   first, longest, shortest (bytes of text), newest, oldest (the date of the capture),
  //   inlinks (to whose URL most other pages of the input link),
  //   quality (the most sound text: docs/algorithms/near-duplicates.md, "Which document is kept"),
  //   score:FIELD (the greatest number, or latest date, in that field of its row),
  //   source:FILE (a table of sources, hosts, and files or folders of the input, one a line, best
  //   first; with tabs between names of equal rank).
  // A document of which a rule knows nothing comes after the others.
  std::vector<std::string> keep = {};
  // The most comparisons with centers in large buckets; 0: 4,096 for a document and bucket. What is
  // left out for it is counted.
  uint64_t max_comparisons = 0;
  uint64_t seed = 1;
};

// The first field that is out of range, as an error of kind usage.
Status validate(const DuplicateOptions& options);

struct DedupOptions : ReadOptions, ShingleOptions, DuplicateOptions, ShardOptions, Resources {
  std::string output;  // the run directory; made when it does not exist
  // Which captures of a URL are documents. Documents without a URL are all read.
  Captures captures = Captures::all;
  // Shingles that more documents than this have do not count; 0: all count. With `against` they are
  // those that the earlier runs have dropped, and this must be the same.
  uint32_t max_documents = 0;
  // Remove: words of the templates of sites are in no shingle; not with the method exact. Nothing:
  // remove where one of the first hundred documents is markup, the inputs are files and folders,
  // and not only equal documents are looked for; else keep. A report has what was chosen.
  std::optional<Boilerplate> boilerplate = {};
  // Of markup. Two documents each of whose titles has a word that the other has not are no pair,
  // however similar they are, unless they are equal (docs/algorithms/near-duplicates.md).
  bool distinct_titles = true;
  // The field of rows that names the source of a document; empty: there is none.
  std::string source_field = {};
  // Run directories of earlier runs: what is like one of their documents is removed before the
  // others are grouped. Their input is not read again. The options that decide what elements and
  // sketches are (shingles, width, bag, normalize, numbers, boilerplate; lanes, seed) must be the
  // same.
  std::vector<std::string> against = {};
  ListFormat format = ListFormat::tsv;  // of the lists: groups, pairs, keep, against
  PairList list_pairs = PairList::centers;
  std::string write = {};  // where a copy of the input goes, without what is removed;
                           // empty: nowhere (docs/formats/copy.md)
  // Fields of every document say what group it is in, and nothing is removed: in the list
  // documents, and in the copy, which is of JSON lines and tables then (docs/formats/dedup.md,
  // "Annotations").
  bool annotate = false;
  // How often a kept document counts that stands for a group of n documents: "1", "log" (1 + ln n),
  // "sqrt", or "capN", such as "cap5" (n, at most N). In lists, annotations and, unless it is 1, in
  // the copy, which is of JSON lines and tables then.
  std::string weights = "1";
  // The largest share of the documents of a source or host that may be removed, (0, 1], where it
  // has min_loss_documents or more. Where one loses more, the report says so, and no copy is
  // written.
  double max_loss = 1;
  bool dry_run = false;  // do everything but write the copy
  // In the copy, which is of WARC files alone, a record takes the place of each that is removed: a
  // revisit where the payload digests are equal, else metadata that names what is kept.
  bool revisit = false;
  uint32_t check_queries = 200;  // documents compared with all others; 0 = no check
};

// The first field that is out of range, as an error of kind usage.
Status validate(const DedupOptions& options);

struct DocumentCounts {
  uint64_t documents = 0;
  uint64_t empty = 0;       // without text: kept, and in no group
  uint64_t cut = 0;         // longer than max_page, so not read whole: kept, and in no group
  uint64_t text_bytes = 0;  // of text, markup taken away
  uint64_t elements = 0;    // of all documents
  // With max_documents: different shingles that were dropped, the elements that this took from
  // documents, and documents that have no others and keep theirs.
  uint64_t common_shingles = 0;
  uint64_t dropped = 0;
  uint64_t rescued = 0;
  // Where `keep` has inlinks: links of documents to other URLs, each once a document, and documents
  // that another page of the input links to.
  uint64_t links = 0;
  uint64_t linked = 0;
};

// Tables that were considered: the fewest of k minima per key that reach the recall.
struct DedupTables {
  uint32_t per_key = 0;   // k
  uint32_t tables = 0;    // l
  double recall = 0;      // R(s) at the similarity
  double collisions = 0;  // pairs expected to meet, once for each table
  double split = 0;       // share of documents expected in buckets too large to compare
  double seconds = 0;     // estimated, of one core
  bool chosen = false;
};

// Super-shingles that were considered: the fewest of so many minima that reach the recall.
struct DedupSuperShingles {
  uint32_t minima = 0;         // of a super-shingle
  uint32_t groups = 0;         // super-shingles of a document
  uint32_t least = 0;          // of these must be equal
  double recall = 0;           // at the similarity
  double false_positives = 0;  // area below the S-curve, left of the similarity
  bool chosen = false;
};

struct DedupFingerprints {
  uint64_t different = 0;
  // The chance that documents of the similarity and of equal size are within the distance.
  double expected_recall = 0;
  // Pairs of documents by the distance of their fingerprints, from 0 on.
  std::vector<uint64_t> pairs_by_distance;
};

// How documents of 2^j elements and more, but less than twice as many, are looked for in those that
// have at least as many elements.
struct DedupSamples {
  uint64_t min_elements = 0;  // 2^j
  uint64_t documents = 0;     // different ones
  uint64_t one_in = 1;        // of so many elements one is a sample
  uint64_t samples = 0;       // of all these documents
  uint64_t looked_up = 0;     // of these, the ones that were looked for in every document
};

struct DedupPairs {
  uint64_t duplicates = 0;        // documents with the elements of an earlier one, not compared
  uint64_t collisions = 0;        // pairs of different documents that met, once for each table
  uint64_t candidates = 0;        // pairs that the method found; without verification, all pairs
  uint64_t similar = 0;           // of these, similar
  uint64_t below_similarity = 0;  // pairs that are not similar: 0 unless nothing is verified
  uint64_t other_title = 0;       // of these, no pairs since their titles differ
  uint64_t split_buckets = 0;     // too large to compare, over all tables
  uint64_t largest_split = 0;
  uint64_t blocks = 0;  // that the documents were cut into, to fit the memory
};

// Large buckets whose pairs are not compared one by one: a document is compared with the centers of
// its buckets instead (docs/algorithms/near-duplicates.md, "Large buckets").
struct DedupLargeParts {
  uint64_t parts = 0;            // buckets, or parts of buckets
  uint64_t members = 0;          // documents in them, once for each
  uint64_t largest = 0;          // documents
  uint64_t pairs = 0;            // pairs of documents that met there, once for each part
  uint64_t max_comparisons = 0;  // what the comparisons with centers can be at the most
  uint64_t comparisons = 0;      // that were made
  uint64_t candidates = 0;       // of these, agreed often enough to be compared exactly
  uint64_t similar = 0;          // of these, pairs
  uint64_t centers = 0;          // documents of the parts that became centers
  uint64_t absorbed = 0;         // documents that met none of a large family and joined it at last
  uint64_t left_out = 0;  // comparisons of these with centers beyond the most of a part, not made
};

// One earlier run that the documents were compared with.
struct AgainstRun {
  std::string path;
  uint64_t documents = 0;  // of that run
  uint64_t removed = 0;    // documents of this run whose match is one of these
  DedupTables tables;      // by which pairs were found; 0 tables when equal ones were enough
};

// Of sampled documents, different ones, those that an earlier run truly has one like.
struct AgainstCheck {
  uint32_t queries = 0;  // 0 when the check was not asked for
  uint64_t near = 0;     // have a similar document in an earlier run, by brute force
  uint64_t found = 0;    // of these, removed
  double recall = 1;
};

// What is removed because an earlier run has one like it. All is 0 without `against`.
struct DedupAgainst {
  uint64_t removed = 0;        // documents
  uint64_t equal = 0;          // of these, with the elements of their match
  uint64_t collisions = 0;     // pairs across runs that met, once for each table
  uint64_t candidates = 0;     // of these, agreed often enough to be compared exactly
  uint64_t similar = 0;        // of these, similar
  uint64_t split_buckets = 0;  // too large to compare, over all tables
  std::vector<AgainstRun> runs;
  AgainstCheck check;
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
  // the center of their group enough, or, in components, some other member; unless nothing is
  // verified.
  uint64_t weak = 0;
  // Removed documents by how they are like the one that is kept; the others only met the
  // similarity.
  uint64_t equal_texts = 0;     // the same tokens in the same order
  uint64_t equal_shingles = 0;  // not these, but the same shingles
  // Removed documents with another title than the one that is kept.
  uint64_t other_title = 0;
  GroupCounts components;  // what connected components of the verified pairs would be
  GroupCounts unverified;  // and of all candidates, without verification
  std::vector<LargeGroup> largest_groups;  // up to ten
  // Of one kept document so many were removed that have another title: the most, up to ten.
  std::vector<LargeGroup> other_titles;
};

// Of sampled documents against all others, of distinct sets of shingles.
struct DedupCheck {
  uint32_t queries = 0;     // 0 when the check was not asked for
  uint64_t true_pairs = 0;  // similar pairs of a query with another document
  uint64_t found = 0;       // of these, listed, or decided by the centers of a whole part
  double recall = 1;        // found / true_pairs
  // The upper bound, of confidence 0.95, of the share that is found of the pairs of a document.
  double recall_upper = 1;
  double promised = 0;  // what is promised at the similarity; 0: nothing
  // Of sampled documents that are kept: how many there are, and how many have another kept document
  // that is similar to them.
  uint32_t kept_queries = 0;
  uint64_t kept_similar = 0;

  bool keeps_promise() const { return recall_upper >= promised; }
};

// Smaller sources and hosts are not held to DedupOptions::max_loss.
inline constexpr uint64_t min_loss_documents = 10;

struct RemovedExample {
  std::string removed;
  std::string kept;
};

// A part of the documents of which some are removed.
struct DedupLoss {
  std::string part;  // "source", "host" or "path"
  // A source as its field names it, or the input; a host; a host and the pattern of a path, with #
  // for digits and * for what comes last.
  std::string name;
  uint64_t documents = 0;
  uint64_t removed = 0;
  // By which groups, up to three: their kept documents, and what was removed of this part for them.
  std::vector<LargeGroup> groups;
  std::vector<RemovedExample> examples;  // of these groups, up to three

  double share() const {
    return documents == 0 ? 0 : static_cast<double>(removed) / static_cast<double>(documents);
  }
};

// The copy of the input.
struct DedupCopy {
  uint64_t files = 0;  // 0 when none was asked for
  uint64_t bytes_in = 0;
  uint64_t bytes_out = 0;
  uint64_t removed = 0;         // records
  uint64_t replaced = 0;        // of these, by a revisit or metadata record
  uint64_t kept_by_damage = 0;  // that were to be removed, but lie where the input is damaged
};

struct DedupReport : JobReport {
  DedupOptions options;
  uint32_t tokens = 1;  // version of the definition of tokens
  DocumentCounts documents;
  // What was left out of the shingles; all 0 where it was kept. Words are those of documents of
  // sites with a sample.
  BoilerplateReport boilerplate;
  DedupAgainst against;             // the counts below are of the documents that this leaves
  std::vector<DedupTables> tables;  // by k: minhash
  std::vector<DedupSuperShingles> super_shingles;  // by minima: supershingle
  DedupFingerprints fingerprints;                  // simhash
  std::vector<DedupSamples> samples;               // by elements: containment
  DedupPairs pairs;
  DedupLargeParts large;
  DedupGroups groups;
  DedupCheck check;
  // Of sources, hosts and patterns of paths each the ten that lose most documents.
  std::vector<DedupLoss> losses;
  // Sources and hosts that lose more than DedupOptions::max_loss, the ten that lose most.
  std::vector<DedupLoss> over_max_loss;
  DedupCopy copy;
};

// As JSON, indented; the keys are the field names above.
std::string to_json(const DedupReport& report);

// Finds groups of near-duplicates and leaves a run directory at options.output: binary files
// (docs/formats/dedup.md), report.json, and the lists groups, pairs, keep, perhaps against. Stages
// that an interrupted or earlier run of the same options has finished are taken from the directory
// when their files match their checksums. The files depend on input and options only, not on
// threads, memory or timing. Blocks until done; thread-safe for different outputs.
// With options.shards the directory becomes a shard, which only merge_dedup() can use.
Result<DedupReport> dedup(const DedupOptions& options, const ProgressCallback& progress = {});

// Makes a run of shards 1 to N that dedup() has made of the same inputs with the same options: its
// files are those that dedup() makes of the whole, byte for byte. For directories, interruption and
// threads as dedup(). An error of kind usage when the shards do not belong together, of kind
// corrupt, naming the file, when one is damaged.
Result<DedupReport> merge_dedup(const MergeOptions& options, const ProgressCallback& progress = {});

// Whether a directory holds a run of dedup(), finished or not; runs of cluster() are not.
bool is_dedup_run(const std::string& directory);

// Opens the report of a finished run of dedup(). An error when the directory holds none.
Result<DedupReport> read_dedup_report(const std::string& directory);

// Reads every file of a finished run and compares checksums; the error names the file.
Status verify_dedup_run(const std::string& directory);

// The words of the command line and of manifests.
std::string_view name(DedupMethod value);
std::string_view name(ShingleUnit value);
std::string_view name(Numbers value);
std::string_view name(Grouping value);
std::string_view name(CenterOrder value);
std::string_view name(PairList value);

}  // namespace kith

#pragma GCC visibility pop
