// What the clusters of a stream are about: the words that set the documents of each apart from the
// stream (docs/algorithms/stream.md).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "kith/status.h"
#include "kith/stream.h"

#include "jobs/stream/page_words.h"
#include "jobs/stream/shared_prefixes.h"
#include "storage/section_file.h"

namespace kith::jobs {

// How many documents have which words, of the stream or of a cluster.
struct WordSummary {
  // What a document counts: counts can be halved a few times before nothing of them is left.
  static constexpr uint32_t document = 16;

  HeavyHitters words;
  uint32_t counted = 0;  // documents with words, in sixteenths
  uint32_t size = 0;     // of the cluster
};

// A summary as files have it.
struct StoredSummary {
  uint32_t counted = 0;
  uint32_t floor = 0;
  std::span<const HeavyHitters::Counter> counters;
};

// Whether a stream counts words for themes.
inline bool keeps_themes(const StreamOptions& options) {
  return options.themes > 0u && !options.pairs;
}

// The options of a new stream, with StreamOptions::themes.
inline StreamOptions with_themes(StreamOptions options) {
  constexpr uint32_t usual = 5;
  if (!options.themes) options.themes = options.decision_themes ? usual : 0;
  return options;
}

// Not thread-safe while it changes. The same for the same calls.
class Themes {
 public:
  static constexpr uint32_t stream_counters = 1 << 14;
  static constexpr uint32_t cluster_counters = 64;
  // Of WordSummary::counted; the count of a word is not twice that.
  static constexpr uint32_t max_counted = uint32_t{1} << 31;

  // With StreamOptions::themes.
  explicit Themes(const StreamOptions& options);

  // The clock of the stream: with every half-life that begins all counts are halved.
  void advance(int64_t clock);
  // A document has joined a cluster, which has `size` documents now. words: empty when they are not
  // known.
  void join(uint64_t cluster, uint32_t size, PageWords words);
  // A document has left, and `size` remain.
  void leave(uint64_t cluster, uint32_t size);
  // The cluster is no more.
  void end(uint64_t cluster);

  // Best first; none of a cluster of a single document.
  std::vector<std::string> theme(uint64_t cluster) const;

  uint64_t bytes() const;

  const WordTable& words() const { return words_; }
  const WordSummary& stream() const { return stream_; }
  // Null when no document of the cluster had words.
  const WordSummary* find(uint64_t cluster) const;

  // For a state that is read from a file, after advance() to its clock. All words are given before
  // the first counts, and get numbers from 0; those that no summary counts go with release_words().
  void restore_word(const PageWord& word) { words_.hold(word.stem, word.form); }
  void restore_stream(const StoredSummary& summary) { restore(summary, stream_); }
  void restore_cluster(uint64_t cluster, uint32_t size, const StoredSummary& summary);
  void release_words();

 private:
  void halve(uint64_t times);
  void halve(WordSummary& summary, uint64_t times);
  WordSummary& cluster_of(uint64_t cluster);
  void add(WordSummary& summary, uint32_t word);
  void release_gone();
  void restore(const StoredSummary& stored, WordSummary& summary);

  const uint32_t most_;  // words of a theme
  const int64_t half_life_ms_;
  std::optional<int64_t> period_;  // of the clock, in half-lives
  WordTable words_;
  WordSummary stream_{HeavyHitters(stream_counters, true)};
  boost::unordered_flat_map<uint64_t, WordSummary> clusters_;
  uint64_t counter_bytes_ = 0;  // of clusters_
  std::vector<uint32_t> gone_;
};

// The sections of a snapshot that are of themes (docs/formats/stream.md).

// clusters: their numbers, in the order of the file.
Status write_themes(storage::SectionWriter& file, const Themes& themes,
                    std::span<const uint64_t> clusters);

// From a file that was verified, with the numbers and sizes of its clusters. Checks everything:
// errors of kind corrupt. themes: without words, at the clock of the file.
Status read_themes(const storage::SectionFile& file, std::span<const uint64_t> clusters,
                   std::span<const uint32_t> sizes, Themes& themes);

}  // namespace kith::jobs
