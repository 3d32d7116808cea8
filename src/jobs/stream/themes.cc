#include "jobs/stream/themes.h"

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "cluster/labels.h"
#include "storage/string_table.h"

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

namespace {

using Counter = HeavyHitters::Counter;
constexpr uint64_t numbers_of_counter = 3;

// The words that are held, by stem.
std::vector<uint32_t> words_in_order(const WordTable& words) {
  std::vector<uint32_t> order;
  for (uint32_t word = 0; word < words.numbers(); ++word) {
    if (words[word].holders > 0) order.push_back(word);
  }
  std::ranges::sort(order, {}, [&](uint32_t word) { return words[word].stem; });
  return order;
}

// Counters with the numbers that words have in the file, ascending.
void append_counters(const WordSummary& summary, std::span<const uint32_t> numbers,
                     std::vector<uint32_t>& values) {
  std::vector<Counter> counters;
  for (const Counter& counter : summary.words.counters()) {
    counters.push_back({numbers[counter.word], counter.count, counter.error});
  }
  std::ranges::sort(counters, {}, &Counter::word);
  for (const Counter& counter : counters) {
    values.insert(values.end(), {counter.word, counter.count, counter.error});
  }
}

Status write_words(storage::SectionWriter& file, const WordTable& words,
                   std::span<const uint32_t> order) {
  KITH_TRY(file.write_strings("theme_words", order.size(),
                              [&](size_t i) -> std::string_view { return words[order[i]].form; }));
  std::vector<uint64_t> stems;
  stems.reserve(order.size());
  for (const uint32_t word : order) stems.push_back(words[word].stem);
  return file.write_array("theme_stems", stems);
}

// Views of a file that was verified.
class ThemeColumns {
 public:
  // Checks everything. Errors of kind corrupt.
  static Result<ThemeColumns> read(const storage::SectionFile& file, size_t clusters);

  // False when a cluster is there twice.
  bool restore(std::span<const uint64_t> numbers, std::span<const uint32_t> sizes,
               Themes& themes) const;

 private:
  bool is_sound(size_t clusters) const;
  bool is_sound_summary(size_t at, uint32_t most) const;
  // The stream's stands behind those of the clusters.
  StoredSummary summary(size_t at, std::vector<Counter>& counters) const;

  storage::StringArray words_;
  std::span<const uint64_t> stems_;
  std::span<const uint32_t> counted_;
  std::span<const uint32_t> floors_;
  std::span<const uint32_t> counters_;  // word, count, error; word, count, error; ...
  std::span<const uint64_t> counters_at_;
};

Result<ThemeColumns> ThemeColumns::read(const storage::SectionFile& file, size_t clusters) {
  ThemeColumns columns;
  KITH_ASSIGN(const Bytes words, file.section("theme_words"));
  KITH_ASSIGN(const auto words_at, file.array<uint64_t>("theme_words_at"));
  KITH_ASSIGN(columns.words_, storage::StringArray::make(words, words_at));
  KITH_ASSIGN(columns.stems_, file.array<uint64_t>("theme_stems"));
  KITH_ASSIGN(columns.counters_, file.array<uint32_t>("theme_counts"));
  KITH_ASSIGN(columns.counters_at_, file.array<uint64_t>("theme_counts_at"));
  KITH_ASSIGN(columns.counted_, file.array<uint32_t>("theme_counted"));
  KITH_ASSIGN(columns.floors_, file.array<uint32_t>("theme_floors"));
  if (columns.is_sound(clusters)) return columns;
  return file.corrupt("words of clusters that contradict each other");
}

bool ThemeColumns::is_sound(size_t clusters) const {
  if (stems_.size() != words_.size() || stems_.size() >= UINT32_MAX ||
      counted_.size() != clusters + 1 || floors_.size() != clusters + 1 ||
      counters_at_.size() != clusters + 2 || counters_.size() % numbers_of_counter != 0 ||
      !storage::valid_offsets(counters_at_, counters_.size() / numbers_of_counter) ||
      std::ranges::adjacent_find(stems_, std::ranges::greater_equal()) != stems_.end()) {
    return false;
  }
  for (size_t at = 0; at < clusters; ++at) {
    if (!is_sound_summary(at, Themes::cluster_counters)) return false;
  }
  return is_sound_summary(clusters, Themes::stream_counters);
}

// Words ascend.
bool ThemeColumns::is_sound_summary(size_t at, uint32_t most) const {
  std::vector<Counter> counters;
  summary(at, counters);
  if (counters.size() > most || counted_[at] >= Themes::max_counted ||
      floors_[at] >= Themes::max_counted ||
      std::ranges::adjacent_find(counters, std::ranges::greater_equal(), &Counter::word) !=
          counters.end()) {
    return false;
  }
  return std::ranges::all_of(counters, [&](const Counter& counter) {
    return counter.word < stems_.size() && counter.error <= counter.count && counter.count > 0;
  });
}

StoredSummary ThemeColumns::summary(size_t at, std::vector<Counter>& counters) const {
  counters.clear();
  for (uint64_t i = counters_at_[at]; i < counters_at_[at + 1]; ++i) {
    const auto values = counters_.subspan(i * numbers_of_counter, numbers_of_counter);
    counters.push_back({values[0], values[1], values[2]});
  }
  return {counted_[at], floors_[at], counters};
}

bool ThemeColumns::restore(std::span<const uint64_t> numbers, std::span<const uint32_t> sizes,
                           Themes& themes) const {
  for (size_t word = 0; word < stems_.size(); ++word) {
    themes.restore_word({stems_[word], words_[word]});
  }
  std::vector<Counter> counters;
  for (size_t at = 0; at < numbers.size(); ++at) {
    const StoredSummary stored = summary(at, counters);
    if (stored.counted == 0 && counters.empty()) continue;
    if (themes.find(numbers[at]) != nullptr) return false;
    themes.restore_cluster(numbers[at], sizes[at], stored);
  }
  themes.restore_stream(summary(numbers.size(), counters));
  themes.release_words();
  return true;
}

}  // namespace

Status write_themes(storage::SectionWriter& file, const Themes& themes,
                    std::span<const uint64_t> clusters) {
  const std::vector<uint32_t> order = words_in_order(themes.words());
  KITH_TRY(write_words(file, themes.words(), order));
  std::vector<uint32_t> numbers(themes.words().numbers());
  for (size_t i = 0; i < order.size(); ++i) numbers[order[i]] = static_cast<uint32_t>(i);
  std::vector<uint32_t> counted;
  std::vector<uint32_t> floors;
  std::vector<uint64_t> offsets{0};
  std::vector<uint32_t> values;
  KITH_TRY(file.begin("theme_counts"));
  const auto append = [&](const WordSummary* summary) {
    counted.push_back(summary == nullptr ? 0 : summary->counted);
    floors.push_back(summary == nullptr ? 0 : summary->words.floor());
    values.clear();
    if (summary != nullptr) append_counters(*summary, numbers, values);
    offsets.push_back(offsets.back() + values.size() / numbers_of_counter);
    return file.append_array(std::span<const uint32_t>(values));
  };
  for (const uint64_t cluster : clusters) KITH_TRY(append(themes.find(cluster)));
  KITH_TRY(append(&themes.stream()));
  KITH_TRY(file.write_array("theme_counts_at", offsets));
  KITH_TRY(file.write_array("theme_counted", counted));
  return file.write_array("theme_floors", floors);
}

Status read_themes(const storage::SectionFile& file, std::span<const uint64_t> clusters,
                   std::span<const uint32_t> sizes, Themes& themes) {
  KITH_ASSIGN(const ThemeColumns columns, ThemeColumns::read(file, clusters.size()));
  if (columns.restore(clusters, sizes, themes)) return Status::ok();
  return file.corrupt("a cluster that is there twice");
}

}  // namespace kith::jobs
