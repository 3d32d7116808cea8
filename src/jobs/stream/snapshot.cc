#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "jobs/stream/store.h"
#include "jobs/stream/themes.h"
#include "storage/string_table.h"

namespace kith::jobs {
namespace {

// Calls visit(cluster) with the places of all clusters, from the one that has waited longest.
template <class Visit>
void for_each_cluster(const Engine& engine, Visit&& visit) {
  const ClusterTable& clusters = engine.clusters();
  for (uint32_t at = clusters.oldest(); at != nobody; at = clusters[at].newer) visit(at);
}

// The documents in the order of the file.
std::vector<uint32_t> pages_in_order(const Engine& engine) {
  std::vector<uint32_t> pages;
  pages.reserve(engine.pages().size());
  const ClusterTable& clusters = engine.clusters();
  for_each_cluster(engine, [&](uint32_t cluster) {
    for (uint32_t page = clusters[cluster].leader; page != nobody; page = clusters.next(page)) {
      pages.push_back(page);
    }
  });
  return pages;
}

// A section of a value of each cluster, or of each page.
template <class Value, class Get>
Status write_clusters(storage::SectionWriter& file, std::string_view name, const Engine& engine,
                      Get&& get) {
  std::vector<Value> values;
  for_each_cluster(engine, [&](uint32_t cluster) { values.push_back(get(cluster)); });
  return file.write_array(name, values);
}

template <class Value, class Get>
Status write_pages(storage::SectionWriter& file, std::string_view name,
                   const std::vector<uint32_t>& pages, Get&& get) {
  std::vector<Value> values;
  values.reserve(pages.size());
  for (const uint32_t page : pages) values.push_back(get(page));
  return file.write_array(name, values);
}

// The features get(i) for i in [0, count), and where each begins.
template <class Get>
Status write_features(storage::SectionWriter& file, const std::string& name, size_t count,
                      Get&& get) {
  std::vector<uint64_t> offsets{0};
  offsets.reserve(count + 1);
  KITH_TRY(file.begin(name));
  for (size_t i = 0; i < count; ++i) {
    const LoadedFeatures features = get(i);
    KITH_TRY(file.append_array(features.view()));
    offsets.push_back(offsets.back() + features.view().size());
  }
  return file.write_array(name + "_at", offsets);
}

Status write_means(storage::SectionWriter& file, const Engine& engine) {
  std::vector<uint32_t> places;
  for_each_cluster(engine, [&](uint32_t cluster) { places.push_back(cluster); });
  return write_features(file, "means", places.size(),
                        [&](size_t i) { return LoadedFeatures(engine.means().of(places[i])); });
}

Status write_words(storage::SectionWriter& file, const WordWeights& words) {
  const std::vector<uint64_t> totals{words.pages(), words.known_pages()};
  KITH_TRY(file.write_array("counted", totals));
  std::vector<uint32_t> terms;
  std::vector<uint32_t> pages;
  std::vector<uint32_t> known;
  for (const WordWeights::Word& word : words.words()) {
    terms.push_back(word.term);
    pages.push_back(word.pages);
    known.push_back(word.known);
  }
  KITH_TRY(file.write_array("words", terms));
  KITH_TRY(file.write_array("word_pages", pages));
  return file.write_array("word_known", known);
}

// Reads what write_words() has written; false when it contradicts itself.
Result<bool> read_words(const storage::SectionFile& file, Engine& engine) {
  KITH_ASSIGN(const auto totals, file.array<uint64_t>("counted"));
  KITH_ASSIGN(const auto terms, file.array<uint32_t>("words"));
  KITH_ASSIGN(const auto pages, file.array<uint32_t>("word_pages"));
  KITH_ASSIGN(const auto known, file.array<uint32_t>("word_known"));
  if (totals.size() != 2 || pages.size() != terms.size() || known.size() != terms.size()) {
    return false;
  }
  std::vector<WordWeights::Word> words;
  words.reserve(terms.size());
  for (size_t i = 0; i < terms.size(); ++i) words.push_back({terms[i], pages[i], known[i]});
  return engine.restore_words(totals[0], totals[1], words);
}

// What was read of a file does not stay in memory: it may be larger than the state that is made of
// it.
class Released {
 public:
  explicit Released(const storage::SectionFile& file) : file_(file) {}
  // So many features were looked at.
  void note(size_t features) {
    constexpr size_t most = 1 << 20;
    read_ += features;
    if (read_ < most) return;
    file_.release();
    read_ = 0;
  }

 private:
  const storage::SectionFile& file_;
  size_t read_ = 0;
};

// Features side by side.
struct FeatureColumn {
  const storage::SectionFile* file = nullptr;
  std::span<const uint64_t> values;
  std::span<const uint64_t> offsets;

  Features operator[](size_t i) const {
    return values.subspan(offsets[i], offsets[i + 1] - offsets[i]);
  }
  // Whether there are `count` of them, each as it must be.
  template <class IsSound>
  bool are(size_t count, IsSound&& is_sound) const {
    if (offsets.size() != count + 1 || !storage::valid_offsets(offsets, values.size())) {
      return false;
    }
    Released released(*file);
    for (size_t i = 0; i < count; ++i) {
      if (!is_sound((*this)[i])) return false;
      released.note((*this)[i].size() + 1);
    }
    return true;
  }
};

// The sections of clusters and documents, in place.
struct Columns {
  std::span<const uint64_t> numbers;
  std::span<const uint32_t> sizes;
  std::span<const int64_t> last_times;
  std::span<const uint64_t> last_pages;
  storage::StringArray names;
  std::span<const int64_t> times;
  std::span<const double> similarities;
  FeatureColumn features;
  std::span<const uint32_t> changes;
  FeatureColumn means;  // with StreamLeader::mean
};

Result<FeatureColumn> read_features(const storage::SectionFile& file, const std::string& name) {
  FeatureColumn column;
  column.file = &file;
  KITH_ASSIGN(column.values, file.array<uint64_t>(name));
  KITH_ASSIGN(column.offsets, file.array<uint64_t>(name + "_at"));
  return column;
}

Result<Columns> read_columns(const storage::SectionFile& file, const StreamOptions& options) {
  Columns columns;
  KITH_ASSIGN(columns.numbers, file.array<uint64_t>("numbers"));
  KITH_ASSIGN(columns.sizes, file.array<uint32_t>("sizes"));
  KITH_ASSIGN(columns.last_times, file.array<int64_t>("last_times"));
  KITH_ASSIGN(columns.last_pages, file.array<uint64_t>("last_pages"));
  KITH_ASSIGN(const Bytes names, file.section("names"));
  KITH_ASSIGN(const auto names_at, file.array<uint64_t>("names_at"));
  KITH_ASSIGN(columns.names, storage::StringArray::make(names, names_at));
  KITH_ASSIGN(columns.times, file.array<int64_t>("times"));
  KITH_ASSIGN(columns.similarities, file.array<double>("similarities"));
  KITH_ASSIGN(columns.features, read_features(file, "features"));
  KITH_ASSIGN(columns.changes, file.array<uint32_t>("changes"));
  if (options.leader == StreamLeader::mean) {
    KITH_ASSIGN(columns.means, read_features(file, "means"));
  }
  return columns;
}

// Whether the columns fit together, each value by itself.
bool is_sound(const Columns& columns, const SnapshotHead& head) {
  const size_t clusters = columns.numbers.size();
  const size_t pages = columns.names.size();
  if (columns.sizes.size() != clusters || columns.last_times.size() != clusters ||
      columns.last_pages.size() != clusters || columns.times.size() != pages ||
      columns.similarities.size() != pages || columns.changes.size() != clusters ||
      !columns.features.are(pages, [&](Features of) { return are_sound(head.options, of); })) {
    return false;
  }
  if (head.options.leader == StreamLeader::mean && !columns.means.are(clusters, is_bag)) {
    return false;
  }
  uint64_t members = 0;
  for (size_t cluster = 0; cluster < clusters; ++cluster) {
    members += columns.sizes[cluster];
    if (columns.sizes[cluster] == 0 || columns.numbers[cluster] == 0 ||
        columns.numbers[cluster] >= head.next_number ||
        columns.last_pages[cluster] > head.counts.pages) {
      return false;
    }
  }
  if (members != pages || pages >= nobody) return false;
  return std::ranges::all_of(columns.similarities,
                             [](double similarity) { return std::isfinite(similarity); });
}

}  // namespace

Status write_snapshot(storage::FileSystem& fs, const std::string& path, const Engine& engine,
                      const StoredProgress& progress) {
  SnapshotHead head;
  head.options = engine.options();
  head.counts = engine.counts();
  head.clock = engine.clock();
  head.next_number = engine.next_number();
  head.progress = progress;
  KITH_ASSIGN(auto file, storage::SectionWriter::create(fs, path, snapshot_kind));
  KITH_TRY(file.begin("head"));
  KITH_TRY(file.append(encode(head)));
  const ClusterTable& clusters = engine.clusters();
  KITH_TRY(write_clusters<uint64_t>(file, "numbers", engine,
                                    [&](uint32_t of) { return clusters[of].number; }));
  KITH_TRY(write_clusters<uint32_t>(file, "sizes", engine,
                                    [&](uint32_t of) { return clusters.size(of); }));
  KITH_TRY(write_clusters<int64_t>(file, "last_times", engine,
                                   [&](uint32_t of) { return clusters.last_member(of).time; }));
  KITH_TRY(write_clusters<uint64_t>(file, "last_pages", engine,
                                    [&](uint32_t of) { return clusters.last_member(of).page; }));
  const std::vector<uint32_t> pages = pages_in_order(engine);
  KITH_TRY(file.write_strings("names", pages.size(),
                              [&](size_t i) { return engine.pages().name(pages[i]); }));
  KITH_TRY(write_pages<int64_t>(file, "times", pages,
                                [&](uint32_t of) { return engine.pages().time(of); }));
  KITH_TRY(write_pages<double>(file, "similarities", pages,
                               [&](uint32_t of) { return clusters.similarity(of); }));
  KITH_TRY(write_features(file, "features", pages.size(),
                          [&](size_t i) { return engine.pages().features(pages[i]); }));
  const bool is_mean = head.options.leader == StreamLeader::mean;
  KITH_TRY(write_clusters<uint32_t>(file, "changes", engine, [&](uint32_t of) {
    return is_mean ? engine.means().changes(of) : clusters.passed(of);
  }));
  if (is_mean) KITH_TRY(write_means(file, engine));
  if (learns_words(head.options)) KITH_TRY(write_words(file, engine.words()));
  if (keeps_themes(head.options)) {
    std::vector<uint64_t> numbers;
    for_each_cluster(engine, [&](uint32_t of) { numbers.push_back(clusters[of].number); });
    KITH_TRY(write_themes(file, engine.themes(), numbers));
  }
  return file.finish();
}

Result<Snapshot> Snapshot::open(storage::FileSystem& fs, const std::string& path) {
  Snapshot snapshot;
  KITH_ASSIGN(snapshot.file_, storage::SectionFile::open(fs, path, snapshot_kind));
  KITH_ASSIGN(const Bytes bytes, snapshot.file_.section("head"));
  KITH_TRY(snapshot.file_.check(bytes));
  const auto head = decode_head(as_text(bytes));
  if (!head) return snapshot.file_.corrupt(head.error().message);
  snapshot.head_ = *head;
  return snapshot;
}

Status Snapshot::read(Engine& engine) const {
  KITH_TRY(file_.verify());
  KITH_ASSIGN(const Columns columns, read_columns(file_, head_.options));
  if (!is_sound(columns, head_)) return file_.corrupt("clusters that contradict each other");
  engine.restore(head_.counts, head_.clock, head_.next_number);
  if (learns_words(head_.options)) {
    KITH_ASSIGN(const bool are_words, read_words(file_, engine));
    if (!are_words) return file_.corrupt("words that contradict each other");
  }
  Released released(file_);
  size_t page = 0;
  for (size_t i = 0; i < columns.numbers.size(); ++i) {
    const uint32_t cluster =
        engine.restore_cluster(columns.numbers[i], columns.last_times[i], columns.last_pages[i]);
    if (head_.options.leader == StreamLeader::mean) {
      engine.restore_mean(cluster, columns.means[i], columns.changes[i]);
    }
    for (const size_t end = page + columns.sizes[i]; page < end; ++page) {
      const Features features = columns.features[page];
      const std::string_view name = columns.names[page];
      if (engine.pages().find(name)) return file_.corrupt("a document that is there twice");
      engine.restore_member(cluster, name, features, columns.times[page],
                            columns.similarities[page]);
      released.note(features.size() + 1);
    }
    if (head_.options.leader == StreamLeader::first) {
      engine.restore_passed(cluster, columns.changes[i]);
    }
  }
  if (!keeps_themes(head_.options)) return Status::ok();
  return read_themes(file_, columns.numbers, columns.sizes, engine.restore_themes());
}

}  // namespace kith::jobs
