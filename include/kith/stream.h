// Leader-follower clustering of a stream: one look at a page, one decision
// (docs/algorithms/stream.md).
//
//   auto stream = kith::Stream::make({.by = kith::StreamBy::shingles, .similarity = 0.8});
//   const auto answer = stream->add({.name = "https://example.org/", .text = "first text"});
//   if (answer) use(answer->decisions.back().cluster, answer->decisions.back().role);
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kith/options.h"
#include "kith/shingles.h"
#include "kith/status.h"

#pragma GCC visibility push(default)

namespace kith {
namespace jobs {
class State;
class Opener;
}  // namespace jobs

// What documents are compared by.
enum class StreamBy : uint8_t {
  shingles,     // sets of shingles, by resemblance or containment, each pair exactly
  simhash,      // 64-bit fingerprints of the shingles, by the number of bits that differ
  fingerprint,  // equality of the leading bits of these fingerprints
  bags,         // weighted bags of words by the dictionary of a run (bags.h), or as they come
};

// What the similarity of two sets of shingles is.
enum class StreamMeasure : uint8_t {
  resemblance,
  containment,  // of the smaller set in the larger one
};

// What a document is compared with, of a cluster.
enum class StreamLeader : uint8_t {
  first,  // its first document
  mean,   // the mean of its documents, by bags only
};

struct StreamOptions {
  StreamBy by = StreamBy::shingles;
  StreamMeasure measure = StreamMeasure::resemblance;  // by shingles
  double similarity = 0.8;  // the minimum to the leader, by shingles and bags: (0, 1]
  // By bags the directory of a finished run of contents, or of contents and links: words have the
  // weights that they have there. The run may go when the stream is made, and must be the same when
  // it is opened again. Empty: weights are learnt from the pages that come, and change whenever
  // these have doubled (docs/algorithms/stream.md).
  std::string dictionary = {};
  uint32_t distance = 3;  // the most bits of 64 that differ from the leader, by simhash: [0, 7]
  uint32_t bits = 64;     // of a fingerprint that must be equal, by fingerprint: [16, 64]
  ShingleOptions shingles = {};
  Assign assign = Assign::best;  // the most similar leader, or the earliest similar one
  // A mean has the name and the time of its first document. Not with pairs.
  StreamLeader leader = StreamLeader::first;

  // A leader without a new member for so long is forgotten, with its cluster: milliseconds of the
  // stream, or pages. 0: never.
  int64_t forget_after_ms = 0;
  uint64_t forget_after_pages = 0;
  // Similarities are multiplied by 2^(-dt / half_life), dt being the time between a document and
  // the leader; a leader that could not be joined any more is forgotten. Milliseconds; 0: never.
  // Not by fingerprint.
  int64_t half_life_ms = 0;
  // With more leaders the one that has waited longest for a member is forgotten. 0: no limit.
  uint64_t most_leaders = 0;
  // Every document is a cluster of its own and is compared with all others: instead of decisions
  // similar pairs are given.
  bool pairs = false;
  // The most words of the theme of a cluster, [0, 16]; 0: nothing is kept for themes. Not given: as
  // the stream has it that is opened, and for a new one 5 with decision_themes, else 0. With pairs
  // there are none.
  std::optional<uint32_t> themes;
  // Decisions have the theme of their cluster. It need not be the same when a stream is opened
  // again.
  bool decision_themes = false;

  // Of the tables that find candidates, by shingles and bags: see IndexOptions (index.h). Bags are
  // less similar than copies: 0.9 and 64 tables suit a similarity of 0.3.
  double recall = 0.99;      // of leaders at the minimum similarity, (0, 1)
  uint32_t lanes = 128;      // minima of a signature: a multiple of 16 in [16, 1024]
  uint32_t max_tables = 16;  // the most LSH tables, [1, 1024]; by simhash permuted tables
  uint64_t seed = 1;
  // Bytes that documents, clusters and tables may take; beyond it leaders are forgotten as with
  // most_leaders. 0: no limit.
  uint64_t memory = 0;

  // Lines of rules by which spellings of a URL become one (docs/algorithms/url_rules.md), for pages
  // that run_stream() and a StreamService read, and for related(). Other names count as they are.
  std::string url_rules = {};

  // Neither need be the same when a stream is opened again. A page whose time is further than that
  // past the latest one and past the machine's clock has the time of the stream, and is counted:
  // else it would make all others too old. Milliseconds; 0: no limit.
  int64_t max_skew_ms = 86'400'000;
  // A damaged log is cut where the damage begins (StreamProgress::lost); else it is an error.
  bool repair = false;
};

// The first field that is out of range, or that does nothing beside the others, as an error of kind
// usage.
Status validate(const StreamOptions& options);

enum class StreamRole : uint8_t {
  leader,     // begins a cluster
  member,     // is similar to the leader of its cluster
  duplicate,  // has the same elements as the leader, or came again unchanged
  updated,    // came again with other elements, and was decided anew
  moved,      // was decided anew, or leads now, because the leader of its cluster went
  deleted,    // was removed; cluster 0: it was not known
};

// What comes. Views are read during the call only.
struct StreamPage {
  std::string_view name;  // by which it is known: a URL, or any other; not empty
  // One of these: a text (UTF-8, below 4 GiB); or, not by bags, elements that are ready, hashes of
  // 64 well-mixed bits, ascending, each once, such as shingles(); or, by simhash and fingerprint,
  // one element, which is the fingerprint itself.
  std::string_view text = {};
  std::span<const uint64_t> elements = {};
  // Words of the title count by bags, and for themes as well. The language is a tag (empty:
  // detected).
  std::string_view title = {};
  std::string_view language = {};
  int64_t time_ms = 0;  // since 1970; earlier than that of the page before counts as equal to it
  // Where it was read, such as a file, and the number of the record after it there: kept with what
  // is decided (Stream::source). May be empty.
  std::string_view source = {};
  uint64_t next = 0;
};

struct StreamDecision {
  std::string document;
  uint64_t cluster = 0;  // numbers from 1, in the order in which clusters began
  StreamRole role = StreamRole::leader;
  double similarity = 1;  // to the leader, as it was compared; 1 for the leader itself
  std::string leader;     // the name of the leader
  uint64_t size = 0;      // of the cluster, this document included
  // Of the cluster, this document included; with StreamOptions::decision_themes.
  std::vector<std::string> theme = {};
};

struct StreamPair {
  std::string earlier;
  std::string later;
  double similarity = 0;  // with the decay of half_life_ms
};

// What is said of a page, or of several: decisions, or with StreamOptions::pairs pairs.
struct StreamAnswer {
  std::vector<StreamDecision> decisions;
  std::vector<StreamPair> pairs;

  uint64_t size() const { return decisions.size() + pairs.size(); }
};

struct StreamMatch {
  std::string leader;
  uint64_t cluster = 0;
  double similarity = 0;
};

struct StreamMember {
  std::string document;
  double similarity = 0;  // to the leader, or to the document that is asked for
};

struct StreamCluster {
  uint64_t number = 0;
  std::vector<StreamMember> members;  // the leader first, then in the order in which they came
  std::vector<std::string> theme;     // Stream::theme()
};

struct StreamCounts {
  uint64_t pages = 0;      // that came
  uint64_t documents = 0;  // that are known
  uint64_t clusters = 0;   // likewise
  uint64_t duplicates = 0;
  uint64_t updates = 0;
  uint64_t deletions = 0;        // of documents that were known
  uint64_t unknown = 0;          // deletions of others
  uint64_t late = 0;             // pages whose time was before that of an earlier page
  uint64_t ahead = 0;            // pages whose time was beyond StreamOptions::max_skew_ms
  uint64_t empty = 0;            // pages without an element: leaders that nothing is similar to
  uint64_t forgotten_age = 0;    // clusters: by forget_after or half_life
  uint64_t forgotten_room = 0;   // clusters: by most_leaders or memory
  uint64_t forgotten_pages = 0;  // documents of both
  uint64_t memory = 0;           // bytes of documents, clusters and tables
};

// What of a damaged log was dropped.
struct StreamLoss {
  uint64_t bytes = 0;
  uint64_t pages = 0;  // that can still be read in them, removals included
};

// How far a stream with files had come when it was opened.
struct StreamProgress {
  uint64_t answers = 0;            // decisions or pairs that were made, in all
  uint64_t told = 0;               // those of them for which told() was called
  std::string last;                // the name of the page that came last; empty: none came
  bool was_cut = false;            // the log ended in the middle of a record, which is gone
  std::optional<StreamLoss> lost;  // with StreamOptions::repair, where the log was damaged
};

// How far a source was read (StreamPage::source), and what it was then.
struct StreamSource {
  uint64_t next = 0;  // the first record that was not read
  uint64_t size = 0;  // bytes; 0: not known
  uint64_t hash = 0;  // of its bytes, or of some of them; 0: not known
  friend bool operator==(const StreamSource&, const StreamSource&) = default;
};

// Who gets the answers since the last snapshot again when a stream with files is opened.
struct StreamRecovery {
  // How many of all answers have arrived: at least the progress.answers up to the last snapshot.
  // Those after them are given. Not set: all have.
  std::function<Result<uint64_t>(const StreamProgress& progress)> begin = {};
  // Takes some of them, in their order.
  std::function<Status(const StreamAnswer& answer)> take = {};
};

// Every function that is const may be called by many threads at once, but none while one that is
// not const is at work. The same options and pages give the same answers. After an error of kind
// usage, or of a log that could not be written, the stream is as it was: the call can be made again
// when there is room on the disk; after a failed sync() only when a snapshot() was written. After
// any other error nothing more can be added.
class Stream {
 public:
  // In memory, without files.
  static Result<Stream> make(const StreamOptions& options = {});
  // With files in a folder, which is made where there is none (docs/formats/stream.md): what was
  // added is there again, up to the last page that reached the disk. One process at a time. Errors:
  // of kind usage, when the options are not those of the stream that is there, or when another
  // process has it open; of kinds io and corrupt, after which all files are as they were.
  static Result<Stream> open(const std::string& directory, const StreamOptions& options = {},
                             const StreamRecovery& recovery = {});
  // The same to be read only, as of the last snapshot, also while another process has it open.
  static Result<Stream> read(const std::string& directory);
  ~Stream();
  Stream(Stream&&) noexcept;
  Stream& operator=(Stream&&) noexcept;

  const StreamOptions& options() const;
  StreamCounts counts() const;

  // Decides on a page, in the order of the calls. The last decision is of the page itself; those
  // before it are of documents that had to be decided anew, because the page came again and was a
  // leader. Pairs are in the order of the earlier documents. Errors: of kind usage (no name, both
  // text and elements, elements out of order, a stream that is read only), of kinds memory and io.
  Result<StreamAnswer> add(const StreamPage& page);
  // Removes the document of that name; an unknown one is no error. Text and elements are not read.
  Result<StreamAnswer> remove(const StreamPage& page);

  // The leaders to which a page is similar, most similar first, ties by number. Nothing is added.
  Result<std::vector<StreamMatch>> find(const StreamPage& page) const;
  // Of a stream with files. Everything so far survives the end of this process (flush), and that of
  // the machine (sync). Without files they do nothing.
  Status flush();
  Status sync();
  // Writes the whole state, and begins a new log: what is opened later need not be replayed.
  // Without files it does nothing.
  Status snapshot();
  // The size of the log since the last snapshot.
  uint64_t log_bytes() const;
  // How far the stream had come when it was opened.
  const StreamProgress& progress() const;
  // The time of the stream: of all pages so far the latest one. The least number before the first.
  int64_t time_ms() const;
  // All answers so far have reached whom they are for.
  Status told();
  StreamSource source(std::string_view name) const;
  // A source is read from record `as.next` on. Pages that have it as their source move that on.
  Status begin_source(std::string_view name, const StreamSource& as);

  // What a cluster of several documents is about now: words that are more frequent in it than in
  // the stream, most telling first; those of texts, not of ready elements. Empty where nothing is
  // known, and for a number that no cluster has.
  std::vector<std::string> theme(uint64_t cluster) const;
  // Whether a document of that name is there.
  bool has(std::string_view name) const;
  // All clusters, by number.
  std::vector<StreamCluster> clusters() const;
  // The cluster of a document; an error of kind not_found.
  Result<StreamCluster> cluster_of(std::string_view name) const;
  // Up to n of the documents that are most similar to one, by its name or any spelling of its URL:
  // of its cluster, and leaders that it could have joined at its time; most similar first, ties by
  // name. Similarities are without the decay of half_life_ms. An error of kind not_found.
  Result<std::vector<StreamMember>> related(std::string_view name, size_t n) const;

 private:
  friend class jobs::Opener;
  explicit Stream(std::unique_ptr<jobs::State> state);
  std::unique_ptr<jobs::State> state_;
};

// Whether a folder holds a stream.
bool is_stream(const std::string& directory);

// The words of the command line.
std::string_view name(StreamBy value);
std::string_view name(StreamMeasure value);
std::string_view name(StreamLeader value);
std::string_view name(StreamRole value);

}  // namespace kith

#pragma GCC visibility pop
