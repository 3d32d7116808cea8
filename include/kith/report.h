// What a run did, counted: the content of report.json, of `kith info` and of the summary that
// `kith cluster` ends with.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "kith/options.h"

#pragma GCC visibility push(default)

namespace kith {

struct SkippedRecord {
  std::string kind;  // "damaged", "bad_url", ...
  std::string file;
  uint64_t offset = 0;  // bytes into the file as it lies on disk
  std::string reason;
};

struct PageCounts {
  uint64_t files = 0;
  uint64_t bytes_in = 0;  // as they lie on disk
  uint64_t bytes_unpacked = 0;
  uint64_t records = 0;
  uint64_t pages = 0;
  uint64_t page_bytes = 0;
  uint64_t cut_pages = 0;       // longer than max_page
  uint64_t short_pages = 0;     // kept, though their encoded payload, or the file, ends early
  uint64_t bare_responses = 0;  // WARC responses of a type, without an HTTP head; pages or not
  uint64_t mended_lines = 0;    // of JSONL, with U+FFFD for what was not UTF-8
  uint64_t redirects = 0;       // answers that name another URL; among those skipped by status

  PageCounts& operator+=(const PageCounts& more) {
    files += more.files;
    bytes_in += more.bytes_in;
    bytes_unpacked += more.bytes_unpacked;
    records += more.records;
    pages += more.pages;
    page_bytes += more.page_bytes;
    cut_pages += more.cut_pages;
    short_pages += more.short_pages;
    bare_responses += more.bare_responses;
    mended_lines += more.mended_lines;
    redirects += more.redirects;
    return *this;
  }
};

struct CrawlCounts : PageCounts {
  std::vector<std::pair<std::string, uint64_t>> skipped;  // kind, count; kinds that occurred
  std::vector<SkippedRecord> examples;                    // the first few
  // What of the input folders was not read: kind ("other_file", ...), count; kinds that occurred.
  std::vector<std::pair<std::string, uint64_t>> left_out;
  uint64_t named = 0;  // different URLs in the list `only`; 0 without one
  uint64_t found = 0;  // of these, that were met as pages
};

struct TextCounts {
  uint64_t words = 0;
  uint64_t long_words = 0;  // not among them: longer than 64 letters
  uint64_t links = 0;
  uint64_t bad_links = 0;   // no http(s) URL, too long, or beyond what a page may bring
  uint64_t self_links = 0;  // to the page itself
  uint64_t windows = 0;     // anchor-windows taken
};

// Pages that are folded into one URL, which they name in their place.
struct FoldedPages {
  std::string target;
  uint64_t pages = 0;
  uint64_t of = 0;  // these, and all other pages of the host of the target
};

// URLs that name another one in their place. They are counted in any case, and folded into it
// when the options say so.
struct AliasReport {
  uint64_t canonical = 0;  // pages with a <link rel=canonical> to another URL
  uint64_t refresh = 0;    // pages with a <meta http-equiv=refresh> to another URL
  uint64_t redirect = 0;   // HTTP redirects
  uint64_t folded = 0;     // URLs folded into another
  uint64_t targets = 0;    // URLs that others were folded into
  uint64_t largest = 0;    // the most that were folded into one
  std::string largest_target;
  // More than a twentieth of FoldedPages::of, and at least five pages: those of most pages first,
  // up to ten.
  std::vector<FoldedPages> large;
  // Not folded, by reason.
  uint64_t other_text = 0;  // pages that say something else than the page they name
  uint64_t other_page = 0;  // of a URL that was not fetched: pages unlike the first that names it
  uint64_t fetched = 0;     // redirects of URLs that were fetched at another time
  uint64_t circular = 0;    // URLs whose chain is a circle or longer than 20 steps
};

struct BagsCounts {
  uint64_t urls = 0;
  uint64_t fetched = 0;
  uint64_t empty = 0;           // URLs without a word that counts
  uint64_t duplicates = 0;      // URLs whose bag equals that of another
  uint64_t entries = 0;         // (word, weight) pairs in all bags
  uint64_t vocabulary = 0;      // distinct stems met
  uint64_t terms = 0;           // of these, in enough bags to count
  uint64_t frequent_terms = 0;  // of these, in too many bags to count
  uint64_t rescued = 0;         // bags of too frequent words alone, which keep them
  uint64_t cut_entries = 0;     // words of bags that have more than --max-terms
  uint64_t left_out = 0;        // URLs without a bag: not fetched, and seen in too few links
  uint64_t contents = 0;        // URLs with words of the page; with both kinds of bags
  uint64_t copied = 0;          // contents that several pages have, with bags of both kinds
  uint64_t copies = 0;          // the pages that have them
  uint64_t partitions = 0;
  uint64_t fragment_bytes = 0;  // written to the partitions
};

struct HostBoilerplate {
  std::string host;
  uint64_t words = 0;     // of the texts of all its pages, stop words included
  uint64_t left_out = 0;  // of these
};

// What was left out of the bags because it is the template of a site; all 0 where it was kept.
struct BoilerplateReport {
  uint64_t words = 0;       // of the texts of all pages, stop words included
  uint64_t left_out = 0;    // of these
  uint64_t kept_whole = 0;  // pages of nothing but boilerplate, which keep it: they have no title
  uint64_t hosts = 0;       // that have a template
  uint64_t blocks = 0;      // of the templates of all sites
  std::vector<HostBoilerplate> most;  // the ten hosts that lost most words, most first
};

// The 10th, 25th, 50th, 75th and 90th percentile over the sampled pages.
struct Quantiles {
  double p10 = 0, p25 = 0, p50 = 0, p75 = 0, p90 = 0;
};

struct ThresholdReport {
  double similarity = 0;
  bool automatic = false;
  uint32_t queries = 0;  // sampled; 0 when the user gave the threshold
  Quantiles nearest;     // similarity of the nearest neighbour
  Quantiles tenth;       // of the tenth
  Quantiles twentieth;
  std::string reason;
};

// LSH tables that were considered: the fewest of keys of k minima that reach the recall. All
// numbers are estimates for one run.
struct TablesReport {
  uint32_t per_key = 0;     // k
  uint32_t tables = 0;      // l
  double recall = 0;        // R(s) at the threshold
  double probes = 0;        // keys looked up, entered or sorted
  double candidates = 0;    // pairs compared by their signatures
  double exact_checks = 0;  // pairs compared entry by entry
  double memory = 0;        // of the leader index, bytes
  double seconds = 0;       // of one core
  bool chosen = false;      // the cheapest, which is used where tables are
};

struct EngineReport {
  EngineChoice engine = EngineChoice::exact;  // never automatic
  bool automatic = false;
  double exact_seconds = 0;  // estimated; 0 when no estimate was made
  double lsh_seconds = 0;
  uint32_t per_key = 0;        // k; 0 with the exact engine
  uint32_t tables = 0;         // l
  double promised_recall = 1;  // R(s) at the threshold
  std::string reason;
  double considered_threshold = 0;       // what the tables would reach
  uint64_t expected_leaders = 0;         // centers and singles among different bags, there
  std::vector<TablesReport> considered;  // by k; none when no k reaches the recall
};

// What was done to find pairs; the counts are of the LSH engine and of runs by the paper, whose
// rounds are tables, and 0 with the exact engine.
struct PairCounts {
  bool skipped = false;        // with either engine: nothing in the run needed pairs
  uint64_t collisions = 0;     // pairs of different bags that met in a table, once for each table
  uint64_t passed = 0;         // of these, agreed often enough to be candidates: the filter
  uint64_t candidates = 0;     // of these, different ones: compared exactly
  uint64_t similar = 0;        // of these, at or above the threshold
  uint64_t split_buckets = 0;  // too large to compare, over all tables
  uint64_t split_members = 0;  // bags in them
  uint64_t largest_split = 0;  // bags in the largest of them
  // Of the LSH engine, after its tables: bags read in the lists of rare words; of these, compared
  // exactly, counted for each URL; of these, near enough to enter a list.
  uint64_t rare_postings = 0;
  uint64_t rare_compared = 0;
  uint64_t rare_found = 0;
  // Then: neighbours of neighbours compared by their signatures,
  // counted for each URL; of these, compared exactly; of these, near enough to enter a list.
  uint64_t refined_candidates = 0;
  uint64_t refined_compared = 0;
  uint64_t refined_found = 0;
  uint64_t blocks = 0;  // that the bags were cut into, to fit the memory; by the paper b of
                        // them are b (b + 1) / 2 passes a round
  uint64_t hosts = 0;   // of the URLs, where the nearest on other hosts were asked for; such
                        // lists were made unless there is one host only
  bool has_other_sites() const { return hosts > 1; }
};

// Lists by smoothed bags; nothing but zeros where the run has none.
struct SmoothReport {
  uint64_t entries = 0;  // of all smoothed bags
  uint64_t listed = 0;   // neighbours, over all URLs
  uint64_t others = 0;   // of these, not in the list by own bags
  // Of the LSH engine: the threshold and the tables of smoothed bags.
  double similarity = 0;
  uint32_t per_key = 0;  // k
  uint32_t tables = 0;   // l
};

struct ClusterCounts {
  uint64_t clusters = 0;   // of two URLs or more
  uint64_t clustered = 0;  // URLs in them
  uint64_t singles = 0;
  uint64_t few_words = 0;  // of these, with words, but fewer different ones than min_words
  uint64_t largest = 0;
  Order order = Order::degree;  // never automatic
  uint64_t phases = 1;          // times that the leaders filled the memory, the last one included
  // What it took: URLs compared with leaders, pairs compared by their signatures, and pairs
  // compared word by word.
  uint64_t probes = 0;
  uint64_t candidates = 0;
  uint64_t exact_checks = 0;
  uint64_t split_buckets = 0;  // too large for every URL to meet the leaders in it, over all tables
  uint64_t split_members = 0;  // bags in them
  uint64_t largest_split = 0;  // bags in the largest of them
};

// The topics of one depth.
struct TopicLevel {
  uint64_t topics = 0;
  uint64_t leaves = 0;   // of these, not split
  uint64_t largest = 0;  // pages
  uint64_t median = 0;   // pages
  double cohesion = 0;   // mean over its pages of the cohesion of their topic (topics.h), [0, 1]
};

// The tree of topics; nothing but zeros where the run has none.
struct TopicCounts {
  uint64_t topics = 0;       // the whole collection among them
  uint64_t pages = 0;        // in the tree
  uint64_t edges = 0;        // of the graph of neighbours
  uint64_t communities = 0;  // of the whole graph
  double modularity = 0;     // of these, at most 1
  // Nothing was made, since this much memory would be needed: bytes; 0: it was enough.
  uint64_t missing_memory = 0;
  // Then also what smaller graphs would need (TopicGraph): bytes.
  uint64_t mutual_memory = 0;
  uint64_t clusters_memory = 0;
  std::vector<TopicLevel> levels;  // by depth, from 1
};

// What was read of the table of classes, and what of it the run has; nothing but zeros without one.
struct WithinReport {
  uint64_t rows = 0;                      // with a URL and a class
  uint64_t skipped_rows = 0;              // without a URL or without a class
  uint64_t unknown = 0;                   // rows with a URL that the run does not have
  std::vector<std::string> unknown_urls;  // the first of these, five at most
  uint64_t classes = 0;                   // of URLs of the run
  uint64_t alone = 0;                     // of these, of one URL
  uint64_t largest = 0;                   // URLs of the largest
  uint64_t without = 0;                   // URLs without a class
};

// A sample of URLs compared with all others by brute force.
struct CheckReport {
  uint32_t queries = 0;  // 0 when the check was not asked for
  uint64_t true_pairs = 0;
  uint64_t cut_pairs = 0;  // that would be pairs if they were of one class
  double pair_recall = 1, pair_precision = 1;
  double neighbour_recall = 1, neighbour_precision = 1;
  double similar_neighbour_recall = 1;  // of those of the K nearest that reach the threshold
  // The upper bound, of confidence 0.95, of the share that is found of the similar URLs of a URL.
  double recall_upper = 1;
  double promised = 0;  // of pairs at the threshold, which are found least often; 0: nothing

  bool keeps_promise() const { return recall_upper >= promised; }
};

// What a stage was given of --memory for one thing.
struct MemoryShare {
  std::string share;   // "stems"; docs/algorithms/memory.md
  uint64_t bytes = 0;  // the most at a time; of several threads that of one of them, or of all
};

struct StageReport {
  std::string stage;
  double seconds = 0;
  uint64_t peak_memory = 0;  // resident set, bytes, the most up to the end of the stage
  bool reused = false;       // taken from an earlier run of the same command
  std::string damage = {};   // of what an earlier run had left, so that it was made anew
  std::vector<MemoryShare> memory = {};  // what its budget has given
};

// What the reports of all jobs have.
struct JobReport {
  std::string version;
  unsigned threads = 0;
  uint64_t memory = 0;
  CrawlCounts crawl;
  std::vector<StageReport> stages;
  uint64_t peak_memory = 0;  // resident set, bytes, the most of any process that worked on the run,
                             // at its end
};

struct Report : JobReport {
  ClusterOptions options;
  bool own_bags = true;  // false: its input is another run, whose bags it has
  TextCounts text;
  BoilerplateReport boilerplate;
  AliasReport aliases;
  BagsCounts bags;
  WithinReport within;
  ThresholdReport threshold;
  EngineReport engine;
  PairCounts pairs;
  SmoothReport smooth;
  ClusterCounts clusters;
  TopicCounts topics;
  CheckReport check;
  std::vector<StageReport> steps;  // of the stages pairs and cluster, of a run by the paper
};

// As JSON, indented; the keys are the field names above.
std::string to_json(const Report& report);

}  // namespace kith

#pragma GCC visibility pop
