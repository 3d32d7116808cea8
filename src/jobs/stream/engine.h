// Leader-follower clustering of a stream, as values (docs/algorithms/stream.md): what the library
// and the command share. The state is a function of the options and of what came, in its order.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kith/stream.h"

#include "jobs/stream/clusters.h"
#include "jobs/stream/features.h"
#include "jobs/stream/leader_index.h"
#include "jobs/stream/pages.h"
#include "jobs/stream/themes.h"

namespace kith::jobs {

// A leader to which something is similar.
struct LeaderMatch {
  uint32_t cluster;
  double similarity;
};

using TakePair = std::function<void(StreamPair pair)>;

// Thread-safe as Stream is.
class Engine {
 public:
  // mean_terms: the most entries of a mean, > 0. REQUIRES: valid options.
  explicit Engine(const StreamOptions& options, uint32_t mean_terms = usual_mean_terms);

  // From now on features of documents lie in files of that name but for the newest, in
  // features_tail bytes (BlockStore::keep_in). REQUIRES: nothing was added or restored.
  static constexpr uint64_t features_tail = 4 << 20;
  void keep_features_in(storage::FileSystem& fs, const std::string& name);

  const StreamOptions& options() const { return options_; }
  StreamCounts counts() const;
  int64_t clock() const { return clock_; }
  uint64_t next_number() const { return next_number_; }
  const PageTable& pages() const { return pages_; }
  const ClusterTable& clusters() const { return clusters_; }
  const MeanTable& means() const { return means_; }
  const WordWeights& words() const { return words_; }
  const Themes& themes() const { return themes_; }

  // Appends decisions, and passes on pairs, as Stream::add() and remove() say. words: for the
  // theme.
  void add(std::string_view name, Features features, int64_t time,
           std::vector<StreamDecision>& decisions, const TakePair& take_pair, PageWords words = {});
  void remove(std::string_view name, int64_t time, std::vector<StreamDecision>& decisions);
  // The page that comes next had a time too far ahead.
  void count_ahead() { ++counts_.ahead; }
  // Forgets clusters where bytes are above StreamOptions::memory; the number of them.
  uint64_t make_room();
  // Forgets the clusters that have waited longest, but for one. After the same calls as another
  // engine, with the number that its make_room() gave, this is in the same state.
  void forget_oldest(uint64_t clusters);

  // Of two documents, without decay.
  double similarity(uint32_t a, uint32_t b) const;
  // Leaders to which the features are similar, in no order.
  std::vector<LeaderMatch> matches(Features features, int64_t time) const;

  // For a state that is read from a file: counts and clock, words as WordWeights::restore(), then
  // the clusters, from the one that has waited longest, each followed by its members. REQUIRES: an
  // empty engine; names that differ.
  void restore(const StreamCounts& counts, int64_t clock, uint64_t next_number);
  bool restore_words(uint64_t pages, uint64_t known_pages,
                     std::span<const WordWeights::Word> words);
  uint32_t restore_cluster(uint64_t number, int64_t last_time, uint64_t last_page);
  // Before the members: MeanTable::of() and changes().
  void restore_mean(uint32_t cluster, Features mean, uint32_t changes);
  void restore_member(uint32_t cluster, std::string_view name, Features features, int64_t time,
                      double similarity);
  // Behind the members: ClusterTable::passed().
  void restore_passed(uint32_t cluster, uint32_t passed) { clusters_.set_passed(cluster, passed); }
  // Behind all clusters.
  Themes& restore_themes() { return themes_; }

 private:
  void advance(int64_t time);
  // What a document is compared by: its features, or the bag of its words, which is made in
  // `buffer`.
  Features weighed(Features features, std::vector<uint64_t>& buffer) const;
  LoadedFeatures bag_of_page(uint32_t page, std::vector<uint64_t>& buffer) const;
  // What stands for a cluster, as it was signed.
  LoadedFeatures compared(uint32_t cluster) const;
  double value_of(Features bag, int64_t time, uint32_t cluster) const;
  std::optional<LeaderMatch> choose(Features features, int64_t time) const;
  // Puts a page that is in no cluster into one.
  StreamRole place(uint32_t page, PageWords words);
  void begin_cluster(uint32_t page);
  // What happens to clusters, for their themes as well.
  void note_join(uint32_t page, PageWords words);
  void leave(uint32_t page);
  void list_pairs(uint32_t page, const TakePair& take) const;
  // Takes a page out of its cluster, and decides anew what depended on it.
  void take_out(uint32_t page, std::vector<StreamDecision>& decisions);
  void pass_on(uint32_t cluster, std::vector<StreamDecision>& decisions);
  std::vector<uint32_t> part(uint32_t cluster);
  void end_cluster(uint32_t cluster);

  // Valid until the next call.
  LoadedFeatures make_leader(uint32_t cluster);
  void follow(uint32_t cluster);
  void keep_leader(uint32_t cluster, Features leader);
  void sign(uint32_t cluster, Features leader);
  void learn(Features words);

  void enter_leader(uint32_t cluster);
  void withdraw_leader(uint32_t cluster);
  void rebuild_index();

  void forget_old();
  void forget_beyond_number();
  void forget(uint32_t cluster);
  uint64_t bytes() const;

  StreamDecision decision(uint32_t page, StreamRole role) const;

  const StreamOptions options_;
  const double min_similarity_;
  const uint32_t mean_terms_;
  int64_t horizon_ms_ = 0;  // with half_life_ms
  StreamCounts counts_;
  int64_t clock_ = INT64_MIN;
  uint64_t next_number_ = 1;
  PageTable pages_;
  ClusterTable clusters_;
  const bool learns_;  // on how many pages words stand
  WordWeights words_;
  MeanTable means_;
  std::vector<uint64_t> leader_;
  std::unique_ptr<LeaderIndex> index_;
  // The cluster by the number of its leader in the index, or nobody.
  std::deque<uint32_t> indexed_;
  uint64_t withdrawn_ = 0;  // of these
  Themes themes_;
  std::set<std::pair<int64_t, uint32_t>> by_leader_time_;  // clusters; with half_life_ms
};

}  // namespace kith::jobs
