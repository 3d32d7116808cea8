#include "jobs/stream/themes.h"

#include <algorithm>
#include <utility>

#include "cluster/log_likelihood.h"

namespace kith::jobs {
namespace {

constexpr uint32_t document = WordSummary::document;

// The half-life in which a moment lies, from 0 in 1970.
int64_t period_of(int64_t clock, int64_t half_life_ms) {
  return clock / half_life_ms - (clock % half_life_ms < 0 ? 1 : 0);
}

struct Candidate {
  double score;
  uint64_t inside;
  const WordTable::Word* word;
};

// How many documents have a word, of a cluster and of the others.
struct Counts {
  uint64_t inside;
  uint64_t members;
  uint64_t outside;
  uint64_t others;
};

// Whether a word is one of the cluster and not of a document of it: three in ten have it, and two,
// or of fewer than four more than half.
bool is_typical(const Counts& counts) {
  return counts.inside * 10 >= counts.members * 3 &&
         counts.inside > std::min<uint64_t>(document, counts.members / 2);
}

bool is_rarer_inside(const Counts& counts) {
  return static_cast<double>(counts.inside) * static_cast<double>(counts.others) <
         static_cast<double>(counts.outside) * static_cast<double>(counts.members);
}

// What is sure: the least that was counted of a word in the cluster, and the most in the stream.
Counts sure_counts(const HeavyHitters::Counter& counter, uint32_t counted,
                   const WordSummary& stream) {
  Counts counts{};
  counts.members = counted;
  counts.inside = std::min(counter.count - counter.error, counted);
  counts.others = stream.counted - std::min(stream.counted, counted);
  const uint64_t most = std::max<uint64_t>(stream.words.most_of(counter.word), counts.inside);
  counts.outside = std::min(most - counts.inside, counts.others);
  return counts;
}

}  // namespace

Themes::Themes(const StreamOptions& options)
    : most_(options.themes.value_or(0)), half_life_ms_(options.half_life_ms) {}

void Themes::advance(int64_t clock) {
  if (half_life_ms_ == 0) return;
  const int64_t period = period_of(clock, half_life_ms_);
  // The difference of two numbers may be too large for their type.
  if (period_) halve(static_cast<uint64_t>(period) - static_cast<uint64_t>(*period_));
  period_ = period;
}

void Themes::halve(uint64_t times) {
  if (times == 0) return;
  halve(stream_, times);
  for (auto& [cluster, summary] : clusters_) halve(summary, times);
}

void Themes::halve(WordSummary& summary, uint64_t times) {
  summary.counted = halved(summary.counted, times);
  summary.words.halve(times, gone_);
  release_gone();
}

WordSummary& Themes::cluster_of(uint64_t cluster) {
  const auto found = clusters_.find(cluster);
  if (found != clusters_.end()) return found->second;
  WordSummary summary{HeavyHitters(cluster_counters, false)};
  return clusters_.emplace(cluster, std::move(summary)).first->second;
}

void Themes::join(uint64_t cluster, uint32_t size, PageWords words) {
  if (words.empty()) {
    const auto known = clusters_.find(cluster);
    if (known != clusters_.end()) known->second.size = size;
    return;
  }
  WordSummary& summary = cluster_of(cluster);
  const uint64_t before = summary.words.bytes();
  summary.size = size;
  summary.counted += document;
  stream_.counted += document;
  for (const PageWord& of : words) {
    const uint32_t word = words_.hold(of.stem, of.form);
    add(stream_, word);
    add(summary, word);
    words_.release(word);
  }
  counter_bytes_ += summary.words.bytes() - before;
  if (stream_.counted >= max_counted) halve(1);
}

void Themes::add(WordSummary& summary, uint32_t word) {
  if (summary.words.add(word, document, gone_)) words_.hold(word);
  release_gone();
}

void Themes::release_gone() {
  for (const uint32_t word : gone_) words_.release(word);
  gone_.clear();
}

// Which words the document had is not known. So the counts stay as they are while they are of twice
// the documents that are there at most.
void Themes::leave(uint64_t cluster, uint32_t size) {
  const auto found = clusters_.find(cluster);
  if (found == clusters_.end()) return;
  WordSummary& summary = found->second;
  summary.size = size;
  while (summary.counted / document / 2 > size) halve(summary, 1);
}

void Themes::end(uint64_t cluster) {
  const auto found = clusters_.find(cluster);
  if (found == clusters_.end()) return;
  for (const HeavyHitters::Counter& counter : found->second.words.counters()) {
    words_.release(counter.word);
  }
  counter_bytes_ -= found->second.words.bytes();
  clusters_.erase(found);
}

std::vector<std::string> Themes::theme(uint64_t cluster) const {
  const WordSummary* const summary = find(cluster);
  if (summary == nullptr || summary->size < 2) return {};
  std::vector<Candidate> candidates;
  for (const HeavyHitters::Counter& counter : summary->words.counters()) {
    const Counts counts = sure_counts(counter, summary->counted, stream_);
    if (!is_typical(counts) || is_rarer_inside(counts)) continue;
    candidates.push_back({cluster::log_likelihood_ratio(counts.inside, counts.members,
                                                        counts.outside, counts.others),
                          counts.inside, &words_[counter.word]});
  }
  std::ranges::sort(candidates, [](const Candidate& a, const Candidate& b) {
    if (a.score != b.score) return a.score > b.score;
    return a.inside != b.inside ? a.inside > b.inside : a.word->form < b.word->form;
  });
  std::vector<std::string> theme;
  for (const Candidate& candidate : candidates) {
    if (theme.size() == most_) break;
    // Stems of two languages may have a form in common.
    if (std::ranges::find(theme, candidate.word->form) != theme.end()) continue;
    theme.push_back(candidate.word->form);
  }
  return theme;
}

const WordSummary* Themes::find(uint64_t cluster) const {
  const auto found = clusters_.find(cluster);
  return found == clusters_.end() ? nullptr : &found->second;
}

void Themes::restore(const StoredSummary& stored, WordSummary& summary) {
  summary.counted = stored.counted;
  summary.words.restore(stored.counters, stored.floor);
  for (const HeavyHitters::Counter& counter : stored.counters) words_.hold(counter.word);
}

void Themes::restore_cluster(uint64_t cluster, uint32_t size, const StoredSummary& summary) {
  WordSummary& restored = cluster_of(cluster);
  restored.size = size;
  restore(summary, restored);
  counter_bytes_ += restored.words.bytes();
}

void Themes::release_words() {
  for (uint32_t word = 0; word < words_.numbers(); ++word) words_.release(word);
}

uint64_t Themes::bytes() const {
  constexpr uint64_t place_bytes = sizeof(uint64_t) + sizeof(WordSummary) + 1;
  return words_.bytes() + stream_.words.bytes() + clusters_.bucket_count() * place_bytes +
         counter_bytes_;
}

}  // namespace kith::jobs
