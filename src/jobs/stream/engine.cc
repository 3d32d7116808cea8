#include "jobs/stream/engine.h"

#include <algorithm>

#include "base/check.h"

namespace kith::jobs {

Engine::Engine(const StreamOptions& options, uint32_t mean_terms)
    : options_(with_themes(options)),
      min_similarity_(min_similarity(options)),
      mean_terms_(mean_terms),
      horizon_ms_(options.half_life_ms > 0 ? horizon_ms(options) : 0),
      pages_(options.half_life_ms > 0),
      clusters_(pages_, options.forget_after_ms > 0 || options.forget_after_pages > 0),
      learns_(learns_words(options)),
      index_(make_leader_index(options)),
      themes_(options_) {}

void Engine::keep_features_in(storage::FileSystem& fs, const std::string& name) {
  pages_.keep_features_in(fs, name, features_tail);
}

StreamCounts Engine::counts() const {
  StreamCounts counts = counts_;
  counts.documents = pages_.size();
  counts.clusters = clusters_.size();
  counts.memory = bytes();
  return counts;
}

void Engine::add(std::string_view name, Features features, int64_t time,
                 std::vector<StreamDecision>& decisions, const TakePair& take_pair,
                 PageWords words) {
  advance(time);
  const std::optional<uint32_t> known = pages_.find(name);
  if (known && std::ranges::equal(pages_.features(*known).view(), features)) {
    ++counts_.duplicates;
    clusters_.touch(pages_[*known].cluster, clock_, counts_.pages);
    return decisions.push_back(decision(*known, StreamRole::duplicate));
  }
  if (known) {
    ++counts_.updates;
    take_out(*known, decisions);
    pages_.remove(*known);
  }
  counts_.empty += features.empty() ? 1 : 0;
  const uint32_t page = pages_.add(name, features, clock_);
  if (options_.pairs) list_pairs(page, take_pair);
  const StreamRole role = place(page, words);
  counts_.duplicates += role == StreamRole::duplicate ? 1 : 0;
  decisions.push_back(decision(page, known ? StreamRole::updated : role));
  learn(features);
  forget_beyond_number();
}

void Engine::remove(std::string_view name, int64_t time, std::vector<StreamDecision>& decisions) {
  advance(time);
  const std::optional<uint32_t> known = pages_.find(name);
  StreamDecision gone;
  gone.document = name;
  gone.role = StreamRole::deleted;
  gone.similarity = 0;
  if (known) {
    ++counts_.deletions;
    gone = decision(*known, StreamRole::deleted);
    --gone.size;
    take_out(*known, decisions);
    pages_.remove(*known);
  } else {
    ++counts_.unknown;
  }
  decisions.push_back(std::move(gone));
}

void Engine::advance(int64_t time) {
  ++counts_.pages;
  counts_.late += time < clock_ ? 1 : 0;
  clock_ = std::max(clock_, time);
  themes_.advance(clock_);
  forget_old();
}

double Engine::similarity(uint32_t a, uint32_t b) const {
  std::vector<uint64_t> of_a;
  std::vector<uint64_t> of_b;
  return similarity_of(options_, bag_of_page(a, of_a).view(), bag_of_page(b, of_b).view());
}

Features Engine::weighed(Features features, std::vector<uint64_t>& buffer) const {
  if (!learns_) return features;
  words_.weigh(features, buffer);
  return buffer;
}

LoadedFeatures Engine::bag_of_page(uint32_t page, std::vector<uint64_t>& buffer) const {
  LoadedFeatures features = pages_.features(page);
  return learns_ ? LoadedFeatures(weighed(features.view(), buffer)) : std::move(features);
}

LoadedFeatures Engine::compared(uint32_t cluster) const {
  const Features mean = means_.of(cluster);
  return mean.empty() ? pages_.features(clusters_[cluster].leader) : LoadedFeatures(mean);
}

// What the similarity of a document to a leader is worth.
double Engine::value_of(Features bag, int64_t time, uint32_t cluster) const {
  const int64_t leader_time = pages_.time(clusters_[cluster].leader);
  // The difference of two times may be too large for their type.
  const auto begin = static_cast<uint64_t>(std::min(time, leader_time));
  const uint64_t apart = static_cast<uint64_t>(std::max(time, leader_time)) - begin;
  return decayed(options_, similarity_of(options_, bag, compared(cluster).view()), apart);
}

std::vector<LeaderMatch> Engine::matches(Features features, int64_t time) const {
  std::vector<LeaderMatch> found;
  if (features.empty()) return found;
  std::vector<uint64_t> buffer;
  const Features bag = weighed(features, buffer);
  std::vector<uint32_t> leaders;
  index_->find(bag, leaders);
  for (const uint32_t leader : leaders) {
    const uint32_t cluster = indexed_[leader];
    if (cluster == nobody) continue;
    const double value = value_of(bag, time, cluster);
    if (value >= min_similarity_) found.push_back({cluster, value});
  }
  return found;
}

// The leader that a document joins; nothing when none is similar. Ties go to the cluster that
// began first.
std::optional<LeaderMatch> Engine::choose(Features features, int64_t time) const {
  std::optional<LeaderMatch> chosen;
  const auto is_better = [&](const LeaderMatch& match) {
    const bool is_earlier = clusters_[match.cluster].number < clusters_[chosen->cluster].number;
    if (options_.assign == Assign::first || match.similarity == chosen->similarity) {
      return is_earlier;
    }
    return match.similarity > chosen->similarity;
  };
  for (const LeaderMatch& match : matches(features, time)) {
    if (!chosen || is_better(match)) chosen = match;
  }
  return chosen;
}

StreamRole Engine::place(uint32_t page, PageWords words) {
  const LoadedFeatures features = pages_.features(page);
  std::optional<LeaderMatch> chosen;
  if (!options_.pairs) chosen = choose(features.view(), pages_.time(page));
  if (!chosen) {
    begin_cluster(page);
    note_join(page, words);
    return StreamRole::leader;
  }
  const uint32_t leader = clusters_[chosen->cluster].leader;
  clusters_.join(chosen->cluster, page, chosen->similarity);
  clusters_.touch(chosen->cluster, clock_, counts_.pages);
  note_join(page, words);
  follow(chosen->cluster);
  return std::ranges::equal(pages_.features(leader).view(), features.view()) ? StreamRole::duplicate
                                                                             : StreamRole::member;
}

void Engine::note_join(uint32_t page, PageWords words) {
  const uint32_t cluster = pages_[page].cluster;
  themes_.join(clusters_[cluster].number, clusters_.size(cluster), words);
}

void Engine::leave(uint32_t page) {
  const uint32_t cluster = pages_[page].cluster;
  clusters_.leave(page);
  themes_.leave(clusters_[cluster].number, clusters_.size(cluster));
}

void Engine::begin_cluster(uint32_t page) {
  const uint32_t cluster = clusters_.begin(next_number_++);
  clusters_.join(cluster, page, 1);
  clusters_.touch(cluster, clock_, counts_.pages);
  sign(cluster, make_leader(cluster).view());
}

void Engine::list_pairs(uint32_t page, const TakePair& take) const {
  std::vector<LeaderMatch> found = matches(pages_.features(page).view(), pages_.time(page));
  std::ranges::sort(found, [&](const LeaderMatch& a, const LeaderMatch& b) {
    return clusters_[a.cluster].number < clusters_[b.cluster].number;
  });
  for (const LeaderMatch& match : found) {
    const std::string_view earlier = pages_.name(clusters_[match.cluster].leader);
    take({std::string(earlier), std::string(pages_.name(page)), match.similarity});
  }
}

void Engine::take_out(uint32_t page, std::vector<StreamDecision>& decisions) {
  const uint32_t cluster = pages_[page].cluster;
  const bool was_leader = clusters_[cluster].leader == page;
  if (was_leader) withdraw_leader(cluster);
  leave(page);
  if (!was_leader) return follow(cluster);
  if (clusters_.size(cluster) == 0) return end_cluster(cluster);
  pass_on(cluster, decisions);
}

void Engine::end_cluster(uint32_t cluster) {
  themes_.end(clusters_[cluster].number);
  clusters_.end(cluster);
  means_.remove(cluster);
}

// The member that has been there longest leads. All members are looked at again when a sixteenth of
// their number have led since the last time, which is at once in a small cluster: leaders that go
// one after the other would else take time by the square of their number.
void Engine::pass_on(uint32_t cluster, std::vector<StreamDecision>& decisions) {
  const uint32_t leader = clusters_[cluster].leader;
  const uint32_t size = clusters_.size(cluster);
  if (options_.leader == StreamLeader::mean) {
    // Only the name passes on.
    if (means_.of(cluster).empty() || means_.is_due(cluster, size)) {
      sign(cluster, make_leader(cluster).view());
    } else {
      enter_leader(cluster);
    }
    return decisions.push_back(decision(leader, StreamRole::moved));
  }
  sign(cluster, make_leader(cluster).view());
  const uint32_t passed = clusters_.passed(cluster) + 1;
  const bool is_due = MeanTable::are_due(passed, size);
  clusters_.set_passed(cluster, is_due ? 0 : passed);
  const std::vector<uint32_t> parted = is_due ? part(cluster) : std::vector<uint32_t>();
  decisions.push_back(decision(leader, StreamRole::moved));
  for (const uint32_t page : parted) {
    place(page, {});
    decisions.push_back(decision(page, StreamRole::moved));
  }
}

// Members that are not similar to their leader leave, and are to be decided anew in their order.
std::vector<uint32_t> Engine::part(uint32_t cluster) {
  std::vector<uint32_t> parted;
  std::vector<uint64_t> buffer;
  for (uint32_t page = clusters_.next(clusters_[cluster].leader); page != nobody;) {
    const uint32_t next = clusters_.next(page);
    const LoadedFeatures bag = bag_of_page(page, buffer);
    const double similarity = value_of(bag.view(), pages_.time(page), cluster);
    clusters_.set_similarity(page, similarity);
    if (!(similarity >= min_similarity_)) {
      leave(page);
      parted.push_back(page);
    }
    page = next;
  }
  return parted;
}

void Engine::enter_leader(uint32_t cluster) {
  ClusterEntry& entry = clusters_[cluster];
  if (options_.half_life_ms > 0) by_leader_time_.emplace(pages_.time(entry.leader), cluster);
  const LoadedFeatures features = compared(cluster);
  if (features.view().empty()) return;
  entry.in_index = static_cast<uint32_t>(indexed_.size());
  index_->add(features.view());
  indexed_.push_back(cluster);
}

// REQUIRES: the leader is still in the cluster.
void Engine::withdraw_leader(uint32_t cluster) {
  ClusterEntry& entry = clusters_[cluster];
  if (options_.half_life_ms > 0) by_leader_time_.erase({pages_.time(entry.leader), cluster});
  if (entry.in_index == nobody) return;
  indexed_[entry.in_index] = nobody;
  entry.in_index = nobody;
  // What is rebuilt has half as many entries at most: constant time per entry that was withdrawn.
  constexpr uint64_t few = 1024;
  if (++withdrawn_ > few + indexed_.size() / 2) rebuild_index();
}

void Engine::rebuild_index() {
  index_ = make_leader_index(options_);
  std::deque<uint32_t> entries;
  for (const uint32_t cluster : indexed_) {
    if (cluster == nobody) continue;
    clusters_[cluster].in_index = static_cast<uint32_t>(entries.size());
    index_->add(compared(cluster).view());
    entries.push_back(cluster);
  }
  indexed_.swap(entries);
  withdrawn_ = 0;
}

StreamDecision Engine::decision(uint32_t page, StreamRole role) const {
  const ClusterEntry& cluster = clusters_[pages_[page].cluster];
  StreamDecision made;
  made.document = pages_.name(page);
  made.cluster = cluster.number;
  made.role = role;
  made.similarity = clusters_.similarity(page);
  made.leader = pages_.name(cluster.leader);
  made.size = clusters_.size(pages_[page].cluster);
  return made;
}

void Engine::restore(const StreamCounts& counts, int64_t clock, uint64_t next_number) {
  KITH_CHECK(pages_.size() == 0);
  counts_ = counts;
  clock_ = clock;
  themes_.advance(clock);
  next_number_ = next_number;
}

uint32_t Engine::restore_cluster(uint64_t number, int64_t last_time, uint64_t last_page) {
  const uint32_t cluster = clusters_.begin(number);
  clusters_.touch(cluster, last_time, last_page);
  return cluster;
}

bool Engine::restore_words(uint64_t pages, uint64_t known_pages,
                           std::span<const WordWeights::Word> words) {
  return words_.restore(pages, known_pages, words);
}

void Engine::restore_mean(uint32_t cluster, Features mean, uint32_t changes) {
  means_.set(cluster, mean, changes);
}

void Engine::restore_member(uint32_t cluster, std::string_view name, Features features,
                            int64_t time, double similarity) {
  const uint32_t page = pages_.add(name, features, time);
  clusters_.join(cluster, page, similarity);
  if (clusters_[cluster].leader != page) return;
  if (options_.leader == StreamLeader::first) keep_leader(cluster, make_leader(cluster).view());
  enter_leader(cluster);
}

}  // namespace kith::jobs
