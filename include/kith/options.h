// The options of a run. Options are data: a struct with a default, a unit and a valid range
// for every field; docs/algorithms and `kith cluster --help` say what they mean.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kith/status.h"

#pragma GCC visibility push(default)

namespace kith {

class TableFiles;

enum class BagKind : uint8_t {
  both,     // the two below, each weighted by itself, in shares
  anchor,   // the words around the links that point to a URL, and its title
  content,  // the words of the page
};

enum class Boilerplate : uint8_t {
  remove,  // what stands on many pages of a site does not count
  keep,
};

// Which URLs have a bag of anchors.
enum class UrlScope : uint8_t {
  seen,     // pages, and URLs to which links from two hosts or from three pages lead
  fetched,  // pages alone
  all,      // every URL that was seen in a link
};

enum class LinkScope : uint8_t {
  all,
  external,  // only links from another host
};

// Which pages are related, of all hosts and of others (docs/algorithms/smooth.md).
enum class RelatedPages : uint8_t {
  smoothed,  // the nearest by the bags of pages, each together with those of its neighbours
  plain,     // the nearest by the pages' own bags
  similar,   // of these only the ones at or above the threshold; others are not looked for, which
             // saves time
};

enum class Weighting : uint8_t {
  tf_idf,  // sqrt(f) * ln(N / df)
  nmdf,    // sqrt(f) * exp(-(ln df - mu)^2 / (2 sigma^2)): punishes very rare words too
  tf,      // the counts as they are
};

enum class EngineChoice : uint8_t {
  automatic,  // the one whose estimated cost is lower
  exact,      // inverted lists: recall 1
  lsh,        // tables of min-wise signatures: recall as promised by --recall
  paper,      // the paper's own pipeline, see paper_preset()
};

enum class Order : uint8_t {
  automatic,  // degree with the exact engine, mass with the tables
  degree,     // the number of similar URLs, most first
  mass,       // the sum over the tables of (bucket size - 1), most first
  inlinks,    // the number of links that point to the URL, most first
  url,        // the order of URLs, the paper's arbitrary order
  random,     // seeded; CENTER is then Pivot
};

// What the topics stand on (docs/algorithms/topics.md).
enum class TopicGraph : uint8_t {
  full,      // pages, with the nearest pages of each
  mutual,    // only where each of two pages is among the nearest of the other: half the memory
  clusters,  // the clusters, with the nearest clusters of each
  none,      // there are no topics
};

enum class Assign : uint8_t {
  first,  // the earliest similar center, as CENTER says
  best,   // the most similar center
};

// Which captures of a URL are read, by the dates of captures (docs/formats/inputs.md).
enum class Captures : uint8_t {
  first,
  last,
  all,
};

// What is read, and how: shared by everything that reads a crawl. Formats and rules are in
// docs/formats/inputs.md.
struct ReadOptions {
  // Files, folders, zip files and tars of files, or "-" for standard input; at least one.
  std::vector<std::string> inputs = {};
  std::string base_url = {};     // the URL of a folder of HTML
  uint64_t max_page = 8u << 20;  // bytes; longer pages are cut there, [1 KiB, 1 GiB]
  std::string status = "200";    // HTTP statuses of pages: a list such as "200,203,5xx", or "any"
  bool strict = false;           // the first damaged record is an error
  std::string language = {};     // of every page, as a tag or a name; empty: detected per page
  // Filters such as "host:example.org" (docs/formats/filters.md): a page is read if, of every field
  // that `include` names, a filter matches, and none of `exclude` does.
  std::vector<std::string> include = {};
  std::vector<std::string> exclude = {};
  // A file of the URLs that are read, one in a line, or an index of captures (docs/formats/
  // url_lists.md); empty: all are read.
  std::string only = {};
  // A file of the same kinds: URLs that are not read; empty: none.
  std::string exclude_list = {};
  // Lines of rules by which spellings of a URL become one, as "common" (docs/algorithms/
  // url_rules.md); empty: none.
  std::string url_rules = {};
  // The names of the fields of rows: of JSON lines, CSV and tables. One in an object or a struct
  // within a row has a path as its name: "metadata.url". Where no name is given, the usual ones are
  // tried (docs/formats/inputs.md, "Rows").
  std::string text_field = {};   // plain text
  std::string html_field = {};   // markup; in a row that has both it is read
  std::string id_field = {};     // names a row that has no URL: a string or an integer
  std::string url_field = {};    // an http or https URL
  std::string title_field = {};  // of the page
  std::string time_field = {};   // when a page came
  // Opens Parquet, Arrow and Feather files, and what is no file (table_files.h); null: these are
  // refused. It is not part of what a run is known by.
  std::shared_ptr<TableFiles> tables = {};
};

// The first field that is out of range, as an error of kind usage.
Status validate(const ReadOptions& options);

// Which words a bag has, and what they weigh (docs/algorithms/bags.md).
struct BagOptions {
  BagKind bags = BagKind::both;
  double content_share = 0.5;  // of the content in bags of both kinds, (0, 1)
  UrlScope urls = UrlScope::fetched;
  Boilerplate boilerplate = Boilerplate::remove;
  LinkScope links = LinkScope::all;
  // What is not set follows the kind of bags: see window_of(), folds_aliases() and max_terms_of().
  std::optional<uint32_t> window = {};     // words on either side of an anchor, [0, 1000]
  std::optional<bool> aliases = {};        // fold URLs that redirect, refresh or have a canonical
  std::optional<uint32_t> max_terms = {};  // words of a bag, those of the largest weights; 0: all
  Weighting weighting = Weighting::tf_idf;
  uint32_t min_df = 2;   // a word in fewer bags is dropped, >= 1
  double max_df = 0.25;  // a word in a larger share of the bags is dropped, (0, 1]
  // Words that no bag has, in any form, in addition to the stop words of languages.
  std::vector<std::string> stop_words = {};
};

// The first field that is out of range, as an error of kind usage.
Status validate(const BagOptions& options);

// With bags of both kinds 16, true and 160; else 8, as in the paper, false and 0.
uint32_t window_of(const BagOptions& options);
bool folds_aliases(const BagOptions& options);
uint32_t max_terms_of(const BagOptions& options);

// Which bags are similar, how similar ones are found, and which become a cluster
// (docs/algorithms/lsh.md, center.md).
struct SimilarityOptions {
  std::optional<double> similarity = {};  // the threshold, (0, 1]; nothing means: follow the bags
  double recall = 0.9;                    // of pairs at the threshold, with the LSH engine, (0, 1)
  EngineChoice engine = EngineChoice::automatic;
  uint32_t lanes = 128;       // m, minima of a signature: a multiple of 16 in [16, 1024]
  uint32_t max_tables = 512;  // the most LSH tables that may be used, [1, 1024]
  // A bag of fewer words is in a cluster with its copies at most, >= 1. Runs by the paper leave
  // none out.
  uint32_t min_words = 5;
  Order order = Order::automatic;
  Assign assign = Assign::first;
  uint64_t seed = 1;
};

// The first field that is out of range, as an error of kind usage.
Status validate(const SimilarityOptions& options);

// Which lists of related pages, and which topics, a run has.
struct ListOptions {
  // K of "related", [0, 1000]. With 0 no pairs are looked for, unless the order is by degree.
  uint32_t neighbours = 20;
  // K of the nearest on other hosts, [0, 1000], which the threshold does not concern. 0, as
  // neighbours = 0 and a crawl of one host: no such lists.
  uint32_t other_sites = 10;
  // Where it is not set, see related_of(). Not for runs by the paper, nor with neighbours = 0.
  // Similarities stay those of the pages' own bags, and so do clusters.
  std::optional<RelatedPages> related = {};
  TopicGraph topics = TopicGraph::full;  // of the tree of topics; there is none without neighbours
};

// What a job may take. Results do not depend on it.
struct Resources {
  uint64_t memory = 0;   // bytes; 0: three quarters of what the machine has
  unsigned threads = 0;  // 0: one per processor
};

// The first field that is out of range, as an error of kind usage.
Status validate(const Resources& resources);

// Part `shard` of `shards`: of the files of all inputs, in input order, every shards-th is read.
// What comes out is no run but a shard, to be merged (docs/formats/shards.md). 0 of 0: the whole.
struct ShardOptions {
  uint32_t shard = 0;   // in [1, shards]
  uint32_t shards = 0;  // in [1, 10000]
};

// The first field that is out of range, as an error of kind usage; also when the inputs cannot be
// divided.
Status validate(const ShardOptions& options, const std::vector<std::string>& inputs);

struct ClusterOptions : ReadOptions,
                        BagOptions,
                        SimilarityOptions,
                        ListOptions,
                        ShardOptions,
                        Resources {
  std::string output;  // the run directory; made when it does not exist

  // The one capture of each URL that is its page, first or last.
  Captures captures = Captures::first;

  // A file with a class for some URLs (docs/formats/classes.md): clusters are made within classes,
  // and URLs without one are a class as well. Lists and topics do not change. Empty: no classes.
  // Not with shards, nor with the engine of the paper.
  std::string within;
  uint32_t check_queries = 200;  // sample of the recall check; 0 = no check
};

// The first field that is out of range, as an error of kind usage.
Status validate(const ClusterOptions& options);

// Smoothed unless it is set; with neighbours = 0 and for runs by the paper plain.
RelatedPages related_of(const ClusterOptions& options);

// What `kith paper` sets: the paper's pipeline (docs/algorithms/paper.md), which makes no lists
// of other hosts and scans in the order of URLs, and its threshold of 0.2 unless another one is
// set. Lanes, tables and recall are the paper's then, whatever the options say. Bags are those of
// links, unless they are of contents, for all URLs, with boilerplate.
void paper_preset(ClusterOptions& options);
// Shards that become one run. Everything else is as the shards were made.
struct MergeOptions : Resources {
  std::vector<std::string> shards;  // their directories, all of them, in any order
  std::string output;               // the run directory; made when it does not exist
  std::string write = {};           // of shards of dedup: see DedupOptions::write
  // Reads tables for `write`, and makes lists of parquet and arrow: see ReadOptions::tables.
  std::shared_ptr<TableFiles> tables = {};
};

// The first field that is out of range, as an error of kind usage.
Status validate(const MergeOptions& options);

// What it takes to list the pairs of a run (run.h).
struct PairOptions : Resources {
  // A folder that exists, for temporary files: some 12 bytes per pair where the memory does not do.
  // Two calls at a time may not share it. The files are gone at the end, errors or not.
  std::string scratch;
};

// The first field that is out of range, as an error of kind usage.
Status validate(const PairOptions& options);

// The words of the command line and of manifests, and back.
std::string_view name(BagKind value);
std::string_view name(Boilerplate value);
std::string_view name(UrlScope value);
std::string_view name(LinkScope value);
std::string_view name(Captures value);
std::string_view name(RelatedPages value);
std::string_view name(Weighting value);
std::string_view name(EngineChoice value);
std::string_view name(Order value);
std::string_view name(TopicGraph value);
std::string_view name(Assign value);

// "512M", "4G", "1.5GiB", "100000": bytes. K, M, G and T are powers of 1024.
Result<uint64_t> parse_size(std::string_view text);

// Bytes that a job takes where its options do not say: three quarters of the memory of the machine,
// or of the limit of its control group where that is less.
uint64_t usual_memory();

}  // namespace kith

#pragma GCC visibility pop
